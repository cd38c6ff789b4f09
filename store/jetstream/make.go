package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
)

// A making asks for a stream of a store, or for the consumer of a class. Our hubs make them,
// and let nobody else do that, because whoever chooses a configuration can have the servers
// send what is stored wherever he wants. Other servers have nobody who answers.
type making struct {
	Stream   string         `json:"stream,omitempty"`
	Replicas int            `json:"replicas,omitempty"`
	Class    *engine.Wanted `json:"class,omitempty"`
	Lease    time.Duration  `json:"lease,omitempty"`
}

// The names under which processes ask for that, and workers hear which runs want one.
const (
	makeName   = "make"
	queuedName = "queued"
)

// shortestLease bounds the lease that a client may ask for.
const shortestLease = time.Second

// ServeTenant makes what others ask for until the connection ends, and tells workers of runs that
// want one, because a server passes no message on through two accounts. The connection may make
// streams.
func ServeTenant(nc *nats.Conn) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	s := &servers{nc: nc, js: js, prefix: defaultPrefix}
	_, err = nc.QueueSubscribe(s.prefix+".say."+makeName, makeName, func(m *nats.Msg) {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), answerTime)
			defer cancel()
			var wanted making
			err := json.Unmarshal(m.Data, &wanted)
			if err == nil {
				err = s.makeHere(ctx, wanted)
			}
			answer := &jetstream.APIError{}
			if err != nil && !errors.As(err, &answer) {
				answer = &jetstream.APIError{Code: 503, Description: err.Error()} // asked again
			}
			raw, _ := json.Marshal(answer) // cannot fail: strings and numbers
			_ = m.Respond(raw)             // the sender may have gone
		}()
	})
	if err != nil {
		return err
	}
	_, err = nc.QueueSubscribe(s.prefix+".q.>", queuedName, func(m *nats.Msg) {
		_ = nc.Publish(s.prefix+".say."+queuedName, []byte(m.Subject)) // fails only if the connection has ended
	})
	return err
}

// make has a stream or consumer made, unless it exists.
func (s *servers) make(ctx context.Context, wanted making) error {
	raw, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	m, err := s.nc.RequestWithContext(ctx, s.prefix+".say."+makeName, raw)
	if errors.Is(err, nats.ErrNoResponders) {
		return s.makeHere(ctx, wanted)
	}
	var failed jetstream.APIError
	if err == nil {
		err = json.Unmarshal(m.Data, &failed)
	}
	if err == nil && failed.Code != 0 {
		err = &failed
	}
	return err
}

func (s *servers) makeHere(ctx context.Context, wanted making) error {
	if wanted.Class != nil {
		priority, needs, name := class(*wanted.Class)
		text, err := json.Marshal(needs)
		if err != nil {
			return err
		}
		_, err = s.js.CreateConsumer(ctx, s.stream(runsStream), jetstream.ConsumerConfig{
			Durable: consumerName(priority, name), FilterSubject: s.queueSubject(*wanted.Class) + "*", Metadata: map[string]string{needsKey: string(text)},
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: max(wanted.Lease, shortestLease), MaxDeliver: -1, MaxAckPending: 10_000,
		})
		return err
	}
	for _, c := range s.streams() {
		if c.Name == wanted.Stream {
			c.Replicas = wanted.Replicas
			_, err := s.js.CreateStream(ctx, c)
			return err
		}
	}
	return fmt.Errorf("stream %s: wanted one of a store", wanted.Stream)
}
