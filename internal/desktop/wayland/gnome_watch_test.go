//go:build linux

package wayland_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
	"understudy/internal/testing/virtualtest"
)

// While somebody watches, the mouse of a person is heard, and the keys if GNOME tells them without a
// screen reader. Our own input is left out.
func TestAtLengthGNOMEHearsAPerson(t *testing.T) {
	g := virtualtest.StartGNOME(t, 1)
	g.Enter(t)
	var monitor bool
	if err := g.Eval(&monitor, "global.context.get_debug_control?.().a11y_manager_without_access_control === false"); err != nil {
		t.Fatal(err)
	}
	if err := g.Eval(nil, "global.context.unsafe_mode = false"); err != nil { // that would let everybody listen
		t.Fatal(err)
	}
	d, person := open(t, g.Session), open(t, g.Session)
	began, heard := make(chan []desktop.InputType, 1), make(chan string, 1000)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- d.Watch(ctx, func(ev desktop.InputEvent) {
			switch ev.Type {
			case desktop.WatchBegan:
				began <- ev.Unreported
			case desktop.PointerMove, desktop.ButtonPress, desktop.ButtonRelease:
				heard <- fmt.Sprint(ev.Type, " ", ev.At, " ", ev.Button, ev.Mods)
			default:
				heard <- fmt.Sprintf("%s %s %q %v", ev.Type, ev.Key, ev.Text, ev.Mods)
			}
		})
	}()
	if unreported := <-began; !slices.Contains(unreported, desktop.WheelTurn) || slices.Contains(unreported, desktop.ButtonPress) || slices.Contains(unreported, desktop.KeyPress) == monitor {
		t.Fatalf("it is said that these are not reported: %v", unreported)
	}
	do := func(d *desktop.Desktop, all ...desktop.Action) {
		t.Helper()
		for _, a := range all {
			if err := d.Do(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
	}
	hears := func(want ...string) {
		t.Helper()
		var got []string
		for range want {
			got = append(got, <-heard)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("heard something else (-want +got):\n%s", diff)
		}
	}
	acts := func() {
		t.Helper()
		do(d, desktop.Click{At: desktop.Point{X: 200, Y: 200}, Button: desktop.Left, Count: 2}, desktop.Type{Text: "ours"}, desktop.MovePointer{To: desktop.Point{X: 400, Y: 300}})
	}
	acts()
	do(person, desktop.MovePointer{To: desktop.Point{X: 500, Y: 400}})
	hears("pointer_move 500,400 []")
	do(person, desktop.ButtonDown{Button: desktop.Right})
	hears("button_press 500,400 right[]")
	do(person, desktop.MovePointer{To: desktop.Point{X: 520, Y: 410}})
	hears("pointer_move 520,410 []")
	do(person, desktop.ButtonUp{Button: desktop.Right})
	hears("button_release 520,410 right[]")
	acts()
	if monitor {
		do(person, desktop.Press{Chord: desktop.Chord{Key: "s", Mods: []desktop.Key{desktop.Ctrl}}}, desktop.Type{Text: "A!"})
		hears(`key_press ctrl "" []`, `key_press s "" [ctrl]`, `key_release s "" [ctrl]`, `key_release ctrl "" []`,
			`key_press shift "" []`, `key_press a "A" [shift]`, `key_release a "" [shift]`, `key_press ! "!" []`, `key_release ! "" []`, `key_release shift "" []`)
		acts()
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the watch ended with %v", err)
	}
	do(person, desktop.MovePointer{To: desktop.Point{X: 600, Y: 500}})
	if len(heard) > 0 {
		t.Errorf("heard %q", <-heard)
	}
}

// Only the connection that asked gets signals, as long as it exists.
func TestAtLengthGNOMENotifiesOnlySubscribers(t *testing.T) {
	g := virtualtest.StartGNOME(t, 1)
	g.Enter(t)
	token, err := os.ReadFile(filepath.Join(g.Dir, "understudy-gnome"))
	if err != nil {
		t.Fatal(err)
	}
	join := func() (*dbus.Conn, dbus.BusObject, chan *dbus.Signal) {
		bus, err := dbus.Connect(g.Bus)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { bus.Close() })
		if err := bus.AddMatchSignal(dbus.WithMatchInterface("org.understudy.Desktop1")); err != nil {
			t.Fatal(err)
		}
		signals := make(chan *dbus.Signal, 1000)
		bus.Signal(signals)
		shell := bus.Object("org.gnome.Shell", "/org/understudy/Desktop")
		if err := shell.Call("org.understudy.Desktop1.Open", 0, string(token)).Err; err != nil {
			t.Fatal(err)
		}
		return bus, shell, signals
	}
	bus, shell, told := join()
	_, other, untold := join()
	if err := shell.Call("org.understudy.Desktop1.Watch", 0).Err; err != nil {
		t.Fatal(err)
	}
	driver, err := wayland.Open(t.Context(), wayland.Options{Display: g.Wayland})
	if err != nil {
		t.Fatal(err)
	}
	move := func(x int) {
		t.Helper()
		if err := driver.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: x, Y: 300}}); err != nil {
			t.Fatal(err)
		}
	}
	pointers := func(signals chan *dbus.Signal) (n int) {
		t.Helper()
		if err := other.Call("org.understudy.Desktop1.State", 0).Err; err != nil { // earlier signals have arrived then
			t.Fatal(err)
		}
		for len(signals) > 0 {
			if s := <-signals; strings.HasSuffix(s.Name, ".Pointer") {
				n++
			}
		}
		return n
	}
	move(300)
	if s := <-told; s.Name != "org.understudy.Desktop1.Pointer" {
		t.Errorf("got %v", s)
	}
	if n := pointers(untold); n > 0 {
		t.Errorf("who did not ask was told of %d moves", n)
	}
	bus.Close()
	move(500)
	if n := pointers(untold); n > 0 {
		t.Errorf("who did not ask was told of %d moves after the end of who did", n)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
	if err := other.Call("org.understudy.Desktop1.Watch", 0).Err; err != nil {
		t.Fatal(err)
	}
	if err := g.Eval(nil, `Main.extensionManager.disableExtension("understudy@understudy")`); err != nil {
		t.Fatal(err)
	}
	for s := range untold {
		if s.Name == "org.understudy.Desktop1.Ended" {
			break
		}
	}
}
