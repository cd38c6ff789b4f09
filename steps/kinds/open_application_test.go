package kinds

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

// lateScreen is a screen on which all is black until it was looked at often.
type lateScreen struct {
	desktop.Screen
	looks, until int
}

func (s *lateScreen) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	p, err := s.Screen.Capture(ctx, area)
	if s.looks++; err == nil && s.looks <= s.until {
		p = image.NewRGBA(p.Rect)
	}
	return p, err
}

func TestAnApplicationIsOpenWhenItsWindowIsDrawn(t *testing.T) {
	for _, row := range []struct {
		sentence string
		until    int // for so many looks the window is blank
		least    int // of looks
	}{
		{"a window that is drawn at once", 0, 1},
		{"a window that is drawn later", 4, 5},
		{"a window that stays blank", 1 << 30, 2},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			f := fake.New(fake.MustParse(notes)...)
			f.Install("editor", func() *fake.Node { return fake.Window("Text", "editor", fake.Button("Go")) })
			d := f.Desktop()
			screen := &lateScreen{Screen: d.Screen, until: row.until}
			d.Screen = screen
			o := OpenApplication.Run(t.Context(), &steps.Env{Desktop: d}, map[string]any{"app_name": "editor"})
			if o.Err != nil || o.Result["window"] == nil {
				t.Fatalf("got %v, %v", o.Result, o.Err)
			}
			if screen.looks < row.least {
				t.Errorf("it was open after %d looks, wanted %d", screen.looks, row.least)
			}
		})
	}
}

func TestBlank(t *testing.T) {
	picture := func(dot color.Color) *image.RGBA {
		p := image.NewRGBA(image.Rect(0, 0, 20, 10))
		p.Set(19, 9, dot)
		return p
	}
	for _, row := range []struct {
		sentence string
		picture  *image.RGBA
		want     bool
	}{
		{"one colour", picture(color.Transparent), true},
		{"one dot of another", picture(color.White), false},
		{"no picture at all, as of a window off the screen", image.NewRGBA(image.Rectangle{}), false},
	} {
		if got := blank(row.picture); got != row.want {
			t.Errorf("%s: got %v", row.sentence, got)
		}
	}
}

// windowless starts programs that show no window.
type windowless struct {
	desktop.Actor
	status desktop.AppStatus
}

func (w windowless) Do(ctx context.Context, a desktop.Action) error {
	l, ok := a.(desktop.Launch)
	if !ok {
		return w.Actor.Do(ctx, a)
	}
	*l.Started = desktop.App{PID: 7, Command: l.App, Status: func() desktop.AppStatus { return w.status }}
	return nil
}

func TestProgramWithoutAWindowIsReported(t *testing.T) {
	for _, row := range []struct {
		sentence string
		status   desktop.AppStatus
		within   time.Duration
		code     steps.Code
		says     string
	}{
		{"one that fails at once", desktop.AppStatus{Ended: true, Err: errors.New("exit status 1"), Said: "not as root"}, time.Second, steps.Unexpected, "ended (exit status 1) and showed no window; it said: not as root"},
		{"one that ends well may have handed over", desktop.AppStatus{Ended: true}, 11 * time.Second, steps.Unexpected, "ended 10s ago and showed no window"},
		{"one that runs is given all the time, and its complaints are told", desktop.AppStatus{Said: "a warning"}, 31 * time.Second, steps.Timeout, "(process 7) and showed no window; it said: a warning"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(fake.MustParse(notes)...).Desktop()
			defer d.Close()
			d.Actor = windowless{d.Actor, row.status}
			start := time.Now()
			o := OpenApplication.Run(t.Context(), &steps.Env{Desktop: d}, map[string]any{"app_name": "editor"})
			if steps.CodeOf(o.Err) != row.code || !strings.Contains(o.Err.Error(), row.says) || time.Since(start) > row.within {
				t.Errorf("%s: after %s got %v", row.sentence, time.Since(start), o.Err)
			}
		})
	}
}

func TestOpenApplicationNamesTheKindForFilesAndURLs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a report.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, next := range map[string]string{
		"https://example.org/a": "an address: open it with open_url",
		"mailto:me@example.org": "an address: open it with open_url",
		file:                    "a file: open it with open_url and url: file://" + strings.ReplaceAll(file, " ", "%20"),
		filepath.Base(file):     "a file: open it with open_url and url: file://" + strings.ReplaceAll(file, " ", "%20"),
		"no-such-program":       "install it",
		"no such: program":      "install it",
	} {
		d := fake.New(fake.MustParse(notes)...).Desktop()
		o := OpenApplication.Run(t.Context(), &steps.Env{Desktop: d, Folders: steps.Folders{Dir: filepath.Dir(file)}}, map[string]any{"app_name": name})
		if steps.CodeOf(o.Err) != steps.NotFound || !strings.Contains(o.Err.Error(), next) {
			t.Errorf("%s: got %v, want %q", name, o.Err, next)
		}
	}
}

// launches keeps what was started.
type launches struct {
	desktop.Actor
	last *desktop.Launch
}

func (l launches) Do(ctx context.Context, a desktop.Action) error {
	if launch, ok := a.(desktop.Launch); ok {
		*l.last = launch
	}
	return l.Actor.Do(ctx, a)
}

// TestOpenApplicationTakesADocument holds what a caller without the right to run commands
// can have an application open.
func TestOpenApplicationTakesADocument(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	put := func(folder, name string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	note, script, far := put(root, "a note.txt", 0o600), put(root, "script", 0o700), put(elsewhere, "far.txt", 0o600)
	refuse := func(kind string) error {
		if kind == RunCommand.Name {
			return steps.Errorf(steps.Denied, "no commands")
		}
		return nil
	}
	for _, row := range []struct {
		say, file string
		refusal   func(string) error
		code      steps.Code
		opens     string
	}{
		{"a document, named from the folder of the caller", "a note.txt", refuse, "", note},
		{"a document by its path", note, refuse, "", note},
		{"a program", script, refuse, steps.Denied, ""},
		{"a file outside of the roots", far, refuse, steps.Denied, ""},
		{"a file that is not there", "none.txt", refuse, steps.NotFound, ""},
		{"any file, for a caller who may run commands", far, nil, "", far},
		{"a new file, for a caller who may run commands", "new.txt", nil, "", filepath.Join(root, "new.txt")},
	} {
		if runtime.GOOS == "windows" && row.refusal != nil {
			continue // where each file may be executed
		}
		f := fake.New(fake.MustParse(notes)...)
		f.Install("editor", func() *fake.Node { return fake.Window("Text", "editor", fake.Button("Go")) })
		d := f.Desktop()
		var launch desktop.Launch
		d.Actor = launches{d.Actor, &launch}
		env := &steps.Env{Desktop: d, Folders: steps.Folders{Dir: root, Roots: []string{root}}, Children: steps.Children{Applications: []string{"editor"}}, Try: steps.Try{Refusal: row.refusal}}
		o := OpenApplication.Run(t.Context(), env, map[string]any{"app_name": "editor", "file": row.file})
		var code steps.Code
		if o.Err != nil {
			code = o.Err.Code
		}
		if code != row.code || launch.File != row.opens {
			t.Errorf("%s: opened %q, %v", row.say, launch.File, o.Err)
		}
	}
}
