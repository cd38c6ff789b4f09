package owner

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps"
)

func TestEveryMethodOfRunsIsServed(t *testing.T) {
	if want, got := reflect.TypeFor[engine.Runs]().NumMethod(), len(methods()); want != got {
		t.Errorf("engine.Runs has %d methods, %d are served", want, got)
	}
}

func TestAnOwnerThatDoesNotAnswerIsNamed(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Join(ctx, optionsFor(dir))
	if e := steps.AsError(err); err == nil || e.Code != steps.Unavailable || e.Next == "" {
		t.Errorf("wanted it unavailable, and what to do, got %v", err)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 2, '{', '}'})
	f.Add([]byte{0, 0, 0, 9, '{', '}'})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 10
		_, err := receive(bytes.NewReader(b), limit)
		if len(b) >= 4 && binary.BigEndian.Uint32(b) > limit && err == nil {
			t.Error("wanted a message over the limit refused")
		}
	})
}
