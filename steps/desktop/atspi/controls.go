//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// defaultActions are the names of default actions, the most specific first.
var defaultActions = []string{"click", "press", "activate", "toggle", "jump", "open", "doDefault", "expand or contract", "switch"}

// actionTime bounds an action before the application is pinged.
const actionTime = time.Second

// Invoke performs the named action of an element; "" is its default action. The
// action has a connection of its own, because an application that opens a
// dialog at the end of one may reply to nothing else there until the dialog is
// closed. If the action times out but the application replies otherwise, it
// sits in such a dialog and the action was performed: that is no error. If it
// replies to nothing, it is ErrUnresponsive.
func (c *Client) Invoke(ctx context.Context, h desktop.Handle, action string) error {
	l, w, n, done, err := c.resolve(ctx, h, offersAction, "actions")
	if err != nil {
		return err
	}
	defer done()
	if !has(n.states, bitEnabled) && !has(n.states, bitSensitive) { // GTK 3 replies true and does nothing
		return fmt.Errorf("%w: the %s %q is disabled", desktop.ErrRefused, roleName(n.role), n.name)
	}
	index, name, err := w.action(n, action)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, actionTime)
	defer cancel()
	acting, end := w.app.actionConn(ctx, l)
	defer end()
	body, err := acting.call(ctx, n.object, ifaceAction+".DoAction", int32(index))
	if errors.Is(err, desktop.ErrUnresponsive) {
		return c.checkResponsive(context.WithoutCancel(ctx), l, w.app)
	}
	return requireTrue(body, err, "the action %q", name)
}

// action finds an action of a node and returns its index and name. GetActions
// may return localized names; GetName does not.
func (w *walker) action(n *node, wanted string) (int, string, error) {
	w.askActions(n)
	if err := w.run(); err != nil {
		return 0, "", err
	}
	names := n.details.actions
	if i := actionIndex(names, wanted); i >= 0 {
		return i, names[i], nil
	}
	own := make([]string, len(names))
	for i := range names {
		w.want(n.object, ifaceAction+".GetName", func(b []any) { own[i] = first[string](b) }, int32(i))
	}
	if err := w.run(); err != nil {
		return 0, "", err
	}
	switch i := actionIndex(own, wanted); {
	case len(names) == 0:
		return 0, "", fmt.Errorf("%w: it has no actions now", desktop.ErrRefused)
	case i >= 0:
		return i, own[i], nil
	case wanted == "":
		return 0, names[0], nil
	}
	return 0, "", fmt.Errorf("%w: it has no action %q, only %q", desktop.ErrRefused, wanted, names)
}

// actionIndex returns the index of an action by its name, ignoring case, or of
// the default action for ""; -1 if there is none.
func actionIndex(actions []string, name string) int {
	names := defaultActions
	if name != "" {
		names = []string{name}
	}
	for _, u := range names {
		if i := slices.IndexFunc(actions, func(a string) bool { return strings.EqualFold(a, u) }); i >= 0 {
			return i
		}
	}
	return -1
}

// checkResponsive returns an error unless the application replies to a ping.
func (c *Client) checkResponsive(ctx context.Context, l *busConn, a *application) error {
	ctx, cancel := withTimeout(ctx, greetTimeout)
	defer cancel()
	return a.directConn(ctx, l, greetTimeout).ping(ctx, a.object)
}

// SetText replaces the text of an element. Where the toolkit offers no editing,
// as in Chromium, it is ErrRefused, and the caller may type instead.
func (c *Client) SetText(ctx context.Context, h desktop.Handle, text string) error {
	return c.callBool(ctx, h, offersEditable, "editing", ifaceEditable+".SetTextContents", text)
}

// InsertText inserts text at the caret of an element and moves the caret behind it.
func (c *Client) InsertText(ctx context.Context, h desktop.Handle, text string) error {
	_, w, n, done, err := c.resolve(ctx, h, offersEditable|offersText, "editing")
	if err != nil {
		return err
	}
	defer done()
	caret := int32(-1)
	w.get(n.object, ifaceText, "CaretOffset", func(v any) { caret = as[int32](v) })
	if err := w.run(); err != nil {
		return err
	}
	if caret < 0 {
		return fmt.Errorf("%w: the %s %q has no caret", desktop.ErrRefused, roleName(n.role), n.name)
	}
	body, err := w.call(n.object, ifaceEditable+".InsertText", caret, text, w.app.lengthOf(text))
	if err := requireTrue(body, err, "InsertText"); err != nil {
		return err
	}
	body, err = w.call(n.object, ifaceText+".SetCaretOffset", caret+int32(utf8.RuneCountInString(text)))
	err = requireTrue(body, err, "the caret behind the text")
	if errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrNotFound) {
		return nil // the text is in; a paragraph of LibreOffice that fills pages is another then, with the caret at its end
	}
	return err
}

// SetNumber sets the value of a slider or a spin button.
func (c *Client) SetNumber(ctx context.Context, h desktop.Handle, value float64) error {
	_, w, n, done, err := c.resolve(ctx, h, offersValue, "value")
	if err != nil {
		return err
	}
	defer done()
	_, err = w.call(n.object, ifaceProperties+".Set", ifaceValue, "CurrentValue", dbus.MakeVariant(value))
	return err
}

// Select selects, or deselects, a child of a container by its index.
func (c *Client) Select(ctx context.Context, h desktop.Handle, child int, on bool) error {
	method := ifaceSelection + ".DeselectChild"
	if on {
		method = ifaceSelection + ".SelectChild"
	}
	return c.callBool(ctx, h, offersSelection, "selection", method, int32(child))
}

// GrabFocus gives an element the keyboard focus of its window.
func (c *Client) GrabFocus(ctx context.Context, h desktop.Handle) error {
	return c.callBool(ctx, h, offersComponent, "focus", ifaceComponent+".GrabFocus")
}

// callBool calls a method of an element that replies with a success flag.
func (c *Client) callBool(ctx context.Context, h desktop.Handle, need offers, what, method string, args ...any) error {
	_, w, n, done, err := c.resolve(ctx, h, need, what)
	if err != nil {
		return err
	}
	defer done()
	body, err := w.call(n.object, method, args...)
	return requireTrue(body, err, "%s", method[strings.LastIndexByte(method, '.')+1:])
}

// resolve loads the element of a handle and checks that it has an interface.
func (c *Client) resolve(ctx context.Context, h desktop.Handle, need offers, what string) (*busConn, *walker, *node, context.CancelFunc, error) {
	l, err := c.connect(ctx)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	p, w, done, err := c.enter(ctx, l, h, visitWithoutItems)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	n, err := w.loadAlone(p.object)
	if err == nil && n.offers&need != need {
		err = fmt.Errorf("%w: the %s %q offers no %s", desktop.ErrRefused, roleName(n.role), n.name, what)
	}
	if err != nil {
		done()
		return nil, nil, nil, nil, err
	}
	return l, w, n, done, nil
}

// requireTrue returns ErrRefused for a success flag that is false.
func requireTrue(body []any, err error, format string, args ...any) error {
	if err == nil && !first[bool](body) {
		err = fmt.Errorf("%w: it answered no to "+format, append([]any{desktop.ErrRefused}, args...)...)
	}
	return err
}

// lengthOf is the length of a text as the application's toolkit counts it for
// InsertText: Qt in UTF-16 units, the others in bytes.
func (a *application) lengthOf(text string) int32 {
	if strings.EqualFold(a.toolkitName(), "qt") {
		return int32(len(utf16.Encode([]rune(text))))
	}
	return int32(len(text))
}
