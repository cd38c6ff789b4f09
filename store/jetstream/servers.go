package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
)

// The streams. Their names begin with the prefix of the store.
const (
	runsStream    = "RUNS"
	filesStream   = "FILES"
	recordsStream = "RECORDS"
)

// servers are the servers of a fleet. Requests are repeated while the servers are
// out of reach.
type servers struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	prefix string
	wait   time.Duration // how long requests are repeated
	nonce  string        // of this process
	number atomic.Uint64
}

func (s *servers) stream(name string) string { return strings.ToUpper(s.prefix) + "_" + name }

// newNonce returns a nonce that no other message has.
func (s *servers) newNonce() string { return s.nonce + "-" + strconv.FormatUint(s.number.Add(1), 36) }

// ensure has a stream made unless it exists, and returns the number of its replicas. If
// several processes want it at once, the servers answer only one of them, and none while
// there is no leader. So each try is short, and looks for the stream first.
func (s *servers) ensure(ctx context.Context, name string, replicas int) (int, error) {
	err := s.persist(ctx, func(ctx context.Context) error {
		stream, err := s.js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			if err = s.make(ctx, making{Stream: name, Replicas: replicas}); err == nil {
				stream, err = s.js.Stream(ctx, name)
			}
		}
		if err == nil {
			replicas = stream.CachedInfo().Config.Replicas
		}
		return err
	})
	return replicas, err
}

// answerTime is how long to wait for one answer before asking again.
const answerTime = time.Second

// persist calls try until it succeeds or is refused, at most for the wait of the
// store.
func (s *servers) persist(ctx context.Context, try func(context.Context) error) error {
	late := time.Now().Add(s.wait)
	for {
		short, cancel := context.WithTimeout(ctx, answerTime)
		err := try(short)
		cancel()
		if err == nil || ctx.Err() != nil || final(err) || time.Now().After(late) {
			return err
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// retry returns a function that decides about a failed write whose fence may have
// changed, or whose answer may be lost: after a pause it returns nil if the caller
// should try again, or else the error.
func (s *servers) retry(ctx context.Context) func(error) error {
	late := time.Now().Add(s.wait)
	return func(err error) error {
		if _, answered := errors.AsType[*jetstream.APIError](err); answered && final(err) && !outdated(err) {
			return explain(err)
		}
		if time.Now().After(late) || ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		pause(ctx, 20*time.Millisecond)
		return nil
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Error codes of the servers.
const (
	// errNotYet is a refusal without the number of the last message: an earlier one
	// is being stored, and may be ours.
	errNotYet = jetstream.JSErrCodeStreamWrongLastSequenceConstant

	// A server has no room, or the tenant may store no more.
	errTenant      jetstream.ErrorCode = 10002
	errStorage     jetstream.ErrorCode = 10047
	errStoreFailed jetstream.ErrorCode = 10077
)

// final reports whether a server refused, and would again.
func final(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code != 503 && api.ErrorCode != errNotYet
	}
	return errors.Is(err, nats.ErrPermissionViolation)
}

// outdated reports whether a write was refused because its fence is not the last
// message on its subject.
func outdated(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

func explain(err error) error {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok && slices.Contains([]jetstream.ErrorCode{errTenant, errStorage, errStoreFailed}, api.ErrorCode) {
		return fmt.Errorf("%w: %w", engine.ErrFull, err)
	}
	return err
}

// publish stores messages, all or none, and returns the number of the last one.
func (s *servers) publish(ctx context.Context, messages ...*nats.Msg) (uint64, error) {
	last := messages[len(messages)-1]
	if len(messages) > 1 {
		id := rand.Text()
		for i, m := range messages {
			m.Header.Set("Nats-Batch-Id", id)
			m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
			if m == last {
				m.Header.Set("Nats-Batch-Commit", "1")
			} else if err := s.nc.PublishMsg(m); err != nil {
				return 0, err
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	reply, err := s.nc.RequestMsgWithContext(ctx, last)
	if err != nil {
		return 0, err
	}
	var answer struct {
		Seq   uint64              `json:"seq"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return 0, err
	}
	if answer.Error != nil {
		return 0, answer.Error
	}
	return answer.Seq, nil
}

// purge removes the messages of a subject from a stream.
func (s *servers) purge(ctx context.Context, stream, subject string, more ...jetstream.StreamPurgeOpt) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	from, err := s.js.Stream(ctx, s.stream(stream))
	if err != nil {
		return err
	}
	return from.Purge(ctx, append(more, jetstream.WithPurgeSubject(subject))...)
}

// leader reads the last message of a subject from the leader of a stream, because
// other replicas may be behind. It returns nil if there is none.
func (s *servers) leader(ctx context.Context, stream, subject string) (*message, error) {
	var out struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	ask := fmt.Appendf(nil, `{"last_by_subj":%q}`, subject)
	r, err := s.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+s.stream(stream), ask)
	if err == nil {
		err = json.Unmarshal(r.Data, &out)
	}
	switch {
	case err != nil:
		return nil, err
	case out.Error != nil && out.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, nil
	case out.Error != nil:
		return nil, out.Error
	}
	m := &message{seq: out.Message.Seq, subject: out.Message.Subject, data: out.Message.Data, at: out.Message.Time}
	if len(out.Message.Header) > 0 {
		m.header, err = nats.DecodeHeadersMsg(out.Message.Header)
	}
	return m, err
}

// newest calls leader until it answers, at most for the wait of the store.
func (s *servers) newest(ctx context.Context, stream, subject string) (m *message, err error) {
	err = s.persist(ctx, func(ctx context.Context) (err error) {
		m, err = s.leader(ctx, stream, subject)
		return err
	})
	return m, err
}

var errBehind = errors.New("the server that answered is behind")

// subjects returns the subjects of a stream that have a message, as the leader has them.
func (s *servers) subjects(ctx context.Context, stream, filter string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	from, err := s.js.Stream(ctx, s.stream(stream))
	if err != nil {
		return nil, err
	}
	info, err := from.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	return slices.Collect(maps.Keys(info.State.Subjects)), nil
}

// direct reads messages from any replica of a stream. If the last ones of subjects are
// wanted, it also returns up to which number the replica has the stream.
func (s *servers) direct(ctx context.Context, stream, ask string) (page []*message, upTo uint64, err error) {
	err = s.askAll(ctx, "$JS.API.DIRECT.GET."+s.stream(stream), []byte(ask), func(m *nats.Msg) (more bool, err error) {
		switch status := m.Header.Get("Status"); status {
		case "": // a message
		case "204", "404": // the end, or none
			upTo, _ = strconv.ParseUint(m.Header.Get("Nats-UpTo-Sequence"), 10, 64)
			return false, nil
		default:
			return false, fmt.Errorf("reading from %s: %s %s", s.stream(stream), status, m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		page = append(page, &message{seq: seq, subject: m.Header.Get(jetstream.SubjectHeader), header: m.Header, data: m.Data})
		return true, err
	})
	if err != nil {
		return nil, 0, err
	}
	return page, upTo, nil
}

// askAll sends a message and passes on the answers until take returns false or an error.
func (s *servers) askAll(ctx context.Context, subject string, ask []byte, take func(*nats.Msg) (more bool, err error)) error {
	inbox := s.nc.NewRespInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only if the connection has ended
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return err
	}
	if err := s.nc.PublishRequest(subject, inbox, ask); err != nil {
		return err
	}
	for more := true; more; {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return err
		}
		if more, err = take(m); err != nil {
			return err
		}
	}
	return nil
}
