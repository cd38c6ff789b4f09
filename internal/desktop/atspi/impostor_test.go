//go:build linux

package atspi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// An impostor is a program on the accessibility bus whose answers a test chooses.
type impostor struct {
	*dbus.Conn
	root object
}

// objectRef is an object as the bus tells it.
type objectRef struct {
	Bus  string
	Path dbus.ObjectPath
}

// newImpostor connects a program that has a name of GTK 4 and these children. Each
// property is told once ready returns.
func newImpostor(t *testing.T, d *desk, ready func(property string), children ...objectRef) *impostor {
	t.Helper()
	c, err := dbus.Connect(must(d.client.connect(t.Context())).address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	p := &impostor{c, object{c.Names()[0], "/org/a11y/atspi/accessible/root"}}
	properties := map[string]any{"Name": "impostor", "ToolkitName": "GTK", "Version": "4.12.5", "ChildCount": int32(len(children))}
	for iface, methods := range map[string]map[string]any{
		ifaceProperties: {"Get": func(_, name string) (dbus.Variant, *dbus.Error) {
			ready(name)
			return dbus.MakeVariant(properties[name]), nil
		}},
		ifaceApplication: {"GetApplicationBusAddress": func() (string, *dbus.Error) { return "", nil }},
		ifaceAccessible:  {"GetChildren": func() ([]objectRef, *dbus.Error) { return children, nil }},
	} {
		if err := c.ExportMethodTable(methods, p.root.path, iface); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func atOnce(string) {}

// embed adds the impostor to the applications of the bus.
func (p *impostor) embed(t *testing.T) {
	t.Helper()
	if err := p.Object(everyone.bus, everyone.path).Call("org.a11y.atspi.Socket.Embed", 0, objectRef{p.root.bus, p.root.path}).Err; err != nil {
		t.Fatal(err)
	}
}

// What has told only a part of its toolkit in time is asked for all of it again.
func TestPartlyReadToolkitIsReadAgain(t *testing.T) {
	d := onDesk(t)
	told := make(chan struct{})
	p := newImpostor(t, d, func(property string) {
		if property == "Version" {
			<-told
		}
	})
	bus := must(d.client.connect(t.Context()))
	a := &application{object: p.root, process: "impostor"}
	if err := a.greet(t.Context(), bus, 100*time.Millisecond, true); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Fatalf("%v, want %v", err, desktop.ErrUnresponsive)
	}
	close(told)
	if err := a.greet(t.Context(), bus, time.Minute, true); err != nil {
		t.Fatal(err)
	}
	if got, want := a.toolkit(), (toolkit{"gtk4", 12}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The bus ends a connection that sends to a name that cannot be.
func TestAnObjectOfNobodyHarmsNobody(t *testing.T) {
	d := onDesk(t)
	for _, bus := range []string{"", ":", ":1..2", "nobody", "a b.c", "1.c", "a..b", strings.Repeat("a.", 200) + "a"} {
		c := d.another(t)
		before := must(c.connect(t.Context()))
		p := newImpostor(t, d, atOnce, objectRef{bus, "/org/a11y/atspi/accessible/1"})
		p.embed(t)
		if _, err := c.Tree(t.Context(), desktop.Scope{}); err != nil {
			t.Errorf("%q: %v", bus, err)
		}
		if must(c.connect(t.Context())) != before {
			t.Errorf("%q: the bus ended the connection", bus)
		}
		p.Close()
	}
	for _, bus := range []string{":1.2", ":1.34567", "org.a11y.atspi.Registry", "webkit.py.Sandboxed.WebProcess-1b-c_d"} {
		if o := objectOf([]any{bus, dbus.ObjectPath("/a")}); o.none() {
			t.Errorf("%q counts as nobody", bus)
		}
	}
}
