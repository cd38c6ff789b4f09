package kinds

import (
	"context"
	"fmt"
	"image"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

const notes = `
- frame "Notes" [process=notes] [at=0,0,400,400]
  - label "Title:" [at=10,40,80,24]
  - entry "Title" [at=100,40,200,24]: "Monday"
  - password "Secret" [at=100,70,200,24]
  - checkbox "Urgent" [at=10,100,200,24]
  - button "Save" [at=10,130,80,24]
  - button "Delete" [disabled] [at=100,130,80,24]
  - slider "Size" [value=3 in 0 to 10] [at=10,160,200,24]
  - radiobutton "Small" [checked] [at=10,190,80,24]
  - radiobutton "Large" [at=100,190,80,24]
`

// play is one row: what is on the screen, what is done, and what comes of it.
type play struct {
	say     string
	screen  string // notes when empty
	set     func(d *fake.Desktop)
	kind    steps.Kind
	args    map[string]any
	code    steps.Code
	err     string      // in the message
	acted   steps.Acted // "" means not looked at
	journal []string
	result  map[string]any // the fields that are looked at
	check   func(t *testing.T, d *fake.Desktop, o steps.Outcome)
	took    time.Duration // at least this long
	logged  string        // a part of it
}

func (p play) run(t *testing.T) {
	t.Run(p.say, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			screen := p.screen
			if screen == "" {
				screen = notes
			}
			d := fake.New(fake.MustParse(screen)...)
			defer d.Close()
			if p.set != nil {
				p.set(d)
			}
			begin := len(d.Journal())
			start := time.Now()
			env, log := seeing(d), strings.Builder{}
			env.Log = slog.New(slog.NewTextHandler(&log, nil))
			o := p.kind.Run(t.Context(), env, p.args)
			took := time.Since(start)
			p.judge(t, d, o, begin, took)
			if !strings.Contains(log.String(), p.logged) {
				t.Errorf("it logged %q, wanted %q", log.String(), p.logged)
			}
		})
	})
}

// judge compares what came of a row with what was wanted.
func (p play) judge(t *testing.T, d *fake.Desktop, o steps.Outcome, begin int, took time.Duration) {
	t.Helper()
	if code(o) != p.code || o.Err != nil && !strings.Contains(o.Err.Error(), p.err) {
		t.Fatalf("got %v, want %q %q", o.Err, p.code, p.err)
	}
	if p.acted != "" && o.Acted != p.acted {
		t.Errorf("acted: %s, want %s", o.Acted, p.acted)
	}
	if p.journal != nil {
		if diff := cmp.Diff(p.journal, append([]string{}, d.Journal()[begin:]...)); diff != "" {
			t.Errorf("journal (-want +got):\n%s", diff)
		}
	}
	for k, v := range p.result {
		if diff := cmp.Diff(v, o.Result[k]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k, diff)
		}
	}
	if took < p.took {
		t.Errorf("it took %s, want at least %s", took, p.took)
	}
	if p.check != nil {
		p.check(t, d, o)
	}
}

// seeing is an Env with a fake desktop. Pictures are kept nowhere, under the
// name of their size.
func seeing(d *fake.Desktop) *steps.Env {
	return &steps.Env{Desktop: d.Desktop(), Trees: &observe.ShownTrees{}, Keep: func(_ context.Context, p *image.RGBA) (string, error) {
		return fmt.Sprintf("kept:%dx%d", p.Rect.Dx(), p.Rect.Dy()), nil
	}}
}

func args(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func text(d *fake.Desktop, sel string) string { return d.Get(d.Find(sel)).Text }

// lateness changes the screen after an element was found ready and before it
// is clicked: when the pointer's place is asked for.
func lateness(d *fake.Desktop, change func()) {
	d.Delay("PointerPosition", 10*time.Millisecond)
	d.After(aim.StillTime+5*time.Millisecond, change)
}

// manage changes a window.
func manage(d *fake.Desktop, title string, c desktop.Manage) {
	windows, _ := d.Windows(context.Background())
	for _, w := range windows {
		if w.Title == title {
			c.Window = w.ID
			_ = d.Do(context.Background(), c)
		}
	}
}
