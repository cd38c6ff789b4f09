//go:build linux

package atspi

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
)

func TestAFormIsFilledByItsLabels(t *testing.T) {
	t.Parallel()
	d := onDesk(t, "zenity")
	zenity := d.command("zenity", "--forms", "--add-entry=First name", "--add-entry=Last name", "--add-password=Secret")
	var out bytes.Buffer
	zenity.Stdout = &out
	d.launch(t, zenity)
	eventually(t, "the form shows", func() bool {
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: zenity.Process.Pid})
		return err == nil && find(tree, named("button", "OK")) != nil
	}, nil)
	d.settle(t, zenity)
	for label, text := range map[string]string{"First name": "Åsa", "Last name": "日本", "Secret": "hush"} {
		field := d.element(t, zenity, func(e *desktop.Element) bool { return e.Label == label })
		if err := d.client.Do(t.Context(), desktop.SetText{Element: field.Handle, Text: text}); err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		again, err := d.client.Refresh(t.Context(), field.Handle)
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		if label == "Secret" {
			text = "●●●●"
		}
		if again.Text != text || again.Bounds != field.Bounds || again.Window == 0 {
			t.Errorf("%s reads %q at %v in %v, want %q at %v", label, again.Text, again.Bounds, again.Window, text, field.Bounds)
		}
	}
	ok := d.element(t, zenity, named("button", "OK"))
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: ok.Handle}); err != nil {
		t.Fatal(err)
	}
	if err := zenity.Wait(); err != nil {
		t.Error(err)
	}
	if got, want := out.String(), "Åsa|日本|hush\n"; got != want {
		t.Errorf("the form gave %q, want %q", got, want)
	}
	if _, err := d.client.Refresh(t.Context(), ok.Handle); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("an element of an application that ended: %v, want %v", err, desktop.ErrNotFound)
	}
}

func TestAnActionThatOpensADialogDoesNotBlock(t *testing.T) {
	t.Parallel()
	d := onDesk(t, "featherpad")
	t.Run("GTK 3", func(t *testing.T) {
		s := openSandbox(t, 1)
		opensDialog(t, d, s.Cmd, named("button", "Ask"), named("button", "OK"))
		eventually(t, "the action ends", func() bool { return find(s.tree(desktop.Scope{}), named("button", "Asked")) != nil }, nil)
	})
	t.Run("Qt 5", func(t *testing.T) {
		app := d.open(t, named("menuitem", "File"), "featherpad", "--standalone")
		opensDialog(t, d, app, named("button", "Open"), named("button", "Cancel"))
	})
}

// What is said to be performed was sent to the application, however long it took to
// connect to that.
func TestAnActionThatIsNotSentIsNotPerformed(t *testing.T) {
	s := openSandbox(t, 1)
	s.do("lines.get_children()[0].connect('clicked', lambda b: b.set_label('Pressed'))")
	c := s.desk.another(t)
	button := s.element(named("button", "Button 0")).Handle
	if _, err := c.Refresh(t.Context(), button); err != nil { // it is connected
		t.Fatal(err)
	}
	silent, err := net.Listen("unix", filepath.Join(t.TempDir(), "silent"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	apps := c.apps.find(func(a *application) bool { return a.pid == s.Process.Pid })
	listens := apps[0].direct.address
	apps[0].direct.setAddress("unix:path=" + silent.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), actionTime/2)
	defer cancel()
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if err := c.Do(ctx, desktop.Invoke{Element: button}); !errors.Is(err, desktop.ErrUnresponsive) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want that it was not sent in time", err)
		}
	}
	apps[0].direct.setAddress(listens)
	if err := c.Do(t.Context(), desktop.Invoke{Element: button}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it was performed", func() bool { return find(s.tree(desktop.Scope{}), named("button", "Pressed")) != nil }, nil)
}

// opensDialog invokes what opens a dialog, and what closes it.
func opensDialog(t *testing.T, d *desk, app *exec.Cmd, opens, closes func(*desktop.Element) bool) {
	t.Helper()
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: d.element(t, app, opens).Handle}); err != nil {
		t.Fatal(err)
	}
	shows := func() bool {
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: app.Process.Pid})
		if err != nil {
			t.Fatal(err)
		}
		return find(tree, closes) != nil
	}
	eventually(t, "the dialog shows while the action still runs", shows, nil)
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: d.element(t, app, closes).Handle}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the dialog is closed", func() bool { return !shows() }, nil)
}

