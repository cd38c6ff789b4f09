package pagecontrol

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// chooserOpensWithin is how long a file chooser may take to open at least: the first loads the
// toolkit.
const chooserOpensWithin = 10 * time.Second

// setFile presses a button that opens a file chooser, and gives the chooser a file.
func setFile(ctx context.Context, hand *aim.Hand, el *desktop.Element, value string, o Options) (observe.Checked, error) {
	path := value
	if !filepath.IsAbs(path) {
		path = filepath.Join(hand.Dir, path)
	}
	if _, err := os.Stat(path); err != nil {
		return observe.Unchecked, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("value: %s takes %s: %w", aim.Describe(el), Of(el).Wants, err)}
	}
	if err := aim.BringToFront(ctx, hand, o.WindowOptions, el.Window); err != nil {
		return observe.Unchecked, err
	}
	chooser, err := openChooser(ctx, hand, el, max(o.Within, chooserOpensWithin))
	if err != nil {
		return observe.Unchecked, err
	}

	if err := fillChooser(ctx, hand, chooser, path); err != nil {
		return observe.No, err
	}
	if el.Attributes["tag"] != "input" {
		return observe.NotPossible, nil // what the page makes of the file is its own
	}
	_, err = observe.WaitUntilIs(ctx, hand, el, func(now *desktop.Element) bool {
		return strings.HasSuffix(now.Name, filepath.Base(path)) || strings.HasSuffix(selector.NameOf(now), filepath.Base(path))
	})
	return observe.YesIf(err == nil), err
}

// openChooser presses a button, and waits for the dialog that it opens.
func openChooser(ctx context.Context, hand *aim.Hand, el *desktop.Element, within time.Duration) (chooser *desktop.Window, err error) {
	before, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return nil, err
	}
	// A page may open a chooser only after input of a person, which an action is not.
	if err := aim.PressElement(ctx, hand, el, false); err != nil {
		return nil, err
	}
	err = aim.WaitUntil(ctx, within, func(ctx context.Context) error {
		now, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		for _, w := range now {
			if w.Dialog && mayBeChooser(w, el) && before.ByID(w.ID) == nil {
				chooser = &w
				return nil
			}
		}
		return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s was pressed, and no file chooser opened", aim.Describe(el)), Next: "look at what it did; set_value with a path is for what opens a file chooser"}
	})
	return chooser, err
}

// mayBeChooser reports whether a new dialog may be the file chooser that an element opens: it
// belongs to the element's program, or to the portal that shows dialogs for programs.
func mayBeChooser(w desktop.Window, el *desktop.Element) bool {
	return w.PID == el.PID || strings.HasPrefix(w.Process, "xdg-desktop-portal")
}

// acceptingChords accept the input of a file chooser. GTK accepts Enter, but the chooser
// of Chromium then returns no file; its button does.
var acceptingChords = []desktop.Chord{{Mods: []desktop.Key{desktop.Alt}, Key: "o"}, {Key: "enter"}, {Key: "enter"}}

// fillChooser types a path into the dialog of a toolkit. The dialogs of browsers expose
// no elements, and all toolkits accept a typed path. An Enter may only close the list of
// completions, and is then pressed again.
func fillChooser(ctx context.Context, hand *aim.Hand, chooser *desktop.Window, path string) error {
	if err := aim.Raise(ctx, hand.Unaccounted(), chooser.ID); err != nil {
		return err
	}
	hand.Keyboard.Name(*chooser)
	selectAll := desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}
	if err := aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "l"}, selectAll}); err != nil {
		return err
	}
	if err := hand.Desktop.Do(ctx, desktop.Type{Text: path}); err != nil {
		return err
	}
	gone := func(ctx context.Context) error {
		now, err := hand.Desktop.Windows(ctx)
		if err == nil && now.ByID(chooser.ID) != nil {
			err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the file chooser %q did not take %s", chooser.Title, path), Next: "look at the chooser"}
		}
		return err
	}
	var err error
	for _, chord := range acceptingChords {
		if err = aim.PressKeys(ctx, hand.Desktop, []desktop.Chord{chord}); err != nil {
			return err
		}
		if err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, gone); err == nil {
			return nil
		}
	}
	return err
}
