package schedules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/steps"
)

// world has the runs of a store, which creates a run of an id once, and a clock.
type world struct {
	engine.Runs
	mu     sync.Mutex
	runs   map[string]engine.Header
	inputs map[string]map[string]any
	now    time.Time
	refuse error
}

func newWorld(now string) *world {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		panic(err)
	}
	return &world{runs: map[string]engine.Header{}, inputs: map[string]map[string]any{}, now: at}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) Get(_ context.Context, id string) (engine.Header, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h, ok := w.runs[id]; ok {
		return h, nil
	}
	return engine.Header{}, engine.ErrNoRun
}

func (w *world) List(_ context.Context, q engine.Query) (all []engine.Header, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(w.runs)) {
		if h := w.runs[id]; q.Wants(&h) {
			all = append(all, h)
		}
	}
	return all, nil
}

// start creates a run, and fails if it exists already, as a store does.
func (w *world) start(_ context.Context, s Schedule, f Firing) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse != nil {
		return w.refuse
	}
	if _, ok := w.runs[f.Run]; ok {
		return &engine.StaleError{Run: f.Run}
	}
	w.runs[f.Run] = engine.Header{ID: f.Run, Schedule: s.Name, Status: engine.Running, StartedAt: f.At}
	w.inputs[f.Run] = f.Inputs
	return nil
}

// end ends all runs.
func (w *world) end() {
	for id, h := range w.runs {
		h.Status = engine.Succeeded
		w.runs[id] = h
	}
}

// server returns a scheduler for a store.
func (w *world) server(store Store) *Scheduler {
	s := (&Scheduler{
		Store: store, Runs: func(context.Context) (engine.Runs, error) { return w, nil }, Start: w.start, Folder: OpenFolder, Log: slog.New(slog.DiscardHandler),
	}).Open()
	s.now = w.clock
	return s
}

func (s *Scheduler) once(t *testing.T) error {
	t.Helper()
	all, err := s.Store.List(t.Context())
	for _, e := range all {
		err = errors.Join(err, s.look(t.Context(), e))
	}
	return err
}