func TestValuesAndFocus(t *testing.T) { // alone: another's active window would take the focus
	s := openSandbox(t, 1)
	c := s.desk.client
	slider := s.element(func(e *desktop.Element) bool { return e.Role == "slider" })
	if err := c.Do(t.Context(), desktop.SetNumber{Element: slider.Handle, Value: 42}); err != nil {
		t.Fatal(err)
	}
	again, err := c.Refresh(t.Context(), slider.Handle)
	if err != nil {
		t.Fatal(err)
	}
	if want := (desktop.Range{Now: 42, Min: 0, Max: 100}); again.Value == nil || *again.Value != want {
		t.Errorf("the slider reads %v, want %v", again.Value, want)
	}
	s.desk.window(t, s.Cmd)
	entry := s.element(func(e *desktop.Element) bool { return e.Role == "text" })
	if err := c.Do(t.Context(), desktop.GrabFocus{Element: entry.Handle}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the entry has the focus", func() bool {
		e, err := c.Refresh(t.Context(), entry.Handle)
		return err == nil && e.States.Has(desktop.Focused)
	}, nil)
	tabs := s.element(func(e *desktop.Element) bool { return e.Role == "pagetablist" })
	if err := c.Do(t.Context(), desktop.Select{Container: tabs.Handle, Child: 1, On: true}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second page shows", func() bool {
		return find(s.tree(desktop.Scope{}), named("checkbox", "On the second page")) != nil
	}, nil)
}

// Text goes in behind the text before it, whatever characters that has.
func TestTextIsInsertedBehindTextBefore(t *testing.T) {
	d := onDesk(t, "mousepad", "featherpad")
	for _, x := range editors(t)[:2] {
		t.Run(x.name, func(t *testing.T) {
			app := d.open(t, x.ready, x.command[0], x.command[1:]...)
			field := d.element(t, app, x.want).Handle
			for _, text := range []string{"ó😀日", "本", "🙂", "."} {
				if err := d.client.Do(t.Context(), desktop.InsertText{Element: field, Text: text}); err != nil {
					t.Fatal(err)
				}
			}
			e, err := d.client.Refresh(t.Context(), field)
			if err != nil {
				t.Fatal(err)
			}
			if want := "ó😀日本🙂."; e.Text != want {
				t.Errorf("%q, want %q", e.Text, want)
			}
		})
	}
}

func TestUnsupportedActionsAreRefused(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, 2)
	c, ctx := s.desk.client, t.Context()
	button := s.element(named("button", "Ask")).Handle
	for name, err := range map[string]error{
		"text into a button":        c.Do(ctx, desktop.SetText{Element: button, Text: "x"}),
		"a number into a button":    c.Do(ctx, desktop.SetNumber{Element: button, Value: 1}),
		"a child of an empty thing": c.Do(ctx, desktop.Select{Container: s.element(named("label", "Label 1")).Handle, Child: 0, On: true}),
		"an action it has not":      c.Do(ctx, desktop.Invoke{Element: button, Action: "explode"}),
	} {
		if !errors.Is(err, desktop.ErrRefused) {
			t.Errorf("%s: %v, want %v", name, err, desktop.ErrRefused)
		}
	}
	if err := c.Do(ctx, desktop.Invoke{Element: button, Action: "explode"}); !strings.Contains(err.Error(), "Click") {
		t.Errorf("the error does not say what it can do: %v", err)
	}
	for _, h := range []desktop.Handle{"", "x", "|||", "other|:1.1|/a|/b"} {
		if _, err := c.Refresh(ctx, h); !errors.Is(err, desktop.ErrNotFound) {
			t.Errorf("handle %q: %v, want %v", h, err, desktop.ErrNotFound)
		}
	}
}

func TestRevealScrollsTheElementIntoView(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, 100)
	row := func() *desktop.Element {
		tree := s.tree(desktop.Scope{Full: true, Hidden: true})
		return find(tree, named("button", "Button 90"))
	}
	pane := s.element(func(e *desktop.Element) bool { return e.RawRole == "scroll pane" })
	before := row()
	if !before.Bounds.Intersect(pane.Bounds).Empty() {
		t.Fatalf("the row at %v is in view at %v already", before.Bounds, pane.Bounds)
	}
	if err := s.desk.client.Do(t.Context(), desktop.Reveal{Element: before.Handle}); err != nil {
		t.Fatal(err)
	}
	var b desktop.Rect
	eventually(t, "the row is in view", func() bool {
		b = row().Bounds
		return b.Intersect(pane.Bounds) == b && !b.Empty()
	}, &b)
}

func TestChromiumIsPressedAndLeavesTextToTyping(t *testing.T) {
	t.Parallel()
	d := onDesk(t, "chromium")
	command := chromium(t)
	c := d.open(t, named("button", "In the shadow"), command[0], command[1:]...)
	secret := d.element(t, c, func(e *desktop.Element) bool { return e.ID == "secret" })
	if secret.Role != "password" || strings.Contains(secret.Text, "hush") {
		t.Errorf("the password is a %s that reads %q", secret.Role, secret.Text)
	}
	if err := d.client.Do(t.Context(), desktop.SetText{Element: secret.Handle, Text: "x"}); !errors.Is(err, desktop.ErrRefused) {
		t.Errorf("setting text: %v, want %v", err, desktop.ErrRefused)
	}
	send := d.element(t, c, named("button", "Send"))
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: send.Handle}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page answers", func() bool {
		e, err := d.client.Refresh(t.Context(), send.Handle)
		return err == nil && e.Name == "Sent"
	}, nil)
}
