//go:build linux

package wayland

import (
	"context"
	"fmt"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// frames is a compositor that does not tell its windows, which are therefore those that
// applications report. Applications know the size of a window, and its position only as far as
// the size proves it. Input and pictures that the compositor has no protocol for go through the
// portal, if a person allows that.
type frames struct {
	protocolOutputs
	list   FrameLister
	portal *portal // nil if it is not needed
}

// openFrames returns the placement for a compositor that has no better one.
func (d *Driver) openFrames(ctx context.Context) (placement, error) {
	o := d.options.Portal
	untold := desktop.WaylandError("the compositor of " + d.options.Display + " does not report where windows are")
	if o.Frames == nil {
		return nil, untold
	}
	list, err := o.Frames(ctx)
	if err != nil {
		return nil, untold //nolint:nilerror // nothing else tells them either
	}
	f := &frames{protocolOutputs: protocolOutputs{d.conn}, list: list}
	if !o.Only && d.conn.Count("zwlr_virtual_pointer_manager_v1") > 0 && d.conn.Count("zwp_virtual_keyboard_manager_v1") > 0 {
		return f, nil
	}
	f.portal, err = openPortal(ctx, o)
	if err == nil && f.portal.ready() == nil && f.portal.devices&portalKeyboard != 0 {
		_, _, err = f.portal.wake(ctx, d.conn)
	}
	return f, err
}

func (f *frames) name() string {
	if f.portal == nil {
		return "one that does not report its windows"
	}
	return "one that is reached through the portal"
}

func (f *frames) windows(ctx context.Context) ([]desktop.Window, error) {
	all, err := f.list.FrameWindows(ctx)
	if err != nil {
		return nil, err
	}
	monitors, err := f.outputs(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(w desktop.Window) bool { return w.PID == f.conn.Peer() || isOurs(w.PID) })
	placeActive(all, monitors)
	return all, nil
}

// placeActive sets the bounds of the active window, which is the last, if it has exactly the
// size of one monitor: then it fills that. Not if there is a dialog, which may be above it.
func placeActive(all []desktop.Window, monitors []desktop.Monitor) {
	if len(all) == 0 || !all[len(all)-1].Active {
		return
	}
	w := &all[len(all)-1]
	for _, other := range all[:len(all)-1] {
		if other.PID == w.PID && (other.Dialog || other.Modal) {
			return
		}
	}
	for _, m := range monitors {
		if w.Unplaced != (desktop.Size{W: m.Bounds.W, H: m.Bounds.H}) {
			continue
		}
		if !w.Bounds.Empty() { // it may be on either monitor
			w.Bounds, w.Content = desktop.Rect{}, desktop.Rect{}
			return
		}
		w.Bounds, w.Content = m.Bounds, m.Bounds
	}
	if !w.Bounds.Empty() {
		w.Unplaced = desktop.Size{}
	}
}

// manage fails: no program may change a window.
func (*frames) manage(_ context.Context, w desktop.Window, m desktop.Manage) error {
	if m.Do == desktop.Activate && w.Active {
		return nil
	}
	return &desktop.MissingError{What: fmt.Sprintf("this compositor does not let programs %s windows such as %q; do it by hand or with its shortcut; invoke_element and set_value work without it", m.Do, w.Title)}
}

func (f *frames) close() {
	_ = f.list.Close()
	if f.portal != nil {
		f.portal.close()
	}
}

// equip uses the portal for what the compositor announces no protocol for.
func (f *frames) equip(d *Driver, _ wire.Seat) {
	p := f.portal
	if p == nil {
		return
	}
	d.ready, d.extensions, d.consent = p.ready, p.extensions, p.consent
	d.pointer.mouse, d.pointer.missing = &portalMouse{portal: p}, p.lacks(portalPointer, "moves the pointer")
	keys := &portalKeys{keyboard: &d.keyboard, portal: p}
	d.keyboard.keys, d.keyboard.find, d.keyboard.missing = keys, keys.stroke, p.lacks(portalKeyboard, "presses keys")
	only := d.options.Portal.Only // use the portal even if there is a protocol
	if d.screen.missing != nil || only && p.unseen == nil {
		d.screen.camera, d.screen.missing = &portalCamera{p}, p.unseen
	}
	if (d.clipboard.missing != nil || only) && p.clipboard != nil {
		d.clipboard.selection, d.clipboard.missing = p.clipboard, nil
	}
}

// extensions reports which parts of the portal can be used.
func (p *portal) extensions() map[string]bool {
	return map[string]bool{portalRemote: p.devices != 0, portalShots: p.unseen == nil, portalClips: p.clipboard != nil}
}

// consent says when the portal asks its person.
func (p *portal) consent() string {
	if p.lasts {
		return "your desktop asks you in a dialog, once, whether its keyboard and pointer may be used and its screen be seen; what you allow is kept until you take it back there"
	}
	return "your desktop asks you in a dialog, each time, whether its keyboard and pointer may be used and its screen be seen: this portal keeps no permission"
}
