//go:build linux

package x11

import (
	"context"
	"slices"
	"strings"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// Windows lists the windows from the bottom of the stack to its top: those
// that the window manager manages, and above them the menus and tooltips,
// which it does not.
func (d *Driver) Windows(ctx context.Context) ([]desktop.Window, error) {
	return look(ctx, d, func(l *xConn) ([]desktop.Window, error) {
		if err := l.managed(ctx); err != nil {
			return nil, err
		}
		return ask(ctx, l, l.windows)
	})
}

// windowTable lists windows.
type windowTable struct{ *properties }

func (l *windowTable) windows() ([]desktop.Window, error) {
	managed := l.numbers(l.root, "_NET_CLIENT_LIST_STACKING")
	active, current := l.number(l.root, "_NET_ACTIVE_WINDOW"), l.number(l.root, "_NET_CURRENT_DESKTOP")
	ws := l.describe(managed)
	for i := range ws {
		ws[i].Active = ws[i].ID == desktop.WindowID(active)
		ws[i].Hidden = ws[i].workspace != current && ws[i].workspace != everyWorkspace
	}
	popups, err := l.popups(managed)
	if err != nil {
		return nil, err
	}
	screen, err := l.size()
	if err != nil {
		return nil, err
	}
	list := make([]desktop.Window, 0, len(ws)+len(popups))
	for _, w := range ws {
		if w.there {
			list = append(list, w.Window)
		}
	}
	for _, w := range l.describe(popups) {
		// Programs keep windows beyond the edge for purposes of their own.
		if w.Popup = true; w.there && !w.Bounds.Intersect(screen).Empty() {
			list = append(list, w.Window)
		}
	}
	return list, nil
}

// popups are the windows that show on the screen and that no window manager
// manages, from the bottom to the top, without our own marks.
func (l *windowTable) popups(managed []uint32) ([]uint32, error) {
	tree, err := xproto.QueryTree(l.x, l.root).Reply()
	if err != nil {
		return nil, err
	}
	cookies := make([]xproto.GetWindowAttributesCookie, len(tree.Children))
	for i, w := range tree.Children {
		cookies[i] = xproto.GetWindowAttributes(l.x, w)
	}
	var popups []uint32
	for i, w := range tree.Children {
		a, err := cookies[i].Reply()
		ours := uint32(w)&^l.setup.ResourceIdMask == l.setup.ResourceIdBase
		if err != nil || ours || !a.OverrideRedirect || a.MapState != xproto.MapStateViewable || a.Class != xproto.WindowClassInputOutput {
			continue
		}
		if !slices.Contains(managed, uint32(w)) {
			popups = append(popups, uint32(w))
		}
	}
	return popups, nil
}

// everyWorkspace is the workspace of a window that shows on all.
const everyWorkspace = 0xffffffff

// seenWindow is a window with what only we need of it.
type seenWindow struct {
	desktop.Window
	workspace uint32
	there     bool // it still was when we looked
}

// describe reads what there is to know of windows. The questions about a
// batch of windows are all asked before the first answer is read, which makes
// it one round trip instead of ten for each.
func (l *windowTable) describe(ids []uint32) []seenWindow {
	const batch = 32 // xgb stops when a thousand answers are outstanding
	ws := make([]seenWindow, 0, len(ids))
	for some := range slices.Chunk(ids, batch) {
		asked := make([]questions, len(some))
		for i, id := range some {
			asked[i] = l.inquire(xproto.Window(id))
		}
		for _, q := range asked {
			ws = append(ws, l.read(q))
		}
	}
	return ws
}

// questions are what was asked about one window.
type questions struct {
	id                                  xproto.Window
	geometry                            xproto.GetGeometryCookie
	origin                              xproto.TranslateCoordinatesCookie
	title, oldTitle, class, pid, states xproto.GetPropertyCookie
	frame, shadow, workspace, sort      xproto.GetPropertyCookie
	owner                               func() int
}

func (l *windowTable) inquire(w xproto.Window) questions {
	p := func(name string) xproto.GetPropertyCookie { return l.property(w, l.atom(name)) }
	return questions{
		id:        w,
		geometry:  xproto.GetGeometry(l.x, xproto.Drawable(w)),
		origin:    xproto.TranslateCoordinates(l.x, w, l.root, 0, 0),
		title:     p("_NET_WM_NAME"),
		oldTitle:  l.property(w, xproto.AtomWmName),
		class:     l.property(w, xproto.AtomWmClass),
		pid:       p("_NET_WM_PID"),
		states:    p("_NET_WM_STATE"),
		frame:     p("_NET_FRAME_EXTENTS"),
		shadow:    p("_GTK_FRAME_EXTENTS"),
		workspace: p("_NET_WM_DESKTOP"),
		sort:      p("_NET_WM_WINDOW_TYPE"),
		owner:     l.owner(w),
	}
}

func (l *windowTable) read(q questions) seenWindow {
	w := seenWindow{Window: desktop.Window{ID: desktop.WindowID(q.id)}, workspace: everyWorkspace}
	geometry, err := q.geometry.Reply()
	origin, err2 := q.origin.Reply()
	w.there = err == nil && err2 == nil
	title, _ := q.title.Reply()
	oldTitle, _ := q.oldTitle.Reply()
	if w.Title = l.decode(title); w.Title == "" {
		w.Title = l.decode(oldTitle)
	}
	class, _ := q.class.Reply()
	classes := classNames(l.decode(class))
	w.Class = classes[len(classes)-1]
	pids, states := numbers(q.pid.Reply()), numbers(q.states.Reply())
	frame, shadow := numbers(q.frame.Reply()), numbers(q.shadow.Reply())
	sorts := numbers(q.sort.Reply())
	sort := func(name string) bool { return slices.Contains(sorts, uint32(l.atom("_NET_WM_WINDOW_TYPE_"+name))) }
	w.Tooltip, w.Splash, w.Dialog = sort("TOOLTIP"), sort("SPLASH"), sort("DIALOG")
	if ws := numbers(q.workspace.Reply()); len(ws) == 1 {
		w.workspace = ws[0]
	}
	if !w.there {
		return w
	}
	is := desktop.Rect{X: int(origin.DstX), Y: int(origin.DstY), W: int(geometry.Width), H: int(geometry.Height)}
	w.Bounds, w.Inside = outline(is, frame, shadow), outline(is, nil, shadow)
	has := func(state string) bool { return slices.Contains(states, uint32(l.atom(state))) }
	w.Minimized = has("_NET_WM_STATE_HIDDEN")
	w.Maximized = has("_NET_WM_STATE_MAXIMIZED_VERT") && has("_NET_WM_STATE_MAXIMIZED_HORZ")
	w.Modal = has("_NET_WM_STATE_MODAL")
	w.Dialog = w.Dialog || w.Modal
	if w.PID = q.owner(); w.PID == 0 && len(pids) == 1 {
		w.PID = int(pids[0])
	}
	w.Process = desktop.ProcessName(w.PID)
	w.Aliases = append(desktop.ProcessAliases(w.PID), classes...)
	return w
}

// classNames are the two names that a window's class holds, each ended by a zero: the
// window's and the application's.
func classNames(s string) []string {
	return strings.Split(strings.TrimRight(s, "\x00"), "\x00")
}

// outline is a window with its frame and without the shadow that it draws
// around itself. Extents are left, right, top, bottom.
func outline(r desktop.Rect, frame, shadow []uint32) desktop.Rect {
	grow := func(e []uint32, sign int) {
		if len(e) != 4 {
			return
		}
		r.X -= sign * int(int32(e[0]))
		r.Y -= sign * int(int32(e[2]))
		r.W += sign * int(int32(e[0]+e[1]))
		r.H += sign * int(int32(e[2]+e[3]))
	}
	grow(frame, 1)
	grow(shadow, -1)
	return r
}

// owner asks for the process that made a window, as the server knows it: what
// the window says of itself is wrong when it lives in a container. The answer
// is 0 when the server does not know.
func (l *windowTable) owner(w xproto.Window) func() int {
	if !l.has["X-Resource"] {
		return func() int { return 0 }
	}
	cookie := res.QueryClientIds(l.x, 1, []res.ClientIdSpec{{Client: uint32(w), Mask: res.ClientIdMaskLocalClientPID}})
	return func() int {
		r, err := cookie.Reply()
		if err != nil {
			return 0
		}
		for _, id := range r.Ids {
			if id.Spec.Mask == res.ClientIdMaskLocalClientPID && len(id.Value) == 1 {
				return int(id.Value[0])
			}
		}
		return 0
	}
}
