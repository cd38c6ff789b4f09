package kinds

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// pictureOf writes the picture of a part of the screen to a folder.
func pictureOf(t *testing.T, d *fake.Desktop, folder string, area desktop.Rect) {
	t.Helper()
	p, err := d.Capture(context.Background(), area)
	if err != nil {
		t.Fatal(err)
	}
	writePicture(t, filepath.Join(folder, "p.png"), p)
}

func writePicture(t *testing.T, path string, p image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}

// saveArea is the button Save of notes, with a margin that no other button has.
var saveArea = desktop.Rect{X: 5, Y: 125, W: 90, H: 34}

// picturePlay is a row of which the picture p.png is a part of the screen.
type picturePlay struct {
	play
	area desktop.Rect // saveArea when empty
}

func (p picturePlay) run(t *testing.T) {
	t.Run(p.say, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(fake.MustParse(notes)...)
			defer d.Close()
			d.Resize(desktop.Size{W: 420, H: 420}) // looking for likeness takes long where all is checked for races
			folder := t.TempDir()
			if p.area.Empty() {
				p.area = saveArea
			}
			pictureOf(t, d, folder, p.area)
			if p.set != nil {
				p.set(d)
			}
			begin := len(d.Journal())
			env := seeing(d)
			env.Dir, env.Roots = folder, []string{folder}
			start := time.Now()
			o := p.kind.Run(t.Context(), env, p.args)
			p.judge(t, d, o, begin, time.Since(start))
		})
	})
}

func TestAtLengthPicturesAreAimedAt(t *testing.T) {
	again := func(d *fake.Desktop) { // the same button in a second place
		d.Add(d.Find("role:frame"), fake.Button("Save").At(10, 300, 80, 24))
	}
	cover := func(d *fake.Desktop) { d.Open(fake.Window("Cover", "other").At(0, 0, 400, 400)) }
	gone := func(d *fake.Desktop) { d.Remove(d.Find("name:Save")) }
	for _, p := range []picturePlay{
		{play: play{
			say: "a click on a picture, in its middle", kind: ClickElement, args: args("image", "p.png", "restore_cursor", false),
			journal: []string{"click 50,142 left"}, acted: steps.ActedYes, took: aim.StillTime,
		}},
		{play: play{say: "a click on a picture that a selector names", kind: ClickElement, args: args("selector", "image:p.png", "restore_cursor", false), journal: []string{"click 50,142 left"}}},
		{play: play{say: "inside a window", kind: ClickElement, args: args("selector", "window:Notes >> image:p.png", "restore_cursor", false), journal: []string{"click 50,142 left"}}},
		{play: play{say: "as one of several targets", kind: ClickElement, args: args("targets", []any{"name:Nothing", "image:p.png"}, "restore_cursor", false), journal: []string{"click 50,142 left"}}},
		{play: play{say: "in another window than the one that shows it", kind: ClickElement, args: args("process", "other", "image", "p.png", "timeout_ms", 100.0), code: steps.NotFound, acted: steps.ActedNo}},
		{play: play{
			say: "a window that is covered comes to the front first", kind: ClickElement, set: cover,
			args: args("process", "notes", "image", "p.png", "restore_cursor", false), journal: []string{`activate "Notes"`, "click 50,142 left"},
		}},
		{play: play{
			say: "a picture that is covered, and in no window that could be raised", kind: ClickElement, set: cover,
			args: args("image", "p.png", "timeout_ms", 100.0), code: steps.NotFound, err: "the picture is not there", acted: steps.ActedNo, journal: []string{},
		}},
		{play: play{
			say: "a picture that is there twice", kind: ClickElement, set: again, args: args("image", "p.png", "timeout_ms", 100.0),
			code: steps.Ambiguous, err: "in 2 places", acted: steps.ActedNo, journal: []string{},
		}, area: desktop.Rect{X: 8, Y: 128, W: 84, H: 28}},
		{play: play{say: "a picture that is gone", kind: ClickElement, set: gone, args: args("image", "p.png", "timeout_ms", 100.0), code: steps.NotFound, acted: steps.ActedNo}},
		{play: play{
			say: "a picture that appears in time", kind: ClickElement, args: args("image", "p.png", "restore_cursor", false), journal: []string{"click 50,142 left"}, took: time.Second,
			set: func(d *fake.Desktop) {
				gone(d)
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("Save").At(10, 130, 80, 24)) })
			},
		}},
		{play: play{
			say: "a picture that never stands still", kind: ClickElement, args: args("image", "p.png", "timeout_ms", 24.0), code: steps.NotActionable, err: "went away", acted: steps.ActedNo,
			set: func(d *fake.Desktop) {
				n := d.Find("name:Save")
				for _, at := range []time.Duration{5, 23, 30} { // it is where it was when it is looked at again
					d.After(at*time.Millisecond, func() { d.Set(n, func(e *desktop.Element) { e.Bounds.X = 27 - e.Bounds.X }) })
				}
			},
		}},
		{play: play{say: "hovering over a picture", kind: HoverElement, args: args("selector", "image:p.png"), journal: []string{"move 50,142"}}},
		{play: play{
			say: "typing into a picture clicks it first", kind: TypeIntoElement, args: args("selector", "image:p.png", "text_to_type", "hi", "try_click_before", true, "clear_before_typing", false),
			result: map[string]any{"checked": "not_possible"}, acted: steps.ActedYes, journal: []string{"click 200,52 left", `type "hi"`},
		}, area: desktop.Rect{X: 90, Y: 35, W: 220, H: 34}},
		{play: play{say: "a picture cannot be invoked", kind: InvokeElement, args: args("selector", "image:p.png"), code: steps.Invalid, err: "is a picture", acted: steps.ActedNo}},
		{play: play{say: "a picture is an element that exists", kind: ValidateElement, args: args("selector", "image:p.png"), result: map[string]any{"exists": true, "visible": true}}},
		{play: play{
			say: "waiting until a picture is gone", kind: WaitForElement, args: args("selector", "image:p.png", "condition", "gone"), took: time.Second,
			set: func(d *fake.Desktop) { d.After(time.Second, func() { gone(d) }) },
		}},
		{play: play{say: "a picture to verify an action by", kind: ClickElement, args: args("selector", "name:Title && role:entry", "verify_element_exists", "image:p.png"), result: map[string]any{"checked": "yes"}}},
		{play: play{say: "a file that is not there is no reason to wait", kind: ClickElement, args: args("image", "q.png"), code: steps.Invalid, err: "there is no file", acted: steps.ActedNo}},
		{play: play{say: "a file out of bounds", kind: ClickElement, args: args("image", "/etc/passwd"), code: steps.Denied, err: "out of bounds", acted: steps.ActedNo}},
		{play: play{say: "a picture and a selector", kind: ClickElement, args: args("image", "p.png", "selector", "name:Save"), code: steps.Invalid, err: "found several"}},
		{play: play{say: "a threshold that nothing can reach", kind: ClickElement, args: args("image", "p.png", "threshold", 1.5), code: steps.Invalid, err: "threshold"}},
	} {
		p.run(t)
	}
}

