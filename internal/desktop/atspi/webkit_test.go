//go:build linux

package atspi

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// The elements of a page are those of another process than its window's.
func TestAPageOfWebKitIsReadAndPressed(t *testing.T) {
	d := onDesk(t, python)
	app := d.openWebKit(t)
	scope := desktop.Scope{PID: app.Process.Pid, Full: true}
	look := func(want func(*desktop.Element) bool) (e *desktop.Element) {
		t.Helper()
		eventually(t, "the page shows it", func() bool {
			tree, err := d.client.Tree(t.Context(), scope)
			if err != nil {
				t.Fatal(err)
			}
			e = find(tree, want)
			return e != nil && !e.Bounds.Empty()
		}, nil)
		return e
	}
	w := d.settle(t, app)
	button := look(named("button", "Inside"))
	if button.Window != w.ID || button.ID != "in" || button.Bounds.Intersect(w.Bounds) != button.Bounds {
		t.Errorf("the button is %+v, want one in the window %+v", button, w)
	}
	if at, err := d.client.ElementAt(t.Context(), button.Bounds.Center()); err != nil || at.Handle != button.Handle {
		t.Errorf("at its middle is %+v, %v", at, err)
	}
	if e := look(named("text", "Field")); e.Text != "words" {
		t.Errorf("the field reads %q", e.Text)
	}
	if e := look(named("password", "Secret")); strings.Contains(e.Text, "hush") {
		t.Errorf("the password reads %q", e.Text)
	}
	if find(d.tree(t, scope), named("button", "Elsewhere")) != nil {
		t.Error("a page that does not show is read")
	}
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: button.Handle}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it was pressed", func() bool {
		e, err := d.client.Refresh(t.Context(), button.Handle)
		return err == nil && e.Name == "Clicked"
	}, nil)
	field := look(named("text", "Field"))
	if err := d.client.Do(t.Context(), desktop.GrabFocus{Element: field.Handle}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the field has the focus", func() bool {
		f, err := d.client.SaveFocus(t.Context())
		return err == nil && f.Element == field.Handle
	}, nil)
	changed := counted(t, func(ctx context.Context, f func()) error { return d.client.WatchElement(ctx, field.Handle, f) })
	before := changed.Load()
	d.keys(t, "ctrl+a", "n", "e", "w")
	eventually(t, "the change is told", func() bool { return changed.Load() > before }, nil)
	eventually(t, "it holds what is typed", func() bool {
		e, err := d.client.Refresh(t.Context(), field.Handle)
		return err == nil && e.Text == "new"
	}, nil)
	scope.Root = look(func(e *desktop.Element) bool { return e.Role == "document" }).Handle
	if find(d.tree(t, scope), named("button", "Outside")) != nil {
		t.Error("below the page is what is beside it")
	}
}

// A page that hangs is left out, and its window can be read and used.
func TestAPageOfWebKitThatHangsIsLeftOut(t *testing.T) {
	d := onDesk(t, python, "pgrep")
	app := d.openWebKit(t)
	c := d.another(t, func(o *Options) { o.Timeout = time.Second })
	has := func(name string) bool {
		tree, err := c.Tree(t.Context(), desktop.Scope{PID: app.Process.Pid, Full: true})
		return err == nil && len(tree.Unread) == 0 && find(tree, named("button", name)) != nil
	}
	signal := func(s syscall.Signal) {
		for pid := range strings.FieldsSeq(d.ask(t.Context(), "pgrep", "-P", strconv.Itoa(app.Process.Pid), "WebKitWeb")) {
			syscall.Kill(must(strconv.Atoi(pid)), s)
		}
	}
	eventually(t, "the page is read", func() bool { return has("Inside") }, nil)
	signal(syscall.SIGSTOP)
	eventually(t, "the window is read without the page", func() bool { return has("Outside") && !has("Inside") }, nil)
	signal(syscall.SIGCONT)
	eventually(t, "the page is read again", func() bool { return has("Inside") }, nil)
}

// openWebKit opens a window with a page of WebKit.
func (d *desk) openWebKit(t *testing.T) *exec.Cmd {
	t.Helper()
	if exec.Command(python, "-c", "import gi; gi.require_version('WebKit2', '4.1')").Run() != nil {
		lacks(t, "python3-gi with gir1.2-webkit2-4.1")
	}
	return d.open(t, named("button", "Inside"), "env", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1", "WEBKIT_DISABLE_COMPOSITING_MODE=1", python, testFile(t, "webkit.py"))
}

func (d *desk) tree(t *testing.T, s desktop.Scope) *desktop.Tree {
	t.Helper()
	tree, err := d.client.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
