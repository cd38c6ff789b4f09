package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/fake"
)

// notes is a desktop with a window to look at.
func notes() *fake.Desktop {
	return fake.New(fake.MustParse(`
- frame "Notes" [process=notes]
  - entry "Title" [focused]: "Monday"
  - checkbox "Urgent"
  - button "Save"
  - button "Save as"
- frame "Clock" [process=clock] [at=1200,600,200,100]
  - label "9:00"
`)...)
}

func TestInspect(t *testing.T) {
	f := notes()
	save := f.Get(f.Find("role:button && name:Save")).Bounds.Center()
	for _, c := range []struct {
		say    string
		args   []string
		status int
		shows  []string
		hides  string
	}{
		{"the whole tree", nil, statusOK, []string{`frame "Notes"`, `entry "Title"`, `"Monday"`, `frame "Clock"`}, ""},
		{"one application", []string{"--process", "clock"}, statusOK, []string{`"9:00"`}, "Notes"},
		{"one window", []string{"--title", "note"}, statusOK, []string{"Urgent"}, "Clock"},
		{"a selector that names one element", []string{"role:button && name:Save"}, statusOK, []string{"1  role:button && name:Save"}, ""},
		{"a selector that names none, with the nearest", []string{"role:button && name:Sav"}, statusFailed, []string{"nothing matches", `name:Save`}, ""},
		{"a selector that names several", []string{"role:button"}, statusFailed, []string{"2"}, ""},
		{"a selector that is none", []string{"rolle:button"}, statusInvalid, []string{"rolle"}, ""},
		{"the element at a point", []string{"--at", fmt.Sprint(save)}, statusOK, []string{`button "Save" in "Notes" of notes`, "1  role:button && name:Save"}, "nth:"},
		{"an application that is not there", []string{"--process", "nosuch"}, statusOK, []string{"no such elements are visible on a virtual display"}, ""},
		{"what is pointed at where nobody sits", []string{"--pick"}, statusNotReady, []string{"nobody can point at anything on a virtual display"}, ""},
		{"a point that is none", []string{"--at", "here"}, statusInvalid, []string{"wanted x,y"}, ""},
		{"everything, for programs", []string{"--json", "--process", "notes"}, statusOK, []string{`"role": "checkbox"`}, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			var out, errOut bytes.Buffer
			status := Main(t.Context(), &fake.Machine{Fake: notes()}, append([]string{"inspect"}, c.args...), strings.NewReader(""), &out, &errOut)
			shown := out.String() + errOut.String()
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			for _, want := range c.shows {
				if !strings.Contains(shown, want) {
					t.Errorf("it does not show %q:\n%s", want, shown)
				}
			}
			if c.hides != "" && strings.Contains(shown, c.hides) {
				t.Errorf("it shows %q:\n%s", c.hides, shown)
			}
		})
	}
}

func TestInspectPicksWhatIsPointedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := notes()
		d := f.Desktop()
		if err := d.Do(t.Context(), desktop.MovePointer{To: f.Get(f.Find("role:checkbox")).Bounds.Center()}); err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		i := &inspection{app: &app{console: console{out: &out, errOut: &errOut}}}
		done := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() { done <- i.pick(ctx, d) }()
		synctest.Wait()
		f.Emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "x"}, desktop.InputEvent{Type: desktop.KeyPress, Key: desktop.Ctrl})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `checkbox "Urgent"`) {
			t.Errorf("picked:\n%s", out.String())
		}
	})
}

func TestSelectorsThatCountAreShownOnlyForWantOfOthers(t *testing.T) {
	for _, c := range []struct {
		say       string
		all, want []selector.Candidate
	}{
		{
			"one that counts, beside one that does not",
			[]selector.Candidate{{Selector: "role:button", Matches: 2}, {Selector: "name:Save", Matches: 1}, {Selector: "role:button && nth:0", Matches: 1}},
			[]selector.Candidate{{Selector: "name:Save", Matches: 1}, {Selector: "role:button", Matches: 2}},
		},
		{
			"only one that counts matches one",
			[]selector.Candidate{{Selector: "name:Save", Matches: 2}, {Selector: "name:Save && nth:1", Matches: 1}},
			[]selector.Candidate{{Selector: "name:Save && nth:1", Matches: 1}, {Selector: "name:Save", Matches: 2}},
		},
		{"none", nil, nil},
	} {
		if diff := cmp.Diff(c.want, worth(c.all)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.say, diff)
		}
	}
}

func TestWhichDesktopWasInspected(t *testing.T) {
	for want, on := range map[string]desktop.Info{
		"the desktop books":                  {Name: "books", Display: ":4", Virtual: true}, // which was there before
		"a virtual display that was started": {Display: ":4", Virtual: true},
		"the display :0":                     {Display: ":0"},
	} {
		if got := which(on); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