func TestAtLengthPicturesAreFound(t *testing.T) {
	match := map[string]any{"area": map[string]any{"x": 5.0, "y": 125.0, "w": 90.0, "h": 34.0}, "at": map[string]any{"x": 50.0, "y": 142.0}, "score": 1.0}
	for _, p := range []picturePlay{
		{play: play{say: "where a picture is", kind: FindImage, args: args("image", "p.png"), result: map[string]any{"found": true, "matches": []any{match}}}},
		{play: play{say: "in a region", kind: FindImage, args: args("image", "p.png", "region", args("x", 0.0, "y", 120.0, "w", 200.0, "h", 50.0)), result: map[string]any{"found": true, "matches": []any{match}}}},
		{play: play{say: "not in a region without it", kind: FindImage, args: args("image", "p.png", "region", args("x", 100.0, "y", 200.0, "w", 200.0, "h", 50.0)), result: map[string]any{"found": false, "matches": []any{}}}},
		{play: play{say: "in a window", kind: FindImage, args: args("image", "p.png", "process", "notes"), result: map[string]any{"found": true}}},
		{play: play{
			say: "a picture in a window that another covers is not found", kind: FindImage, args: args("image", "p.png", "process", "notes"), result: map[string]any{"found": false},
			set: func(d *fake.Desktop) { d.Open(fake.Window("Cover", "other").At(0, 0, 400, 400)) },
		}},
		{play: play{say: "nowhere is no failure", kind: FindImage, args: args("image", "p.png"), result: map[string]any{"found": false, "matches": []any{}}, set: func(d *fake.Desktop) { d.Remove(d.Find("name:Save")) }}},
		{play: play{
			say: "twice is not found, and both places are told", kind: FindImage, args: args("image", "p.png"), result: map[string]any{"found": false},
			set: func(d *fake.Desktop) { d.Add(d.Find("role:frame"), fake.Button("Save").At(10, 300, 80, 24)) },
			check: func(t *testing.T, _ *fake.Desktop, o steps.Outcome) {
				if all := o.Result["matches"].([]any); len(all) != 2 {
					t.Errorf("matches %v, want 2", all)
				}
			},
		}, area: desktop.Rect{X: 8, Y: 128, W: 84, H: 28}},
		{play: play{
			say: "waiting for a picture", kind: WaitForImage, args: args("image", "p.png"), took: time.Second, result: map[string]any{"match": match},
			set: func(d *fake.Desktop) {
				d.Remove(d.Find("name:Save"))
				d.After(time.Second, func() { d.Add(d.Find("role:frame"), fake.Button("Save").At(10, 130, 80, 24)) })
			},
		}},
		{play: play{say: "waiting in vain", kind: WaitForImage, args: args("image", "p.png", "timeout_ms", 300.0), code: steps.Timeout, err: "the picture is not there", set: func(d *fake.Desktop) { d.Remove(d.Find("name:Save")) }}},
		{play: play{say: "waiting until it is gone, in vain", kind: WaitForImage, args: args("image", "p.png", "gone", true, "timeout_ms", 300.0), code: steps.Timeout, err: "still there"}},
	} {
		p.run(t)
	}
}

