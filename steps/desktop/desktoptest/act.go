package desktoptest

import (
	"context"

	"understudy/steps/desktop"
)

// What the sentences do to a desktop stands here, and only here.

func (k *kit) move(to desktop.Point) error { return k.MovePointer(k.Context(), to) }

// click clicks once, and not as a double click with the click before.
func (k *kit) click(at desktop.Point) error { return k.clickWith(at, desktop.Left, 1) }

func (k *kit) clickWith(at desktop.Point, b desktop.Button, count int) error {
	if err := k.RestBeforeClick(k.Context(), at, b, count); err != nil {
		return err
	}
	return k.Click(k.Context(), at, b, count)
}

func (k *kit) clickUnder(ctx context.Context, at desktop.Point) error {
	return k.Click(ctx, at, desktop.Left, 1)
}

func (k *kit) clickIn(w desktop.Window, at desktop.Point) error {
	return k.ClickIn(k.Context(), w, at, desktop.Left, 1)
}

func (k *kit) down(b desktop.Button) error { return k.ButtonDown(k.Context(), b) }

func (k *kit) up(b desktop.Button) error { return k.ButtonUp(k.Context(), b) }

func (k *kit) scroll(dx, dy int) error { return k.Scroll(k.Context(), dx, dy) }

func (k *kit) hold(key desktop.Key) error { return k.KeyDown(k.Context(), key) }

func (k *kit) release(key desktop.Key) error { return k.KeyUp(k.Context(), key) }

// press presses chords, such as "ctrl+a left".
func (k *kit) press(keys string) error {
	chords, err := desktop.ParseKeys(keys)
	for _, c := range chords {
		if err == nil {
			err = k.Press(k.Context(), c)
		}
	}
	return err
}

func (k *kit) write(text string) error { return k.writeUnder(k.Context(), text) }

func (k *kit) writeUnder(ctx context.Context, text string) error { return k.Type(ctx, text) }

func (k *kit) manage(w desktop.Window, do desktop.WindowAction) error {
	return k.Manage(k.Context(), w.ID, desktop.WindowChange{Do: do})
}

func (k *kit) place(w desktop.Window, to desktop.Rect) error {
	return k.Manage(k.Context(), w.ID, desktop.WindowChange{Do: desktop.Place, Bounds: to})
}

func (k *kit) invoke(e *desktop.Element) error { return k.Invoke(k.Context(), e.Handle, "") }

func (k *kit) setText(e *desktop.Element, text string) error {
	return k.SetText(k.Context(), e.Handle, text)
}

func (k *kit) setNumber(e *desktop.Element, n float64) error {
	return k.SetNumber(k.Context(), e.Handle, n)
}

func (k *kit) selectChild(e *desktop.Element, child int) error {
	return k.Select(k.Context(), e.Handle, child, true)
}

func (k *kit) grabFocus(e *desktop.Element) error { return k.GrabFocus(k.Context(), e.Handle) }

func (k *kit) reveal(e *desktop.Element) error { return k.Reveal(k.Context(), e.Handle) }

func (k *kit) restoreFocus(f desktop.FocusState) error { return k.RestoreFocus(k.Context(), f) }

func (k *kit) copies(text string) error { return k.WriteClipboard(k.Context(), text) }

func (k *kit) launch(command string) (desktop.App, error) {
	return k.System.Desktop.Launch(k.Context(), command)
}
