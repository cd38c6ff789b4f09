package aim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/words"
	"understudy/steps"
)

func windowMoves(el *desktop.Element) error {
	return NotActionable(el, "moves: its window has just been moved or resized", "wait until it stops moving")
}

func isDisabled(el *desktop.Element) error {
	return NotActionable(el, "is disabled", "enable it first, or wait for it with wait_for_element and the condition enabled")
}

// NotActionable returns the error of an element that does not meet a requirement.
func NotActionable(el *desktop.Element, why, next string) error {
	return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("%s %s", Describe(el), why), Next: next}
}

// blockedBy adds the window in the way to the error of a step.
func blockedBy(w *desktop.Window, err error) error {
	e := steps.AsError(err)
	e.Blocker = w.Title
	return e
}

// Describe names an element in words: its role, its name and the title of its window.
func Describe(e *desktop.Element) string {
	text := string(e.Role)
	if name := selector.NameOf(e); name != "" {
		text += " " + fmt.Sprintf("%q", name)
	}
	if e.WindowTitle != "" && e.WindowTitle != e.Name {
		text += fmt.Sprintf(" in %q", e.WindowTitle)
	}
	return text
}

// UniqueSelector returns the best selector that matches only el among roots, or "".
func UniqueSelector(el *desktop.Element, roots []*desktop.Element) string {
	for _, c := range selector.For(el, roots) {
		if c.Matches == 1 {
			return c.Selector
		}
	}
	return ""
}

// shownText bounds the text of an element in results.
const shownText = 10_000

// Plain returns a copy of an element without its relatives, as results show it.
func Plain(e *desktop.Element) *desktop.Element {
	if e == nil {
		return nil
	}
	c := *e
	c.Parent, c.Children = nil, nil
	if len(c.Text) > shownText {
		c.Text = words.Shorten(c.Text, shownText)
	}
	return &c
}

// Told is Plain for results that are read: a row that says nothing itself tells its cells.
func Told(e *desktop.Element) *desktop.Element {
	c := Plain(e)
	if c == nil || c.Role != "row" || c.Text != "" || selector.NameOf(e) != "" {
		return c
	}
	var cells []string
	for _, cell := range e.Children {
		cell.Walk(func(e *desktop.Element) bool {
			text := cmp.Or(strings.TrimSpace(e.Text), selector.NameOf(e))
			if text != "" {
				cells = append(cells, text)
			}
			return text == ""
		})
	}
	c.Text = words.Shorten(strings.Join(cells, " | "), shownText)
	return c
}

// maxDialogText bounds how much of a dialog's text a hint quotes.
const maxDialogText = 80

// DialogIsOpen begins the description of a dialog.
const DialogIsOpen = "a dialog is open"

// DialogHint describes the dialog that shows among roots, with its text and its
// buttons, and returns its title, or "". An unexpected dialog is the usual reason why an
// element is not found.
func DialogHint(roots []*desktop.Element) (hint, title string) {
	var dialog *desktop.Element
	for _, r := range roots {
		r.Walk(func(e *desktop.Element) bool {
			if isDialog(e) && (dialog == nil || e.States.Has(desktop.Active)) {
				dialog = e
			}
			return true
		})
	}
	if dialog == nil {
		return "", ""
	}
	said, buttons, nameless := "", []string{}, false
	dialog.Walk(func(e *desktop.Element) bool {
		switch name := selector.NameOf(e); {
		case !e.States.Has(desktop.Showing):
		case name == "":
			nameless = nameless || e.Role == "button"
		case e.Role == "label" && said == "":
			said = name
		case e.Role == "button":
			buttons = append(buttons, fmt.Sprintf("%q", name))
		}
		return true
	})
	text := DialogIsOpen + ": " + Describe(dialog)
	if said != "" {
		text += fmt.Sprintf(" (%q)", words.Shorten(strings.Join(strings.Fields(said), " "), maxDialogText))
	}
	switch {
	case len(buttons) > 0:
		text += " with the buttons " + strings.Join(buttons, ", ")
	case said != "" && !nameless && dialog.Parent == nil: // such as the errors of Mousepad
		text += " without a button (press escape, or close its window)"
	}
	return text, selector.NameOf(dialog)
}

// isDialog reports whether an element is a dialog that shows. An alert is one if it is a window, or if a
// page says so: others are messages, such as the bar of a browser, which Chromium calls an alert dialog too.
func isDialog(e *desktop.Element) bool {
	inPage := func() bool { return e.Enclosing(func(p *desktop.Element) bool { return p.Role == "document" }) != nil }
	alert := e.Role == "alert" && (e.Parent == nil && e.Window != 0 || slices.Contains(strings.Fields(e.Attributes["xml-roles"]), "alertdialog") && inPage())
	return e.States.Has(desktop.Showing) && (e.Role == "dialog" || alert || e.States.Has(desktop.IsModal))
}