func TestALinkLeadsToNoPictureOutside(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	writePicture(t, filepath.Join(outside, "p.png"), image.NewRGBA(image.Rect(0, 0, 2, 2)))
	if err := os.Symlink(filepath.Join(outside, "p.png"), filepath.Join(folder, "p.png")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	d := fake.New(fake.MustParse(notes)...)
	defer d.Close()
	env := &steps.Env{Desktop: d.Desktop(), Folders: steps.Folders{Dir: folder, Roots: []string{folder}}}
	o := FindImage.Run(t.Context(), env, args("image", "p.png"))
	if code(o) != steps.Denied || !strings.Contains(o.Err.Error(), "out of bounds") {
		t.Errorf("got %v, want out of bounds", o.Err)
	}
}

func TestPasswordsAreBlanked(t *testing.T) {
	d := fake.New(fake.MustParse(notes)...)
	defer d.Close()
	var kept *image.RGBA
	env := seeing(d)
	env.Keep = func(_ context.Context, p *image.RGBA) (string, error) { kept = p; return "kept", nil }
	black := color.RGBA{A: 255}
	for _, c := range []struct {
		say          string
		args         map[string]any
		field, other image.Point // points of the password field, and of another
	}{
		{"on the whole screen", args(), image.Pt(150, 80), image.Pt(150, 50)},
		{"on a region, which begins elsewhere", args("region", args("x", 100.0, "y", 30.0, "w", 200.0, "h", 100.0)), image.Pt(50, 50), image.Pt(50, 20)},
		{"on the field itself", args("selector", "role:password"), image.Pt(50, 10), image.Pt(-1, -1)},
	} {
		t.Run(c.say, func(t *testing.T) {
			if o := CaptureScreenshot.Run(t.Context(), env, c.args); o.Err != nil {
				t.Fatal(o.Err)
			}
			if got := kept.RGBAAt(c.field.X, c.field.Y); got != black {
				t.Errorf("the password field is %v, want black", got)
			}
			if got := kept.RGBAAt(c.other.X, c.other.Y); c.other.X >= 0 && got == black {
				t.Error("another field is black too")
			}
		})
	}
}

// What shows on a picture may be gone when it is read where password fields are.
func TestPasswordsOfADialogThatCloses(t *testing.T) {
	black := color.RGBA{A: 255}
	const field = 80 // its middle, in a window at the top
	for _, c := range []struct {
		say            string
		before, during func(d *fake.Desktop, w *fake.Node) // before the second picture is taken, and before it is blanked
		at             image.Point
		blank          bool
	}{
		{say: "it stays", at: image.Pt(150, field), blank: true},
		{
			say: "it closes when the picture was taken", at: image.Pt(150, field), blank: true,
			during: func(d *fake.Desktop, w *fake.Node) { d.Remove(w) },
		},
		{
			say: "it closed before", at: image.Pt(150, field),
			before: func(d *fake.Desktop, w *fake.Node) { d.Remove(w) },
		},
		{
			say: "it moved before, and closes", at: image.Pt(450, field+300), blank: true,
			before: func(d *fake.Desktop, w *fake.Node) { put(t, d, w, desktop.Rect{X: 300, Y: 300, W: 400, H: 300}) },
			during: func(d *fake.Desktop, w *fake.Node) { d.Remove(w) },
		},
		{
			say: "its program no longer answers", at: image.Pt(150, field), blank: true,
			during: func(d *fake.Desktop, _ *fake.Node) { d.Freeze("notes") },
		},
		{
			say: "nothing can be read", at: image.Pt(150, field), blank: true,
			during: func(d *fake.Desktop, _ *fake.Node) { d.Fail("Tree", desktop.ErrUnresponsive, 1) },
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			f := fake.New(fake.MustParse(notes)...)
			defer f.Close()
			d, w := f.Desktop(), f.Find("role:frame")
			var known observe.Passwords
			take := func(taken func(*fake.Desktop, *fake.Node)) *image.RGBA {
				fields := known.Where(t.Context(), d)
				p, err := d.Capture(t.Context(), desktop.Rect{})
				if err != nil {
					t.Fatal(err)
				}
				if taken != nil {
					taken(f, w)
				}
				p = observe.Blank(p, desktop.Point{}, append(fields, known.Find(t.Context(), d)...))
				return p
			}
			take(nil)
			if c.before != nil {
				c.before(f, w)
			}
			if got := take(c.during).RGBAAt(c.at.X, c.at.Y); (got == black) != c.blank {
				t.Errorf("at %v it is %v, want black: %v", c.at, got, c.blank)
			}
		})
	}
}

