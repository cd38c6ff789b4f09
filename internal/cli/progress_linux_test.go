package cli

import (
	"os"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"understudy/engine"
)

// A line that is longer than the terminal is wide takes two, of which only the last is
// drawn again.
func TestTheCurrentStepFitsIntoTheTerminal(t *testing.T) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs a terminal:", err)
	}
	defer screen.Close()
	if err := unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 30}); err != nil {
		t.Fatal(err)
	}
	p := &progress{console: &console{errOut: screen}, paint: true, kinds: map[string]string{}}
	p.started(engine.Event{Path: "0"}, engine.Started{ID: "a_step_with_a_rather_long_name", Kind: "delay"})
	if n := utf8.RuneCountInString(p.open); n > 30 {
		t.Errorf("%q has %d characters", p.open, n)
	}
}
