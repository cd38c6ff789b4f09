//go:build linux

package wayland

import (
	"context"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// kwinSetup is the command that allows this program to take pictures and to press keys.
const kwinSetup = "understudy setup kwin"

// fakeInput is the protocol of KWin for programs that act in place of a person. KWin announces
// it only to programs that have the permission by a desktop file.
type fakeInput struct {
	*Driver
	kwin   *kwin
	device wire.FakeInput
	layout layout
}

func newFakeInput(d *Driver, k *kwin, seat wire.Seat) (*fakeInput, error) {
	device, err := wire.BindFakeInput(d.conn, 0)
	if err != nil {
		return nil, &desktop.MissingError{What: "KWin accepts input only from programs that are allowed to act, which this one is not; --display portal asks you in a dialog instead, and supports less", Mend: kwinSetup, Wayland: true, Setup: true}
	}
	device.Authenticate("Understudy", "plays workflows")
	f := &fakeInput{Driver: d, kwin: k, device: device}
	f.layout.follow(seat)
	return f, nil
}

// fakeMouse is the mouse of fakeInput.
type fakeMouse struct{ *fakeInput }

func (m fakeMouse) position(ctx context.Context) (desktop.Point, error) { return m.kwin.pointer(ctx) }

func (m fakeMouse) move(_ context.Context, to desktop.Point, _ desktop.Rect) error {
	m.device.PointerMotionAbsolute(float64(to.X), float64(to.Y))
	return nil
}

func (m fakeMouse) button(code uint32, down bool) error {
	m.device.Button(code, stateOf(down))
	return nil
}

func (m fakeMouse) turn(axis uint32, step int) error {
	const notch = 15
	m.device.Axis(axis, float64(step*notch))
	return nil
}

// fakeKeys are the keys of fakeInput: those of the session's own keyboard.
type fakeKeys struct{ *fakeInput }

func (f fakeKeys) key(code uint32, down bool) error {
	f.device.KeyboardKey(code, stateOf(down))
	return nil
}

// modifiers does nothing: KWin sees the keys.
func (fakeKeys) modifiers(uint32) error { return nil }

// group returns the index of the layout that is in use.
func (f fakeKeys) group(ctx context.Context) int {
	var group uint32
	if err := f.kwin.bus.Object("org.kde.keyboard", "/Layouts").CallWithContext(ctx, "org.kde.KeyboardLayouts.getLayout", 0).Store(&group); err != nil {
		return 0 // there is only one
	}
	return int(group)
}

func (f fakeKeys) stroke(ctx context.Context, sym uint32) (stroke, bool) {
	return f.layout.stroke(f.group(ctx), sym)
}

func (f fakeKeys) text(ctx context.Context, text string, syms []uint32) error {
	group := f.group(ctx)
	return f.keyboard.typeOrPaste(ctx, text, syms, func(sym uint32) (stroke, bool) { return f.layout.stroke(group, sym) })
}
