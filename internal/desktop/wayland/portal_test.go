//go:build linux

package wayland_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// fakePortal is a portal with a person who allows everything, or does not answer.
type fakePortal struct {
	bus *dbus.Conn
	dir string

	mu     sync.Mutex     // guards the fields below
	silent bool           // the person does not answer
	stuck  chan struct{}  // until it is closed, input is not answered
	heard  []string       // the calls, without their constant arguments
	wanted map[string]any // the options of SelectDevices
	clip   string         // the text that a program put on the clipboard
}

const (
	fakeName    = "org.freedesktop.portal.Desktop"
	fakePath    = dbus.ObjectPath("/org/freedesktop/portal/desktop")
	fakeSession = dbus.ObjectPath("/org/freedesktop/portal/desktop/session/a/b")
)

// startPortal puts a portal on the bus of a session, with a version of the interface for remote
// desktops.
func startPortal(t *testing.T, s *virtualtest.Session, version uint32) *fakePortal {
	t.Helper()
	bus, err := dbus.Connect(s.Bus)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	p := &fakePortal{bus: bus, dir: t.TempDir()}
	number := func(n uint32) *prop.Prop { return &prop.Prop{Value: n} }
	_, err = prop.Export(bus, fakePath, prop.Map{
		"org.freedesktop.portal.RemoteDesktop": {"version": number(version), "AvailableDeviceTypes": number(7)},
		"org.freedesktop.portal.Screenshot":    {"version": number(2)},
		"org.freedesktop.portal.Clipboard":     {"version": number(1)},
	})
	for _, iface := range []string{"RemoteDesktop", "ScreenCast", "Screenshot", "Clipboard"} {
		err = errors.Join(err, bus.Export(p, fakePath, "org.freedesktop.portal."+iface))
	}
	_, taken := bus.RequestName(fakeName, dbus.NameFlagDoNotQueue)
	if err := errors.Join(err, taken); err != nil {
		t.Fatal(err)
	}
	return p
}

// told returns the calls since the last time.
func (p *fakePortal) told() (heard []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	heard, p.heard = p.heard, nil
	return heard
}

