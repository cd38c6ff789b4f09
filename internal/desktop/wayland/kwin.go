//go:build linux

package wayland

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// kwin is a compositor that runs scripts. One script of ours runs as long as we are connected:
// it calls a method of ours on the session bus, and our reply is the next question, so that a
// question takes one round trip.
type kwin struct {
	bus    *dbus.Conn
	peer   string // the unique name of KWin on the bus
	plugin string // the name of the script in KWin
	protocolOutputs

	asks chan *kwinAsk
	last chan *kwinAsk // the question that the script answers next; has capacity 1
}

// kwinAsk is a question with a channel for its answer.
type kwinAsk struct {
	text   string
	answer chan string // has capacity 1
}

const (
	kwinBus   = "org.kde.KWin"
	kwinPath  = "/understudy"
	kwinIface = "dev.understudy.KWin"
	// kwinRest is how long a call of the script waits for a question: Qt gives up after 25 s.
	kwinRest = 10 * time.Second
)

//go:embed kwin.js
var kwinScript string

// findKWin returns the placement of a compositor with a process ID, or started by that process,
// if it is KWin.
func findKWin(ctx context.Context, pid int, folder string) (placement, error) {
	bus, peer, err := busOf(ctx, folder, kwinBus, pid)
	if err != nil {
		return nil, err
	}
	k := &kwin{bus: bus, peer: peer, plugin: "understudy" + strings.NewReplacer(":", "-", ".", "-").Replace(bus.Names()[0]), asks: make(chan *kwinAsk), last: make(chan *kwinAsk, 1)}
	if err := k.open(ctx); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// open starts the script.
func (k *kwin) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("KWin did not start the script that reports where windows are: %w", desktop.ErrUnresponsive))
	defer cancel()
	if err := k.bus.Export(kwinAnswers{k}, kwinPath, kwinIface); err != nil {
		return err
	}
	file, err := k.run(ctx)
	defer os.Remove(file) // the script has been read when it answers
	if err != nil {
		return &desktop.MissingError{What: fmt.Sprintf("KWin does not run the script that reports where windows are: %v", err), Wayland: true}
	}
	_, err = k.windows(ctx)
	return err
}

// run loads and starts the script from a file.
func (k *kwin) run(ctx context.Context) (file string, err error) {
	f, err := os.CreateTemp("", "understudy-*.js")
	if err != nil {
		return "", err
	}
	defer f.Close()
	file = f.Name()
	_, err = f.WriteString(strings.NewReplacer(`"BUS"`, `"`+k.bus.Names()[0]+`"`, `"PLUGIN"`, `"`+k.plugin+`"`).Replace(kwinScript))
	if err != nil {
		return file, err
	}
	var id int32
	if err := k.scripting().CallWithContext(ctx, "org.kde.kwin.Scripting.loadScript", 0, file, k.plugin).Store(&id); err != nil {
		return file, err
	}
	for _, path := range []string{"/Scripting/Script%d", "/%d"} { // since version 6, and before
		if err = k.bus.Object(k.peer, dbus.ObjectPath(fmt.Sprintf(path, id))).CallWithContext(ctx, "org.kde.kwin.Script.run", 0).Err; err == nil {
			return file, nil
		}
	}
	return file, err
}

func (k *kwin) scripting() dbus.BusObject { return k.bus.Object(kwinBus, "/Scripting") }

func (k *kwin) close() {
	ctx, cancel := context.WithTimeout(context.Background(), settle)
	defer cancel()
	_ = k.scripting().CallWithContext(ctx, "org.kde.kwin.Scripting.unloadScript", 0, k.plugin).Err // it may have ended
	k.bus.Close()
}

// kwinAnswers are the methods that the script calls.
type kwinAnswers struct{ *kwin }

// Next receives the answer to the last question and returns the next one, or "" if none comes
// for a while.
func (k kwinAnswers) Next(from dbus.Sender, answer string) (string, *dbus.Error) {
	if string(from) != k.peer {
		return "", dbus.NewError("org.freedesktop.DBus.Error.AccessDenied", nil)
	}
	select {
	case ask := <-k.last:
		ask.answer <- answer
	default:
	}
	select {
	case ask := <-k.asks:
		k.last <- ask
		return ask.text, nil
	case <-time.After(kwinRest):
		return "", nil
	case <-k.bus.Context().Done():
		return "", dbus.NewError("org.freedesktop.DBus.Error.Disconnected", nil)
	}
}

// ask asks the script a question and reads the answer.
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

// kwinQuestion is a question for the script.
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

func (k *kwin) windows(ctx context.Context) (list []desktop.Window, err error) {
	var all []windowInfo
	err = k.ask(ctx, kwinQuestion{Ask: "windows"}, &all)
	for _, w := range all {
		if !isOurs(w.PID) {
			list = append(list, w.window())
		}
	}
	return list, err
}

// isOurs reports whether a process runs this program, whose windows are marks.
func isOurs(pid int) bool {
	own, err := os.Stat("/proc/self/exe")
	other, err2 := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && err2 == nil && os.SameFile(own, other)
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

// protocolOutputs reads the outputs by the protocols for them.
type protocolOutputs struct{ conn *wire.Conn }

// outputs returns the outputs with their bounds in points.
func (p protocolOutputs) outputs(ctx context.Context) ([]desktop.Monitor, error) {
	manager, err := wire.BindXdgOutputManager(p.conn, 0)
	if err != nil {
		return nil, err
	}
	list := make([]desktop.Monitor, p.conn.Count("wl_output"))
	for i := range list {
		m := &list[i]
		m.Primary = i == 0
		output, err := wire.BindOutput(p.conn, i, wire.OutputEvents{
			Name: func(name string) { m.Name = name },
			Mode: func(flags uint32, width, height, _ int32) {
				const current = 1
				if flags&current != 0 {
					m.Scale = float64(max(width, height)) // the longer side, however the output is turned
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
	if err := p.conn.Sync(ctx); err != nil {
		return nil, err
	}
	for i := range list { // pixels per point
		if list[i].Scale == 0 || list[i].Bounds.Empty() {
			list[i].Scale = 1
			continue
		}
		list[i].Scale /= float64(max(list[i].Bounds.W, list[i].Bounds.H))
	}
	return list, nil
}

// equip uses the interfaces of KWin in place of the protocols of wlroots that it lacks.
func (k *kwin) equip(d *Driver, seat wire.Seat) {
	k.conn, d.extensions = d.conn, k.extensions
	input, err := newFakeInput(d, k, seat)
	d.pointer.mouse, d.pointer.missing = fakeMouse{input}, err
	keys := fakeKeys{input}
	d.keyboard.keys, d.keyboard.find, d.keyboard.missing = keys, keys.stroke, err
	d.screen.camera, d.screen.missing = kwinCamera{k}, nil
}

func (k *kwin) extensions() map[string]bool {
	// Whether we may use the interface for pictures shows only when one is taken.
	ctx, cancel := bounded()
	defer cancel()
	err := k.bus.Object(kwinBus, kwinShotsPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, kwinShots, "Version").Err
	found := map[string]bool{"org.kde.kwin.Scripting": true, kwinShots: err == nil}
	for _, name := range []string{"org_kde_kwin_fake_input", "zwlr_data_control_manager_v1", "zwlr_layer_shell_v1"} {
		found[name] = k.conn.Count(name) > 0
	}
	return found
}
