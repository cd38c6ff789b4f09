package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/format"
)

// The properties by which a run is found. An index key consists of whether the
// run is a call, the letter of a property, the value, and the id of the run, which
// sorts by age.
const (
	byAge    = 'a'
	byStatus = 's'
)

// named are the other properties, which not all runs have. The first ones are those
// that the fewest runs share.
var named = []struct {
	by   byte
	of   func(h *engine.Header) string
	want func(q *engine.Query) string
}{
	{'e', func(h *engine.Header) string { return h.ExecutionID }, func(q *engine.Query) string { return q.ExecutionID }},
	{'c', func(h *engine.Header) string { return h.Schedule }, func(q *engine.Query) string { return q.Schedule }},
	{'t', func(h *engine.Header) string { return h.TraceID }, func(q *engine.Query) string { return q.TraceID }},
	{'l', func(h *engine.Header) string { return h.WorkflowID }, func(q *engine.Query) string { return q.WorkflowID }},
	{'w', func(h *engine.Header) string { return h.Workflow }, func(q *engine.Query) string { return q.Workflow }},
}

// longValue is the longest value that is part of a key; of a longer one the hash
// is.
const longValue = 200

func indexPrefix(call bool, by byte, value string) []byte {
	class := byte('r')
	if call {
		class = 'c'
	}
	if len(value) > longValue {
		sum := sha256.Sum256([]byte(value))
		value = string(sum[:])
	}
	b := append(make([]byte, 0, 4+len(value)+32), class, by)
	b = binary.BigEndian.AppendUint16(b, uint16(len(value)))
	return append(b, value...)
}

func indexKeys(h *engine.Header) [][]byte {
	if h == nil {
		return nil
	}
	call := h.Call != ""
	keys := [][]byte{
		append(indexPrefix(call, byAge, ""), h.ID...),
		append(indexPrefix(call, byStatus, string(h.Status)), h.ID...),
	}
	for _, f := range named {
		if value := f.of(h); value != "" {
			keys = append(keys, append(indexPrefix(call, f.by, value), h.ID...))
		}
	}
	return keys
}

// summary returns what filters need besides the id, so that the header of a run
// that does not fit need not be read.
func summary(h *engine.Header) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 24), uint64(h.StartedAt.Unix()))
	return append(b, h.Status...)
}

// putIndex replaces the keys of the old header of a run by those of the new one. The old
// header is nil for a new run, and the new one for a removed run.
func putIndex(tx *bolt.Tx, old, h *engine.Header) (err error) {
	if old != nil && h != nil && sameIndex(old, h) {
		return nil
	}
	b, keys := tx.Bucket(bucketIndex), indexKeys(h)
	for _, key := range indexKeys(old) {
		if !slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) }) {
			err = errors.Join(err, b.Delete(key))
		}
	}
	for _, key := range keys {
		err = errors.Join(err, b.Put(key, summary(h)))
	}
	return err
}

func sameIndex(a, b *engine.Header) bool {
	same := a.Status == b.Status && a.Call == b.Call && a.StartedAt.Unix() == b.StartedAt.Unix()
	for _, f := range named {
		same = same && f.of(a) == f.of(b)
	}
	return same
}

// prefixesFor returns the parts of the index that have all runs which a query can
// want: those of its narrowest filter.
func prefixesFor(q engine.Query) [][]byte {
	var prefixes [][]byte
	add := func(by byte, value string) {
		prefixes = append(prefixes, indexPrefix(false, by, value))
		if q.Calls {
			prefixes = append(prefixes, indexPrefix(true, by, value))
		}
	}
	for _, f := range named {
		if value := f.want(&q); value != "" {
			add(f.by, value)
			return prefixes
		}
	}
	for i, s := range q.Status {
		if !slices.Contains(q.Status[:i], s) {
			add(byStatus, string(s))
		}
	}
	if len(q.Status) == 0 {
		add(byAge, "")
	}
	return prefixes
}

// An indexCursor iterates over one part of the index, from the newest run to the oldest.
type indexCursor struct {
	cursor *bolt.Cursor
	prefix []byte
	id     []byte // nil at the end
	value  []byte
}

func newIndexCursor(tx *bolt.Tx, prefix []byte, before string) *indexCursor {
	t := &indexCursor{cursor: tx.Bucket(bucketIndex).Cursor(), prefix: prefix}
	end := append(bytes.Clone(prefix), before...)
	if before == "" {
		end = append(end, bytes.Repeat([]byte{0xFF}, format.MaxID+1)...)
	}
	key, _ := t.cursor.Seek(end)
	if key == nil {
		t.take(t.cursor.Last())
	} else {
		t.take(t.cursor.Prev())
	}
	return t
}

func (t *indexCursor) next() { t.take(t.cursor.Prev()) }

func (t *indexCursor) take(key, value []byte) {
	t.id, t.value = nil, nil
	if bytes.HasPrefix(key, t.prefix) {
		t.id, t.value = key[len(t.prefix):], value
	}
}

// fits reports whether a query can want a run with this summary.
func fits(q engine.Query, value []byte) bool {
	if len(value) < 8 {
		return true
	}
	if !q.Since.IsZero() && int64(binary.BigEndian.Uint64(value)) < q.Since.Unix() {
		return false
	}
	return len(q.Status) == 0 || slices.Contains(q.Status, engine.Status(value[8:]))
}

func idOfKey(key []byte) (string, bool) {
	if len(key) < 4 {
		return "", false
	}
	n := 4 + int(binary.BigEndian.Uint16(key[2:]))
	if n >= len(key) {
		return "", false
	}
	return string(key[n:]), true
}
