package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

const (
	// quietFor is how long nothing must change until what follows an action has
	// settled: a button is released before its dialog opens.
	quietFor = 150 * time.Millisecond
	// startTimeout bounds the wait for a first change, and happenTimeout for the last.
	startTimeout  = 500 * time.Millisecond
	happenTimeout = 2 * time.Second

	mostChanges  = 12      // how many changes are told
	windowBytes  = 2 << 10 // of the tree of a window that opened
	mostElements = 1500    // how many elements of a window are compared
)

// surroundings are the windows and the elements around an action, at one time.
type surroundings struct {
	windows desktop.Windows
	tree    *desktop.Tree // of the window of the action; nil when it could not be read
}

// look reads the surroundings of an action in a window.
func look(ctx context.Context, env *steps.Env, scope desktop.Scope) (s surroundings, err error) {
	if s.windows, err = env.Desktop.Windows(ctx); err != nil {
		return s, err
	}
	s.windows = slices.DeleteFunc(slices.Clone(s.windows), func(w desktop.Window) bool { return w.Tooltip })
	if s.windows.ByID(scope.Window) != nil {
		scope.Limit = mostElements
		s.tree, err = readTree(ctx, env.Desktop, scope, TreeOptions{})
	}
	return s, err
}

// equal reports whether nothing has changed between two looks.
func (s surroundings) equal(t surroundings) bool {
	if len(s.windows) != len(t.windows) || (s.tree == nil) != (t.tree == nil) {
		return false
	}
	for _, w := range s.windows {
		if now := t.windows.ByID(w.ID); now == nil || now.Title != w.Title || now.Active != w.Active {
			return false
		}
	}
	return s.tree == nil || len(desktop.DiffTrees(s.tree, t.tree)) == 0
}

// settled looks until something has changed and then nothing more does for a while,
// or nothing has begun to change.
func settled(ctx context.Context, env *steps.Env, before surroundings, scope desktop.Scope) (surroundings, error) {
	start := time.Now()
	last, since := before, start
	for {
		now, err := look(ctx, env, scope)
		if err != nil {
			return last, err
		}
		if !now.equal(last) {
			since = time.Now()
		}
		last = now
		begun, took := !now.equal(before), time.Since(start)
		if begun && time.Since(since) >= quietFor && !awaitsNext(before.windows, now.windows, scope) || !begun && took >= startTimeout || took >= happenTimeout {
			return last, nil
		}
		if err := steps.Sleep(ctx, settlePause); err != nil {
			return last, err
		}
	}
}

// awaitsNext reports whether an action has closed the last window of its program and
// none has opened since. The next one, such as that of a script's next question, then
// comes from a program that has to start first.
func awaitsNext(before, now desktop.Windows, scope desktop.Scope) bool {
	closed := before.ByID(scope.Window)
	return closed != nil && len(now.Without(before)) == 0 && !slices.ContainsFunc(now, func(w desktop.Window) bool { return w.PID == closed.PID })
}

// happened says what is different after an action on an element: windows that opened
// and closed, then the focus, unless the element took it, then what changed in the
// window. What it shows has refs.
func happened(ctx context.Context, env *steps.Env, el *desktop.Element, before, after surroundings) string {
	if env.Trees != nil && after.tree != nil {
		env.Trees.Keep(after.tree)
	}
	lines := windowsHappened(ctx, env, before.windows, after.windows)
	if before.tree != nil && after.tree != nil {
		changes := withoutTitles(desktop.DiffTrees(before.tree, after.tree), before.windows, after.windows)
		lines = append(lines, treeHappened(changes, el)...)
	}
	if len(lines) == 1 && el != nil && dismissed(el, before.windows, after.windows) {
		lines[0] += ", which may have taken the press for itself: nothing else changed"
	}
	if len(lines) == 0 && before.tree != nil {
		return "nothing changed that shows"
	}
	return strings.Join(lines, "\n")
}

// dismissed reports whether an action on an element closed a popup that the element is
// not in, and no other window.
func dismissed(el *desktop.Element, before, after desktop.Windows) bool {
	closed := before.Without(after)
	return len(closed) == 1 && closed[0].Popup && !closed[0].Bounds.Contains(el.Bounds.Center())
}

