//go:build linux

package x11

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// Windows returns the windows from the bottom of the stack to its top: those of the window
// manager, and above them menus and tooltips, which it does not manage.
func (d *Driver) Windows(ctx context.Context) ([]desktop.Window, error) {
	return look(ctx, d, func(l *xConn) ([]desktop.Window, error) {
		if err := l.managed(ctx); err != nil {
			return nil, err
		}
		return ask(ctx, l, l.windows)
	})
}

// windowTable reads the windows and their properties.
type windowTable struct {
	*properties
	mu    sync.Mutex
	names map[windowOwner]programNames // guarded by mu
}

// windowOwner is a window with its process.
type windowOwner struct {
	window xproto.Window
	pid    int
}

// programNames are the names of the program of a process.
type programNames struct {
	process string
	aliases []string
}

// mostNames bounds the cache of names.
const mostNames = 256

// namesOf returns the names of the program that owns a window. They are cached, because they
// are read from files: a process that executes another program loses its windows.
func (l *windowTable) namesOf(w xproto.Window, pid int) programNames {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, known := l.names[windowOwner{w, pid}]
	if known {
		return n
	}
	if l.names == nil || len(l.names) >= mostNames {
		l.names = map[windowOwner]programNames{}
	}
	n = programNames{desktop.ProcessName(pid), desktop.ProcessAliases(pid)}
	if n.process != "" { // else it may be starting or ending
		l.names[windowOwner{w, pid}] = n
	}
	return n
}

func (l *windowTable) windows() ([]desktop.Window, error) {
	ask := func(name string) xproto.GetPropertyCookie { return l.property(l.root, l.atom(name)) }
	stacking, focus, workspace := ask("_NET_CLIENT_LIST_STACKING"), ask(activeProperty), ask("_NET_CURRENT_DESKTOP")
	size, children := xproto.GetGeometry(l.x, xproto.Drawable(l.root)), xproto.QueryTree(l.x, l.root)
	managed, active, current := numbers(stacking.Reply()), firstNumber(focus.Reply()), firstNumber(workspace.Reply())
	screen, err := rootBounds(size)
	if err != nil {
		return nil, err
	}
	popups, err := l.popups(children, managed)
	if err != nil {
		return nil, err
	}
	ws := l.describe(managed)
	for i := range ws {
		ws[i].Active = ws[i].ID == desktop.WindowID(active)
		ws[i].Hidden = ws[i].workspace != current && ws[i].workspace != everyWorkspace
	}
	list := make([]desktop.Window, 0, len(ws)+len(popups))
	for _, w := range ws {
		if w.there {
			list = append(list, w.Window)
		}
	}
	for _, w := range l.describe(popups) {
		// Programs keep windows off the screen for purposes of their own.
		if w.Popup = true; w.there && !w.Bounds.Intersect(screen).Empty() {
			list = append(list, w.Window)
		}
	}
	return list, nil
}

