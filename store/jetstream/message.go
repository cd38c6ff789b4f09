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

	"understudy/engine"
	"understudy/store/format"
)

// The headers of the message of an append. They are sealed with its events.
const (
	atHeader       = "Us-At"       // attempt and number of events after the append
	runHeader      = "Us-Header"   // the header of the run as JSON, or filePrefix and its hash
	prevHeader     = "Us-Prev"     // the checksum of the message before
	nonceHeader    = "Us-Nonce"    // known only to the call that appended the message
	eventsHeader   = "Us-Events"   // the hash of the events, if they are kept as a file
	snapshotHeader = "Us-Snapshot" // event and hash of the last snapshot
	removedHeader  = "Us-Removed"  // the run is removed
	fenceHeader    = "Nats-Expected-Last-Subject-Sequence"

	filePrefix = "file:"
)

// The most that is in a message itself. What is larger is kept as a file.
const (
	mostEvents = 512 << 10
	mostHeader = 16 << 10
)

// token turns an id into a word of a subject. Tokens are in the order of their ids
// if these consist of lower-case letters and digits.
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

func (s *servers) subject(run string) string { return s.prefix + ".r." + token(run) }

func lastWord(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// head describes the last message of a run.
type head struct {
	stream   uint64 // the number in the stream; 0 if there is no message
	attempt  int
	seq      uint64
	sum      uint32
	snapshot string
	nonce    string
	removed  bool
}

// encode returns the message of an append that follows a head.
func (s *Store) encode(ctx context.Context, run string, b engine.Batch, at head, nonce string) (*nats.Msg, error) {
	text, err := json.Marshal(b.Header)
	if err != nil {
		return nil, err
	}
	if len(text) > mostHeader {
		hash, err := s.Put(ctx, engine.Artifacts, text)
		if err != nil {
			return nil, err
		}
		text = []byte(filePrefix + hash)
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
	body := format.AppendEvents(make([]byte, format.SumSize), b.Events)
	if len(body) > mostEvents {
		hash, err := s.Put(ctx, engine.Artifacts, body[format.SumSize:])
		if err != nil {
			return nil, err
		}
		m.Header.Set(eventsHeader, hash)
		body = body[:format.SumSize]
	}
	prev := at.sum
	if at.stream == 0 || at.removed {
		prev = format.Seed(run)
	}
	m.Header.Set(prevHeader, strconv.FormatUint(uint64(prev), 10))
	format.Seal(format.Mix(prev, sealedHeaders(m.Header)...), body)
	m.Data = body
	return m, nil
}

// sealedHeaders returns the headers that the checksum covers.
func sealedHeaders(h nats.Header) []string {
	return []string{h.Get(atHeader), h.Get(runHeader), h.Get(eventsHeader), h.Get(snapshotHeader)}
}

// message is a stored message.
type message struct {
	seq     uint64
	subject string
	header  nats.Header
	data    []byte
	at      time.Time // when it was stored; set only by leader
}

var errDamaged = errors.New("its messages are damaged on the server that answered; other servers of the fleet may have them intact")

// open verifies a message of a run, and returns its head and body.
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
		body, h.sum, err = format.Unseal(format.Mix(uint32(prev), sealedHeaders(m.header)...), m.data)
	}
	if err != nil {
		return h, nil, fmt.Errorf("message %d: %w: %w", m.seq, errDamaged, err)
	}
	return h, body, nil
}

// runHeader returns the header of the run in a message.
func (s *Store) runHeader(ctx context.Context, h nats.Header) (out engine.Header, err error) {
	text := []byte(h.Get(runHeader))
	if hash, ok := strings.CutPrefix(string(text), filePrefix); ok {
		if text, err = s.Get(ctx, engine.Artifacts, hash); err != nil {
			return out, err
		}
	}
	return out, json.Unmarshal(text, &out)
}

// events returns the events of a message, of which the first has the number first.
func (s *Store) events(ctx context.Context, m *message, first uint64, body []byte) (_ []engine.Event, err error) {
	if hash := m.header.Get(eventsHeader); hash != "" {
		if body, err = s.Get(ctx, engine.Artifacts, hash); err != nil {
			return nil, err
		}
	}
	return format.DecodeEvents(first, body)
}

// last returns the last message of a run. If there is none or the run was removed,
// the error is ErrNoRun.
func (s *servers) last(ctx context.Context, run string) (*message, error) {
	m, err := s.newest(ctx, runsStream, s.subject(run))
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
