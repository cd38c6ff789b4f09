package desktoptest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

func testInvoke(k *kit) {
	k.do(desktop.Invoke{Element: k.element("OK").Handle})
	k.do(desktop.Invoke{Element: k.element("Row 0").Handle})
	k.hears("click", `click "OK"`, `click "Row 0"`)
}

// reads waits until an element has one of some states, or none of them.
func (k *kit) reads(e *desktop.Element, s desktop.States, on bool) {
	k.Helper()
	k.until("it reads as it is", func() error {
		return same(fmt.Sprintf("%s is %v", e.Name, s.Names()), k.refresh(e).States&s != 0, on)
	})
}

func testToggle(k *kit) {
	const isOn = desktop.Checked | desktop.Pressed // depending on the toolkit
	for _, name := range []string{"Urgent", "Bold"} {
		k.must(k.App.Do("reset"))
		e := k.element(name)
		k.do(desktop.Invoke{Element: e.Handle})
		k.hears("toggle", fmt.Sprintf("toggle %q on", name))
		k.reads(e, isOn, true)
		k.do(desktop.Invoke{Element: e.Handle})
		k.hears("toggle", fmt.Sprintf("toggle %q on", name), fmt.Sprintf("toggle %q off", name))
		k.reads(e, isOn, false)
	}
}

func testRadio(k *kit) {
	k.click(k.middle("Work"))
	k.hears("toggle", `toggle "Home" off`, `toggle "Work" on`)
	k.reads(k.element("Work"), desktop.Checked, true)
	k.reads(k.element("Home"), desktop.Checked, false)
}

func testRefuses(k *kit) {
	disabled := k.element("Disabled")
	if err := k.Do(k.Context(), desktop.Invoke{Element: disabled.Handle}); !errors.Is(err, desktop.ErrRefused) {
		k.Errorf("invoking what is disabled: %v, want a refusal", err)
	}
	if err := k.Do(k.Context(), desktop.SetText{Element: k.element("OK").Handle, Text: "x"}); !errors.Is(err, desktop.ErrRefused) {
		k.Errorf("setting the text of a button: %v, want a refusal", err)
	}
	if err := k.Do(k.Context(), desktop.SetNumber{Element: k.element("OK").Handle, Value: 1}); !errors.Is(err, desktop.ErrRefused) {
		k.Errorf("setting the number of a button: %v, want a refusal", err)
	}
	k.hears("click")
}

func testSetText(k *kit) {
	k.writeIn("Name", "old")
	k.do(desktop.SetText{Element: k.element("Name").Handle, Text: "new: Łódź"})
	k.holds("Name", "new: Łódź")
	k.do(desktop.SetText{Element: k.element("Body").Handle, Text: "one\ntwo"})
	k.holds("Body", "one\ntwo")
	k.do(desktop.SetText{Element: k.element("Name").Handle, Text: ""})
	k.holds("Name", "")
}

func testInsertText(k *kit) {
	k.writeIn("Name", "Łd")
	k.press("left")
	k.must(k.App.Do("settle"))
	k.do(desktop.InsertText{Element: k.element("Name").Handle, Text: "ó dź 日本"})
	k.write("!")
	k.holds("Name", "Łó dź 日本!d")
	if err := k.Do(k.Context(), desktop.InsertText{Element: k.element("OK").Handle, Text: "x"}); !errors.Is(err, desktop.ErrRefused) {
		k.Errorf("inserting text into a button: %v, want a refusal", err)
	}
}

func testSetNumber(k *kit) {
	volume := k.element("Volume")
	if volume.Value == nil || *volume.Value != (desktop.Range{Max: 100}) {
		k.Fatalf("the slider has the value %+v, want 0 of 0 to 100", volume.Value)
	}
	k.do(desktop.SetNumber{Element: volume.Handle, Value: 70})
	k.do(desktop.SetNumber{Element: volume.Handle, Value: 700})
	k.hears("number", `number "Volume" 70`, `number "Volume" 100`)
	check(k, "the value that is read", *k.refresh(volume).Value, desktop.Range{Now: 100, Max: 100})
}

func testSelect(k *kit) {
	k.do(desktop.Select{Container: k.element("Colour").Handle, Child: 2, On: true})
	k.hears("choose", `choose "Colour" "blue"`)
	k.do(desktop.Select{Container: k.element("Colour").Handle, Child: 1, On: true})
	k.hears("choose", `choose "Colour" "blue"`, `choose "Colour" "green"`)
}

