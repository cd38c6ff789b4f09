package win32

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// extendedKeys are sent with the mark that tells them from keys of the number pad, or right
// keys from left ones.
var extendedKeys = []desktop.Key{
	"altgr", "super", "delete", "insert", "home", "end", "pageup", "pagedown", "up", "down", "left", "right",
	"numlock", "printscreen", "menu", "numenter", "numdivide",
	"volumeup", "volumedown", "volumemute", "mediaplay", "mediastop", "medianext", "mediaprevious",
}

// perSend is how many characters are sent between two looks at who has the keyboard.
const perSend = 64

// codeOf returns the key that the layout of the foreground window has a character on.
func codeOf(k desktop.Key) (virtualKey, error) {
	if v, ok := virtualKeys[k]; ok {
		return v, nil
	}
	if err := input.Known(k); err != nil {
		return 0, err
	}
	r, _ := input.Character(k)
	layout := user("GetKeyboardLayout", threadOf(user("GetForegroundWindow")))
	v := int16(user("VkKeyScanExW", uintptr(r), layout))
	if v == -1 || r > 0xffff {
		return 0, &desktop.MissingError{What: fmt.Sprintf("the keyboard layout has no key %q", k)}
	}
	return virtualKey(v & 0xff), nil
}

// keyEventOf returns the event of a key.
func keyEventOf(k desktop.Key, down bool) (injected, error) {
	v, err := codeOf(k)
	if err != nil {
		return injected{}, err
	}
	e := keyEvent{key: uint16(v), scan: uint16(user("MapVirtualKeyW", uintptr(v), 0))}
	if slices.Contains(extendedKeys, k) {
		e.flags |= keyExtended
	}
	if !down {
		e.flags |= keyUp
	}
	return e.event(), nil
}

func (d *Driver) key(k desktop.Key, down bool, in *desktop.Window) error {
	e, err := keyEventOf(k, down)
	if err == nil && down {
		err = hasKeyboard(in)
	}
	if err != nil {
		return err
	}
	d.keys[k] = down
	return send(e)
}

// press presses a chord.
func (d *Driver) press(a desktop.Press) error {
	all := input.Keys(a.Chord)
	var events []injected
	for _, down := range []bool{true, false} {
		for _, k := range all {
			e, err := keyEventOf(k, down)
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		slices.Reverse(all)
	}
	if err := hasKeyboard(a.In); err != nil {
		return err
	}
	return send(events...)
}

// hasKeyboard fails with an ElsewhereError unless a window has the keyboard.
func hasKeyboard(in *desktop.Window) error {
	active := user("GetForegroundWindow")
	if in == nil || active == uintptr(in.ID) {
		return nil
	}
	has, _ := describe(active)
	return &desktop.ElsewhereError{Has: has}
}

// enter types text, perSend characters at a time, each as a character and not as a key of the
// layout.
func (d *Driver) enter(ctx context.Context, a desktop.Type) error {
	if _, err := input.Typeable(a.Text); err != nil {
		return err // before any of it is typed
	}
	all, sent := []rune(strings.ReplaceAll(a.Text, "\r\n", "\n")), 0
	for some := range slices.Chunk(all, perSend) {
		err := d.inputMu.Do(ctx, func() error { return typeSome(some, a.In) })
		if err != nil {
			return &desktop.TypingError{Sent: sent, Of: len(all), Err: err}
		}
		sent += len(some)
	}
	return nil
}

// typeSome types some characters. Line ends and tabs are keys, because applications ignore the
// characters.
func typeSome(text []rune, in *desktop.Window) error {
	var events []injected
	for _, r := range text {
		events = append(events, strokeOf(r)...)
	}
	if err := hasKeyboard(in); err != nil {
		return err
	}
	return send(events...)
}

func strokeOf(r rune) (events []injected) {
	if r == '\n' || r == '\t' {
		k := desktop.Key("enter")
		if r == '\t' {
			k = "tab"
		}
		for _, down := range []bool{true, false} {
			e, _ := keyEventOf(k, down)
			events = append(events, e)
		}
		return events
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		events = append(events, keyEvent{scan: unit, flags: keyUnicode}.event(), keyEvent{scan: unit, flags: keyUnicode | keyUp}.event())
	}
	return events
}
