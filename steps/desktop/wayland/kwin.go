//go:build linux

package wayland

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
	"understudy/steps/desktop/wayland/wire"
)

// kwin is a compositor that runs scripts, asked over the session bus. One script is
// there as long as we are: what it is asked, it finds in the answer to a call of its
// own, so that a question takes one round trip.
type kwin struct {
	bus    *dbus.Conn
	peer   string // KWin's own name on the bus
	plugin string // what the script is called there
	conn   *wire.Conn

	asks chan *kwinAsk
	gone chan struct{} // closed by close
	mu   sync.Mutex
	now  *kwinAsk // what the script has been asked last; mu guards it
}

// kwinAsk is a question and where its answer goes.
type kwinAsk struct {
	text   string
	answer chan string // has capacity 1
}

const (
	kwinBus   = "org.kde.KWin"
	kwinPath  = "/understudy"
	kwinIface = "dev.understudy.KWin"
	// kwinRest is how long a call of the script is left without an answer: Qt gives
	// up after 25 s.
	kwinRest = 10 * time.Second
)

//go:embed kwin.js
var kwinScript string

// findKWin returns the placement of a compositor that is a process, or was started
// by it, and runs scripts of KWin.
func findKWin(ctx context.Context, pid int, folder string) (placement, error) {
	bus, peer, err := busOf(ctx, folder, kwinBus, pid)
	if err != nil {
		return nil, err
	}
	k := &kwin{bus: bus, peer: peer, plugin: "understudy" + strings.NewReplacer(":", "-", ".", "-").Replace(bus.Names()[0]), asks: make(chan *kwinAsk), gone: make(chan struct{})}
	if err := k.open(ctx); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// open starts the script.
func (k *kwin) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("KWin did not start the script that tells where windows are: %w", desktop.ErrUnresponsive))
	defer cancel()
	if err := k.bus.Export(kwinAnswers{k}, kwinPath, kwinIface); err != nil {
		return err
	}
	if err := k.run(ctx); err != nil {
		return &desktop.MissingError{What: fmt.Sprintf("KWin does not run the script that tells where windows are: %v", err), Wayland: true}
	}
	_, err := k.windows(ctx)
	return err
}

// run has KWin load and start the script.
func (k *kwin) run(ctx context.Context) error {
	f, err := os.CreateTemp("", "understudy-*.js")
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(strings.NewReplacer(`"BUS"`, `"`+k.bus.Names()[0]+`"`, `"PLUGIN"`, `"`+k.plugin+`"`).Replace(kwinScript))
	if err != nil {
		return err
	}
	defer time.AfterFunc(settle, func() { os.Remove(f.Name()) }) // KWin reads it later
	var id int32
	if err := k.scripting().CallWithContext(ctx, "org.kde.kwin.Scripting.loadScript", 0, f.Name(), k.plugin).Store(&id); err != nil {
		return err
	}
	for _, path := range []string{"/Scripting/Script%d", "/%d"} { // from version 6 on, and before
		if err = k.bus.Object(k.peer, dbus.ObjectPath(fmt.Sprintf(path, id))).CallWithContext(ctx, "org.kde.kwin.Script.run", 0).Err; err == nil {
			return nil
		}
	}
	return err
}

func (k *kwin) scripting() dbus.BusObject { return k.bus.Object(kwinBus, "/Scripting") }

func (k *kwin) close() {
	select {
	case <-k.gone:
		return
	default:
	}
	close(k.gone)
	ctx, cancel := context.WithTimeout(context.Background(), settle)
	defer cancel()
	_ = k.scripting().CallWithContext(ctx, "org.kde.kwin.Scripting.unloadScript", 0, k.plugin).Err // it may have ended
	k.bus.Close()
}

// kwinAnswers are the methods that the script calls.
type kwinAnswers struct{ *kwin }

