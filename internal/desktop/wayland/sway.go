//go:build linux

package wayland

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// sway is a compositor with the IPC protocol of sway and i3.
type sway struct{ socket string }

// The messages of the protocol.
const (
	swayCommand = 0
	swayOutputs = 3
	swayTree    = 4
	swayInputs  = 100
)

// findSway returns the placement of a compositor with a process ID and its socket in a folder,
// if it speaks the protocol.
func findSway(ctx context.Context, pid int, folder string) (placement, error) {
	candidates := []string{os.Getenv("SWAYSOCK")}
	if found, _ := filepath.Glob(filepath.Join(folder, fmt.Sprintf("sway-ipc.*.%d.sock", pid))); pid != 0 {
		candidates = append(found, candidates...)
	}
	for _, c := range candidates {
		s := sway{c}
		if c == "" || !s.isOf(ctx, pid) {
			continue
		}
		if _, err := s.outputs(ctx); err == nil {
			return s, nil
		}
	}
	return nil, desktop.ErrNotFound
}

// equip adds what sway tells besides; it announces all protocols.
func (s sway) equip(d *Driver, _ wire.Seat) { d.foreign, d.pointers = s.foreign, s.pointers }

// isOf reports whether a process listens on the socket: the environment may name that of another
// session. The pid 0 is any process.
func (s sway) isOf(ctx context.Context, pid int) bool {
	c, err := new(net.Dialer).DialContext(ctx, "unix", s.socket)
	if err != nil {
		return false
	}
	defer c.Close()
	owner := wire.PeerOf(c.(*net.UnixConn))
	return pid == 0 || owner == 0 || owner == pid
}

func (sway) name() string { return "sway" }

func (sway) close() {}

