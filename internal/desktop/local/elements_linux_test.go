package local_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/kinds"
)

// A sandbox is a GTK 3 application that does what the test tells it.
type sandbox struct {
	*sight
	pid int
	do  func(line string)
}

// sandboxed starts a sandbox with so many rows, and waits until a step finds
// it at rest.
func sandboxed(t *testing.T, rows int) *sandbox {
	t.Helper()
	s := look(t, "/usr/bin/python3", "xterm")
	script, err := filepath.Abs("../atspi/testdata/sandbox.py")
	s.must(err)
	info, err := s.Info(t.Context())
	s.must(err)
	c := exec.Command("/usr/bin/python3", script, strconv.Itoa(rows))
	c.Env = append(c.Environ(), info.Env...)
	in, err := c.StdinPipe()
	s.must(err)
	out, err := c.StdoutPipe()
	s.must(err)
	s.must(c.Start())
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGCONT)
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	answers := bufio.NewReader(out)
	b := &sandbox{sight: s, pid: c.Process.Pid, do: func(line string) {
		t.Helper()
		fmt.Fprintln(in, line)
		if got, err := answers.ReadString('\n'); got != "done\n" {
			t.Fatalf("%s: %q, %v", line, got, err)
		}
	}}
	b.well(kinds.HoverElement, "selector", "name:Ask", "timeout_ms", 30_000.0)
	return b
}

// run does one step.
func (s *sight) run(k steps.Kind, args ...any) steps.Outcome {
	s.t.Helper()
	m := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	defer s.stirred.Mark()
	return k.Run(s.t.Context(), &steps.Env{Desktop: s.Desktop, Trees: s.trees, Folders: steps.Folders{Roots: []string{os.TempDir()}}, LastAct: &s.stirred}, m)
}

// An expander is pressed where it reacts, and not on what it expands to.
func TestAnExpanderIsClicked(t *testing.T) {
	b := sandboxed(t, 1)
	b.do("expander = Gtk.Expander(label='Further'); inside = Gtk.Button(label='Inside'); inside.connect('clicked', lambda b: b.set_label('Pressed'))")
	b.do("expander.add(inside); box.add(expander); expander.show_all()")
	for _, want := range []bool{true, false} {
		b.well(kinds.ClickElement, "selector", "name:Further", "timeout_ms", 30_000.0)
		b.eventually(fmt.Sprintf("expanded: %t", want), func() (bool, string) {
			o := b.run(kinds.ValidateElement, "selector", "name:Inside")
			return o.Result["visible"] == want || !want && o.Result["exists"] == false, fmt.Sprint(o.Result, o.Err)
		})
	}
}

// In a table with more cells than are read, a cell that is drawn as an icon and a name
// has its name.
func TestALongTableShowsTheNamesBesideIcons(t *testing.T) {
	b := sandboxed(t, 1)
	b.do("files = Gtk.ListStore(str, str); [files.append(['document', 'file %d' % i]) for i in range(200)]")
	b.do("view = Gtk.TreeView(model=files); column = Gtk.TreeViewColumn('Name'); icon = Gtk.CellRendererPixbuf(); text = Gtk.CellRendererText()")
	b.do("column.pack_start(icon, False); column.pack_start(text, True); column.add_attribute(text, 'text', 1); view.append_column(column)")
	b.do("scrolled = Gtk.ScrolledWindow(min_content_height=150); scrolled.add(view); box.pack_start(scrolled, True, True, 0); scrolled.show_all()")
	b.eventually("the names show", func() (bool, string) {
		tree, err := b.Tree(t.Context(), desktop.Scope{Process: "python3", Full: true, Limit: 400})
		b.must(err)
		text, _ := tree.Outline(0)
		return strings.Contains(text, `cell "file 2"`), text
	})
	b.well(kinds.ClickElement, "selector", "role:cell && name:file 2", "timeout_ms", 30_000.0)
}