// with calls f, which accesses the fields.
func (p *fakePortal) with(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

type fakeOptions = map[string]dbus.Variant

// answer answers a request as a person who allows it does.
func (p *fakePortal) answer(from dbus.Sender, o fakeOptions, results fakeOptions) (dbus.ObjectPath, *dbus.Error) {
	token, _ := o["handle_token"].Value().(string)
	path := dbus.ObjectPath("/org/freedesktop/portal/desktop/request/" + strings.NewReplacer(":", "", ".", "_").Replace(string(from)) + "/" + token)
	_ = p.bus.Emit(path, "org.freedesktop.portal.Request.Response", uint32(0), results)
	return path, nil
}

func (p *fakePortal) CreateSession(from dbus.Sender, o fakeOptions) (dbus.ObjectPath, *dbus.Error) {
	return p.answer(from, o, fakeOptions{"session_handle": dbus.MakeVariant(string(fakeSession))})
}

func (p *fakePortal) SelectDevices(from dbus.Sender, _ dbus.ObjectPath, o fakeOptions) (dbus.ObjectPath, *dbus.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = map[string]any{}
	for name, v := range o {
		if name != "handle_token" {
			p.wanted[name] = v.Value()
		}
	}
	return p.answer(from, o, nil)
}

func (p *fakePortal) SelectSources(from dbus.Sender, _ dbus.ObjectPath, o fakeOptions) (dbus.ObjectPath, *dbus.Error) {
	return p.answer(from, o, nil)
}

func (p *fakePortal) RequestClipboard(session dbus.ObjectPath, _ fakeOptions) *dbus.Error {
	go func() { // programs copy something meanwhile
		for range 20 {
			_ = p.bus.Emit(fakePath, "org.freedesktop.portal.Clipboard.SelectionOwnerChanged", session, fakeOptions{})
		}
	}()
	return nil
}

func (p *fakePortal) Start(from dbus.Sender, _ dbus.ObjectPath, _ string, o fakeOptions) (dbus.ObjectPath, *dbus.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent {
		return "/org/freedesktop/portal/desktop/request/a/b", nil
	}
	before, _ := p.wanted["restore_token"].(string)
	type pair struct{ X, Y int32 }
	type stream struct {
		Node  uint32
		About fakeOptions
	}
	about := fakeOptions{"position": dbus.MakeVariant(pair{640, 0}), "size": dbus.MakeVariant(pair{640, 480})}
	granted := fakeOptions{"devices": dbus.MakeVariant(uint32(3)), "clipboard_enabled": dbus.MakeVariant(true), "streams": dbus.MakeVariant([]stream{{7, about}})}
	if p.wanted["persist_mode"] != nil {
		granted["restore_token"] = dbus.MakeVariant(before + "token")
	}
	return p.answer(from, o, granted)
}

func (p *fakePortal) Screenshot(from dbus.Sender, _ string, o fakeOptions) (dbus.ObjectPath, *dbus.Error) {
	f, err := os.Create(filepath.Join(p.dir, "shot.png"))
	if err == nil {
		err = errors.Join(png.Encode(f, image.NewRGBA(image.Rect(0, 0, 1280, 480))), f.Close())
	}
	if err != nil {
		return "", dbus.MakeFailedError(err)
	}
	return p.answer(from, o, fakeOptions{"uri": dbus.MakeVariant("file://" + f.Name())})
}

func (p *fakePortal) hear(what string, args ...any) *dbus.Error {
	var stuck chan struct{}
	if p.with(func() { stuck = p.stuck }); stuck != nil {
		<-stuck
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = append(p.heard, what+" "+fmt.Sprint(args...))
	return nil
}

func (p *fakePortal) NotifyPointerMotionAbsolute(_ dbus.ObjectPath, _ fakeOptions, node uint32, x, y float64) *dbus.Error {
	return p.hear("move", node, x, y)
}

func (p *fakePortal) NotifyPointerButton(_ dbus.ObjectPath, _ fakeOptions, button int32, down uint32) *dbus.Error {
	return p.hear("button", button, down)
}

func (p *fakePortal) NotifyPointerAxisDiscrete(_ dbus.ObjectPath, _ fakeOptions, axis uint32, steps int32) *dbus.Error {
	return p.hear("turn", axis, steps)
}

func (p *fakePortal) NotifyKeyboardKeycode(_ dbus.ObjectPath, _ fakeOptions, code int32, down uint32) *dbus.Error {
	return p.hear("key", code, down)
}

func (p *fakePortal) SetSelection(session dbus.ObjectPath, o fakeOptions) *dbus.Error {
	kinds, _ := o["mime_types"].Value().([]string)
	_ = p.bus.Emit(fakePath, "org.freedesktop.portal.Clipboard.SelectionTransfer", session, kinds[0], uint32(5))
	return nil
}

func (p *fakePortal) SelectionWrite(dbus.ObjectPath, uint32) (dbus.UnixFD, *dbus.Error) {
	f, err := os.Create(filepath.Join(p.dir, "written"))
	if err != nil {
		return 0, dbus.MakeFailedError(err)
	}
	return dbus.UnixFD(f.Fd()), nil
}

func (p *fakePortal) SelectionWriteDone(_ dbus.ObjectPath, serial uint32, done bool) *dbus.Error {
	return p.hear("written", serial, done)
}

func (p *fakePortal) SelectionRead(_ dbus.ObjectPath, kind string) (dbus.UnixFD, *dbus.Error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, dbus.MakeFailedError(err)
	}
	p.with(func() { _, _ = w.WriteString(p.clip + " as " + kind) })
	_ = w.Close()
	return dbus.UnixFD(r.Fd()), nil
}

// fixedFrames are the windows that applications report.
type fixedFrames []desktop.Window

func (f fixedFrames) FrameWindows(context.Context) ([]desktop.Window, error) {
	return slices.Clone(f), nil
}

func (fixedFrames) Close() error { return nil }

// byPortal returns the options for a session that is operated by the portal alone.
func byPortal(s *virtualtest.Session, token string, asks func(string), windows ...desktop.Window) wayland.Options {
	frames := func(context.Context) (wayland.FrameLister, error) { return fixedFrames(windows), nil }
	return wayland.Options{Display: s.Wayland, Portal: wayland.Portal{Frames: frames, Only: true, Token: token, Asks: asks}}
}

// A permission is kept, if the portal supports that, and not asked for again.
func TestThePortalKeepsWhatWasAllowed(t *testing.T) {
	for _, row := range []struct {
		version             uint32
		first, second, kept any
	}{
		{1, map[string]any{"types": uint32(3)}, map[string]any{"types": uint32(3)}, ""},
		{2, map[string]any{"types": uint32(3), "persist_mode": uint32(2)}, map[string]any{"types": uint32(3), "persist_mode": uint32(2), "restore_token": "token"}, "tokentoken"},
	} {
		t.Run(fmt.Sprint(row.version), func(t *testing.T) {
			s := virtualtest.StartSway(t, "xwayland disable")
			s.Enter(t)
			p := startPortal(t, s, row.version)
			file := filepath.Join(t.TempDir(), "folder", "token")
			for _, want := range []any{row.first, row.second} {
				d, err := wayland.Open(t.Context(), byPortal(s, file, func(string) {}))
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
				p.with(func() {
					if diff := cmp.Diff(want, any(p.wanted)); diff != "" {
						t.Errorf("it was asked for (-want +got):\n%s", diff)
					}
				})
			}
			kept, err := os.ReadFile(file)
			if string(kept) != row.kept || (err != nil) != (row.version == 1) {
				t.Errorf("kept was %q (%v), want %q", kept, err, row.kept)
			}
			if i, err := os.Stat(file); err == nil && i.Mode().Perm() != 0o600 {
				t.Errorf("the token can be read by others: %v", i.Mode())
			}
		})
	}
}

// Input goes to the monitor that was shared, the files of pictures are removed, and the clipboard
// works both ways.
func TestThePortalIsSeenAndTouched(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "output HEADLESS-1 resolution 640x480 position 0 0", "output HEADLESS-2 resolution 640x480 position 640 0")
	s.Enter(t)
	if _, err := s.Message("create_output"); err != nil {
		t.Fatal(err)
	}
	p := startPortal(t, s, 1)
	other, err := wayland.Open(t.Context(), wayland.Options{Display: s.Wayland}) // its keyboard is that of the session
	if err == nil {
		err = other.Do(t.Context(), desktop.Type{Text: "x"})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var asked []string
	windows := []desktop.Window{
		{ID: 1, Title: "behind", PID: 1 << 30, Unplaced: desktop.Size{W: 300, H: 200}},
		{ID: 2, Title: "in front", PID: 1<<30 + 1, Unplaced: desktop.Size{W: 640, H: 480}, Active: true},
	}
	driver, err := wayland.Open(t.Context(), byPortal(s, filepath.Join(t.TempDir(), "token"), func(text string) { asked = append(asked, text) }, windows...))
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	d := driver.Desktop()
	if len(asked) != 1 || !strings.Contains(asked[0], wayland.ConsentWithin.String()) {
		t.Errorf("it was said %q, want once, and how long is waited", asked)
	}
	var missing *desktop.MissingError
	if _, err := d.PointerPosition(t.Context()); !errors.As(err, &missing) {
		t.Errorf("the place of the pointer: %v, want that nobody tells", err)
	}
	if err := d.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 10, Y: 10}}); !errors.As(err, &missing) {
		t.Errorf("a move to a monitor that was not shared: %v, want it refused", err)
	}
	p.told()
	for _, a := range []desktop.Action{
		desktop.Click{At: desktop.Point{X: 740, Y: 200}, Button: desktop.Left},
		desktop.Scroll{DY: -1},
		desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "s"}},
		desktop.Type{Text: "Hi"},
	} {
		if err := d.Do(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"move 7 100 200", "button 272 1", "button 272 0", "turn 0 -1", "key 29 1", "key 31 1", "key 31 0", "key 29 0", "key 42 1", "key 35 1", "key 35 0", "key 42 0", "key 23 1", "key 23 0"}
	if diff := cmp.Diff(want, p.told()); diff != "" {
		t.Errorf("the portal heard (-want +got):\n%s", diff)
	}
	if at, err := d.PointerPosition(t.Context()); err != nil || at != (desktop.Point{X: 740, Y: 200}) {
		t.Errorf("the pointer is said to be at %s, %v", at, err)
	}
	all, err := d.Windows(t.Context())
	if err != nil || len(all) != 2 || !all[0].Bounds.Empty() || !all[1].Bounds.Empty() || all.PressedAt(desktop.Point{X: 740, Y: 200}) != nil {
		t.Errorf("the windows are %+v, %v, want none with a place: two monitors have the size", all, err)
	}
	if err := d.Do(t.Context(), desktop.Manage{Window: 1, Do: desktop.Activate}); !errors.As(err, &missing) {
		t.Errorf("a window was activated: %v", err)
	}
	if err := d.Do(t.Context(), desktop.WriteClipboard{Text: "ours"}); err != nil {
		t.Error(err)
	}
	if text, err := d.ReadClipboard(t.Context()); err != nil || text != "ours" {
		t.Errorf("the clipboard holds %q, %v", text, err)
	}
	p.with(func() { p.clip = "theirs" })
	before := "ours"
	for _, row := range []struct {
		types []string
		want  string
	}{{[]string{"text/html", "text/plain"}, "theirs as text/plain"}, {[]string{}, ""}} {
		about := fakeOptions{"mime_types": dbus.MakeVariant(row.types), "session_is_owner": dbus.MakeVariant(false)}
		if err := p.bus.Emit(fakePath, "org.freedesktop.portal.Clipboard.SelectionOwnerChanged", fakeSession, about); err != nil {
			t.Fatal(err)
		}
		for text := before; text == before; {
			if text, err = d.ReadClipboard(t.Context()); err != nil || text != before && text != row.want {
				t.Fatalf("the clipboard holds %q (%v), want %q", text, err, row.want)
			}
		}
		before = row.want
	}
	if picture, err := d.Capture(t.Context(), desktop.Rect{X: 640, W: 70, H: 60}); err != nil || picture.Rect.Dx() != 70 || picture.Rect.Dy() != 60 {
		t.Errorf("a picture: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(p.dir, "shot*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	if err := p.bus.Emit(fakeSession, "org.freedesktop.portal.Session.Closed", fakeOptions{}); err != nil {
		t.Fatal(err)
	}
	for driver.Ping(t.Context()) == nil {
	}
	p.told()
	err = d.Do(t.Context(), desktop.Click{At: desktop.Point{X: 740, Y: 200}, Button: desktop.Left})
	if told := p.told(); !errors.As(err, &missing) || len(told) != 0 {
		t.Errorf("after the person ended it: %v, and the portal heard %v", err, told)
	}
}

// The scale of an output is that of its pixels, also if it is turned.
func TestATurnedOutputKeepsItsScale(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 640x480 scale 2 transform 90")
	s.Enter(t)
	startPortal(t, s, 1)
	o := byPortal(s, "", nil)
	o.Portal.Look = true
	d, err := wayland.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	monitors, err := d.Desktop().Monitors(t.Context())
	if err != nil || len(monitors) != 1 || monitors[0].Scale != 2 || monitors[0].Bounds != (desktop.Rect{W: 240, H: 320}) {
		t.Errorf("got %+v, %v, want 240x320 in a scale of 2", monitors, err)
	}
}

// Input that the portal does not answer is given up, and so is the session.
func TestAStuckPortalIsGivenUp(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable")
	s.Enter(t)
	p, stuck := startPortal(t, s, 1), make(chan struct{})
	defer close(stuck)
	other, err := wayland.Open(t.Context(), wayland.Options{Display: s.Wayland}) // its keyboard is that of the session
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	d, err := wayland.Open(t.Context(), byPortal(s, filepath.Join(t.TempDir(), "token"), func(string) {}))
	if err != nil {
		t.Fatal(err)
	}
	p.with(func() { p.stuck = stuck })
	done := make(chan error, 1)
	go func() {
		done <- d.Do(t.Context(), desktop.Scroll{DY: 1})
		done <- d.Close()
	}()
	for _, row := range []struct {
		what string
		want error
	}{{"turning the wheel", desktop.ErrUnresponsive}, {"the end", nil}} {
		select {
		case err := <-done:
			if !errors.Is(err, row.want) {
				t.Errorf("%s: %v, want %v", row.what, err, row.want)
			}
		case <-time.After(time.Until(scratch.Deadline(t))):
			t.Fatalf("%s never returned", row.what)
		}
	}
}

// Nobody is asked unless that is permitted, and the wait for a person who does not answer ends with
// the context of the caller.
func TestThePortalAsksOnlyWhenItMay(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable")
	s.Enter(t)
	p := startPortal(t, s, 2)
	p.with(func() { p.silent = true })
	var missing *desktop.MissingError
	if _, err := wayland.Open(t.Context(), byPortal(s, "", nil)); !errors.As(err, &missing) || !missing.Wayland {
		t.Errorf("got %v, want that nobody is asked", err)
	}
	o := byPortal(s, "", nil)
	o.Portal.Look = true
	d, err := wayland.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if found, err := d.Extensions(t.Context()); err != nil || !found["org.freedesktop.portal.RemoteDesktop"] || d.Consent() == "" {
		t.Errorf("it found %v (%v), and says %q of consent", found, err, d.Consent())
	}
	if err := d.Do(t.Context(), desktop.MovePointer{}); !errors.As(err, &missing) {
		t.Errorf("it was used: %v", err)
	}
	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := wayland.Open(ctx, byPortal(s, "", func(string) { cancel(given) })); !errors.Is(err, given) {
		t.Errorf("got %v, want that it was given up", err)
	}
}