// Next takes the answer to the question before, and returns the next one, or "" when
// none comes for a while.
func (k kwinAnswers) Next(from dbus.Sender, answer string) (string, *dbus.Error) {
	if string(from) != k.peer {
		return "", dbus.NewError("org.freedesktop.DBus.Error.AccessDenied", nil)
	}
	k.mu.Lock()
	if k.now != nil {
		k.now.answer <- answer
		k.now = nil
	}
	k.mu.Unlock()
	select {
	case ask := <-k.asks:
		k.mu.Lock()
		k.now = ask
		k.mu.Unlock()
		return ask.text, nil
	case <-time.After(kwinRest):
		return "", nil
	case <-k.gone:
		return "", dbus.NewError("org.freedesktop.DBus.Error.Disconnected", nil)
	}
}

// ask asks the script something and reads its answer.
func (k *kwin) ask(ctx context.Context, what any, answer any) error {
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("KWin does not answer: %w", desktop.ErrUnresponsive))
	defer cancel()
	ask := &kwinAsk{string(text), make(chan string, 1)}
	select {
	case k.asks <- ask:
	case <-k.bus.Context().Done():
		return fmt.Errorf("%w: the session bus has ended", desktop.ErrUnavailable)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var said struct {
		Answer json.RawMessage
		Error  string
	}
	select {
	case text := <-ask.answer:
		err = json.Unmarshal([]byte(text), &said)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err == nil && said.Error != "" {
		err = errors.New(said.Error)
	}
	if err == nil {
		err = json.Unmarshal(said.Answer, answer)
	}
	if err != nil {
		return fmt.Errorf("%w: asking KWin: %w", desktop.ErrUnavailable, err)
	}
	return nil
}

// kwinQuestion is what the script is asked.
type kwinQuestion struct {
	Ask string               `json:"ask"`
	ID  desktop.WindowID     `json:"id,omitempty"`
	Do  desktop.WindowAction `json:"do,omitempty"`
	To  [4]int               `json:"to"`
}

func (*kwin) name() string { return "KWin" }

func (k *kwin) pointer(ctx context.Context) (desktop.Point, error) {
	var at [2]int
	err := k.ask(ctx, kwinQuestion{Ask: "pointer"}, &at)
	return desktop.Point{X: at[0], Y: at[1]}, err
}

// kwinWindow is a window as the script tells it.
type kwinWindow struct {
	ID                             desktop.WindowID
	Title, Class, File             string
	PID                            int
	Frame, Buffer                  kwinBox
	Full, Active, Minimized, Modal bool
	Dialog, Splash, Popup, Tooltip bool
	Elsewhere                      bool
}

// kwinBox is x, y, width and height.
type kwinBox [4]float64

func (b kwinBox) rect() desktop.Rect {
	r := func(v float64) int { return int(math.Round(v)) }
	return desktop.Rect{X: r(b[0]), Y: r(b[1]), W: r(b[0]+b[2]) - r(b[0]), H: r(b[1]+b[3]) - r(b[1])}
}

func (k *kwin) all(ctx context.Context) (all []kwinWindow, err error) {
	err = k.ask(ctx, kwinQuestion{Ask: "windows"}, &all)
	return all, err
}

func (k *kwin) windows(ctx context.Context) (list []desktop.Window, err error) {
	all, err := k.all(ctx)
	for _, w := range all {
		if !isOurs(w.PID) {
			list = append(list, w.window())
		}
	}
	return list, err
}

// isOurs reports whether a process is this program: its windows are marks.
func isOurs(pid int) bool {
	if pid == os.Getpid() {
		return true
	}
	own, err := os.Stat("/proc/self/exe")
	other, err2 := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && err2 == nil && os.SameFile(own, other)
}

func (w kwinWindow) window() desktop.Window {
	made := desktop.Window{
		ID: w.ID, Title: w.Title, Class: w.Class, PID: w.PID, Process: desktop.ProcessName(w.PID),
		Aliases: append(desktop.ProcessAliases(w.PID), w.Class, w.File),
		Bounds:  w.Frame.rect(), Active: w.Active, Minimized: w.Minimized, Maximized: w.Full, Hidden: w.Elsewhere,
		Modal: w.Modal, Dialog: w.Dialog, Splash: w.Splash, Popup: w.Popup, Tooltip: w.Tooltip,
	}
	// What the application draws has a frame around it, or a shadow in it.
	made.Content = made.Bounds
	if drawn := made.Bounds.Intersect(w.Buffer.rect()); !drawn.Empty() {
		made.Content = drawn
	}
	return made
}

func (k *kwin) manage(ctx context.Context, w desktop.Window, m desktop.Manage) error {
	var found bool
	b := m.Bounds
	if err := k.ask(ctx, kwinQuestion{Ask: "manage", ID: w.ID, Do: m.Do, To: [4]int{b.X, b.Y, b.W, b.H}}, &found); err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("window %d: %w", w.ID, desktop.ErrNotFound)
	}
	return nil
}

