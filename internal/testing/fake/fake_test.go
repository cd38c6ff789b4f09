package fake

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

const notes = `
- frame "Notes" [process=notes]
  - label "Title"
  - entry "" [label=Title] [focused]: "Monday"
  - text "Body"
  - checkbox "Urgent"
  - panel ""
    - radiobutton "Home" [checked]
    - radiobutton "Work"
  - slider "Size" [value=3 in 0 to 10]
  - list ""
    - listitem "One"
    - listitem "Two" [selected]
  - password "Code"
  - button "Save" [id=save]
  - button "Send" [disabled]
- frame "Other" [process=other] [at=600,0,200,100]
  - entry "Note"
`

// fixture is the notes desktop with Notes on top.
func fixture(t *testing.T) *Desktop {
	t.Helper()
	d := New(MustParse(notes)...)
	d.must(t, d.Do(t.Context(), desktop.Manage{Window: d.Get(d.Find("window:Notes")).Window, Do: desktop.Activate}))
	d.mu.Lock()
	d.journal = nil
	d.mu.Unlock()
	return d
}

func (d *Desktop) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// click clicks the middle of what a selector matches.
func (d *Desktop) click(t *testing.T, selector string) {
	t.Helper()
	d.must(t, d.Do(t.Context(), desktop.Click{At: d.Get(d.Find(selector)).Bounds.Center(), Button: desktop.Left}))
}

func (d *Desktop) handle(selector string) desktop.Handle { return d.Get(d.Find(selector)).Handle }

func (d *Desktop) text(selector string) string { return d.Get(d.Find(selector)).Text }

func (d *Desktop) states(selector string) desktop.States { return d.Get(d.Find(selector)).States }

func (d *Desktop) pressAll(t *testing.T, keys string) {
	t.Helper()
	chords, err := desktop.ParseKeys(keys)
	d.must(t, err)
	for _, c := range chords {
		d.must(t, d.Do(t.Context(), desktop.Press{Chord: c}))
	}
}

func TestJournal(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.Install("calc", func() *Node { return Window("Calc", "calc") })
	d.must(t, d.Do(ctx, desktop.Click{At: desktop.Point{X: 1200, Y: 700}, Button: desktop.Right, Count: 2}))
	d.must(t, d.Do(ctx, desktop.KeyDown{Key: desktop.Ctrl}))
	d.pressAll(t, "ctrl+s")
	d.must(t, d.Do(ctx, desktop.Type{Text: "hi"}))
	d.must(t, d.Do(ctx, desktop.Scroll{DX: 0, DY: 3}))
	d.must(t, d.Do(ctx, desktop.Launch{App: "calc --new"}))
	_, err := d.Tree(ctx, desktop.Scope{})
	d.must(t, err)
	d.must(t, d.ReleaseAll(ctx))
	want := []string{"click 1200,700 right x2", "key down ctrl", "press ctrl+s", `type "hi"`, "scroll 0,3", "launch calc --new", "key up ctrl"}
	if diff := cmp.Diff(want, d.Journal()); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if d.Calls("Tree") != 1 || len(d.Held()) != 0 {
		t.Errorf("%d trees were read and %v is held, want 1 and nothing", d.Calls("Tree"), d.Held())
	}
	if err := d.Do(ctx, desktop.Launch{App: "nothing"}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("launching nothing: %v, want not found", err)
	}
}

func TestFail(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.Fail("Type", desktop.ErrUnavailable, 2)
	d.FailAfter("Scroll", desktop.ErrUnresponsive, 1)
	for i, want := range []error{desktop.ErrUnavailable, desktop.ErrUnavailable, nil} {
		if err := d.Do(ctx, desktop.Type{Text: "x"}); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	if err := d.Do(ctx, desktop.Scroll{DX: 0, DY: 1}); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Errorf("scroll: %v, want no answer", err)
	}
	d.Fail("*", desktop.ErrUnavailable, -1)
	if err := d.Ping(ctx); !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("ping: %v, want unavailable", err)
	}
	if got := strings.Join(d.Journal(), "; "); got != `type "x"; scroll 0,1` {
		t.Errorf("journal: %s; want what acted, and only that", got)
	}
}

func TestDelayHonoursTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fixture(t)
		d.Delay("Click", time.Minute)
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		began := time.Now()
		if err := d.Do(ctx, desktop.Click{At: desktop.Point{}, Button: desktop.Left}); !errors.Is(err, stop) || time.Since(began) != time.Second {
			t.Errorf("a delayed click ended with %v after %s; want the cause after 1s", err, time.Since(began))
		}
		if len(d.Journal()) != 0 {
			t.Errorf("a click that was cut short acted: %v", d.Journal())
		}
	})
}

func TestThingsAppearLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fixture(t)
		d.Find("name:Save").OnClick(func() {
			d.After(time.Second, func() { d.Open(Dialog("Saved", "notes", Button("OK"))) })
		})
		d.click(t, "name:Save")
		if d.Find("name:OK") != nil {
			t.Error("the dialog is there at once")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if d.Find("window:Saved >> name:OK") == nil {
			t.Error("the dialog is not there after a second")
		}
		d.After(time.Second, func() { t.Error("a timer outlived the desktop") })
		d.must(t, d.Close())
		time.Sleep(2 * time.Second)
	})
}

func TestManyAtOnce(t *testing.T) {
	d := fixture(t)
	d.Find("name:Save").OnClick(func() { d.Journal() })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				d.click(t, "name:Save")
				_, _ = d.Tree(t.Context(), desktop.Scope{Full: true})
				_ = d.Do(t.Context(), desktop.Type{Text: "x"})
				d.Set(d.Find("name:Body"), func(e *desktop.Element) { e.Text += "y" })
			}
		})
	}
	all.Wait()
	if got := len(d.text("name:Body")); got < 1 || d.Calls("Click") != 160 {
		t.Errorf("%d clicks, body of %d letters; want 160 and some", d.Calls("Click"), got)
	}
}

func TestMachine(t *testing.T) {
	m := &Machine{Fake: New()}
	d, err := m.Open(t.Context(), desktop.Options{Screen: desktop.Size{W: 640, H: 480}})
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := d.Info(t.Context()); info.Monitors[0].Bounds.W != 640 {
		t.Errorf("the screen is %v wide, want 640", info.Monitors[0].Bounds.W)
	}
	if f := m.Diagnose(t.Context(), desktop.Options{}); len(f) != 1 || !f[0].OK {
		t.Errorf("findings: %+v, want that all is well", f)
	}
	m.Err = desktop.ErrUnavailable
	if _, err := m.Open(t.Context(), desktop.Options{}); !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("a machine without a display opened: %v", err)
	}
}