// A field that shows what it holds is a password field no longer, by what its
// application says of it.
func TestPasswordsThatAreRevealed(t *testing.T) {
	const field, other = 80, 50 // their middles
	known := &observe.Passwords{}
	look := func(t *testing.T, d *fake.Desktop, y int) color.RGBA {
		t.Helper()
		var kept *image.RGBA
		env := seeing(d)
		env.Passwords = known
		env.Keep = func(_ context.Context, p *image.RGBA) (string, error) { kept = p; return "kept", nil }
		if o := CaptureScreenshot.Run(t.Context(), env, args()); o.Err != nil {
			t.Fatal(o.Err)
		}
		return kept.RGBAAt(150, y)
	}
	reveal := func(d *fake.Desktop) {
		d.Set(d.Find("role:password"), func(e *desktop.Element) { e.Role = "entry" })
	}
	for _, c := range []struct {
		say    string
		before func(t *testing.T, d *fake.Desktop)
	}{
		{"a picture was taken before", func(t *testing.T, d *fake.Desktop) { look(t, d, field) }},
		{"two pictures were taken since", func(t *testing.T, d *fake.Desktop) {
			look(t, d, field)
			reveal(d)
			look(t, d, field)
			look(t, d, field)
		}},
		{"it was typed into before, and no picture taken", func(t *testing.T, d *fake.Desktop) {
			env := seeing(d)
			env.Passwords = known
			if o := TypeIntoElement.Run(t.Context(), env, args("selector", "role:password", "text_to_type", "secret")); o.Err != nil {
				t.Fatal(o.Err)
			}
		}},
		{"its window was hidden meanwhile", func(t *testing.T, d *fake.Desktop) {
			look(t, d, field)
			w := d.Get(d.Find("role:frame")).Window
			for _, do := range []desktop.WindowAction{desktop.Minimize, desktop.Restore} {
				if err := d.Do(t.Context(), desktop.Manage{Window: w, Do: do}); err != nil {
					t.Fatal(err)
				}
				look(t, d, field)
			}
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			d := fake.New(fake.MustParse(notes)...)
			defer d.Close()
			c.before(t, d)
			if d.Find("role:password") != nil {
				reveal(d)
			}
			if got := look(t, d, field); got != (color.RGBA{A: 255}) {
				t.Errorf("what the password field shows is %v, want black", got)
			}
			if got := look(t, d, other); got == (color.RGBA{A: 255}) {
				t.Error("another field is black too")
			}
		})
	}
}