// add adds a schedule at the time of the world.
func (w *world) add(t *testing.T, store Store, a addArgs) Entry {
	t.Helper()
	check := func(_ Schedule, inputs map[string]any) (map[string]any, *engine.Bundle, error) {
		return inputs, nil, nil
	}
	if _, err := add(t.Context(), store, Caller{Client: "test", Check: check}, &a); err != nil {
		t.Fatal(err)
	}
	var entry Entry
	err := store.Change(t.Context(), a.Name, func(e *Entry) (*Entry, error) {
		e.MadeAt, e.State.Considered = w.now, w.now
		entry = *e
		return e, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// ticks returns the times of the runs.
func (w *world) ticks() (all []string) {
	for _, id := range slices.Sorted(maps.Keys(w.runs)) {
		all = append(all, w.runs[id].StartedAt.UTC().Format("15:04"))
	}
	return all
}

func (w *world) notes(t *testing.T, store Store) string {
	t.Helper()
	all, err := store.List(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var lines []string
	for _, n := range all[0].State.Notes {
		lines = append(lines, n.Text)
	}
	return strings.Join(lines, "\n")
}

// TestTicksBeginRuns lets time pass, with and without a server, and tests which runs
// were begun.
func TestTicksBeginRuns(t *testing.T) {
	type step struct {
		to   string // the server polls at this time
		ends bool   // the runs have ended by then
	}
	for _, c := range []struct {
		say   string
		a     addArgs
		steps []step
		want  []string
		note  string
	}{
		{"a tick begins a run once", addArgs{}, []step{{"12:10", true}, {"12:10", true}, {"12:11", true}}, []string{"12:10"}, ""},
		{"while a run is under way the next is skipped", addArgs{}, []step{{"12:10", false}, {"12:20", false}, {"12:30", true}}, []string{"12:10", "12:30"}, "skipped 2026-11-20T12:20:00Z: run "},
		{"with queue it begins after it", addArgs{Overlap: "queue"}, []step{{"12:10", false}, {"12:20", false}, {"12:25", true}}, []string{"12:10", "12:20"}, ""},
		{"with queue one by one", addArgs{Overlap: "queue"}, []step{{"12:10", false}, {"12:20", false}, {"12:30", false}, {"12:31", true}}, []string{"12:10", "12:20"}, ""},
		{"with allow beside it", addArgs{Overlap: "allow"}, []step{{"12:10", false}, {"12:20", false}}, []string{"12:10", "12:20"}, ""},
		{"of the ticks that were missed the last counts", addArgs{}, []step{{"12:10", true}, {"12:47", true}}, []string{"12:10", "12:40"}, "missed the tick of 2026-11-20T12:30:00Z"},
		{"with catch_up all each", addArgs{CatchUp: "all", Overlap: "allow"}, []step{{"12:10", true}, {"12:47", true}}, []string{"12:10", "12:20", "12:30", "12:40"}, ""},
		{"with catch_up all and queue each after the other", addArgs{CatchUp: "all", Overlap: "queue"}, []step{{"12:35", true}, {"12:36", true}, {"12:37", true}}, []string{"12:10", "12:20", "12:30"}, ""},
		{"with catch_up none none", addArgs{CatchUp: "none"}, []step{{"12:10", true}, {"12:47", true}, {"12:50", true}}, []string{"12:10", "12:50"}, "missed the tick of 2026-11-20T12:40:00Z"},
		{"with catch_up none a server that was away for a moment missed none", addArgs{CatchUp: "none"}, []step{{"12:09", true}, {"12:10", true}}, []string{"12:10"}, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			w, store := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
			c.a.Name, c.a.Workflow, c.a.Cron, c.a.Zone = "x", "w", "*/10 * * * *", "UTC"
			w.add(t, store, c.a)
			for _, x := range c.steps {
				at, err := time.Parse(time.RFC3339, "2026-11-20T"+x.to+":01Z")
				if err != nil {
					t.Fatal(err)
				}
				if w.now = at; x.ends {
					w.end()
				}
				if err := w.server(store).once(t); err != nil { // always another server
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, w.ticks()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if notes := w.notes(t, store); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// TestJitter tests that a run is always delayed by the same time, and keeps its tick.
func TestJitter(t *testing.T) {
	w, store := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
	w.add(t, store, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC", Jitter: 1 << 40, Overlap: "allow"}) // 18 minutes
	delays := map[time.Duration]bool{}
	for range 24 {
		w.now = w.now.Add(10 * time.Minute)
		if err := w.server(store).once(t); err != nil {
			t.Fatal(err)
		}
		all, err := store.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all[0].State.Pending {
			if d := f.Due.Sub(f.At); d < 0 || d >= 1<<40 {
				t.Errorf("a delay of %s", d)
			}
			delays[f.Due.Sub(f.At)] = true
			if begun, _ := w.Get(t.Context(), f.Run); begun.ID != "" {
				t.Errorf("the run of %s began before it was due", f.At)
			}
		}
	}
	if len(delays) < 5 || len(w.runs) < 15 {
		t.Errorf("%d delays, %d runs", len(delays), len(w.runs))
	}
	for id, h := range w.runs {
		if f := (&Entry{Schedule: Schedule{Name: "x", MadeAt: newWorld("2026-11-20T12:05:00Z").now}}).firing(h.StartedAt); f.Run != id {
			t.Errorf("the run of the tick %s is %s, want %s", h.StartedAt, id, f.Run)
		}
	}
}

// dying is a store whose process dies before or after one of its changes.
type dying struct {
	Store
	left  int // changes until it dies
	after bool
}

var errDied = errors.New("the process died")

func (d *dying) Change(ctx context.Context, name string, change func(*Entry) (*Entry, error)) error {
	if d.left--; d.left < 0 || d.left == 0 && !d.after {
		return errDied
	}
	err := d.Store.Change(ctx, name, change)
	if d.left == 0 && err == nil {
		return errDied
	}
	return err
}

// TestAServerThatDiesAnywhere has a server die before and after each change of the store,
// and another one continue.
func TestAServerThatDiesAnywhere(t *testing.T) {
	for _, overlap := range []string{"skip", "queue", "allow"} {
		for left := 1; left <= 6; left++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, at change %d, after it: %t", overlap, left, after), func(t *testing.T) {
					w, folder := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
					w.add(t, folder, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC", CatchUp: "all", Overlap: overlap})
					first := w.server(&dying{Store: folder, left: left, after: after})
					for _, minutes := range []time.Duration{5, 10, 10} {
						w.now = w.now.Add(minutes*time.Minute + time.Second)
						_ = first.once(t) // it dies at one of them
						w.end()
					}
					for range 4 {
						if err := w.server(folder).once(t); err != nil {
							t.Fatal(err)
						}
						w.end()
					}
					if diff := cmp.Diff([]string{"12:10", "12:20", "12:30"}, w.ticks()); diff != "" && overlap != "skip" {
						t.Errorf("-want +got:\n%s", diff)
					}
					if notes := w.notes(t, folder); overlap == "skip" && len(w.runs)+strings.Count(notes, "skipped") != 3 {
						t.Errorf("%v, %q", w.ticks(), notes)
					}
				})
			}
		}
	}
}

// TestTwoServersOnOneFolder has several servers share schedules.
func TestTwoServersOnOneFolder(t *testing.T) {
	w, folder := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
	w.add(t, folder, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC", Overlap: "skip"})
	var want []string
	for range 20 {
		w.now = w.now.Truncate(10 * time.Minute).Add(10 * time.Minute)
		want = append(want, w.now.Format("15:04"))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := w.server(folder).once(t); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		w.end()
	}
	if diff := cmp.Diff(want, w.ticks()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if notes := w.notes(t, folder); notes != "" {
		t.Errorf("noted:\n%s", notes)
	}
}

func TestRunsThatCannotBegin(t *testing.T) {
	for _, c := range []struct {
		err  error
		note string
		kept int
	}{
		{steps.Errorf(steps.Denied, "its token was taken back"), "its token was taken back", 0},
		{steps.Errorf(steps.NotFound, "there is no saved workflow"), "no saved workflow", 0},
		{steps.Errorf(steps.Unavailable, "the store is away"), "", 1},
		{steps.Errorf(steps.Busy, "there is no desktop"), "", 1},
	} {
		w, folder := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
		w.add(t, folder, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC"})
		w.now, w.refuse = w.now.Add(5*time.Minute), c.err
		_ = w.server(folder).once(t)
		all, _ := folder.List(t.Context())
		if notes := w.notes(t, folder); !strings.Contains(notes, c.note) || len(all[0].State.Pending) != c.kept {
			t.Errorf("%v: %q, %v", c.err, notes, all[0].State.Pending)
		}
	}
}

// TestFilesThatArrive writes files as programs do. A file fires when it is complete.
func TestFilesThatArrive(t *testing.T) {
	w, folder, in := newWorld(time.Now().UTC().Format(time.RFC3339)), NewFolder(t.TempDir()), t.TempDir()
	at := func(name string) string { return filepath.Join(in, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old.csv", "was there")
	w.add(t, folder, addArgs{Name: "x", Workflow: "w", Files: at("*.csv"), Overlap: "allow"})
	s := w.server(folder)
	looks := func(later time.Duration, want ...string) {
		t.Helper()
		w.now = time.Now().Add(later)
		if err := s.once(t); err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, in := range w.inputs {
			got = append(got, filepath.Base(in[fileInput].(string)))
		}
		slices.Sort(got)
		if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	}
	f, err := os.Create(at("slow.csv"))
	if err != nil {
		t.Fatal(err)
	}
	write("new.csv", "whole")
	write("new.txt", "another sort")
	write(".hidden.csv", "a copy under way")
	if err := os.Mkdir(at("dir.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	looks(0)                        // too fresh
	looks(3*time.Second, "new.csv") // slow.csv is still open where the system tells that
	if _, err := f.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	looks(3*time.Second, "new.csv") // it has grown since
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	looks(4*time.Second, "new.csv", "slow.csv")
	looks(5*time.Second, "new.csv", "slow.csv")
	s = w.server(folder) // a server that is new knows what was seen
	looks(6*time.Second, "new.csv", "slow.csv")
	write("new.csv", "other content")
	looks(7*time.Second, "new.csv", "slow.csv")
	looks(9*time.Second, "new.csv", "new.csv", "slow.csv")
	past := time.Now().Add(-time.Hour)
	if err := os.Rename(at("new.txt"), at("moved.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(at("moved.csv"), past, past); err != nil {
		t.Fatal(err)
	}
	looks(9*time.Second, "new.csv", "new.csv", "slow.csv") // it may not be complete yet, whatever its time is
	looks(9*time.Second, "moved.csv", "new.csv", "new.csv", "slow.csv")
	if err := os.RemoveAll(in); err != nil {
		t.Fatal(err)
	}
	if err := s.once(t); err == nil {
		t.Error("a folder that is gone is taken for an empty one")
	}
}

// TestMessages sends messages to a webhook, good and bad ones.
func TestMessages(t *testing.T) {
	w, folder := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
	hook := w.add(t, folder, addArgs{Name: "x", Workflow: "w", Hook: true, Input: map[string]any{"fixed": 1}})
	if len(hook.Secret) < 40 {
		t.Fatalf("the secret %q", hook.Secret)
	}
	s := w.server(folder)
	type message struct {
		name, id, body, signature string
		at                        time.Time
	}
	send := func(m message) (Heard, error) {
		stamp := fmt.Sprint(m.at.Unix())
		h := http.Header{}
		h.Set(idHeader, m.id)
		h.Set(timeHeader, stamp)
		if m.signature == "" {
			m.signature = Sign(hook.Secret, m.id, stamp, []byte(m.body))
		}
		h.Set(signatureHeader, m.signature)
		return s.Hear(t.Context(), m.name, h, []byte(m.body), func(_ Schedule, in map[string]any) (map[string]any, error) { return in, nil })
	}
	good := message{"x", "m1", `{"a": 1}`, "", w.now}
	heard, err := send(good)
	if err != nil || heard.Run == "" || heard.Repeated {
		t.Fatal(heard, err)
	}
	if err := s.once(t); err != nil || len(w.runs) != 1 || !cmp.Equal(w.inputs[heard.Run], map[string]any{"a": 1.0}) {
		t.Fatalf("%v, %v, %v", err, w.runs, w.inputs)
	}
	clear(w.runs) // as if they were removed
	for range 2 {
		s = w.server(folder)
		again, err := send(good)
		if err != nil || again.Run != heard.Run || !again.Repeated {
			t.Errorf("sent again: %v, %v", again, err)
		}
	}
	for _, later := range []time.Duration{3 * time.Second, 5 * time.Hour} { // a sender that got no answer tries for days
		start := w.now
		w.now = w.now.Add(later)
		retry := good
		retry.at = w.now
		again, err := send(retry)
		if err != nil || again.Run != heard.Run || !again.Repeated {
			t.Errorf("sent again %s later: %v, %v", later, again, err)
		}
		w.now = start
	}
	for say, bad := range map[string]message{
		"of another body":          {"x", "m2", `{"a": 2}`, Sign(hook.Secret, "m2", fmt.Sprint(w.now.Unix()), []byte(`{"a": 1}`)), w.now},
		"of another id":            {"x", "m3", `{}`, Sign(hook.Secret, "m1", fmt.Sprint(w.now.Unix()), []byte(`{}`)), w.now},
		"of another secret":        {"x", "m4", `{}`, Sign(newSecret(), "m4", fmt.Sprint(w.now.Unix()), []byte(`{}`)), w.now},
		"of an empty secret":       {"x", "m5", `{}`, Sign("", "m5", fmt.Sprint(w.now.Unix()), []byte(`{}`)), w.now},
		"of no webhook, with none": {"y", "m5", `{}`, Sign("", "m5", fmt.Sprint(w.now.Unix()), []byte(`{}`)), w.now},
		"that is too old":          {"x", "m6", `{}`, "", w.now.Add(-fresh - time.Second)},
		"from the future":          {"x", "m7", `{}`, "", w.now.Add(fresh + time.Second)},
		"without an id":            {"x", "", `{}`, "", w.now},
		"with dots in its id":      {"x", "m7.5", `{}`, "", w.now},
		"of a path":                {"../x", "m8", `{}`, "", w.now},
		"that sets what is set":    {"x", "m9", `{"fixed": 2}`, "", w.now},
		"that is no object":        {"x", "m10", `[1]`, "", w.now},
	} {
		if _, err := send(bad); err == nil {
			t.Errorf("a message %s is taken", say)
		}
	}
	w.now = w.now.Add(fresh + time.Minute)
	if _, err := send(good); !errors.Is(err, ErrUnsigned) {
		t.Errorf("sent again later: %v", err)
	}
	if err := s.once(t); err != nil || len(w.runs) != 0 {
		t.Errorf("%v, %v", err, w.runs)
	}
}

// TestTheSignatureOfTheStandard tests the example of Standard Webhooks.
func TestTheSignatureOfTheStandard(t *testing.T) {
	got := Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMessagesAreNotRememberedWithoutEnd sends many messages.
func TestMessagesAreNotRememberedWithoutEnd(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		say       string
		came      int
		ago       time.Duration
		wantsLeft int
	}{
		{"few, hours ago", mostRemembered - 1, 5 * time.Hour, mostRemembered - 1},
		{"too many, hours ago", mostRemembered, 5 * time.Hour, 0},
		{"many, just now", mostRemembered, fresh, mostRemembered},
		{"few, days ago", 10, remembered + time.Second, 0},
	} {
		e := &Entry{Schedule: Schedule{Name: "x"}, State: State{Heard: map[string]time.Time{}}}
		for i := range c.came {
			at := now.Add(-c.ago)
			e.State.Heard[e.firing(at, fmt.Sprint(i)).Run] = at
		}
		if err := e.hear(now, e.firing(now, "new"), &Heard{}); err != nil || len(e.State.Heard) != c.wantsLeft+1 {
			t.Errorf("%s: %d are remembered beside the new one, %v; want %d", c.say, len(e.State.Heard)-1, err, c.wantsLeft)
		}
	}
}

// TestAFileThatArrivesBeforeResume resumes a schedule that is not paused while a file
// is there that is not complete yet.
func TestAFileThatArrivesBeforeResume(t *testing.T) {
	w, folder, in := newWorld(time.Now().UTC().Format(time.RFC3339)), NewFolder(t.TempDir()), t.TempDir()
	w.add(t, folder, addArgs{Name: "x", Workflow: "w", Files: filepath.Join(in, "*.csv")})
	s := w.server(folder)
	if err := os.WriteFile(filepath.Join(in, "new.csv"), []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.once(t); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t.Context(), folder, Caller{}, &nameArgs{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	w.now = time.Now().Add(3 * time.Second)
	if err := s.once(t); err != nil || len(w.runs) != 1 {
		t.Errorf("wanted a run for the file, got %v, %v", w.runs, err)
	}
}

// TestAScheduleThatIsRemovedMeanwhile removes a schedule after the scheduler has listed
// it, when a tick is due.
func TestAScheduleThatIsRemovedMeanwhile(t *testing.T) {
	w, folder := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
	e := w.add(t, folder, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC"})
	w.now = w.now.Add(10 * time.Minute)
	if _, err := remove(t.Context(), folder, Caller{}, &nameArgs{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := w.server(folder).look(t.Context(), e); err != nil || len(w.runs) != 0 {
		t.Errorf("wanted no run of a schedule that is gone, got %v, %v", w.runs, err)
	}
}

// arriving is a schedule of files with a server.
type arriving struct {
	*world
	store *Folder
	in    string
	s     *Scheduler
}

func newArriving(t *testing.T) *arriving {
	w := &arriving{newWorld(time.Now().UTC().Format(time.RFC3339)), NewFolder(t.TempDir()), t.TempDir(), nil}
	w.add(t, w.store, addArgs{Name: "x", Workflow: "w", Files: filepath.Join(w.in, "*.csv"), Overlap: "allow"})
	w.s = w.server(w.store)
	return w
}

// looksAfter polls some seconds after the start, and returns how many runs have begun.
func (w *arriving) looksAfter(t *testing.T, seconds int) int {
	t.Helper()
	w.now = time.Now().Add(time.Duration(seconds) * time.Second)
	if err := w.s.once(t); err != nil {
		t.Fatal(err)
	}
	return len(w.runs)
}

// TestAFileFromTheFuture gives a file a time that is still to come, as another machine
// with another clock does.
func TestAFileFromTheFuture(t *testing.T) {
	w := newArriving(t)
	file := filepath.Join(w.in, "a.csv")
	future := time.Now().Add(24 * time.Hour)
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, future, future)); err != nil {
		t.Fatal(err)
	}
	for seconds, want := range []int{0, 0, 1, 1} {
		if got := w.looksAfter(t, seconds); got != want {
			t.Errorf("after %d seconds %d runs, want %d", seconds, got, want)
		}
	}
}

// TestAFileWhoseNameIsNotUnicode tests that such a file begins no run, since no input
// can hold its path.
func TestAFileWhoseNameIsNotUnicode(t *testing.T) {
	w := newArriving(t)
	if err := os.WriteFile(filepath.Join(w.in, "\xdcbersicht.csv"), nil, 0o600); err != nil {
		t.Skipf("this file system does not take the name: %v", err)
	}
	for seconds := range 9 {
		if got := w.looksAfter(t, seconds); got != 0 {
			t.Fatalf("after %d seconds %d runs", seconds, got)
		}
	}
	if notes := w.notes(t, w.store); strings.Count(notes, "UTF-8") != 1 {
		t.Errorf("notes %q, want one about the name", notes)
	}
}

// TestAClockThatWasWrong lets a server begin a run while its clock is years ahead.
func TestAClockThatWasWrong(t *testing.T) {
	w, store := newWorld("2030-01-01T00:05:00Z"), NewFolder(t.TempDir())
	w.add(t, store, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC"})
	for _, at := range []string{"2030-01-01T00:10:01Z", "2026-11-20T12:05:00Z", "2026-11-20T12:10:01Z", "2026-11-20T12:10:00Z", "2026-11-20T12:20:01Z"} {
		w.now, _ = time.Parse(time.RFC3339, at)
		if err := w.server(store).once(t); err != nil {
			t.Fatal(err)
		}
		w.end()
	}
	if diff := cmp.Diff([]string{"12:10", "12:20", "00:10"}, w.ticks()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAFolderWhoseDiskIsAway takes the folder away, as an unmounted disk does: an empty
// folder is in its place.
func TestAFolderWhoseDiskIsAway(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newArriving(t)
		if err := os.WriteFile(filepath.Join(w.in, "a.csv"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.looksAfter(t, 0)
		if got := w.looksAfter(t, 3); got != 1 {
			t.Fatalf("%d runs, want 1", got)
		}
		away := w.in + "-away"
		if err := errors.Join(os.Rename(w.in, away), os.Mkdir(w.in, 0o700)); err != nil {
			t.Fatal(err)
		}
		if restarts {
			w.s = w.server(w.store)
		}
		w.looksAfter(t, 9)
		w.looksAfter(t, 12)
		if err := errors.Join(os.Remove(w.in), os.Rename(away, w.in)); err != nil {
			t.Fatal(err)
		}
		w.looksAfter(t, 15)
		if got := w.looksAfter(t, 18); got != 1 {
			t.Errorf("restarts %t: %d runs for one file, want 1", restarts, got)
		}
	}
}

// TestAFileThatComesBack moves a file away and back, which lets it count again.
func TestAFileThatComesBack(t *testing.T) {
	w := newArriving(t)
	file := filepath.Join(w.in, "a.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.looksAfter(t, 0)
	w.looksAfter(t, 3)
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	w.looksAfter(t, 6)
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	w.looksAfter(t, 9)
	if got := w.looksAfter(t, 12); got != 2 {
		t.Errorf("%d runs for a file that came twice", got)
	}
}

// TestARunThatIsAskedFor asks for a run while another one is under way.
func TestARunThatIsAskedFor(t *testing.T) {
	w, store := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
	w.add(t, store, addArgs{Name: "x", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC"})
	looksAt := func(clock string) {
		t.Helper()
		w.now, _ = time.Parse(time.RFC3339, "2026-11-20T"+clock+"Z")
		if err := w.server(store).once(t); err != nil {
			t.Fatal(err)
		}
	}
	looksAt("12:10:01")
	r, err := run(t.Context(), store, Caller{}, &nameArgs{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Change(t.Context(), "x", func(e *Entry) (*Entry, error) {
		e.State.Pending[0].Due = time.Time{}
		return e, nil
	}); err != nil {
		t.Fatal(err)
	}
	looksAt("12:20:01") // this tick is skipped, and does not wait behind it
	if notes := w.notes(t, store); len(w.runs) != 1 || strings.Count(notes, "skipped") != 1 || !strings.Contains(notes, "12:20") {
		t.Errorf("%d runs, notes %q", len(w.runs), notes)
	}
	w.end()
	looksAt("12:25:00")
	if id := r.Value.(done).Run; w.runs[id].ID == "" {
		t.Errorf("the run %s never began: %v, %s", id, w.ticks(), w.notes(t, store))
	}
}

// TestAScheduleThatCannotBeRead damages the file of one schedule. The others go on.
func TestAScheduleThatCannotBeRead(t *testing.T) {
	w, folder := newWorld("2026-11-20T12:05:00Z"), NewFolder(t.TempDir())
	w.add(t, folder, addArgs{Name: "tick", Workflow: "w", Cron: "*/10 * * * *", Zone: "UTC"})
	hook := w.add(t, folder, addArgs{Name: "hook", Workflow: "w", Hook: true})
	for _, name := range []string{"damaged", "zero"} {
		if err := os.WriteFile(folder.path(name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.now = w.now.Add(6 * time.Minute)
	s := w.server(folder)
	stamp := fmt.Sprint(w.now.Unix())
	h := http.Header{}
	h.Set(idHeader, "m")
	h.Set(timeHeader, stamp)
	h.Set(signatureHeader, Sign(hook.Secret, "m", stamp, nil))
	if _, err := s.Hear(t.Context(), "hook", h, nil, func(_ Schedule, in map[string]any) (map[string]any, error) { return in, nil }); err != nil {
		t.Error(err)
	}
	if _, err := s.Hear(t.Context(), "damaged", h, nil, nil); !errors.Is(err, ErrUnsigned) {
		t.Errorf("a sender without a secret is told %v", err)
	}
	s.pollAll(t.Context())
	if len(w.runs) != 2 || !strings.Contains(s.failed[""], "damaged") || !strings.Contains(s.failed[""], "zero") {
		t.Errorf("%d runs, wanted 2; complained %q", len(w.runs), s.failed)
	}
	if _, err := show(t.Context(), folder, Caller{}, &nameArgs{Name: "tick"}); err != nil {
		t.Error("a schedule that can be read is not shown:", err)
	}
	if _, err := show(t.Context(), folder, Caller{}, &nameArgs{Name: "zero"}); steps.CodeOf(err) != steps.Internal {
		t.Error("a schedule that cannot be read is", err)
	}
	client := Caller{May: func(Schedule, bool) error { return nil }}
	for say, c := range map[string]Caller{"person": {}, "client": client} {
		r, err := list(t.Context(), folder, c, &listArgs{})
		if err != nil || len(r.Value.([]view)) != 2 || !strings.Contains(r.Text, "tick") || !strings.Contains(r.Text, "read") && !strings.Contains(r.Text, folder.dir) {
			t.Errorf("the list of a %s: %v, %s", say, err, r.Text)
		}
		if told := strings.Contains(r.Text, "zero"); told != (say == "person") {
			t.Errorf("a %s is told of the damaged one: %t; %s", say, told, r.Text)
		}
	}
	if _, err := show(t.Context(), folder, client, &nameArgs{Name: "zero"}); steps.CodeOf(err) != steps.Internal || strings.Contains(fmt.Sprint(err, steps.AsError(err).Next), folder.dir) {
		t.Error("a client is told", err)
	}
}

// TestNamesThatAreNoSchedules names files outside the folder of the schedules.
func TestNamesThatAreNoSchedules(t *testing.T) {
	home := t.TempDir()
	folder, other := NewFolder(filepath.Join(home, "schedules")), filepath.Join(home, "package.json")
	newWorld("2026-11-20T12:05:00Z").add(t, folder, addArgs{Name: "x", Workflow: "w", Hook: true})
	if err := os.WriteFile(other, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../package", "x/../../package", other[:len(other)-len(ending)], "X", "", ".lock"} {
		for say, do := range map[string]func(context.Context, Store, Caller, *nameArgs) (Result, error){
			"pause": pause, "resume": resume, "run": run, "remove": remove, "show": show,
		} {
			if r, err := do(t.Context(), folder, Caller{}, &nameArgs{Name: name}); steps.CodeOf(err) != steps.NotFound {
				t.Errorf("%s %q: %v, %v", say, name, r.Text, err)
			}
		}
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "{}" {
		t.Errorf("the other file has %q, %v", text, err)
	}
}

// TestAFolderThatIsGone tests that schedule show tells why no file begins a run.
func TestAFolderThatIsGone(t *testing.T) {
	w := newArriving(t)
	for range 2 {
		if err := os.Remove(w.in); err != nil {
			t.Fatal(err)
		}
		w.s.pollAll(t.Context())
		w.s.pollAll(t.Context())
		if err := os.Mkdir(w.in, 0o700); err != nil {
			t.Fatal(err)
		}
		w.s.pollAll(t.Context())
	}
	if notes := w.notes(t, w.store); strings.Count(notes, w.in) != 2 {
		t.Errorf("notes %q, want one for each time", notes)
	}
	if _, err := pause(t.Context(), w.store, Caller{}, &nameArgs{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.in); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t.Context(), w.store, Caller{}, &nameArgs{Name: "x"}); steps.CodeOf(err) != steps.Invalid {
		t.Error("resumed without the folder:", err)
	}
}

// TestFilesThatWaitWhenTheFolderIsFull tests that the runs of files that arrived before
// begin, so that their workflow can move files away.
func TestFilesThatWaitWhenTheFolderIsFull(t *testing.T) {
	w, store, in := newWorld(time.Now().UTC().Format(time.RFC3339)), NewFolder(t.TempDir()), t.TempDir()
	w.add(t, store, addArgs{Name: "x", Workflow: "w", Files: filepath.Join(in, "*.csv"), Overlap: "queue"})
	s := w.server(store)
	for _, name := range []string{"a.csv", "b.csv"} {
		if err := os.WriteFile(filepath.Join(in, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, seconds := range []int{0, 3} {
		w.now = time.Now().Add(time.Duration(seconds) * time.Second)
		s.pollAll(t.Context())
	}
	if len(w.runs) != 1 {
		t.Fatalf("%d runs, want the first", len(w.runs))
	}
	if err := os.RemoveAll(in); err != nil { // as good as too many files
		t.Fatal(err)
	}
	w.end()
	w.refuse = steps.Errorf(steps.Busy, "there is no desktop")
	s.pollAll(t.Context())
	s.pollAll(t.Context())
	w.refuse = nil
	s.pollAll(t.Context())
	if notes := w.notes(t, store); len(w.runs) != 2 || strings.Count(notes, in) != 1 {
		t.Errorf("%d runs, want 2; notes %q, want one", len(w.runs), notes)
	}
}