func testGrabFocus(k *kit) {
	k.writeIn("Name", "first")
	body := k.element("Body")
	k.do(desktop.GrabFocus{Element: body.Handle})
	k.reads(body, desktop.Focused, true)
	k.write("then")
	k.holds("Body", "then")
	k.holds("Name", "first")
}

func testReveal(k *kit) {
	row, view := k.within("Row 30", desktop.Scope{Hidden: true}), k.box("Rows")
	if r := k.box("Row 30"); view.Contains(r.Center()) {
		k.Fatalf("the row is in view at %v before", r)
	}
	k.do(desktop.Reveal{Element: row.Handle})
	k.until("it is in view", func() error {
		if r := k.box("Row 30"); !view.Contains(r.Center()) {
			return fmt.Errorf("the row is at %v, outside of %v", r, view)
		}
		return nil
	})
	k.click(k.middle("Row 30"))
	k.hears("click", `click "Row 30"`)
}

func testFocus(k *kit) {
	k.writeIn("Name", "hello world")
	k.press("left left left shift+left shift+left")
	k.do(desktop.MovePointer{To: k.middle("Canvas")})
	k.must(k.App.Do("settle"))
	saved, err := k.SaveFocus(k.Context())
	k.must(err)
	k.writeIn("Body", "elsewhere")
	k.do(desktop.RestoreFocus{State: saved})
	at, err := k.PointerPosition(k.Context())
	k.must(err)
	check(k, "the pointer", at, k.middle("Canvas"))
	k.write("X")
	k.holds("Name", "hello Xrld")
	k.holds("Body", "elsewhere")
}

func testFocusTyped(k *kit) {
	k.writeIn("Name", "hello world")
	k.press("home")
	k.must(k.App.Do("settle"))
	saved, err := k.SaveFocus(k.Context())
	k.must(err)
	k.write("oh ")
	k.holds("Name", "oh hello world")
	k.do(desktop.RestoreFocus{State: saved})
	k.write("X")
	k.holds("Name", "oh Xhello world")
	k.press("home shift+right shift+right")
	k.must(k.App.Do("settle"))
	saved, err = k.SaveFocus(k.Context())
	k.must(err)
	k.write("ah")
	k.holds("Name", "ah Xhello world") // as long as before
	k.do(desktop.RestoreFocus{State: saved})
	k.write("!")
	k.holds("Name", "ah! Xhello world")
}

func testFocusWindow(k *kit) {
	k.writeIn("Name", "ab")
	k.press("left")
	k.must(k.App.Do("settle"))
	saved, err := k.SaveFocus(k.Context())
	k.must(err)
	k.must(k.App.Do("open Second"))
	k.until("it is on top", func() error { return same("the top", k.top().Title, "Second") })
	k.writeIn("In Second", "there")
	k.do(desktop.RestoreFocus{State: saved})
	check(k, "the active window", k.active().Title, "Contract")
	k.write("|")
	k.holds("Name", "a|b")
	k.holds("In Second", "there")
}

// startWatch runs a watch until the end of the sentence, and returns a channel that
// receives its calls.
func (k *kit) startWatch(watch func(ctx context.Context, f func()) error) <-chan struct{} {
	k.Helper()
	calls := make(chan struct{}, 1)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(k.Context())
	go func() {
		ended <- watch(ctx, func() {
			select {
			case calls <- struct{}{}:
			default:
			}
		})
	}()
	k.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			k.Errorf("the watch ended with %v", err)
		}
	})
	k.await(calls, "it begins")
	return calls
}

// await waits for a call.
func (k *kit) await(calls <-chan struct{}, what string) {
	k.Helper()
	select {
	case <-calls:
	case <-time.After(time.Until(scratch.Deadline(k))):
		k.Fatal("waited in vain until ", what)
	}
}

func testWatchFocus(k *kit) {
	calls := k.startWatch(k.System.Desktop.WatchFocus)
	k.click(k.middle("Body"))
	k.await(calls, "the move of the focus is told")
}

func testWatchElement(k *kit) {
	volume, name := k.element("Volume"), k.element("Name")
	number := k.startWatch(func(ctx context.Context, f func()) error { return k.System.Desktop.WatchElement(ctx, volume.Handle, f) })
	text := k.startWatch(func(ctx context.Context, f func()) error { return k.System.Desktop.WatchElement(ctx, name.Handle, f) })
	k.do(desktop.SetNumber{Element: volume.Handle, Value: 5})
	k.await(number, "the change of the number is told")
	k.writeIn("Name", "x")
	k.await(text, "the change of the text is told")
}