func put(t *testing.T, d *fake.Desktop, w *fake.Node, to desktop.Rect) {
	t.Helper()
	if err := d.Do(t.Context(), desktop.Manage{Window: d.Get(w).Window, Do: desktop.Place, Bounds: to}); err != nil {
		t.Fatal(err)
	}
}

func TestExistsIsNotKnownOfAnApplicationThatDoesNotAnswer(t *testing.T) {
	d := fake.New(fake.MustParse(notes + "\n- frame \"Other\" [process=other]\n  - button \"Go\"\n")...)
	defer d.Close()
	p := aim.Probe{Open: func(context.Context) (*desktop.Desktop, error) { return d.Desktop(), nil }}
	if ok, err := p.Exists(t.Context(), "name:Stop"); ok || err != nil {
		t.Errorf("when all answer: %v and %v", ok, err)
	}
	d.Freeze("other")
	if ok, err := p.Exists(t.Context(), "name:Save"); !ok || err != nil {
		t.Errorf("what shows elsewhere: %v and %v", ok, err)
	}
	if ok, err := p.Exists(t.Context(), "name:Go"); ok || steps.CodeOf(err) != steps.Timeout {
		t.Errorf("what may be in it: %v and %v, want the code timeout", ok, err)
	}
}

func TestProgramsReachTheRunsDesktop(t *testing.T) {
	env := &steps.Env{Folders: steps.Folders{Dir: t.TempDir()}, Children: steps.Children{Environ: []string{"DISPLAY=:1", "PATH=" + os.Getenv("PATH")}}}
	env.DesktopEnv = func(context.Context) []string { return []string{"DISPLAY=:77"} }
	line := "echo $DISPLAY"
	if runtime.GOOS == "windows" {
		line = "echo %DISPLAY%"
	}
	o := RunCommand.Run(t.Context(), env, args("run", line))
	if got := o.Result["stdout"]; o.Err != nil || strings.TrimSpace(got.(string)) != ":77" {
		t.Errorf("got %v and %v, want the run's display", got, o.Err)
	}
}

func TestReadText(t *testing.T) {
	d := fake.New(fake.MustParse(notes)...)
	defer d.Close()
	t.Setenv("PATH", t.TempDir())
	o := ReadText.Run(t.Context(), seeing(d), args("selector", "name:Save"))
	if code(o) != steps.Unavailable || !strings.Contains(o.Err.Error()+o.Err.Next, "apt-get install tesseract-ocr") {
		t.Errorf("got %v, want what to install", o.Err)
	}
	got := readResult([]vision.Word{
		{Text: "Hello", Bounds: desktop.Rect{X: 1, Y: 2, W: 30, H: 8}, Confidence: 0.9, Line: 0},
		{Text: "you", Bounds: desktop.Rect{X: 40, Y: 2, W: 20, H: 8}, Confidence: 0.8, Line: 0},
		{Text: "there", Bounds: desktop.Rect{X: 1, Y: 20, W: 30, H: 8}, Confidence: 0.7, Line: 1},
	}, desktop.Rect{X: 100, Y: 200, W: 100, H: 50})
	if got.Text != "Hello you\nthere" || got.Words[1].Area != (desktop.Rect{X: 140, Y: 202, W: 20, H: 8}) {
		t.Errorf("got %+v", got)
	}
}

// withWindow is a list of windows with one more, of a program that shows no
// elements.
type withWindow struct {
	list desktop.WindowLister
	more desktop.Window
}

func (w *withWindow) Windows(ctx context.Context) ([]desktop.Window, error) {
	all, err := w.list.Windows(ctx)
	return append(all, w.more), err
}

func TestAWindowExistsOfWhichNoElementsAreKnown(t *testing.T) {
	f := fake.New(fake.MustParse(notes)...)
	defer f.Close()
	d := f.Desktop()
	more := &withWindow{d.WindowLister, desktop.Window{ID: 7, PID: 77, Process: "xmessage", Title: "Question", Bounds: desktop.Rect{W: 100, H: 50}}}
	d.WindowLister = more
	p := aim.Probe{Open: func(context.Context) (*desktop.Desktop, error) { return d, nil }}
	for text, want := range map[string]bool{
		"process:xmessage && window:Question": true, "process:xmessage && window:Answer": false,
		"role:frame && name:Question": true, "process:xmessage >> role:button": false, "name:Save": true,
	} {
		if ok, err := p.Exists(t.Context(), text); ok != want || err != nil {
			t.Errorf("%s: %v and %v, want %v", text, ok, err, want)
		}
	}
	more.more.Minimized = true
	if ok, err := p.Exists(t.Context(), "window:Question"); ok || err != nil {
		t.Errorf("a minimized window: %v and %v, want no", ok, err)
	}
}

