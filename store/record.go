package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"time"

	"understudy/engine"
)

// A record is written with a checksum in front. That of an event continues
// the checksum of the event before it, and the first continues the run's id:
// so events cannot change, swap places or come from another run unseen.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumSize = 4

var (
	errSum   = errors.New("its checksum does not fit its content")
	errShort = errors.New("it is cut short")
)

func seed(run string) uint32 { return crc32.Checksum([]byte(run), castagnoli) }

// seal puts the checksum in front of a record that has room for it.
func seal(prev uint32, record []byte) uint32 {
	sum := crc32.Update(prev, castagnoli, record[sumSize:])
	binary.BigEndian.PutUint32(record, sum)
	return sum
}

// unseal is what a sealed record holds, and its checksum.
func unseal(prev uint32, record []byte) ([]byte, uint32, error) {
	if len(record) < sumSize {
		return nil, 0, errShort
	}
	sum := crc32.Update(prev, castagnoli, record[sumSize:])
	if sum != sumOf(record) {
		return nil, 0, errSum
	}
	return record[sumSize:], sum, nil
}

func sumOf(record []byte) uint32 { return binary.BigEndian.Uint32(record) }

// encodeEvent writes an event as attempt, time, type, path and the raw data:
// the data is JSON already, and is not parsed again.
func encodeEvent(ev engine.Event) []byte {
	b := make([]byte, sumSize, sumSize+32+len(ev.Type)+len(ev.Path)+len(ev.Data))
	b = binary.AppendUvarint(b, uint64(ev.Attempt))
	b = binary.AppendVarint(b, ev.At.Unix())
	b = binary.AppendUvarint(b, uint64(ev.At.Nanosecond()))
	b = appendString(b, string(ev.Type))
	b = appendString(b, ev.Path)
	return append(b, ev.Data...)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decodeEvent reads what encodeEvent wrote, into memory of its own.
func decodeEvent(seq uint64, body []byte) (engine.Event, error) {
	r := reader{rest: body}
	ev := engine.Event{Seq: seq, Attempt: int(r.uvarint())}
	sec := r.varint()
	ev.At = time.Unix(sec, int64(r.uvarint())).UTC()
	ev.Type = engine.EventType(r.text())
	ev.Path = r.text()
	if len(r.rest) > 0 {
		ev.Data = append(json.RawMessage(nil), r.rest...)
	}
	if r.bad {
		return engine.Event{}, errShort
	}
	return ev, nil
}

// A reader takes values from the front of a record.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.skip(n)
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	r.skip(n)
	return v
}

func (r *reader) text() string {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func (r *reader) skip(n int) {
	if n <= 0 {
		r.bad, r.rest = true, nil
		return
	}
	r.rest = r.rest[n:]
}

// A head is a header with what the store keeps beside it.
type head struct {
	engine.Header
	tail uint32 // the checksum of the last event
	size int64  // of the run's records, in bytes
}

func encodeHead(h head) ([]byte, error) {
	b := make([]byte, sumSize, 512)
	b = binary.BigEndian.AppendUint32(b, h.tail)
	b = binary.BigEndian.AppendUint64(b, uint64(h.size))
	text, err := json.Marshal(h.Header)
	if err != nil {
		return nil, err
	}
	b = append(b, text...)
	seal(seed(h.ID), b)
	return b, nil
}

func decodeHead(run string, record []byte) (head, error) {
	body, _, err := unseal(seed(run), record)
	if err != nil {
		return head{}, err
	}
	if len(body) < 12 {
		return head{}, errShort
	}
	h := head{tail: binary.BigEndian.Uint32(body), size: int64(binary.BigEndian.Uint64(body[4:]))}
	return h, json.Unmarshal(body[12:], &h.Header)
}

func encodeSnapshot(run string, s *engine.Snapshot) []byte {
	b := make([]byte, sumSize, sumSize+8+len(s.State))
	b = binary.BigEndian.AppendUint64(b, s.Seq)
	b = append(b, s.State...)
	seal(seed(run), b)
	return b
}

func decodeSnapshot(run string, record []byte) (*engine.Snapshot, error) {
	body, _, err := unseal(seed(run), record)
	if err != nil {
		return nil, err
	}
	if len(body) < 8 {
		return nil, errShort
	}
	return &engine.Snapshot{Seq: binary.BigEndian.Uint64(body), State: append([]byte(nil), body[8:]...)}, nil
}
