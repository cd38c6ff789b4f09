package store

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy/engine"
	"understudy/store/format"
)

func FuzzEventRoundTrip(f *testing.F) {
	f.Add(1, int64(1_700_000_000), int64(5), "step_started", "3.0", []byte(`{"a":1}`))
	f.Add(900, int64(-62135596800), int64(0), "", "", []byte(nil))
	f.Fuzz(func(t *testing.T, attempt int, sec, nsec int64, typ, path string, data []byte) {
		want := engine.Event{Seq: 3, Attempt: attempt & 0xFFFF, At: time.Unix(sec, nsec&0x1FFFFFFF).UTC(), Type: engine.EventType(typ), Path: path}
		if len(data) > 0 {
			want.Data = data
		}
		got, err := format.DecodeEvent(3, encodeEvent(want)[format.SumSize:])
		if err != nil {
			t.Fatal(err)
		}
		if !got.At.Equal(want.At) {
			t.Errorf("at %v, want %v", got.At, want.At)
		}
		got.At = want.At
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(engine.Event{})); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzDecodeSurvives(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = format.DecodeEvent(1, b)
		_, _ = decodeHead("run", b)
		_, _ = decodeSnapshot("run", b)
		if _, _, err := openEvent(1, format.Seed("run"), b); err == nil && len(b) < format.SumSize {
			t.Error("a record without a checksum was taken")
		}
	})
}

// FuzzCheckPages changes a database anywhere: checking its pages terminates and does not
// panic.
func FuzzCheckPages(f *testing.F) {
	rec, _ := record(f, 20)
	image := rec.images[len(rec.images)-1]
	f.Add(uint32(4096*3+9), []byte{1})
	f.Add(uint32(4096*5+24), []byte{5, 0, 0, 0})
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		b := bytes.Clone(image)
		copy(b[int(at)%len(b):], change)
		m, whole, err := readMeta(bytes.NewReader(b))
		if err != nil || whole == 0 {
			return
		}
		_, _ = checkPages(bytes.NewReader(b), int64(len(b)), m, true)
	})
}
