package rundesktops

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
)

// account plays a list of words, each of which is an action on a pool. The result is the
// desktop that the last run got, with the reason if it was renewed, or "-" for none.
//
//	a/r1      run r1 of client a acts: it claims a desktop, and uses it
//	a?c1      the single call c1 of client a acts
//	a~l1      run l1 of client a looks
//	r1.       run r1 has succeeded, and gives its desktop up
//	r1!       run r1 has failed, and its desktop is kept for it
//	r1+       run r1 is resumed on its desktop
//	a-        client a is gone: desktops that are not needed end
//	x:pool-1  that desktop ends by itself
type account struct {
	*pool
	dead     map[string]bool
	who      map[string]engine.DesktopRequest
	releases map[string]func()
	last     string
}

func newAccount(n int) *account {
	a := &account{pool: newPool(n), dead: map[string]bool{}, who: map[string]engine.DesktopRequest{}, releases: map[string]func(){}}
	a.alive = func(name string) bool { return !a.dead[name] }
	return a
}

func (a *account) play(word string) {
	switch name, rest, _ := strings.Cut(word, ":"); {
	case name == "x":
		a.dead[rest] = true
		return
	case strings.HasSuffix(word, "-"):
		for _, slot := range a.leave(strings.TrimSuffix(word, "-")) {
			a.ended(slot)
		}
		return
	}
	for _, end := range []string{".", "!", "+"} {
		run, ok := strings.CutSuffix(word, end)
		if !ok {
			continue
		}
		if end == "+" {
			a.use(a.who[run], true)
			return
		}
		a.rest(a.who[run], end == "!")
		if release := a.releases[run]; release != nil {
			release()
		}
		delete(a.releases, run)
		return
	}
	for _, sort := range []string{"/", "?", "~"} {
		if client, run, ok := strings.Cut(word, sort); ok {
			a.use(engine.DesktopRequest{Run: run, Client: client, Single: sort == "?"}, sort != "~")
		}
	}
}

// use assigns a desktop to a run as the engine does.
func (a *account) use(w engine.DesktopRequest, acts bool) {
	a.last = "-"
	if acts {
		release, ok := a.claim(w)
		if !ok {
			return
		}
		a.releases[w.Run] = release
	}
	name, ok := a.of(w)
	if !ok {
		return
	}
	renew, _ := a.enter(name, w)
	if a.last = name; renew != "" {
		a.last += " anew: " + renew
	}
	delete(a.dead, name)
	w.On = &desktop.Info{Name: name}
	a.who[w.Run] = w
}

func TestPool(t *testing.T) {
	for _, row := range []struct {
		sentence, happens, gets string
	}{
		{"the first run starts the first desktop", "a/r1", "pool-1"},
		{"two runs at once have a desktop each", "a/r1 b/r2", "pool-2"},
		{"so have two runs of one client", "a/r1 a/r2", "pool-2"},
		{"when all are in use there is none", "a/r1 b/r2 c/r3", "-"},
		{"one that is given up is free", "a/r1 b/r2 r1. a/r3", "pool-1"},
		{"a client finds what it left", "a/r1 r1. b/r2 r2. a/r3", "pool-1"},
		{"and what it used last", "a/r1 a/r2 r1. r2. a/r3", "pool-2"},
		{"another client never does", "a/r1 r1. b/r2", "pool-2"},
		{"or finds it made clean", "a/r1 b/r2 r1. r2. c/r3", "pool-1 anew: a run of another client needed it"},
		{"the one that was used longest ago", "a/r1 b/r2 r2. r1. c/r3", "pool-2 anew: a run of another client needed it"},
		{"a run that goes on is where it was", "a/r1 r1! b/r2 r1+", "pool-1"},
		{"also when another desktop is clean", "a/r1 b/r2 r1! r2. b- r1+", "pool-1"},
		{"it waits when another run is there", "a/r1 r1. a/r2 r1+", "-"},
		{"what is kept for a run is not free", "a/r1 r1! b/r2", "pool-2"},
		{"not even for its client", "a/r1 r1! a/r2", "pool-2"},
		{"but for a call with which the client mends what is wrong", "a/r1 r1! a?c1", "pool-1"},
		{"when all are kept the oldest gives way", "a/r1 b/r2 r1! r2! c/r3", "pool-1 anew: all 2 desktops of the server were kept for runs or in use, and another run needed one"},
		{"also the client's own", "a/r1 a/r2 r1! r2! a/r3", "pool-1 anew: all 2 desktops of the server were kept for runs or in use, and another run needed one"},
		{"a desktop that was kept and has ended is none", "a/r1 b/r2 r1! r2! x:pool-2 c/r3", "pool-2"},
		{"one of a run that goes on and succeeds is the client's again", "a/r1 r1! r1+ r1. a/r2", "pool-1"},
		{"who looks sees where its run is", "a/r1 a~l1", "pool-1"},
		{"also where a desktop is kept for one", "a/r1 r1! a~l1", "pool-1"},
		{"another client sees that only restarted", "a/r1 a/r2 r1! r2! b~l1", "pool-1 anew: all 2 desktops of the server were kept for runs or in use, and another run needed one"},
		{"who has none looks at a clean one", "a/r1 b~l1", "pool-2"},
		{"nobody acts where another looks", "a~l1 b~l2 c/r1", "-"},
		{"when it has looked the desktop is free", "a~l1 b~l2 l1. c/r1", "pool-1 anew: a run of another client needed it"},
		{"who looks gets none when all act", "a/r1 b/r2 c~l1", "-"},
		{"a client that is gone leaves room", "a/r1 r1. b/r2 a- c/r3", "pool-1"},
		{"but nothing of its runs that go on", "a/r1 a- b/r2 c/r3", "-"},
		{"nor of those that are kept", "a/r1 r1! a- b/r2 r2. r1+", "pool-1"},
	} {
		a := newAccount(2)
		for word := range strings.FieldsSeq(row.happens) {
			a.play(word)
		}
		if a.last != row.gets {
			t.Errorf("%s: %s: got %s, wanted %s", row.sentence, row.happens, a.last, row.gets)
		}
	}
}

