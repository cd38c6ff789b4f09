package observe

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

const (
	// quietFor is how long nothing must change until the effects of an action count as
	// complete: GTK 3 shows a button as pressed for 250 ms before it acts on a key.
	quietFor = 300 * time.Millisecond
	// startTimeout bounds the wait for a first change, and happenTimeout for the last.
	startTimeout  = 500 * time.Millisecond
	happenTimeout = 2 * time.Second

	mostChanges = 12      // bounds the changes that are reported
	windowBytes = 2 << 10 // bounds the tree of a window that opened
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
		s.tree, err = readTree(ctx, env, scope, TreeOptions{})
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

// settled polls until something has changed and then stays for quietFor, or until
// nothing has changed within startTimeout.
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
// none has opened since. The next one, such as that of a script's next question, is then
// of a program that has to start first.
func awaitsNext(before, now desktop.Windows, scope desktop.Scope) bool {
	closed := before.ByID(scope.Window)
	return closed != nil && len(now.Without(before)) == 0 && !slices.ContainsFunc(now, func(w desktop.Window) bool { return w.PID == closed.PID })
}

// happened describes the differences after an action on an element: windows that opened
// and closed, then the focus, unless the element took it, then the changes in the window.
// The elements in it have refs.
func happened(ctx context.Context, env *steps.Env, el *desktop.Element, before, after surroundings) string {
	if env.Trees != nil && after.tree != nil {
		env.Trees.Keep(after.tree)
	}
	lines := windowsHappened(ctx, env, before.windows, after.windows)
	env.Keyboard.Happened(news(before.windows, after.windows)...)
	if before.tree != nil && after.tree != nil {
		changes := withoutTitles(desktop.DiffTrees(before.tree, after.tree), before.windows, after.windows)
		lines = append(lines, treeHappened(changes, el)...)
	}
	lines = append(lines, dialogsAside(ctx, env, el, after.windows)...)
	if len(lines) == 1 && el != nil && dismissed(el, before.windows, after.windows) {
		lines[0] += ", which may have taken the click: nothing else changed"
	}
	if len(lines) == 0 && before.tree != nil {
		return fmt.Sprintf("nothing visible changed within %s", startTimeout)
	}
	return strings.Join(lines, "\n")
}

// dialogsAside describes the dialogs beside the window of el of which the caller was not
// told: another program opened them, or an earlier step of a document.
func dialogsAside(ctx context.Context, env *steps.Env, el *desktop.Element, now desktop.Windows) (lines []string) {
	for _, w := range slices.Backward(now) {
		if !w.Shows() || w.Popup || !w.Dialog && !w.Modal || el != nil && el.Window == w.ID || env.Keyboard.Knows(w) {
			continue
		}
		t, err := env.Desktop.Tree(ctx, desktop.Scope{Window: w.ID, Process: w.Process, Limit: mostElements, Full: true})
		if err != nil {
			continue
		}
		text, _ := aim.DialogHint(t.Roots)
		lines = append(lines, cmp.Or(text, fmt.Sprintf("%s: window %q", aim.DialogIsOpen, w.Title))+fmt.Sprintf(", of %s", w.Process))
		env.Keyboard.Happened(w)
	}
	return lines
}

// dismissed reports whether an action on an element closed a popup that the element is
// not in, and no other window.
func dismissed(el *desktop.Element, before, after desktop.Windows) bool {
	closed := before.Without(after)
	return len(closed) == 1 && closed[0].Popup && !closed[0].Bounds.Contains(el.Bounds.Center())
}

// windowsHappened lists which windows opened, closed, changed their titles and became
// active, with the content of new ones.
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

// openedOrClosed matches the line of windowsHappened about a window that opened or closed.
var openedOrClosed = regexp.MustCompile(`(?m)^(opened|closed): window ("(?:[^"\\]|\\.)*") of (.*)$`)

// WindowsIn returns the windows of which Effects say that they opened and closed.
// Popups are left out.
func WindowsIn(happened string) (opened, closed []desktop.Window) {
	for _, m := range openedOrClosed.FindAllStringSubmatch(happened, -1) {
		title, err := strconv.Unquote(m[2])
		if err != nil {
			continue
		}
		w := desktop.Window{Title: title, Process: m[3]}
		if m[1] == "opened" {
			opened = append(opened, w)
		} else {
			closed = append(closed, w)
		}
	}
	return opened, closed
}

// news returns the windows that an answer tells of: those that opened or became active.
func news(before, after desktop.Windows) (told []desktop.Window) {
	for _, w := range after {
		if old := before.ByID(w.ID); old == nil || w.Active && !old.Active {
			told = append(told, w)
		}
	}
	return told
}

// windowWord returns the sort of a window in a word.
func windowWord(w desktop.Window) string {
	if w.Popup {
		return "popup"
	}
	return "window"
}

// holds returns the content of a window as lines below its own. A program that has just
// started may show its window before it exposes its elements.
func holds(ctx context.Context, env *steps.Env, w desktop.Window) (text string) {
	_ = aim.WaitUntil(ctx, startTimeout, func(ctx context.Context) error {
		t, err := keepTree(ctx, env, desktop.Scope{Window: w.ID, Process: w.Process}, TreeOptions{}, nil)
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

// indented returns elements as an outline below a line.
func indented(elements []*desktop.Element) string {
	text, _ := (&desktop.Tree{Roots: elements}).Outline(windowBytes)
	if text == "" {
		return ""
	}
	return "\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// withoutTitles removes the new names of windows from changes, because windowsHappened
// lists them.
func withoutTitles(changes []desktop.Change, before, after desktop.Windows) []desktop.Change {
	for i, c := range changes {
		was, is := before.ByID(c.Element.Window), after.ByID(c.Element.Window)
		if c.Element.Parent == nil && was != nil && is != nil && was.Title != is.Title {
			changes[i].Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f desktop.FieldChange) bool { return f.Name == "name" })
		}
	}
	return changes
}

// treeHappened lists the changes of a window after an action on an element, the focus
// first. Elements that appeared are shown with their descendants.
func treeHappened(changes []desktop.Change, el *desktop.Element) (lines []string) {
	var focus []string
	var rest []desktop.Change
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
		rest = append(rest, c)
	}
	for _, c := range desktop.JoinRows(rest) {
		lines = append(lines, withInside(c))
	}
	if more := len(lines) - mostChanges; more > 0 {
		lines = append(lines[:mostChanges], fmt.Sprintf("… %d more changes; get_window_tree shows the window", more))
	}
	return append(focus, lines...)
}

// withInside describes a change, with the descendants of an element that appeared.
func withInside(c desktop.Change) string {
	if c.Kind == desktop.Appeared && c.Inside > 0 {
		return "+" + strings.TrimPrefix(indented([]*desktop.Element{c.Element}), "\n  -")
	}
	return c.String()
}
