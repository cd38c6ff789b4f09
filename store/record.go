package store

import (
	"encoding/binary"
	"encoding/json"

	"understudy/engine"
	"understudy/store/format"
)

// openEvent returns the event of a record that follows one with the checksum
// prev, and the checksum of the record.
func openEvent(seq uint64, prev uint32, record []byte) (engine.Event, uint32, error) {
	body, sum, err := format.Unseal(prev, record)
	if err != nil {
		return engine.Event{}, 0, err
	}
	ev, err := format.DecodeEvent(seq, body)
	return ev, sum, err
}

func encodeEvent(ev engine.Event) []byte {
	b := make([]byte, format.SumSize, format.SumSize+32+len(ev.Type)+len(ev.Path)+len(ev.Data))
	return format.AppendEvent(b, ev)
}

// A head is a header with what the store keeps about its run.
type head struct {
	engine.Header
	tail uint32 // the checksum of the last event
	size int64  // of the run's records, in bytes
}

func encodeHead(h head) ([]byte, error) {
	b := make([]byte, format.SumSize, 512)
	b = binary.BigEndian.AppendUint32(b, h.tail)
	b = binary.BigEndian.AppendUint64(b, uint64(h.size))
	text, err := json.Marshal(h.Header)
	if err != nil {
		return nil, err
	}
	b = append(b, text...)
	format.Seal(format.Seed(h.ID), b)
	return b, nil
}

func decodeHead(run string, record []byte) (head, error) {
	body, _, err := format.Unseal(format.Seed(run), record)
	if err != nil {
		return head{}, err
	}
	if len(body) < 12 {
		return head{}, format.ErrShort
	}
	h := head{tail: binary.BigEndian.Uint32(body), size: int64(binary.BigEndian.Uint64(body[4:]))}
	return h, json.Unmarshal(body[12:], &h.Header)
}

func encodeSnapshot(run string, s *engine.Snapshot) []byte {
	b := make([]byte, format.SumSize, format.SumSize+8+len(s.State))
	b = binary.BigEndian.AppendUint64(b, s.Seq)
	b = append(b, s.State...)
	format.Seal(format.Seed(run), b)
	return b
}

func decodeSnapshot(run string, record []byte) (*engine.Snapshot, error) {
	body, _, err := format.Unseal(format.Seed(run), record)
	if err != nil {
		return nil, err
	}
	if len(body) < 8 {
		return nil, format.ErrShort
	}
	return &engine.Snapshot{Seq: binary.BigEndian.Uint64(body), State: append([]byte(nil), body[8:]...)}, nil
}
