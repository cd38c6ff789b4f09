package fake

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

func TestClickDoesWhatTheRoleDoes(t *testing.T) {
	d := fixture(t)
	saved, sent := 0, 0
	d.Find("id:save").OnClick(func() { saved++; d.Journal() })
	d.Find("name:Send").OnClick(func() { sent++ })
	for _, s := range []string{"name:Urgent", "name:Work", "name:One", "name:Save", "name:Send", "name:Body"} {
		d.click(t, s)
	}
	for _, c := range []struct {
		selector string
		state    desktop.States
		want     bool
	}{
		{"name:Urgent", desktop.Checked, true},
		{"name:Work", desktop.Checked, true},
		{"name:Home", desktop.Checked, false},
		{"name:One", desktop.Selected, true},
		{"name:Two", desktop.Selected, false},
		{"name:Body", desktop.Focused, true},
		{"name:Title && role:entry", desktop.Focused, false},
	} {
		if got := d.states(c.selector).Has(c.state); got != c.want {
			t.Errorf("%s %v: %v, want %v", c.selector, c.state.Names(), got, c.want)
		}
	}
	if saved != 1 || sent != 0 {
		t.Errorf("saved %d times, sent %d times; want 1, and 0 because Send is disabled", saved, sent)
	}
}

func TestTypingGoesToTheFocus(t *testing.T) {
	d := fixture(t)
	var heard []string
	d.Find("role:entry && name:Title").OnChange(func(text string) { heard = append(heard, text) })
	d.must(t, d.Do(t.Context(), desktop.Type{Text: "!\n"}))
	d.pressAll(t, "home delete")
	d.must(t, d.Do(t.Context(), desktop.Type{Text: "S"}))
	if got := d.text("role:entry && name:Title"); got != "Sonday!" {
		t.Errorf("title is %q, want Sonday!", got)
	}
	if diff := cmp.Diff([]string{"Monday!", "onday!", "Sonday!"}, heard); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	d.must(t, d.Do(t.Context(), desktop.Type{Text: "\tone\ntwo\t2"}))
	if got := d.text("name:Body"); got != "one\ntwo\t2" {
		t.Errorf("body is %q: want a tab to move to it, and to be kept in it", got)
	}
	d.pressAll(t, "ctrl+a ctrl+x shift+tab ctrl+a ctrl+v")
	if got := d.text("role:entry && name:Title"); got != "onetwo2" {
		t.Errorf("title is %q, want what was cut from the body on one line", got)
	}
}

func TestPasswordsShowDots(t *testing.T) {
	d := fixture(t)
	d.click(t, "name:Code")
	d.must(t, d.Do(t.Context(), desktop.Type{Text: "s3cret"}))
	d.pressAll(t, "ctrl+a ctrl+c")
	e, err := d.Refresh(t.Context(), d.handle("name:Code"))
	if err != nil || e.Text != "●●●●●●" {
		t.Errorf("password reads %q, %v; want dots", e.Text, err)
	}
	if text, _ := d.ReadClipboard(t.Context()); text != "" {
		t.Errorf("clipboard has %q of a password", text)
	}
}

func TestControls(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.must(t, d.Do(ctx, desktop.Invoke{Element: d.handle("name:Urgent"), Action: ""}))
	d.must(t, d.Do(ctx, desktop.SetText{Element: d.handle("name:Body"), Text: "hello"}))
	d.must(t, d.Do(ctx, desktop.SetNumber{Element: d.handle("name:Size"), Value: 99}))
	d.must(t, d.Do(ctx, desktop.Select{Container: d.handle("role:list"), Child: 0, On: true}))
	d.must(t, d.Do(ctx, desktop.GrabFocus{Element: d.handle("name:Note")}))
	if !d.states("name:Urgent").Has(desktop.Checked) || d.text("name:Body") != "hello" || d.Get(d.Find("name:Size")).Value.Now != 10 || !d.states("name:One").Has(desktop.Selected) {
		t.Error("a control did not do what it was asked")
	}
	if !d.states("window:Other").Has(desktop.Active) {
		t.Error("the window of what has the focus is not active")
	}
	for what, err := range map[string]error{
		"a disabled button":     d.Do(ctx, desktop.Invoke{Element: d.handle("name:Send"), Action: ""}),
		"an unknown action":     d.Do(ctx, desktop.Invoke{Element: d.handle("name:Save"), Action: "jump"}),
		"a label's text":        d.Do(ctx, desktop.SetText{Element: d.handle("role:label"), Text: "x"}),
		"a button's number":     d.Do(ctx, desktop.SetNumber{Element: d.handle("name:Save"), Value: 1}),
		"a label's focus":       d.Do(ctx, desktop.GrabFocus{Element: d.handle("role:label")}),
		"what is no list item":  d.Do(ctx, desktop.Select{Container: d.handle("window:Notes"), Child: 0, On: true}),
		"no action by its name": d.Do(ctx, desktop.Invoke{Element: d.handle("role:label"), Action: ""}),
	} {
		if !errors.Is(err, desktop.ErrRefused) {
			t.Errorf("%s: %v, want a refusal", what, err)
		}
	}
	save := d.handle("name:Save")
	d.Remove(d.Find("name:Save"))
	if err := d.Do(ctx, desktop.Invoke{Element: save, Action: ""}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("what is gone: %v, want not found", err)
	}
}

func TestFocusComesBack(t *testing.T) {
	d, ctx := fixture(t), t.Context()
	d.pressAll(t, "left left")
	saved, err := d.SaveFocus(ctx)
	d.must(t, err)
	d.click(t, "name:Note")
	d.must(t, d.Do(ctx, desktop.RestoreFocus{State: saved}))
	d.must(t, d.Do(ctx, desktop.Type{Text: "|"}))
	if got := d.text("role:entry && name:Title"); got != "Mond|ay" {
		t.Errorf("after the focus came back typing made %q, want Mond|ay", got)
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New()
		ctx, cancel := context.WithCancel(t.Context())
		var seen []desktop.Key
		done := make(chan error)
		d.Emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "a"})
		go func() { done <- d.Watch(ctx, func(e desktop.InputEvent) { seen = append(seen, e.Key) }) }()
		synctest.Wait()
		d.Emit(desktop.InputEvent{Key: "b"}, desktop.InputEvent{Key: "c"})
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("watching ended with %v, want cancelled", err)
		}
		if diff := cmp.Diff([]desktop.Key{"", "a", "b", "c"}, seen); diff != "" {
			t.Errorf("seen, after the beginning (-want +got):\n%s", diff)
		}
	})
}
