package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"understudy/engine"
)

// ErrNobody says that nobody answers under a name.
const ErrNobody engine.Error = "nobody answers"

// What processes say to each other is stored nowhere.
func (s *Store) saying(name []string) string {
	words := []string{s.o.Prefix, "say"}
	for _, w := range name {
		words = append(words, token(w))
	}
	return strings.Join(words, ".")
}

// Ask asks whoever answers under a name.
func (s *Store) Ask(ctx context.Context, message []byte, name ...string) ([]byte, error) {
	m, err := s.nc.RequestWithContext(ctx, s.saying(name), message)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, fmt.Errorf("%s: %w", strings.Join(name, " "), ErrNobody)
	}
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// Gather asks all who answer under a name, and takes their answers until it wants no
// more or the context ends.
func (s *Store) Gather(ctx context.Context, message []byte, take func(answer []byte) (more bool), name ...string) error {
	inbox := s.nc.NewRespInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone, and it with it
	if err := s.nc.PublishRequest(s.saying(name), inbox, message); err != nil {
		return err
	}
	for more := true; more; {
		m, err := sub.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrNoResponders) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		more = take(m.Data)
	}
	return nil
}

// Answer answers under a name until the context ends, each question in a
// goroutine of its own; no answer is nil. It returns once it listens.
func (s *Store) Answer(ctx context.Context, answer func(context.Context, []byte) []byte, name ...string) error {
	return s.listen(ctx, func(m *nats.Msg) {
		go func() {
			if a := answer(ctx, m.Data); a != nil {
				_ = m.Respond(a) // who asked may be gone
			}
		}()
	}, name)
}

// Tell tells something to who hears it now under a name, in order, and to nobody
// when nobody does.
func (s *Store) Tell(message []byte, name ...string) error {
	return s.nc.Publish(s.saying(name), message)
}

// Hear passes on each message under a name, in order, until the context ends. It returns
// once it listens.
func (s *Store) Hear(ctx context.Context, hear func(message []byte), name ...string) error {
	return s.listen(ctx, func(m *nats.Msg) { hear(m.Data) }, name)
}

func (s *Store) listen(ctx context.Context, hear nats.MsgHandler, name []string) error {
	sub, err := s.nc.Subscribe(s.saying(name), hear)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() }) // the connection may be gone, and it with it
	return s.nc.FlushTimeout(s.o.Wait)
}
