package rundesktops

import (
	"log/slog"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
)

// TestClaimsOfDesktops claims desktops, one after the other: the first of a row is
// held, and so is the second or not.
func TestClaimsOfDesktops(t *testing.T) {
	for _, row := range []struct {
		sentence, first, second string
		both                    bool
	}{
		{"one run acts at the seat", desktop.Seat, desktop.Seat, false},
		{"a virtual desktop is beside it", desktop.Seat, "virtual", true},
		{"one run acts on a desktop with a name", "virtual:work", "virtual:work", false},
		{"two have desktops of their own", "virtual", "virtual", true},
		{"one of the pool is beside the seat", desktop.Seat, "", true},
		{"and beside one with a name", "", "virtual:work", true},
		{"a pool of one is for one run", "", "", false},
		{"also for one that names its desktop", "", "virtual:pool-1", false},
		{"or that named it before", "virtual:pool-1", "", false},
	} {
		d := New(local.Machine{}, desktop.Options{Display: "virtual", Dir: t.TempDir()}, Config{Shared: true, Desktops: 1}, slog.New(slog.DiscardHandler))
		of := func(run, display string) engine.DesktopRequest {
			return engine.DesktopRequest{Run: strings.Repeat(run, 10), Client: run, Choice: engine.DesktopChoice{Display: display}}
		}
		release, ok := d.Claim(of("a", row.first))
		if !ok {
			t.Fatalf("%s: nobody has it, and it is refused", row.sentence)
		}
		if _, both := d.Claim(of("b", row.second)); both != row.both {
			t.Errorf("%s: both act %t, wanted %t", row.sentence, both, row.both)
		}
		release()
		if _, ok := d.Claim(of("c", row.first)); !ok {
			t.Errorf("%s: it was given up, and is refused", row.sentence)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestARunThatAsksAgainKeepsItsDesktop claims a desktop twice, as when it is asked whether
// a run could go on whose desktop a person has taken over.
func TestARunThatAsksAgainKeepsItsDesktop(t *testing.T) {
	d := New(local.Machine{}, desktop.Options{Dir: t.TempDir()}, Config{}, slog.New(slog.DiscardHandler))
	of := func(run string) engine.DesktopRequest {
		return engine.DesktopRequest{Run: run, Choice: engine.DesktopChoice{Display: "virtual:work"}}
	}
	first, _ := d.Claim(of("a"))
	if again, ok := d.Claim(of("a")); ok {
		again()
	}
	if _, ok := d.Claim(of("b")); ok {
		t.Error("another run acts on the desktop")
	}
	first()
	if _, ok := d.Claim(of("b")); !ok {
		t.Error("the desktop was given up, and is refused")
	}
}

// TestADesktopBelongsToWhoNamesIt asks for whom a desktop is started that a run names, and
// that does not exist any more.
func TestADesktopBelongsToWhoNamesIt(t *testing.T) {
	for _, row := range []struct {
		sentence, ofServer, named, want string
	}{
		{"the run of a client names it", "virtual", "virtual:work", "ann"},
		{"it is that of the server", "virtual:work", "", ""},
	} {
		d := New(local.Machine{}, desktop.Options{Display: row.ofServer}, Config{}, slog.New(slog.DiscardHandler))
		o := d.optionsFor(engine.DesktopRequest{Run: "a", Owner: "ann", Choice: engine.DesktopChoice{Display: row.named}})
		if o.Display != "virtual:work" || o.Owner != row.want {
			t.Errorf("%s: %+v, wanted it for %q", row.sentence, o, row.want)
		}
	}
}
