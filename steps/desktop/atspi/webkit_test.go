//go:build linux

package atspi

import (
	"os/exec"
	"strings"
	"testing"

	"understudy/steps/desktop"
)

// The elements of a page are those of another process than its window's.
func TestAPageOfWebKitIsReadAndPressed(t *testing.T) {
	d := onDesk(t, python)
	if exec.Command(python, "-c", "import gi; gi.require_version('WebKit2', '4.1')").Run() != nil {
		lacks(t, "python3-gi with gir1.2-webkit2-4.1")
	}
	app := d.command(python, testFile(t, "webkit.py"))
	app.Env = append(app.Env, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1", "WEBKIT_DISABLE_COMPOSITING_MODE=1")
	d.launch(t, app)
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
	look(named("button", "Inside"))
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
	scope.Root = look(func(e *desktop.Element) bool { return e.Role == "document" }).Handle
	if find(d.tree(t, scope), named("button", "Outside")) != nil {
		t.Error("below the page is what is beside it")
	}
}

func (d *desk) tree(t *testing.T, s desktop.Scope) *desktop.Tree {
	t.Helper()
	tree, err := d.client.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