// outputs are told by the protocol for it, which knows their places in points.
func (k *kwin) outputs(ctx context.Context) ([]desktop.Monitor, error) {
	return logicalOutputs(ctx, k.conn)
}

// logicalOutputs lists the outputs with their places in points.
func logicalOutputs(ctx context.Context, conn *wire.Conn) ([]desktop.Monitor, error) {
	manager, err := wire.BindXdgOutputManager(conn, 0)
	if err != nil {
		return nil, err
	}
	list := make([]desktop.Monitor, conn.Count("wl_output"))
	for i := range list {
		m := &list[i]
		m.Primary = i == 0
		output, err := wire.BindOutput(conn, i, wire.OutputEvents{
			Name: func(name string) { m.Name = name },
			Mode: func(flags uint32, width, _, _ int32) {
				const current = 1
				if flags&current != 0 {
					m.Scale = float64(width)
				}
			},
		})
		if err != nil {
			return nil, err
		}
		defer output.Release()
		logical := manager.GetXdgOutput(output, wire.XdgOutputEvents{
			LogicalPosition: func(x, y int32) { m.Bounds.X, m.Bounds.Y = int(x), int(y) },
			LogicalSize:     func(w, h int32) { m.Bounds.W, m.Bounds.H = int(w), int(h) },
		})
		defer logical.Destroy()
	}
	if err := conn.Sync(ctx); err != nil {
		return nil, err
	}
	for i := range list { // pixels for each point
		if list[i].Scale == 0 || list[i].Bounds.Empty() {
			list[i].Scale = 1
			continue
		}
		list[i].Scale /= float64(list[i].Bounds.W)
	}
	return list, nil
}

// equip gives a driver what KWin has no protocol of wlroots for.
func (k *kwin) equip(d *Driver, seat wire.Seat) {
	k.conn = d.conn
	input, err := newFakeInput(d, k, seat)
	d.pointer.mouse, d.pointer.missing = fakeMouse{input}, err
	d.keyboard.keys, d.keyboard.missing = fakeKeys{input}, err
	d.screen.camera, d.screen.missing = kwinCamera{k}, nil
}

func (k *kwin) extensions() map[string]bool {
	return map[string]bool{
		"org.kde.kwin.Scripting":       true,
		"org_kde_kwin_fake_input":      k.conn.Count("org_kde_kwin_fake_input") > 0,
		kwinShots:                      k.takesPictures(),
		"zwlr_data_control_manager_v1": k.conn.Count("zwlr_data_control_manager_v1") > 0,
		"zwlr_layer_shell_v1":          k.conn.Count("zwlr_layer_shell_v1") > 0,
	}
}

// takesPictures reports whether there is KWin's interface for pictures; who may use
// it is told when one is taken.
func (k *kwin) takesPictures() bool {
	_, err := k.bus.Object(kwinBus, "/org/kde/KWin/ScreenShot2").GetProperty(kwinShots + ".Version")
	return err == nil
}
