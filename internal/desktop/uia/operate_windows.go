package uia

import (
	"context"
	"errors"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/winapi"
)

// hasCaret reports whether a window is a field that tells where its caret is.
func hasCaret(h uintptr) bool {
	return h != 0 && (ofClass(classOf(h, "GetClassNameW"), 0).raw == "Edit" || ofClass(classOf(h, "RealGetWindowClassW"), 0).raw == "Edit")
}

// caret reads the caret of a field, in the units in which the system counts text. It counts
// the selection from its begin, so that the caret is its end.
func (handles) caret(ctx context.Context, n *node, f *desktop.FocusState) error {
	if !hasCaret(n.handle) {
		return nil
	}
	length, err := ask(ctx, n.handle, textLength, 0, 0)
	if err != nil {
		return err
	}
	var from, to uint32
	_, err = ask(ctx, n.handle, caretAt, at(&from), at(&to))
	f.Length, f.Caret, f.Selection = int(length), int(to), [2]int{int(from), int(to)}
	return err
}

func (handles) setCaret(ctx context.Context, n *node, f desktop.FocusState) error {
	if _, err := ask(ctx, n.handle, setCaretAt, uintptr(f.Selection[0]), uintptr(f.Selection[1])); err != nil {
		return err
	}
	_, err := ask(ctx, n.handle, scrollTo, 0, 0)
	return err
}

func (s handles) do(ctx context.Context, n *node, a desktop.Action) error {
	h, entry := parseHandle(n.key)
	switch a := a.(type) {
	case desktop.Invoke:
		if entry >= 0 {
			return chooseEntry(ctx, h, entry, true)
		}
		return invoke(ctx, h, a.Action)
	case desktop.SetText:
		if _, err := ask(ctx, h, setText, 0, winapi.Wide(withLineEnds(a.Text))); err != nil {
			return err
		}
		if n.states.Has(desktop.MultiLine) { // others tell it by themselves
			return tell(ctx, h, fieldChanged)
		}
		return nil
	case desktop.InsertText:
		const canUndo = 1
		_, err := ask(ctx, h, replaceSelection, canUndo, winapi.Wide(withLineEnds(a.Text)))
		return err
	case desktop.SetNumber:
		return setNumber(ctx, h, int32(a.Value))
	case desktop.Select:
		return chooseEntry(ctx, h, entry, a.On)
	case desktop.GrabFocus:
		return grabFocus(ctx, h)
	case desktop.Reveal:
		return reveal(ctx, n, h)
	}
	return desktop.Unsupported(a)
}

// withLineEnds returns a text with the line ends of Windows.
func withLineEnds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// Notices by which controls tell their parents that a person changed them, and of which they
// send none when a program does.
const (
	comboSelected, comboClosed = 1, 9  // CBN_SELCHANGE, CBN_SELENDOK
	listSelection              = 1     // LBN_SELCHANGE
	fieldChanged               = 0x300 // EN_CHANGE
)

// tell sends the parent of a control the notice of a change.
func tell(ctx context.Context, h uintptr, notice uintptr) error {
	id := user("GetDlgCtrlID", h) & 0xffff
	return patiently(ctx, h, func() error {
		_, err := ask(ctx, user("GetAncestor", h, 1), command, notice<<16|id, h)
		return err
	})
}

// patiently has a control do something. One that shows a dialog because of it answers when
// that is closed: if its program answers otherwise, it has done it.
func patiently(ctx context.Context, h uintptr, do func() error) error {
	err := do()
	if errors.Is(err, desktop.ErrUnresponsive) {
		return answers(ctx, h)
	}
	return err
}

// invoke presses a button, or opens and closes the list of a combo box.
func invoke(ctx context.Context, h uintptr, action string) error {
	const showList = 0x14f
	if action == actExpand || action == actCollapse {
		_, err := ask(ctx, h, showList, map[bool]uintptr{true: 1}[action == actExpand], 0)
		return err
	}
	return patiently(ctx, h, func() error {
		_, err := ask(ctx, h, pressButton, 0, 0)
		return err
	})
}

// setNumber moves a slider, and tells its parent.
func setNumber(ctx context.Context, h uintptr, to int32) error {
	const vertical, thumbPosition = 0x2, 4
	if _, err := ask(ctx, h, sliderSet, 1, uintptr(to)); err != nil {
		return err
	}
	across := uintptr(scrolledAcross)
	if styleOf(h)&vertical != 0 {
		across = scrolledDown
	}
	_, err := ask(ctx, user("GetAncestor", h, 1), across, uintptr(uint32(to)&0xffff)<<16|thumbPosition, h)
	return err
}

// chooseEntry selects or deselects an entry of a list, and tells the parent.
func chooseEntry(ctx context.Context, h uintptr, entry int, on bool) error {
	m, ok := listOf(h)
	if !ok {
		return desktop.ErrNotFound
	}
	style := styleOf(h)
	switch {
	case m.count == comboCount && on:
		if _, err := ask(ctx, h, comboChoose, uintptr(entry), 0); err != nil {
			return err
		}
		return errors.Join(tell(ctx, h, comboClosed), tell(ctx, h, comboSelected))
	case m.count == listCount && style&(listMultiple|listExtends) != 0:
		if _, err := ask(ctx, h, listChooseOne, map[bool]uintptr{true: 1}[on], uintptr(entry)); err != nil {
			return err
		}
		return tell(ctx, h, listSelection)
	case m.count == listCount && on:
		if _, err := ask(ctx, h, listChoose, uintptr(entry), 0); err != nil {
			return err
		}
		return tell(ctx, h, listSelection)
	}
	return desktop.ErrRefused
}

// patience bounds the wait for a change that the system makes.
const patience = 2 * time.Second

// until polls until a condition holds, and fails with desktop.ErrRefused if that takes long.
func until(ctx context.Context, so func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, desktop.ErrRefused)
	defer cancel()
	for !so() {
		if err := desktop.Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func grabFocus(ctx context.Context, h uintptr) error {
	has := func() bool {
		focus := focusOf(h)
		return focus == h || focus != 0 && user("IsChild", h, focus) != 0 // a combo box hands it on
	}
	return until(ctx, func() bool {
		if !has() {
			joined(h, func() { user("SetFocus", h) })
		}
		return has()
	})
}

// reveal scrolls the windows around a control line by line until its middle shows.
func reveal(ctx context.Context, n *node, h uintptr) error {
	const lineUp, lineDown, root = 0, 1, 2
	top := user("GetAncestor", h, root)
	for p := user("GetAncestor", h, 1); p != 0 && p != top; p = user("GetAncestor", p, 1) {
		if styleOf(p)&styleVScroll == 0 {
			continue
		}
		for before := (desktop.Rect{}); ; {
			box, view := boxOf(h), clientBox(p)
			switch line := uintptr(lineDown); {
			case box == before:
				return n.refuses("does not scroll into view") // it is at the end
			case view.Contains(box.Center()):
				return nil
			default:
				if before = box; box.Center().Y < view.Y {
					line = lineUp
				}
				if _, err := ask(ctx, p, scrolledDown, line, 0); err != nil {
					return err
				}
			}
		}
	}
	if n.states.Has(desktop.Showing) {
		return nil
	}
	return n.refuses("is in nothing that scrolls")
}
