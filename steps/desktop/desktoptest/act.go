package desktoptest

import (
	"context"

	"understudy/steps/desktop"
)

// What the sentences do to a desktop stands here, and only here.

func (k *kit) move(to desktop.Point) error { return k.Do(k.Context(), desktop.MovePointer{To: to}) }

// click clicks once, and not as a double click with the click before.
func (k *kit) click(at desktop.Point) error { return k.clickWith(at, desktop.Left, 1) }

func (k *kit) clickWith(at desktop.Point, b desktop.Button, count int) error {
	c := desktop.Click{At: at, Button: b, Count: count}
	if err := k.RestBeforeClick(k.Context(), c); err != nil {
		return err
	}
	return k.Do(k.Context(), c)
}

func (k *kit) clickUnder(ctx context.Context, at desktop.Point) error {
	return k.Do(ctx, desktop.Click{At: at, Button: desktop.Left})
}

func (k *kit) clickIn(w desktop.Window, at desktop.Point) error {
	return k.Do(k.Context(), desktop.Click{At: at, Button: desktop.Left, In: &w})
}

func (k *kit) down(b desktop.Button) error { return k.Do(k.Context(), desktop.ButtonDown{Button: b}) }

func (k *kit) up(b desktop.Button) error { return k.Do(k.Context(), desktop.ButtonUp{Button: b}) }

func (k *kit) scroll(dx, dy int) error { return k.Do(k.Context(), desktop.Scroll{DX: dx, DY: dy}) }

func (k *kit) hold(key desktop.Key) error { return k.Do(k.Context(), desktop.KeyDown{Key: key}) }

func (k *kit) release(key desktop.Key) error { return k.Do(k.Context(), desktop.KeyUp{Key: key}) }

// press presses chords, such as "ctrl+a left".
func (k *kit) press(keys string) error {
	chords, err := desktop.ParseKeys(keys)
	for _, c := range chords {
		if err == nil {
			err = k.Do(k.Context(), desktop.Press{Chord: c})
		}
	}
	return err
}

func (k *kit) write(text string) error { return k.writeUnder(k.Context(), text) }

func (k *kit) writeUnder(ctx context.Context, text string) error {
	return k.Do(ctx, desktop.Type{Text: text})
}

func (k *kit) manage(w desktop.Window, do desktop.WindowAction) error {
	return k.Do(k.Context(), desktop.Manage{Window: w.ID, Do: do})
}

func (k *kit) place(w desktop.Window, to desktop.Rect) error {
	return k.Do(k.Context(), desktop.Manage{Window: w.ID, Do: desktop.Place, Bounds: to})
}

func (k *kit) invoke(e *desktop.Element) error {
	return k.Do(k.Context(), desktop.Invoke{Element: e.Handle, Action: ""})
}

func (k *kit) setText(e *desktop.Element, text string) error {
	return k.Do(k.Context(), desktop.SetText{Element: e.Handle, Text: text})
}

func (k *kit) insertText(e *desktop.Element, text string) error {
	return k.Do(k.Context(), desktop.InsertText{Element: e.Handle, Text: text})
}

func (k *kit) setNumber(e *desktop.Element, n float64) error {
	return k.Do(k.Context(), desktop.SetNumber{Element: e.Handle, Value: n})
}

func (k *kit) selectChild(e *desktop.Element, child int) error {
	return k.Do(k.Context(), desktop.Select{Container: e.Handle, Child: child, On: true})
}

func (k *kit) grabFocus(e *desktop.Element) error {
	return k.Do(k.Context(), desktop.GrabFocus{Element: e.Handle})
}

func (k *kit) reveal(e *desktop.Element) error {
	return k.Do(k.Context(), desktop.Reveal{Element: e.Handle})
}

func (k *kit) restoreFocus(f desktop.FocusState) error {
	return k.Do(k.Context(), desktop.RestoreFocus{State: f})
}

func (k *kit) copies(text string) error { return k.Do(k.Context(), desktop.WriteClipboard{Text: text}) }

func (k *kit) launch(command string) (app desktop.App, err error) {
	err = k.Do(k.Context(), desktop.Launch{App: command, Started: &app})
	return app, err
}