func TestAPictureIsFoundInAWindowOfWhichNoElementsAreKnown(t *testing.T) {
	f := fake.New(fake.MustParse(notes)...)
	defer f.Close()
	folder := t.TempDir()
	pictureOf(t, f, folder, saveArea)
	d := f.Desktop()
	d.Elements = onlyOf{d.Elements, "nobody"}
	env := &steps.Env{Desktop: d, Folders: steps.Folders{Dir: folder, Roots: []string{folder}}}
	for process, want := range map[string]int{"notes": 1, "other": 0} {
		o := FindImage.Run(t.Context(), env, args("image", "p.png", "process", process))
		if o.Err != nil || len(o.Result["matches"].([]any)) != want {
			t.Errorf("%s: found %v, want %d places; %v", process, o.Result["matches"], want, o.Err)
		}
	}
}

// onlyOf knows the elements of one program only.
type onlyOf struct {
	desktop.Elements
	process string
}

func (o onlyOf) Tree(ctx context.Context, s desktop.Scope) (*desktop.Tree, error) {
	t, err := o.Elements.Tree(ctx, s)
	if err == nil {
		t.Roots = slices.DeleteFunc(t.Roots, func(e *desktop.Element) bool { return e.Process != o.process })
	}
	return t, err
}

// draws adds a cell to a canvas, the one of a column and a row of five by five, each of
// another colour.
func draws(d *fake.Desktop, column, row, x, y, side int) {
	n := 5*row + column
	colour := color.RGBA{uint8(n * 73), uint8(n * 151), uint8(n * 199), 255}
	d.Add(d.Find("role:canvas"), fake.El("panel", "").At(x, y, side, side).Painted(colour))
}

// drawsAll adds all cells.
func drawsAll(d *fake.Desktop, side int) {
	for i := range 25 {
		draws(d, i%5, i/5, 10+i%5*side, 10+i/5*side, side)
	}
}

// drawsTwice adds all cells, and those of the picture once more.
func drawsTwice(d *fake.Desktop) {
	drawsAll(d, 40)
	for i := range 9 {
		draws(d, i%3, 1+i/3, 130+i%3*40, 10+i/3*40, 40)
	}
}

// framed adds a key with a frame, and a sign of a width in it.
func framed(d *fake.Desktop, x, y, sign int) {
	black := color.RGBA{A: 255}
	for _, part := range []struct {
		box    desktop.Rect
		colour color.RGBA
	}{{desktop.Rect{X: x, Y: y, W: 60, H: 60}, black}, {desktop.Rect{X: x + 6, Y: y + 6, W: 48, H: 48}, color.RGBA{255, 255, 255, 255}}, {desktop.Rect{X: x + 20, Y: y + 20, W: sign, H: 20}, black}} {
		b := part.box
		d.Add(d.Find("role:canvas"), fake.El("panel", "").At(b.X, b.Y, b.W, b.H).Painted(part.colour))
	}
}

