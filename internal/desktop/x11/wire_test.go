//go:build linux

package x11

import (
	"errors"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieces is a connection that records what is written to it.
type pieces struct {
	net.Conn
	got []string
	err error
}

func (p *pieces) Write(b []byte) (int, error) {
	p.got = append(p.got, string(b))
	return len(b), p.err
}

func TestRequestsOfOneActionAreSentTogether(t *testing.T) {
	p := &pieces{}
	w := &wire{Conn: p}
	say := func(words ...string) {
		for _, s := range words {
			if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
				t.Errorf("got %d and %v, wanted %d", n, err, len(s))
			}
		}
	}
	say("look")
	for range 2 {
		if err := w.buffered(func() { say("press ", "release") }); err != nil {
			t.Error(err)
		}
		say("look", "again")
	}
	if diff := cmp.Diff([]string{"look", "press release", "look", "again", "press release", "look", "again"}, p.got); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	p.err = errors.New("gone")
	if err := w.buffered(func() { say("press") }); !errors.Is(err, p.err) {
		t.Errorf("got %v, wanted %v", err, p.err)
	}
}
