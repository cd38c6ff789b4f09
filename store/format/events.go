// Package format is what all stores have in common: how events are written, which files
// events name, and which runs a retention removes. Each store decides where it keeps the
// records, and reads and removes them itself.
//
// A record is sealed with a checksum that continues that of the record before it; the
// first record continues the id of the run. So it is noticed when events change, swap
// places or come from another run.
package format

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"understudy/engine"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumSize is the size of the checksum at the beginning of a record.
const SumSize = 4

// MaxID is the longest id of a run, in bytes.
const MaxID = 128

// CheckID returns an error if a run cannot have this id.
func CheckID(run string) error {
	if run == "" || len(run) > MaxID || strings.ContainsRune(run, 0) {
		return fmt.Errorf("run %q: wanted an id of 1 to %d bytes", run, MaxID)
	}
	return nil
}

// What can be wrong with a record.
var (
	ErrSum   = errors.New("its checksum does not fit its content")
	ErrShort = errors.New("it is cut short")
)

// Seed returns the checksum that the first record of a run continues.
func Seed(run string) uint32 { return crc32.Checksum([]byte(run), castagnoli) }

// Seal writes the checksum into the first SumSize bytes of a record, and returns
// it.
func Seal(prev uint32, record []byte) uint32 {
	sum := crc32.Update(prev, castagnoli, record[SumSize:])
	binary.BigEndian.PutUint32(record, sum)
	return sum
}

// Unseal verifies a sealed record, and returns its content and checksum.
func Unseal(prev uint32, record []byte) ([]byte, uint32, error) {
	if len(record) < SumSize {
		return nil, 0, ErrShort
	}
	sum := crc32.Update(prev, castagnoli, record[SumSize:])
	if sum != Sum(record) {
		return nil, 0, ErrSum
	}
	return record[SumSize:], sum, nil
}

// Mix continues a checksum with texts that are kept beside the next record.
func Mix(prev uint32, texts ...string) uint32 {
	for _, t := range texts {
		prev = crc32.Update(prev, castagnoli, appendString(nil, t))
	}
	return prev
}

// Sum returns the checksum of a sealed record.
func Sum(record []byte) uint32 { return binary.BigEndian.Uint32(record) }

// AppendEvent appends an event as attempt, time, type, path and data. The data
// is JSON, which is not parsed.
func AppendEvent(b []byte, ev engine.Event) []byte {
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

// DecodeEvent reads what AppendEvent wrote. The event does not share memory with
// body.
func DecodeEvent(seq uint64, body []byte) (engine.Event, error) {
	r := reader{rest: body}
	ev := engine.Event{Seq: seq, Attempt: int(r.uvarint())}
	sec := r.varint()
	ev.At = time.Unix(sec, int64(r.uvarint())).UTC()
	ev.Type = engine.EventType(r.bytes())
	ev.Path = string(r.bytes())
	if len(r.rest) > 0 {
		ev.Data = append(json.RawMessage(nil), r.rest...)
	}
	if r.bad {
		return engine.Event{}, ErrShort
	}
	return ev, nil
}

// AppendEvents appends several events to one record, each with its length.
func AppendEvents(b []byte, events []engine.Event) []byte {
	for _, ev := range events {
		b = appendString(b, string(AppendEvent(nil, ev)))
	}
	return b
}

// DecodeEvents reads what AppendEvents wrote; seq is the number of the first
// event.
func DecodeEvents(seq uint64, body []byte) ([]engine.Event, error) {
	r := reader{rest: body}
	var events []engine.Event
	for len(r.rest) > 0 {
		ev, err := DecodeEvent(seq+uint64(len(events)), r.bytes())
		if err != nil || r.bad {
			return nil, ErrShort
		}
		events = append(events, ev)
	}
	return events, nil
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

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) skip(n int) {
	if n <= 0 {
		r.bad, r.rest = true, nil
		return
	}
	r.rest = r.rest[n:]
}
