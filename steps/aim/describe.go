package aim

import (
	"fmt"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

func windowMoves(el *desktop.Element) error {
	return NotActionable(el, "moves: its window has just been moved or resized", "wait until it stands still")
}

func isDisabled(el *desktop.Element) error {
	return NotActionable(el, "is disabled", "do first what enables it, or wait for it with wait_for_element and the condition enabled")
}

// NotActionable returns the error of an element that does not meet a requirement.
func NotActionable(el *desktop.Element, why, next string) error {
	return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("%s %s", Describe(el), why), Next: next}
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
