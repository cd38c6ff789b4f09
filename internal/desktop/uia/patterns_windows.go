package uia

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strconv"
	"unicode/utf8"

	"understudy/internal/desktop"
)

// as returns the object that has the methods of a pattern of an element.
func (o *object) as(name string) (*object, error) {
	p, err := o.ask("IUIAutomationElement.GetCurrentPatternAs", uintptr(patterns[name].pattern), at(guid(interfaces["IUIAutomation"+name+"Pattern"])))
	if err == nil && p == nil {
		err = desktop.ErrRefused
	}
	return p, err
}

// perform calls a method of a pattern of an element, such as Invoke.Invoke.
func (o *object) perform(name, method string, args ...any) error {
	p, err := o.as(name)
	if err != nil {
		return err
	}
	defer p.release()
	return p.call("IUIAutomation"+name+"Pattern."+method, args...)
}

// do performs an action. An application that shows a dialog because of one may not return
// before the dialog is closed: if it answers otherwise, it has done it.
func (a *automation) do(ctx context.Context, n *node, act desktop.Action) error {
	if insert, ok := act.(desktop.InsertText); ok {
		if hasCaret(n.handle) {
			return handles{}.do(ctx, &node{key: handleKey(n.handle, -1), facts: n.facts}, insert)
		}
		return n.refuses("takes text only by keys")
	}
	_, err := within(ctx, a.threads, callTime, func() (struct{}, error) {
		o, err := a.element(n.key)
		if err == nil {
			defer o.release()
			err = o.act(n, act)
		}
		return struct{}{}, err
	})
	if errors.Is(err, desktop.ErrUnresponsive) {
		if _, invoked := act.(desktop.Invoke); invoked {
			_, err = a.read(ctx, 0, n.key, true)
		}
	}
	return err
}

// act performs an action on the thread of a call.
func (o *object) act(n *node, act desktop.Action) error {
	switch act := act.(type) {
	case desktop.Invoke:
		return o.invoke(n, act.Action)
	case desktop.SetText:
		return withText(act.Text, func(text uintptr) error { return o.perform("Value", "SetValue", text) })
	case desktop.SetNumber:
		return o.setNumber(n, act.Value)
	case desktop.Select:
		if act.On {
			return o.perform("SelectionItem", "Select")
		}
		return o.perform("SelectionItem", "RemoveFromSelection")
	case desktop.GrabFocus:
		return o.call("IUIAutomationElement.SetFocus")
	case desktop.Reveal:
		return o.perform("ScrollItem", "ScrollIntoView")
	}
	return desktop.Unsupported(act)
}

// invoke performs an action of n.actions.
func (o *object) invoke(n *node, action string) error {
	switch action {
	case actToggle:
		return o.perform("Toggle", "Toggle")
	case actSelect:
		return o.perform("SelectionItem", "Select")
	case actExpand:
		return o.perform("ExpandCollapse", "Expand")
	case actCollapse:
		return o.perform("ExpandCollapse", "Collapse")
	case actClose:
		return o.perform("Window", "Close")
	}
	if n.offers[patInvoke] {
		return o.perform("Invoke", "Invoke")
	}
	return o.perform("LegacyIAccessible", "DoDefaultAction")
}

// setNumber sets the number of an element. Only on amd64 does Go pass it in the register for
// numbers with a fraction; elsewhere it is passed as text, which fewer elements take.
func (o *object) setNumber(n *node, to float64) error {
	if runtime.GOARCH == "amd64" || !n.offers[patLegacy] {
		return o.perform("RangeValue", "SetValue", uintptr(math.Float64bits(to)))
	}
	return withText(strconv.FormatFloat(to, 'f', -1, 64), func(text uintptr) error { return o.perform("LegacyIAccessible", "SetValue", text) })
}

// The ends of a range of text, and the unit that ranges are moved by.
const rangeStart, rangeEnd, byCharacter = 0, 1, 0

// withRange calls f with the text of an element as a range, and a copy of it that is empty, at
// its start.
func (a *automation) withRange(ctx context.Context, n *node, f func(text, all, none *object) error) error {
	_, err := within(ctx, a.threads, callTime, func() (done struct{}, err error) {
		o, err := a.element(n.key)
		if err != nil {
			return done, err
		}
		defer o.release()
		text, err := o.as("Text")
		if err != nil {
			return done, err
		}
		defer text.release()
		all, err := text.ask("IUIAutomationTextPattern.get_DocumentRange")
		if err != nil {
			return done, err
		}
		defer all.release()
		none, err := all.ask("IUIAutomationTextRange.Clone")
		if err != nil {
			return done, err
		}
		defer none.release()
		if err := none.call("IUIAutomationTextRange.MoveEndpointByRange", rangeEnd, all.address(), rangeStart); err != nil {
			return done, err
		}
		return done, f(text, all, none)
	})
	return err
}

// length returns the number of characters of a range.
func length(r *object) (int, error) {
	const unlimited = -1
	text, err := r.text("IUIAutomationTextRange.GetText", unlimited)
	return utf8.RuneCountInString(text), err
}

// caret reads the selection of an element with text, whose end is taken for the caret.
func (a *automation) caret(ctx context.Context, n *node, f *desktop.FocusState) error {
	if hasCaret(n.handle) || !n.offers[patText] {
		return handles{}.caret(ctx, n, f)
	}
	return a.withRange(ctx, n, func(text, all, upTo *object) error {
		list, err := text.ask("IUIAutomationTextPattern.GetSelection")
		if err != nil || list == nil {
			return err
		}
		defer list.release()
		if n, err := list.number("IUIAutomationTextRangeArray.get_Length"); err != nil || n == 0 {
			return err
		}
		chosen, err := list.ask("IUIAutomationTextRangeArray.GetElement", 0)
		if err != nil {
			return err
		}
		defer chosen.release()
		if err := upTo.call("IUIAutomationTextRange.MoveEndpointByRange", rangeEnd, chosen.address(), rangeStart); err != nil {
			return err
		}
		before, err1 := length(upTo)
		selected, err2 := length(chosen)
		whole, err3 := length(all)
		f.Selection, f.Caret, f.Length = [2]int{before, before + selected}, before+selected, whole
		return errors.Join(err1, err2, err3)
	})
}

func (a *automation) setCaret(ctx context.Context, n *node, f desktop.FocusState) error {
	if hasCaret(n.handle) || !n.offers[patText] {
		return handles{}.setCaret(ctx, n, f)
	}
	return a.withRange(ctx, n, func(_, _, r *object) error {
		var moved int32
		for i, end := range []int{rangeEnd, rangeStart} {
			if err := r.call("IUIAutomationTextRange.MoveEndpointByUnit", end, byCharacter, f.Selection[1-i], at(&moved)); err != nil {
				return err
			}
		}
		return r.call("IUIAutomationTextRange.Select")
	})
}
