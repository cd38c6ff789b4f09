package jetstream

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
	"understudy/store/sealed"
)

// The headers of the message of an append. They are sealed with its events.
const (
	atHeader       = "Us-At"       // attempt and number of events after it
	runHeader      = "Us-Header"   // the header of the run as JSON, or as file:HASH
	prevHeader     = "Us-Prev"     // the checksum of the message before it
	nonceHeader    = "Us-Nonce"    // who knows it appended the message
	eventsHeader   = "Us-Events"   // the hash under which the events are kept as a file
	snapshotHeader = "Us-Snapshot" // event and hash of the last snapshot
	removedHeader  = "Us-Removed"  // the run is no more
	fenceHeader    = "Nats-Expected-Last-Subject-Sequence"
)

// What is in a message itself at most; more is kept as a file.
const (
	mostEvents = 512 << 10
	mostHeader = 16 << 10
)

const filePrefix = "file:"

// token makes a word of a subject from an id. What orders ids orders their
// tokens too, as long as they are of lower-case letters and digits.
func token(id string) string {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != '-' {
			return "=" + hex.EncodeToString([]byte(id))
		}
	}
	return id
}

func idOf(token string) string {
	if raw, coded := strings.CutPrefix(token, "="); coded {
		id, _ := hex.DecodeString(raw)
		return string(id)
	}
	return token
}

func (s *Store) subject(run string) string { return s.o.Prefix + ".r." + token(run) }

func lastWord(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// head is what the last message of a run says.
type head struct {
	stream   uint64 // its number in the stream; 0: there is none
	attempt  int
	seq      uint64
	sum      uint32
	snapshot string
	nonce    string
	removed  bool
}

// encode makes the message of an append that follows a head.
func (s *Store) encode(ctx context.Context, run string, b engine.Batch, at head, nonce string) (*nats.Msg, error) {
	text, err := json.Marshal(b.Header)
	if err != nil {
		return nil, err
	}
	if text, err = s.aside(ctx, text, mostHeader, filePrefix); err != nil {
		return nil, err
	}
	m := nats.NewMsg(s.subject(run))
	m.Header.Set(fenceHeader, strconv.FormatUint(at.stream, 10))
	m.Header.Set(nonceHeader, nonce)
	m.Header.Set(atHeader, fmt.Sprint(b.Header.Attempt, " ", b.Header.Seq))
	m.Header.Set(runHeader, string(text))
	if snapshot := at.snapshot; b.Snapshot != nil || snapshot != "" && b.Seq > 0 {
		if b.Snapshot != nil {
			hash, err := s.Put(ctx, engine.Artifacts, b.Snapshot.State)
			if err != nil {
				return nil, err
			}
			snapshot = fmt.Sprint(b.Snapshot.Seq, " ", hash)
		}
		m.Header.Set(snapshotHeader, snapshot)
	}
	body := sealed.AppendEvents(make([]byte, sealed.SumSize), b.Events)
	if len(body) > mostEvents {
		hash, err := s.Put(ctx, engine.Artifacts, body[sealed.SumSize:])
		if err != nil {
			return nil, err
		}
		m.Header.Set(eventsHeader, hash)
		body = body[:sealed.SumSize]
	}
	prev := at.sum
	if at.stream == 0 || at.removed {
		prev = sealed.Seed(run)
	}
	m.Header.Set(prevHeader, strconv.FormatUint(uint64(prev), 10))
	sealed.Seal(sealed.Mix(prev, sealedHeaders(m.Header)...), body)
	m.Data = body
	return m, nil
}

// sealedHeaders are the headers that the checksum covers.
func sealedHeaders(h nats.Header) []string {
	return []string{h.Get(atHeader), h.Get(runHeader), h.Get(eventsHeader), h.Get(snapshotHeader)}
}

// aside keeps what is too large for a message as a file, and gives its name.
func (s *Store) aside(ctx context.Context, content []byte, most int, prefix string) ([]byte, error) {
	if len(content) <= most {
		return content, nil
	}
	hash, err := s.Put(ctx, engine.Artifacts, content)
	return []byte(prefix + hash), err
}

// message is one that is stored.
type message struct {
	seq     uint64
	subject string
	header  nats.Header
	data    []byte
	at      time.Time // when it was stored; known of what the leader gave
}

var errDamaged = errors.New("its messages are damaged on the server that answered; others of the fleet may have them whole")

// open is the head that a message makes, and what it is sealed over.
func (m *message) open() (h head, body []byte, err error) {
	h = head{stream: m.seq, nonce: m.header.Get(nonceHeader), snapshot: m.header.Get(snapshotHeader), removed: m.header.Get(removedHeader) != ""}
	if h.removed {
		return h, nil, nil
	}
	prev, err := strconv.ParseUint(m.header.Get(prevHeader), 10, 32)
	if err == nil {
		_, err = fmt.Sscan(m.header.Get(atHeader), &h.attempt, &h.seq)
	}
	if err == nil {
		body, h.sum, err = sealed.Unseal(sealed.Mix(uint32(prev), sealedHeaders(m.header)...), m.data)
	}
	if err != nil {
		return h, nil, fmt.Errorf("message %d: %w: %w", m.seq, errDamaged, err)
	}
	return h, body, nil
}

// runHeader is the header of the run in a message.
func (s *Store) runHeader(ctx context.Context, h nats.Header) (out engine.Header, err error) {
	text := []byte(h.Get(runHeader))
	if hash, ok := strings.CutPrefix(string(text), filePrefix); ok {
		if text, err = s.Get(ctx, engine.Artifacts, hash); err != nil {
			return out, err
		}
	}
	return out, json.Unmarshal(text, &out)
}

// events are those of a message, the first of which has a number.
func (s *Store) events(ctx context.Context, m *message, first uint64, body []byte) (_ []engine.Event, err error) {
	if hash := m.header.Get(eventsHeader); hash != "" {
		if body, err = s.Get(ctx, engine.Artifacts, hash); err != nil {
			return nil, err
		}
	}
	return sealed.DecodeEvents(first, body)
}

var errNone = errors.New("no such message")

// leader reads the last message of a subject from the leader of a stream: every
// other replica may be behind. Nil: there is none.
func (s *Store) leader(ctx context.Context, stream, subject string) (*message, error) {
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
	ask, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return nil, err
	}
	r, err := s.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+stream, ask)
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

// newest is leader, for as long as the store waits for servers.
func (s *Store) newest(ctx context.Context, stream, subject string) (m *message, err error) {
	err = s.persist(ctx, func(ctx context.Context) (err error) {
		m, err = s.leader(ctx, stream, subject)
		return err
	})
	return m, err
}

// last is the last message of a run, or an ErrNoRun.
func (s *Store) last(ctx context.Context, run string) (*message, error) {
	m, err := s.newest(ctx, s.runs(), s.subject(run))
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && (m == nil || m.header.Get(removedHeader) != "") {
		err = engine.ErrNoRun
	}
	if err != nil {
		return m, fmt.Errorf("run %s: %w", run, err)
	}
	return m, nil
}
