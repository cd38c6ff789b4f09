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

	"understudy/internal/desktop"
)

// defaultActions are the names of default actions, the most specific first.
var defaultActions = []string{"click", "press", "activate", "toggle", "jump", "open", "doDefault", "expand or contract", "switch"}

// actionTime bounds an action before the application is pinged.
const actionTime = time.Second

// invoke performs the named action of an element; "" is its default action. The
// action has a connection of its own, because an application that opens a
// dialog at the end of one may reply to nothing else there until the dialog is
// closed. If the action times out but the application replies otherwise, it
// sits in such a dialog and the action was performed: that is no error. If it
// replies to nothing, it is ErrUnresponsive.
func (c *Client) invoke(ctx context.Context, h desktop.Handle, action string) error {
	w, n, err := c.resolve(ctx, h, offersAction, "actions")
	if err != nil {
		return err
	}
	defer w.end()
	if !has(n.states, bitEnabled) && !has(n.states, bitSensitive) { // GTK 3 replies true and does nothing
		return fmt.Errorf("%w: the %s %q is disabled", desktop.ErrRefused, roleName(n.role), n.name)
	}
	index, name, err := w.action(n, action)
	if err != nil {
		return err
	}
	direct := &w.app.direct
	if n.bus != w.app.bus {
		direct = &appConn{}
	}
	acting, end, err := direct.once(ctx, w.query.bus, actionTime)
	if err != nil {
		return namingProgram(w.app.process, err)
	}
	defer end()
	ctx, cancel := withTimeout(ctx, actionTime)
	defer cancel()
	body, err := acting.call(ctx, n.object, ifaceAction+".DoAction", int32(index))
	if errors.Is(err, desktop.ErrUnresponsive) {
		return w.checkResponsive(context.WithoutCancel(ctx))
	}
	return requireTrue(fmt.Sprintf("the action %q", name), body, err)
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
func (w *walker) checkResponsive(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx, greetTimeout)
	defer cancel()
	conn, err := w.app.direct.get(ctx, w.query.bus, greetTimeout)
	if err != nil {
		return err
	}
	return conn.ping(ctx, w.app.object)
}

// insertText inserts text at the caret of an element and moves the caret behind it.
func (c *Client) insertText(ctx context.Context, h desktop.Handle, text string) error {
	w, n, err := c.resolve(ctx, h, offersEditable|offersText, "editing")
	if err != nil {
		return err
	}
	defer w.end()
	caret := int32(-1)
	w.get(n.object, ifaceText, "CaretOffset", func(v any) { caret = as[int32](v) })
	if err := w.run(); err != nil {
		return err
	}
	if caret < 0 {
		return fmt.Errorf("%w: the %s %q has no caret", desktop.ErrRefused, roleName(n.role), n.name)
	}
	length, moves := w.lengthsOf(text)
	if err := w.callTrue("InsertText", n.object, ifaceEditable+".InsertText", caret, text, length); err != nil {
		return err
	}
	err = w.callTrue("the caret behind the text", n.object, ifaceText+".SetCaretOffset", caret+moves)
	if errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrNotFound) {
		return nil // the text is in; LibreOffice replaces a paragraph that fills pages by another one, with the caret at its end
	}
	return err
}

// setNumber sets the value of a slider or a spin button.
func (c *Client) setNumber(ctx context.Context, h desktop.Handle, value float64) error {
	w, n, err := c.resolve(ctx, h, offersValue, "value")
	if err != nil {
		return err
	}
	defer w.end()
	_, err = w.call(n.object, ifaceProperties+".Set", ifaceValue, "CurrentValue", dbus.MakeVariant(value))
	return err
}

// callBool calls a method of an element that replies with a success flag.
func (c *Client) callBool(ctx context.Context, h desktop.Handle, need offers, what, method string, args ...any) error {
	w, n, err := c.resolve(ctx, h, need, what)
	if err != nil {
		return err
	}
	defer w.end()
	return w.callTrue(method[strings.LastIndexByte(method, '.')+1:], n.object, method, args...)
}

// callTrue makes a call that replies with a success flag. It returns ErrRefused,
// naming what was asked for, if that is false.
func (p *pipeline) callTrue(what string, to object, method string, args ...any) error {
	body, err := p.call(to, method, args...)
	return requireTrue(what, body, err)
}

func requireTrue(what string, body []any, err error) error {
	if err == nil && !first[bool](body) {
		err = fmt.Errorf("%w: it refused %s", desktop.ErrRefused, what)
	}
	return err
}

// lengthsOf returns the length of a text as the application counts it for InsertText,
// and how far it moves the caret: Qt counts both in UTF-16 units, LibreOffice only the
// latter, and the others count the former in bytes and the latter in characters.
func (w *walker) lengthsOf(text string) (length, moves int32) {
	units := int32(len(utf16.Encode([]rune(text))))
	switch {
	case w.isQt():
		return units, units
	case w.app.isOffice():
		return int32(len(text)), units
	}
	return int32(len(text)), int32(utf8.RuneCountInString(text))
}
