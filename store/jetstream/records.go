package jetstream

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"understudy/store/format"
)

// records are small values that all processes of a fleet share and change, such as
// schedules. Each is the last message on its subject, with the same fence as a run.
type records struct{ *servers }

func (s records) recordSubject(name string) string { return s.prefix + ".s." + token(name) }

// record returns the content of a record, or nil if the record was removed.
func (m *message) record() ([]byte, error) {
	if m == nil || m.header.Get(removedHeader) != "" {
		return nil, nil
	}
	content, _, err := format.Unseal(format.Seed(m.subject), m.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", m.subject, errDamaged, err)
	}
	return content, nil
}

// Records returns all records by their names, as the leader has them, and their version;
// no records if that is a known one. A damaged record is empty.
func (s records) Records(ctx context.Context, known string) (all map[string][]byte, version string, err error) {
	every := s.prefix + ".s.*"
	err = s.persist(ctx, func(ctx context.Context) error {
		newest, err := s.leader(ctx, recordsStream, every)
		if err != nil || newest == nil {
			return err
		}
		if version = fmt.Sprint(newest.seq, newest.nonces()); version == known {
			return nil
		}
		all = map[string][]byte{}
		for at, more := uint64(0), true; more; {
			page, _, err := s.direct(ctx, recordsStream, fmt.Sprintf(`{"seq":%d,"next_by_subj":%q,"batch":%d}`, at+1, every, pageMessages))
			if err != nil {
				return err
			}
			more = false
			for _, m := range page {
				content, err := m.record()
				if err != nil {
					content = []byte{}
				}
				name := idOf(lastWord(m.subject))
				if delete(all, name); content != nil {
					all[name] = content
				}
				at, more = m.seq, m.header.Get(pendingHeader) != "0"
			}
			if !more && at < newest.seq {
				return errBehind
			}
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("reading from %s: %w", s.stream(recordsStream), err)
	}
	return all, version, nil
}

// pendingHeader is the number of the messages that follow one of a page.
const pendingHeader = "Nats-Num-Pending"

// ChangeRecord changes a record. It stores what change makes of the content, where
// nil means that there is no record. It calls change again if another process
// changed the record meanwhile.
func (s records) ChangeRecord(ctx context.Context, name string, change func(before []byte) (after []byte, err error)) error {
	subject, nonce, again := s.recordSubject(name), s.newNonce(), s.retry(ctx)
	for {
		last, err := s.newest(ctx, recordsStream, subject)
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
		if _, err = s.publish(ctx, recordMessage(subject, after, last, nonce)); err == nil {
			return nil
		}
		if err = again(err); err != nil {
			return fmt.Errorf("storing %s: %w", subject, err)
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
	m.Data = append(make([]byte, format.SumSize), content...)
	format.Seal(format.Seed(subject), m.Data)
	return m
}