func TestWarmDesktops(t *testing.T) {
	for _, row := range []struct {
		sentence, happens string
		ready             int
		wanted            []string
	}{
		{"at first those that are asked for", "", 1, []string{"pool-1"}},
		{"one more when a run has one", "a/r1", 1, []string{"pool-2"}},
		{"none when all are there", "a/r1 b/r2 r1. r2.", 1, nil},
		{"none when none is asked for", "", 0, nil},
		{"one for a client that is gone", "a/r1 b/r2 r1. r2. a-", 1, []string{"pool-1"}},
	} {
		a := newAccount(2)
		for word := range strings.FieldsSeq(row.happens) {
			a.play(word)
		}
		if got := a.wanted(row.ready); !slices.Equal(got, row.wanted) {
			t.Errorf("%s: %v, wanted %v", row.sentence, got, row.wanted)
		}
	}
	p := newPool(3)
	p.found("pool-2", "", "")
	if got := p.wanted(2); !slices.Equal(got, []string{"pool-1"}) {
		t.Errorf("beside one that is ready: %v", got)
	}
}

// TestFoundAgain plays a server that finds the desktops of one that was killed.
func TestFoundAgain(t *testing.T) {
	a := newAccount(4)
	for i := range 4 {
		run := fmt.Sprintf("r%d", i)
		a.found(fmt.Sprintf("pool-%d", i+1), "a", run)
		a.who[run] = engine.DesktopRequest{Run: run, Client: "a", On: &desktop.Info{Name: fmt.Sprintf("pool-%d", i+1)}}
	}
	for i := range 4 {
		a.play(fmt.Sprintf("r%d+", i))
		if want := fmt.Sprintf("pool-%d", i+1); a.last != want {
			t.Errorf("run %d goes on on %s", i, a.last)
		}
	}
}

// TestStale tests which desktops are restarted in advance, so that a clean one is ready.
// Each action takes a minute.
func TestStale(t *testing.T) {
	for _, row := range []struct {
		sentence, played string
		ready            int
		stale            string
		in               time.Duration // until the next may be
	}{
		{"none while another can be started", "a/r1 r1.", 1, "", 0},
		{"the one that rests longest", "a/r1 r1. b/r2 r2. b?c1 c1. b?c2 c2.", 1, "pool-1", 0},
		{"not before it has rested", "a/r1 r1. b/r2 r2.", 1, "", time.Minute},
		{"none when none is to be ready", "a/r1 r1. b/r2 r2. b?c1 c1. b?c2 c2.", 0, "", 0},
		{"none where a run acts", "a/r1 b/r2 b?c1 c1. b?c2 c2. b?c3 c3.", 1, "", 0},
		{"none that is kept for a run", "a/r1 r1! b/r2 r2! a?c1 c1. a?c2 c2. a?c3 c3.", 1, "", 0},
		{"as many as are to be ready", "a/r1 r1. b/r2 r2. a~l1 l1. a~l2 l2. a~l3 l3. a~l4 l4.", 2, "pool-2", 3 * time.Minute},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a, now := newAccount(2), time.Unix(0, 0)
			a.now = func() time.Time { return now }
			for word := range strings.FieldsSeq(row.played) {
				a.play(word)
				now = now.Add(time.Minute)
			}
			stale, next := a.stale(row.ready, 4*time.Minute)
			var in time.Duration
			if !next.IsZero() {
				in = next.Sub(now)
			}
			if got := strings.Join(stale, " "); got != row.stale || in != row.in {
				t.Errorf("stale are %q, the next in %v; wanted %q, %v", got, in, row.stale, row.in)
			}
		})
	}
}