// ask sends a message and reads the answer.
func (s sway) ask(ctx context.Context, kind uint32, payload string, answer any) error {
	const magic = "i3-ipc"
	c, err := new(net.Dialer).DialContext(ctx, "unix", s.socket)
	if err != nil {
		return fmt.Errorf("%w: sway does not answer: %w", desktop.ErrUnavailable, err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	request := binary.NativeEndian.AppendUint32([]byte(magic), uint32(len(payload)))
	request = append(binary.NativeEndian.AppendUint32(request, kind), payload...)
	if _, err = c.Write(request); err == nil {
		head := make([]byte, len(magic)+8)
		if _, err = io.ReadFull(c, head); err == nil {
			body := make([]byte, binary.NativeEndian.Uint32(head[len(magic):]))
			if _, err = io.ReadFull(c, body); err == nil {
				err = json.Unmarshal(body, answer)
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w: asking sway: %w", desktop.ErrUnavailable, err)
	}
	return nil
}

// swayRect is a rectangle as sway writes it.
type swayRect struct{ X, Y, Width, Height int }

func (r swayRect) rect() desktop.Rect {
	return desktop.Rect{X: r.X, Y: r.Y, W: r.Width, H: r.Height}
}

func (s sway) outputs(ctx context.Context) (list []desktop.Monitor, err error) {
	var all []struct {
		Name            string
		Active, Focused bool
		Rect            swayRect
		Scale           float64
	}
	if err := s.ask(ctx, swayOutputs, "", &all); err != nil {
		return nil, err
	}
	for _, o := range all {
		if o.Active {
			list = append(list, desktop.Monitor{Name: o.Name, Bounds: o.Rect.rect(), Primary: len(list) == 0, Scale: o.Scale})
		}
	}
	return list, nil
}

// pointers counts the devices that move the pointer.
func (s sway) pointers(ctx context.Context) (n int, err error) {
	var all []struct{ Type string }
	if err := s.ask(ctx, swayInputs, "", &all); err != nil {
		return 0, err
	}
	for _, i := range all {
		if i.Type != "keyboard" && i.Type != "switch" {
			n++
		}
	}
	return n, nil
}

// swayNode is a node of the tree: an output, a workspace, a container or a window.
type swayNode struct {
	ID         int64
	Name       string
	Type       string
	Rect       swayRect
	WindowRect swayRect `json:"window_rect"` // what the application draws, in Rect
	DecoRect   swayRect `json:"deco_rect"`   // the title bar, in the parent; after collect on the screen
	Layout     string
	Border     string
	Focused    bool
	Visible    bool
	PID        int
	AppID      string `json:"app_id"`
	Shell      string
	Fullscreen int `json:"fullscreen_mode"`
	Properties struct {
		Class string
	} `json:"window_properties"`
	Nodes    []swayNode
	Floating []swayNode `json:"floating_nodes"`
}

func (s sway) foreign(ctx context.Context, id desktop.WindowID) (bool, error) {
	n, err := s.node(ctx, id)
	return n.Shell == "xwayland", err
}

// node returns the node of a window.
func (s sway) node(ctx context.Context, id desktop.WindowID) (swayNode, error) {
	all, err := s.nodes(ctx)
	if err != nil {
		return swayNode{}, err
	}
	i := slices.IndexFunc(all, func(n swayNode) bool { return desktop.WindowID(n.ID) == id })
	if i < 0 {
		return swayNode{}, fmt.Errorf("window %d: %w", id, desktop.ErrNotFound)
	}
	return all[i], nil
}

func (s sway) windows(ctx context.Context) (list []desktop.Window, err error) {
	all, err := s.nodes(ctx)
	slices.SortStableFunc(all, func(a, b swayNode) int { return cmp.Compare(min(a.Fullscreen, 1), min(b.Fullscreen, 1)) })
	for _, n := range all {
		list = append(list, n.window())
	}
	return list, err
}

// nodes returns the nodes of windows, from the bottom to the top, except that a fullscreen window
// has the place of a tiled one.
func (s sway) nodes(ctx context.Context) ([]swayNode, error) {
	var root swayNode
	err := s.ask(ctx, swayTree, "", &root)
	return root.collect(nil, 0), err
}

// collect appends the windows below a node to a list. The node has an area for title bars at its
// top, of a height that its rectangle is without.
func (n *swayNode) collect(list []swayNode, bars int) []swayNode {
	if n.PID != 0 {
		list = append(list, *n)
	}
	for _, kid := range slices.Concat(n.Nodes, n.Floating) {
		above := kid.DecoRect.Height
		if n.Layout == "stacked" {
			above *= len(n.Nodes)
		}
		kid.DecoRect.X += n.Rect.X
		kid.DecoRect.Y += n.Rect.Y - bars
		list = kid.collect(list, above)
	}
	return list
}

func (n *swayNode) window() desktop.Window {
	w := newWindow(n.PID, n.AppID, n.Properties.Class)
	w.ID, w.Title, w.Class, w.Active = desktop.WindowID(n.ID), n.Name, cmp.Or(n.AppID, n.Properties.Class), n.Focused
	w.Bounds, w.Content = n.Rect.rect(), n.WindowRect.rect()
	w.Content.X, w.Content.Y = w.Content.X+w.Bounds.X, w.Content.Y+w.Bounds.Y
	if bar := n.DecoRect.rect(); !bar.Empty() {
		w.Bounds = desktop.RectOf(w.Bounds.Image().Union(bar.Image()))
	}
	// A window that is about to show has a border that it is not drawn with yet, so that its
	// bounds are wrong.
	w.Hidden = !n.Visible || n.Border == "none" && n.WindowRect.X != 0
	return w
}

func (s sway) manage(ctx context.Context, w desktop.Window, m desktop.Manage) error {
	switch m.Do {
	case desktop.Activate, desktop.Restore:
		return s.command(ctx, w, "focus")
	case desktop.Close:
		return s.command(ctx, w, "kill")
	case desktop.Place:
		if n, err := s.node(ctx, w.ID); err != nil || n.Type != "floating_con" {
			return errors.Join(err, fmt.Errorf("the window %q is tiled, so sway places it; let it float first (swaymsg '[con_id=%d] floating enable'): %w", w.Title, w.ID, desktop.ErrRefused))
		}
		if err := s.command(ctx, w, fmt.Sprintf("resize set %d px %d px", m.Bounds.W, m.Bounds.H)); err != nil {
			return err
		}
		return s.command(ctx, w, fmt.Sprintf("move absolute position %d px %d px", m.Bounds.X, m.Bounds.Y))
	}
	return &desktop.MissingError{What: fmt.Sprintf("sway cannot %s a window", m.Do)}
}

// command runs a command of sway on a window.
func (s sway) command(ctx context.Context, w desktop.Window, command string) error {
	var answers []struct {
		Success bool
		Error   string
	}
	if err := s.ask(ctx, swayCommand, fmt.Sprintf("[con_id=%d] %s", w.ID, command), &answers); err != nil {
		return err
	}
	for _, a := range answers {
		if !a.Success {
			return fmt.Errorf("window %q: sway refused to %s: %w", w.Title, command, errors.Join(errors.New(a.Error), desktop.ErrRefused))
		}
	}
	return nil
}