// What keeps an action from an element that a real application shows, or does
// not show, and what the error says then.
func TestErrorsNameWhatBlocksAnAction(t *testing.T) {
	place := func(b *sandbox, c desktop.Manage) {
		windows, err := b.Windows(b.t.Context())
		b.must(err)
		c.Window = windows[0].ID
		b.must(b.Do(b.t.Context(), c))
	}
	for _, row := range []struct {
		say     string
		prepare func(b *sandbox)
		with    []any
		code    steps.Code
		err     []string
	}{
		{
			"it is not there, and something like it is", nil,
			[]any{"selector", "role:button && name:Ack"},
			steps.NotFound,
			[]string{"nothing matches role:button && name:Ack", "role:button && name:Ask"},
		},
		{
			"its application has ended", func(b *sandbox) { b.do("GLib.timeout_add(1, Gtk.main_quit)"); b.gone() },
			[]any{"selector", "name:Ask", "process", "python3"},
			steps.NotFound,
			[]string{"nothing matches", "is not open on this desktop"},
		},
		{
			"its application does not answer", func(b *sandbox) { b.must(syscall.Kill(b.pid, syscall.SIGSTOP)) },
			[]any{"selector", "name:Ask"},
			steps.NotFound,
			[]string{"did not answer, so its elements are not known"},
		},
		{
			"it is not the only one", func(b *sandbox) {
				b.do("box.add(Gtk.Button(label='Ask', visible=True))")
				b.eventually("both show", func() (bool, string) {
					o := b.run(kinds.ValidateElement, "selector", "name:Ask")
					return o.Result["matches"] == 2.0, fmt.Sprint(o.Result, o.Err)
				})
			},
			[]any{"selector", "name:Ask"},
			steps.Ambiguous,
			[]string{"2 elements match name:Ask", "name:Ask && nth:0", "name:Ask && nth:1"},
		},
		{
			"it is disabled", func(b *sandbox) { b.do("ask.set_sensitive(False)") },
			[]any{"selector", "name:Ask"},
			steps.NotActionable,
			[]string{`button "Ask" in "Sandbox 100" is disabled`},
		},
		{
			"it is in a page that does not show", nil,
			[]any{"selector", "name:On the second page"},
			steps.NotActionable,
			[]string{"is not visible: it is there and does not show"},
		},
		{
			"its window is minimized", func(b *sandbox) { place(b, desktop.Manage{Do: desktop.Minimize}) },
			[]any{"selector", "name:Ask", "enable_window_management", false},
			steps.NotActionable,
			[]string{"is not visible: its window is minimized"},
		},
		{
			"it moves in its window", func(b *sandbox) {
				b.do("fixed = Gtk.Fixed(visible=True); fixed.put(Gtk.Button(label='Runs', visible=True), 0, 0); box.pack_start(fixed, False, False, 0)")
				b.do("import itertools; ticks = itertools.count(); GLib.timeout_add(7, lambda: fixed.move(fixed.get_children()[0], next(ticks) * 5 % 200, 0) or True)")
			},
			[]any{"selector", "name:Runs"},
			steps.NotActionable,
			[]string{`button "Runs" in "Sandbox 100" moves: it went from`},
		},
		{
			"its window moves", func(b *sandbox) {
				b.do("import itertools; ticks = itertools.count()")
				b.WindowLister = restless{b.WindowLister, func() { b.do("window.move(next(ticks) * 5 % 200, 100)") }}
			},
			[]any{"selector", "name:Ask"},
			steps.NotActionable,
			[]string{"moves: "},
		},
		{
			"another window covers it", func(b *sandbox) { b.launch("xterm -T Cover -geometry 200x80+0+0", "Cover"); b.top("Cover") },
			[]any{"selector", "name:Ask", "bring_to_front", false},
			steps.NotActionable,
			[]string{`is covered by the window "Cover" at`},
		},
		{
			"another element covers it", func(b *sandbox) {
				b.do("over = Gtk.Overlay(visible=True); over.add(Gtk.Button(label='Below', visible=True)); over.add_overlay(Gtk.Button(label='Veil', visible=True)); box.pack_start(over, False, False, 0)")
			},
			[]any{"selector", "name:Below"},
			steps.NotActionable,
			[]string{`button "Below" in "Sandbox 100" is covered by button "Veil" in "Sandbox 100" at`},
		},
		{
			"a bar lies over all that is there", func(b *sandbox) {
				b.do("over = Gtk.Overlay(visible=True); below = Gtk.VBox(visible=True); below.add(Gtk.Button(label='Below', visible=True)); over.add(below); box.pack_start(over, False, False, 0)")
				b.do("bar = Gtk.InfoBar(visible=True); bar.get_content_area().add(Gtk.Label(label='Done', visible=True)); over.add_overlay(bar)")
			},
			[]any{"selector", "name:Below"},
			steps.NotActionable,
			[]string{`button "Below" in "Sandbox 100" is covered by`},
		},
		{
			"a box without anything lies over it", func(b *sandbox) {
				b.do("over = Gtk.Overlay(visible=True); below = Gtk.VBox(visible=True); below.add(Gtk.Button(label='Below', visible=True)); over.add(below); box.pack_start(over, False, False, 0)")
				b.do("over.add_overlay(Gtk.EventBox(visible=True))")
			},
			[]any{"selector", "name:Below"},
			steps.NotActionable,
			[]string{`button "Below" in "Sandbox 100" is not at`},
		},
		{
			"a popover is open over it", func(b *sandbox) {
				b.do("below = Gtk.Button(label='Below', visible=True); box.pack_start(below, False, False, 0)")
				b.do("pop = Gtk.Popover(relative_to=entry, position=Gtk.PositionType.BOTTOM); pop.add(Gtk.Label(label='Hint', visible=True, width_request=300, height_request=200)); pop.set_modal(False); pop.show()")
			},
			[]any{"selector", "name:Ask"},
			steps.NotActionable,
			[]string{`button "Ask" in "Sandbox 100" is covered by`},
		},
		{
			"it takes up no room", func(b *sandbox) { b.do("notebook.set_show_tabs(False)") },
			[]any{"selector", "role:pagetab && state:selected"},
			steps.NotActionable,
			[]string{`pagetab in "Sandbox 100" is not visible: it has no area on the screen`},
		},
		{
			"a dialog waits for an answer", func(b *sandbox) {
				b.well(kinds.ClickElement, "selector", "name:Ask")
				b.well(kinds.WaitForElement, "selector", "role:button && name:OK", "timeout_ms", 30_000.0)
			},
			[]any{"selector", "role:slider"},
			steps.NotActionable,
			[]string{`"Question"`},
		},
		{
			"it is off the screen", func(b *sandbox) {
				place(b, desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: -400, Y: 50, W: 500, H: 400}})
			},
			[]any{"selector", "name:Ask"},
			steps.NotActionable,
			[]string{`button "Ask" in "Sandbox 100" is off the screen at`},
		},
	} {
		t.Run(row.say, func(t *testing.T) {
			t.Parallel()
			b := sandboxed(t, 100)
			if row.prepare != nil {
				row.prepare(b)
			}
			o := b.run(kinds.ClickElement, append(row.with, "timeout_ms", 4_000.0)...)
			if o.Err == nil || steps.CodeOf(o.Err) != row.code || o.Acted != steps.ActedNo {
				t.Fatalf("acted %s, %v; want the code %s and nothing done", o.Acted, o.Err, row.code)
			}
			for _, want := range row.err {
				if !strings.Contains(o.Err.Error(), want) {
					t.Errorf("the error is %q, want %q in it", o.Err, want)
				}
			}
			if o.Err.Next == "" {
				t.Errorf("the error %q does not say what to do next", o.Err)
			}
		})
	}
}

