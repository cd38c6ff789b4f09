package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"understudy/engine"
)

// messaging passes messages between processes. They are not stored.
type messaging struct{ *servers }

func (s messaging) messageSubject(name ...string) string {
	words := []string{s.prefix, "say"}
	for _, w := range name {
		words = append(words, token(w))
	}
	return strings.Join(words, ".")
}

// Ask sends a message to one of the processes that answer under a name, and returns
// the answer.
func (s messaging) Ask(ctx context.Context, message []byte, name ...string) ([]byte, error) {
	m, err := s.nc.RequestWithContext(ctx, s.messageSubject(name...), message)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, fmt.Errorf("%s: %w", strings.Join(name, " "), engine.ErrNobody)
	}
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// Gather sends a message to all processes that answer under a name, and passes on
// their answers until take returns false or the context ends.
func (s messaging) Gather(ctx context.Context, message []byte, take func(answer []byte) (more bool), name ...string) error {
	err := s.askAll(ctx, s.messageSubject(name...), message, func(m *nats.Msg) (bool, error) { return take(m.Data), nil })
	if errors.Is(err, nats.ErrNoResponders) || ctx.Err() != nil {
		return nil
	}
	return err
}

// Answer answers messages under a name until the context ends, each in a goroutine
// of its own; a nil answer is not sent. It returns once it is subscribed.
func (s messaging) Answer(ctx context.Context, answer func(context.Context, []byte) []byte, name ...string) error {
	return s.listen(ctx, func(m *nats.Msg) {
		go func() {
			if a := answer(ctx, m.Data); a != nil {
				_ = m.Respond(a) // the asking process may have ended
			}
		}()
	}, name)
}

// Tell sends a message to all processes that hear messages under a name, in order.
// There may be none.
func (s messaging) Tell(message []byte, name ...string) error {
	return s.nc.Publish(s.messageSubject(name...), message)
}

// Hear passes on each message under a name, in order, until the context ends. It
// returns once it is subscribed.
func (s messaging) Hear(ctx context.Context, hear func(message []byte), name ...string) error {
	return s.listen(ctx, func(m *nats.Msg) { hear(m.Data) }, name)
}

func (s messaging) listen(ctx context.Context, hear nats.MsgHandler, name []string) error {
	sub, err := s.nc.Subscribe(s.messageSubject(name...), hear)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() }) // fails only if the connection has ended
	return s.nc.FlushTimeout(s.wait)
}
