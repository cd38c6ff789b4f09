//go:build linux

package atspi

import (
	"fmt"
	"testing"

	"understudy/internal/desktop"
)

// What moves is told hundreds of times a second by a program that animates.
func TestBoundsEventsAreSubscribedOnlyWhileCached(t *testing.T) {
	s := openSandbox(t, 3)
	s.desk.settle(t, s.Cmd)
	waits, reads := s.desk.still(t), s.desk.still(t)
	read := func(c *Client) {
		t.Helper()
		if _, err := c.Tree(t.Context(), desktop.Scope{PID: s.Process.Pid}); err != nil {
			t.Fatal(err)
		}
	}
	at := 0
	move := func() {
		at++
		s.do(fmt.Sprintf("lines.set_margin_start(%d)", 10+at%2))
	}
	heard := func(c *Client) (moves uint64) {
		for _, a := range c.apps.find(func(a *application) bool { return a.pid == s.Process.Pid }) {
			moves, _, _ = c.signals.since(a.bus, 0)
		}
		return moves
	}
	hears := func(c *Client) bool {
		c.bus.bounds.mu.Lock()
		defer c.bus.bounds.mu.Unlock()
		return c.bus.bounds.subscribed
	}
	comes := func(c *Client) {
		t.Helper()
		before := heard(c)
		eventually(t, "who reads hears what moves", func() bool {
			read(c)
			move()
			return heard(c) > before
		}, nil)
	}

	comes(waits)
	eventually(t, "nobody needs to know any more", func() bool { return !hears(waits) }, nil)
	before := heard(waits)
	for range 3 {
		comes(reads)
	}
	if now := heard(waits); now != before {
		t.Errorf("who only waits heard of %d moves", now-before)
	}
	comes(waits)
}