// windowsHappened says which windows opened, closed, changed their titles and became
// active, with what the new ones hold.
func windowsHappened(ctx context.Context, env *steps.Env, before, after desktop.Windows) (lines []string) {
	for _, w := range after {
		switch old := before.ByID(w.ID); {
		case old == nil:
			lines = append(lines, fmt.Sprintf("opened: %s %q of %s%s", windowWord(w), w.Title, w.Process, holds(ctx, env, w)))
		case old.Title != w.Title:
			lines = append(lines, fmt.Sprintf("window %q is called %q now", old.Title, w.Title))
		}
	}
	for _, w := range before.Without(after) {
		lines = append(lines, fmt.Sprintf("closed: %s %q of %s", windowWord(w), w.Title, w.Process))
	}
	for _, w := range after {
		if old := before.ByID(w.ID); w.Active && old != nil && !old.Active {
			lines = append(lines, fmt.Sprintf("active now: window %q of %s", w.Title, w.Process))
		}
	}
	return lines
}

// windowWord is what a window is, in a word.
func windowWord(w desktop.Window) string {
	if w.Popup {
		return "popup"
	}
	return "window"
}

// holds is what a window shows, below its line. A program that has just started may
// show its window before it tells of its elements.
func holds(ctx context.Context, env *steps.Env, w desktop.Window) (text string) {
	_ = aim.WaitUntil(ctx, startTimeout, func(ctx context.Context) error {
		t, err := ShowTree(ctx, env, desktop.Scope{Window: w.ID, Process: w.Process, Limit: mostElements}, TreeOptions{})
		if err != nil {
			return err
		}
		if text = indented(t.Roots); text == "" {
			return steps.Errorf(steps.NotFound, "no elements yet")
		}
		return nil
	})
	return text
}

// indented are elements as an outline below a line.
func indented(elements []*desktop.Element) string {
	text, _ := (&desktop.Tree{Roots: elements}).Outline(windowBytes)
	if text == "" {
		return ""
	}
	return "\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// withoutTitles are changes without the new names of windows, which are told of the
// windows themselves.
func withoutTitles(changes []desktop.Change, before, after desktop.Windows) []desktop.Change {
	for i, c := range changes {
		was, is := before.ByID(c.Element.Window), after.ByID(c.Element.Window)
		if c.Element.Parent == nil && was != nil && is != nil && was.Title != is.Title {
			changes[i].Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f desktop.FieldChange) bool { return f.Name == "name" })
		}
	}
	return changes
}

// treeHappened are the changes of a window after an action on an element, the focus
// first. What appeared with elements inside is shown with them.
func treeHappened(changes []desktop.Change, el *desktop.Element) (lines []string) {
	var focus []string
	for _, c := range changes {
		if c.Kind == desktop.Changed {
			c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f desktop.FieldChange) bool { return f.Name == "focused" || f.Name == "active" })
			taken := el != nil && el.Handle == c.Element.Handle
			if c.Element.States.Has(desktop.Focused) && len(focus) == 0 && !taken {
				focus = []string{"focus: " + c.Element.Headline()}
			}
			if len(c.Fields) == 0 {
				continue
			}
		}
		lines = append(lines, withInside(c))
	}
	if more := len(lines) - mostChanges; more > 0 {
		lines = append(lines[:mostChanges], fmt.Sprintf("… %d more changes; get_window_tree shows the window", more))
	}
	return append(focus, lines...)
}

// withInside is a change, and what appeared with it.
func withInside(c desktop.Change) string {
	if c.Kind == desktop.Appeared && c.Inside > 0 {
		return "+" + strings.TrimPrefix(indented([]*desktop.Element{c.Element}), "\n  -")
	}
	return c.String()
}

// lasting is the selector that finds an element again, also in a later run; "" when
// there is none.
func lasting(el *desktop.Element, t *desktop.Tree) string {
	if el == nil || t == nil {
		return ""
	}
	for _, c := range selector.For(el, t.Roots) {
		if c.Matches == 1 {
			return c.Selector
		}
	}
	return ""
}