// gone waits until a sandbox has ended.
func (b *sandbox) gone() {
	b.t.Helper()
	b.eventually("the windows are closed", func() (bool, string) {
		windows, err := b.Windows(b.t.Context())
		b.must(err)
		return len(windows) == 0, fmt.Sprint(windows)
	})
}

// top waits until a window is the topmost.
func (b *sandbox) top(title string) {
	b.t.Helper()
	b.eventually(title+" is on top", func() (bool, string) {
		windows, err := b.Windows(b.t.Context())
		b.must(err)
		return len(windows) > 0 && windows[len(windows)-1].Title == title, fmt.Sprint(windows)
	})
}

// well does one step that must succeed.
func (s *sight) well(k steps.Kind, args ...any) {
	s.t.Helper()
	if o := s.run(k, args...); o.Err != nil {
		s.t.Fatalf("%s %v: %v", k.Name, args, o.Err)
	}
}

func TestClickScrollsTheElementIntoView(t *testing.T) {
	b := sandboxed(t, 100)
	b.do("button = lines.get_children()[90]; button.connect('clicked', lambda b: b.set_label('Clicked'))")
	b.well(kinds.ClickElement, "selector", "role:button && name:Button 90", "timeout_ms", 30_000.0)
	b.well(kinds.WaitForElement, "selector", "role:button && name:Clicked", "timeout_ms", 30_000.0)
}

// vanishing has something done before it is asked what is at a point.
type vanishing struct {
	desktop.Elements
	before func()
}

// ElementAt is what is at a point after that.
func (v vanishing) ElementAt(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	v.before()
	return v.Elements.ElementAt(ctx, at)
}

// restless are windows that are moved each time before they are looked at.
type restless struct {
	of   desktop.WindowLister
	move func()
}

// Windows are the windows once they have moved.
func (r restless) Windows(ctx context.Context) ([]desktop.Window, error) {
	before, err := r.of.Windows(ctx)
	if err != nil {
		return nil, err
	}
	r.move()
	for {
		now, err := r.of.Windows(ctx)
		if err != nil || !reflect.DeepEqual(before, now) {
			return now, err
		}
		if err := desktop.Sleep(ctx, 2*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func TestElementThatDisappearsIsNotClicked(t *testing.T) {
	b := sandboxed(t, 100)
	b.Elements = vanishing{b.Elements, func() { b.do("ask.destroy()") }}
	o := b.run(kinds.ClickElement, "selector", "name:Ask", "timeout_ms", 0.0)
	if steps.CodeOf(o.Err) != steps.NotActionable || o.Acted != steps.ActedNo || !strings.Contains(o.Err.Error(), `button "Ask" in "Sandbox 100" went away again`) {
		t.Errorf("acted %s, %v; want that it went away again", o.Acted, o.Err)
	}
}
