package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/store/sealed"
)

// Records are small things that all processes of a fleet share and change, such as
// schedules. Each is the last message on its subject, with the same fence as a run.

// recordsStream holds them.
func (s *Store) recordsStream(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: s.records(), Subjects: []string{s.o.Prefix + ".s.*"}, Storage: jetstream.FileStorage, Replicas: replicas,
		MaxMsgsPerSubject: 1, AllowDirect: true,
	}
}

func (s *Store) recordSubject(name string) string { return s.o.Prefix + ".s." + token(name) }

// record is what a message says; nil: it says that there is none.
func (m *message) record() ([]byte, error) {
	if m == nil || m.header.Get(removedHeader) != "" {
		return nil, nil
	}
	content, _, err := sealed.Unseal(sealed.Seed(m.subject), m.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", m.subject, errDamaged, err)
	}
	return content, nil
}

// Records yields all of them by their names, as the leader has them.
func (s *Store) Records(ctx context.Context) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := s.persist(ctx, func(ctx context.Context) error {
		newest, err := s.leader(ctx, s.records(), s.o.Prefix+".s.*")
		if err != nil || newest == nil {
			return err
		}
		page, err := s.direct(ctx, s.records(), fmt.Sprintf(`{"multi_last":[%q]}`, s.o.Prefix+".s.*"))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(page, func(m *message) bool { return m.seq >= newest.seq }) {
			return errors.New("the server that answered is behind")
		}
		clear(all)
		for _, m := range page {
			content, err := m.record()
			if err != nil {
				return err
			}
			if content != nil {
				all[idOf(lastWord(m.subject))] = content
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading from %s: %w", s.records(), err)
	}
	return all, nil
}

// ChangeRecord changes one: it is given what there is, nil if nothing, and what it
// gives back is kept, nil: nothing. It is called again when another was first.
func (s *Store) ChangeRecord(ctx context.Context, name string, change func(before []byte) (after []byte, err error)) error {
	subject, late := s.recordSubject(name), time.Now().Add(s.o.Wait)
	nonce := s.newNonce()
	for {
		last, err := s.newest(ctx, s.records(), subject)
		if err != nil {
			return fmt.Errorf("reading %s: %w", subject, err)
		}
		if slices.Contains(last.nonces(), nonce) {
			return nil // the answer was lost
		}
		before, err := last.record()
		if err != nil {
			return err
		}
		after, err := change(before)
		if err != nil || after == nil && before == nil || after != nil && slices.Equal(before, after) {
			return err
		}
		if _, err = s.publish(ctx, []*nats.Msg{recordMessage(subject, after, last, nonce)}); err == nil {
			return nil
		}
		if api, ok := errors.AsType[*jetstream.APIError](err); ok && final(err) && api.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence {
			return fmt.Errorf("storing %s: %w", subject, explain(api))
		}
		if time.Now().After(late) || ctx.Err() != nil {
			return fmt.Errorf("storing %s: %w", subject, errors.Join(err, context.Cause(ctx)))
		}
	}
}

// mostNonces is how many later changes of a record by others still allow to detect that a
// change was stored whose answer was lost.
const mostNonces = 64

func (m *message) nonces() []string {
	if m == nil {
		return nil
	}
	return strings.Fields(m.header.Get(nonceHeader))
}

func recordMessage(subject string, content []byte, after *message, nonce string) *nats.Msg {
	m, fence := nats.NewMsg(subject), uint64(0)
	if after != nil {
		fence = after.seq
	}
	nonces := append(after.nonces(), nonce)
	m.Header.Set(fenceHeader, strconv.FormatUint(fence, 10))
	m.Header.Set(nonceHeader, strings.Join(nonces[max(0, len(nonces)-mostNonces):], " "))
	if content == nil {
		m.Header.Set(removedHeader, "1")
		return m
	}
	m.Data = append(make([]byte, sealed.SumSize), content...)
	sealed.Seal(sealed.Seed(subject), m.Data)
	return m
}