// popups returns the windows on the screen that the window manager does not manage, from the
// bottom to the top, without our marks.
func (l *windowTable) popups(children xproto.QueryTreeCookie, managed []uint32) ([]uint32, error) {
	tree, err := children.Reply()
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

// everyWorkspace is the workspace of a window that is on all of them.
const everyWorkspace = 0xffffffff

// seenWindow is a window with properties that only this package needs.
type seenWindow struct {
	desktop.Window
	workspace uint32
	there     bool // it still exists
}

// describe reads the properties of windows. For each batch of windows it sends all requests
// before it reads the first answer: one round trip instead of ten for each window.
func (l *windowTable) describe(ids []uint32) []seenWindow {
	const batch = 32 // xgb blocks at a thousand outstanding answers
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

// windowProperties are the properties that are read of each window.
var windowProperties = []string{
	"_NET_WM_NAME", "WM_NAME", "WM_CLASS", "_NET_WM_PID", "_NET_WM_STATE", "_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS", "_NET_WM_DESKTOP", "_NET_WM_WINDOW_TYPE",
}

// questions are the requests about one window.
type questions struct {
	id         xproto.Window
	geometry   xproto.GetGeometryCookie
	origin     xproto.TranslateCoordinatesCookie
	properties map[string]xproto.GetPropertyCookie
	owner      func() int
}

func (l *windowTable) inquire(w xproto.Window) questions {
	q := questions{
		id: w, geometry: xproto.GetGeometry(l.x, xproto.Drawable(w)), origin: xproto.TranslateCoordinates(l.x, w, l.root, 0, 0),
		properties: map[string]xproto.GetPropertyCookie{}, owner: l.owner(w),
	}
	for _, name := range windowProperties {
		q.properties[name] = l.property(w, l.atom(name))
	}
	return q
}

func (l *windowTable) read(q questions) seenWindow {
	text := func(property string) string { r, _ := q.properties[property].Reply(); return l.decode(r) }
	list := func(property string) []uint32 { return numbers(q.properties[property].Reply()) }
	w := seenWindow{Window: desktop.Window{ID: desktop.WindowID(q.id)}, workspace: everyWorkspace}
	geometry, err := q.geometry.Reply()
	origin, err2 := q.origin.Reply()
	w.there = err == nil && err2 == nil
	if !w.there {
		return w
	}
	w.Title = cmp.Or(text("_NET_WM_NAME"), text("WM_NAME"))
	classes := classNames(text("WM_CLASS"))
	w.Class = classes[len(classes)-1]
	pids, states, types := list("_NET_WM_PID"), list("_NET_WM_STATE"), list("_NET_WM_WINDOW_TYPE")
	frame, shadow := list("_NET_FRAME_EXTENTS"), list("_GTK_FRAME_EXTENTS")
	is := func(kind string) bool { return slices.Contains(types, uint32(l.atom("_NET_WM_WINDOW_TYPE_"+kind))) }
	w.Tooltip, w.Splash, w.Dialog = is("TOOLTIP"), is("SPLASH"), is("DIALOG")
	if ws := list("_NET_WM_DESKTOP"); len(ws) == 1 {
		w.workspace = ws[0]
	}
	bounds := desktop.Rect{X: int(origin.DstX), Y: int(origin.DstY), W: int(geometry.Width), H: int(geometry.Height)}
	w.Inside = grow(bounds, shadow, -1) // applications draw shadows around themselves
	w.Bounds = grow(w.Inside, frame, 1)
	has := func(state string) bool { return slices.Contains(states, uint32(l.atom(state))) }
	w.Minimized = has("_NET_WM_STATE_HIDDEN")
	w.Maximized = has("_NET_WM_STATE_MAXIMIZED_VERT") && has("_NET_WM_STATE_MAXIMIZED_HORZ")
	w.Modal = has("_NET_WM_STATE_MODAL")
	w.Dialog = w.Dialog || w.Modal
	if w.PID = q.owner(); w.PID == 0 && len(pids) == 1 {
		w.PID = int(pids[0])
	}
	names := l.namesOf(q.id, w.PID)
	w.Process, w.Aliases = names.process, slices.Concat(names.aliases, classes)
	return w
}

// classNames returns the two names in the class of a window, each ended by a zero: that of the
// window and that of the application.
func classNames(s string) []string {
	return strings.Split(strings.TrimRight(s, "\x00"), "\x00")
}

// grow adds extents (left, right, top, bottom), such as those of a frame, to a rectangle, or
// removes them if the sign is negative.
func grow(r desktop.Rect, extents []uint32, sign int) desktop.Rect {
	if len(extents) != 4 {
		return r
	}
	left, right, top, bottom := int(int32(extents[0])), int(int32(extents[1])), int(int32(extents[2])), int(int32(extents[3]))
	return desktop.Rect{X: r.X - sign*left, Y: r.Y - sign*top, W: r.W + sign*(left+right), H: r.H + sign*(top+bottom)}
}

// owner requests the process that made a window from the server: the property of the window is
// wrong if its program runs in a container. The answer is 0 if the server does not know.
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