func TestAPlaceInWhatDrawsItself(t *testing.T) {
	const canvas = `
- frame "Table" [process=table] [at=0,0,300,300]
  - canvas "Characters" [at=10,10,200,200]
`
	resize := func(d *fake.Desktop) {
		d.Set(d.Find("role:canvas"), func(e *desktop.Element) { e.Bounds.W, e.Bounds.H = 250, 250 })
	}
	place := func(drawn ...any) map[string]any {
		return args("selector", "role:canvas", "timeout_ms", 100.0, "restore_cursor", false, "click_position", args("x_percentage", 30.0, "y_percentage", 50.0), "drawn", args(drawn...))
	}
	shrink := func(d *fake.Desktop) {
		d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Bounds.W, e.Bounds.H = 280, 260 })
	}
	move := func(d *fake.Desktop) {
		d.Set(d.Find("role:frame"), func(e *desktop.Element) { e.Bounds.X, e.Bounds.Y = 20, 30 })
	}
	aside := func(d *fake.Desktop) { // the cells are 20 pixels to the right
		for i := range 25 {
			draws(d, i%5, i/5, 30+i%5*40, 10+i/5*40, 40)
		}
	}
	inWindow := func(drawn ...any) map[string]any {
		return args("process", "table", "x", 70.0, "y", 110.0, "in_window", true, "timeout_ms", 100.0, "restore_cursor", false, "drawn", args(drawn...))
	}
	window, windowPictured := inWindow("width", 300.0, "height", 300.0), inWindow("width", 300.0, "height", 300.0, "picture", "p.png")
	fallback := args("process", "table", "selector", "name:Nope", "timeout_ms", 100.0, "restore_cursor", false, "fallback_point", args("x", 70.0, "y", 110.0, "drawn", windowPictured["drawn"]))
	framedPlace := place("width", 200.0, "height", 200.0, "picture", "framed.png")
	inMenu := args("process", "table", "x", 20.0, "y", 40.0, "in_window", true, "timeout_ms", 100.0, "restore_cursor", false, "drawn", args("width", 60.0, "height", 90.0, "popup", true))
	bare := place("width", 200.0, "height", 200.0)
	pictured := place("width", 200.0, "height", 200.0, "picture", "p.png")
	for _, p := range []play{
		{say: "the same", set: func(d *fake.Desktop) { drawsAll(d, 40) }, args: pictured, journal: []string{"click 70,110 left"}},
		{say: "larger, with the cells as they were", set: func(d *fake.Desktop) { resize(d); drawsAll(d, 40) }, args: pictured, journal: []string{"click 70,110 left"}},
		{say: "larger, with larger cells", set: func(d *fake.Desktop) { resize(d); drawsAll(d, 50) }, args: pictured, journal: []string{"click 85,135 left"}},
		{say: "larger, with nothing", set: resize, args: pictured, code: steps.NotActionable, err: "is 250 by 250 now, and was 200 by 200", acted: steps.ActedNo},
		{say: "with nothing", set: func(*fake.Desktop) {}, args: pictured, code: steps.NotActionable, err: "does not show exactly once what was at the place", acted: steps.ActedNo},
		{say: "a second time", set: func(d *fake.Desktop) { drawsTwice(d) }, args: pictured, journal: []string{"click 70,110 left"}},
		{say: "larger, a second time", set: func(d *fake.Desktop) { resize(d); drawsTwice(d) }, args: pictured, code: steps.NotActionable, acted: steps.ActedNo},
		{say: "late", set: func(d *fake.Desktop) { d.After(50*time.Millisecond, func() { drawsAll(d, 40) }) }, args: pictured, journal: []string{"move 70,110", "click 70,110 left"}},
		{say: "framed elsewhere, as what is under the pointer", set: func(d *fake.Desktop) { framed(d, 100, 20, 2) }, args: framedPlace, code: steps.NotActionable, err: "for example by scrolling", acted: steps.ActedNo},
		{say: "the same, without a picture", set: func(*fake.Desktop) {}, args: bare, journal: []string{"click 70,110 left"}},
		{say: "larger, without a picture", set: resize, args: bare, code: steps.NotActionable, err: "move_window", acted: steps.ActedNo},
		{
			say: "a drag, in a larger one with the cells as they were", kind: MouseDrag, set: func(d *fake.Desktop) { resize(d); drawsAll(d, 40) }, check: drags("move 70,110", "move 130,170"),
			args: args("selector", "role:canvas", "start_position", args("x_percentage", 30.0, "y_percentage", 50.0), "end_position", args("x_percentage", 60.0, "y_percentage", 80.0), "drawn", pictured["drawn"]),
		},
		{say: "a window, the same", set: func(d *fake.Desktop) { drawsAll(d, 40) }, args: windowPictured, journal: []string{"click 70,110 left"}},
		{say: "a window, with the cells aside", set: aside, args: windowPictured, journal: []string{"click 90,110 left"}},
		{say: "a smaller window, with the cells aside", set: func(d *fake.Desktop) { shrink(d); aside(d) }, args: windowPictured, journal: []string{"click 90,110 left"}},
		{say: "a window with nothing", set: func(*fake.Desktop) {}, args: windowPictured, code: steps.NotActionable, err: "does not show exactly once what was at the place", acted: steps.ActedNo},
		{say: "a window, without a picture", set: func(*fake.Desktop) {}, args: window, journal: []string{"click 70,110 left"}},
		{say: "a smaller window, without a picture", set: shrink, args: window, code: steps.NotActionable, err: "is 280 by 260 now, and was 300 by 300", acted: steps.ActedNo},
		{say: "a place when nothing is found, with the cells aside", set: aside, args: fallback, journal: []string{"click 90,110 left"}},
		{say: "a place when nothing is found, in a smaller window with nothing", set: shrink, args: fallback, code: steps.NotActionable, err: "does not show exactly once what was at the place", acted: steps.ActedNo},
		{
			say: "a drag in a smaller window, with the cells aside", kind: MouseDrag, set: func(d *fake.Desktop) { shrink(d); aside(d) }, check: drags("move 90,110", "move 150,170"),
			args: args("process", "table", "start_x", 70.0, "start_y", 110.0, "end_x", 130.0, "end_y", 170.0, "in_window", true, "drawn", windowPictured["drawn"]),
		},
		{
			say: "a drag in a window that is elsewhere", kind: MouseDrag, set: move, check: drags("move 90,140", "move 150,200"),
			args: args("process", "table", "start_x", 70.0, "start_y", 110.0, "end_x", 130.0, "end_y", 170.0, "in_window", true),
		},
		{say: "a place in a menu, which is open", set: func(d *fake.Desktop) {
			d.Open(fake.Window("", "table", fake.El("panel", "").At(200, 200, 60, 90).Painted(color.RGBA{9, 9, 9, 255})).At(200, 200, 60, 90).Popup(true))
		}, args: inMenu, journal: []string{"click 220,240 left"}},
		{say: "a place in a menu, which is not open", set: func(*fake.Desktop) {}, args: inMenu, code: steps.NotFound, err: "open menu", acted: steps.ActedNo},
		{say: "a place outside of what was drawn", set: shrink, args: inWindow("width", 60.0, "height", 300.0), code: steps.Invalid, err: "a place in it"},
		{say: "a size by half", set: resize, args: place("width", 3.0, "height", 0.0), code: steps.Invalid, err: "wanted the width and the height"},
	} {
		t.Run(p.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				folder := t.TempDir()
				key := fake.New(fake.MustParse(canvas)...)
				defer key.Close()
				framed(key, 40, 80, 6)
				pictureOf(t, key, folder, desktop.Rect{X: 40, Y: 80, W: 60, H: 60})
				if err := os.Rename(filepath.Join(folder, "p.png"), filepath.Join(folder, "framed.png")); err != nil {
					t.Fatal(err)
				}
				recorded := fake.New(fake.MustParse(canvas)...)
				defer recorded.Close()
				drawsAll(recorded, 40)
				pictureOf(t, recorded, folder, desktop.Rect{X: 40, Y: 80, W: 60, H: 60})
				d := fake.New(fake.MustParse(canvas)...)
				defer d.Close()
				d.Resize(desktop.Size{W: 300, H: 300})
				p.set(d)
				begin := len(d.Journal())
				env := seeing(d)
				env.Dir, env.Roots = folder, []string{folder}
				start := time.Now()
				if p.kind.Name == "" {
					p.kind = ClickElement
				}
				p.judge(t, d, p.kind.Run(t.Context(), env, p.args), begin, time.Since(start))
			})
		})
	}
}

func TestTheTextOfAListIsThatOfItsRows(t *testing.T) {
	f := fake.New(fake.MustParse(`
- frame "Islands" [process=islands] [at=0,0,400,400]
  - list [at=10,40,80,80]
    - listitem [at=10,40,80,20]
      - label "Fiji" [at=10,40,80,20]
    - listitem "Malta" [at=10,60,80,20]
`)...)
	defer f.Close()
	p := aim.Probe{Open: func(context.Context) (*desktop.Desktop, error) { return f.Desktop(), nil }}
	for text, want := range map[string]string{"role:list": "Fiji Malta", "role:listitem && name:Malta": "Malta", "role:label": "Fiji"} {
		if got, err := p.Text(t.Context(), text); got != want || err != nil {
			t.Errorf("%s has the text %q, %v; want %q", text, got, err, want)
		}
	}
}
