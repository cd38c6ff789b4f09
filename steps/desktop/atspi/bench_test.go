//go:build linux

package atspi

import (
	"fmt"
	"testing"

	"understudy/steps/desktop"
)

// BenchmarkTree compares readings of whole GTK 3 windows: one call at a time,
// as a simple client would; ours with nothing kept; and ours with what was
// kept, as long as the application says that nothing changed.
func BenchmarkTree(b *testing.B) {
	for _, nodes := range []int{205, 2_005} {
		s := openSandbox(b, nodes-16)
		c := s.desk.still(b)
		for _, full := range []bool{false, true} {
			scope := desktop.Scope{PID: s.Process.Pid, Hidden: true, Full: full}
			read := func(b *testing.B) {
				tree, err := c.Tree(b.Context(), scope)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				tree.Walk(func(*desktop.Element) bool { n++; return true })
				b.ReportMetric(float64(n), "nodes")
			}
			name := fmt.Sprintf("%d/%s", nodes, map[bool]string{false: "basic", true: "full"}[full])
			b.Run(name+"/naive", func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(float64(naive(b, c, s.Process.Pid, full)), "nodes")
				}
			})
			b.Run(name+"/cold", func(b *testing.B) {
				for b.Loop() {
					forget(c)
					read(b)
				}
			})
			b.Run(name+"/kept", func(b *testing.B) {
				read(b)
				for b.Loop() {
					read(b)
				}
			})
		}
	}
}

// forget drops what a client keeps.
func forget(c *Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.apps {
		a.mu.Lock()
		a.items = nil
		a.mu.Unlock()
	}
}

// naive reads an application one call at a time and counts its elements.
func naive(b *testing.B, c *Client, pid int, full bool) int {
	l, err := c.connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	apps, err := c.applications(b.Context(), l)
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range apps {
		if a.pid == pid {
			return naiveWalk(b, l, a.object, full)
		}
	}
	b.Fatal("the application is not there")
	return 0
}

func naiveWalk(b *testing.B, l *conn, o object, full bool) int {
	ask := func(method string, args ...any) []any {
		body, err := l.call(b.Context(), o, method, args...)
		if err != nil {
			b.Fatal(method, err)
		}
		return body
	}
	ask(ifaceProperties+".Get", ifaceAccessible, "Name")
	ask(ifaceAccessible + ".GetRole")
	ask(ifaceAccessible + ".GetState")
	offered := offersOf(first[[]string](ask(ifaceAccessible + ".GetInterfaces")))
	if full && offered&offersComponent != 0 {
		ask(ifaceComponent+".GetExtents", uint32(0))
	}
	if full && offered&offersAction != 0 {
		ask(ifaceAction + ".GetActions")
	}
	if full && offered&offersText != 0 {
		ask(ifaceText+".GetText", int32(0), int32(-1))
	}
	count := 1
	for _, child := range objectsOf(first[any](ask(ifaceAccessible + ".GetChildren"))) {
		count += naiveWalk(b, l, child, full)
	}
	return count
}

// BenchmarkLookup is one step's look at what shows of a window with 2,005
// elements, when nothing changed since the last one.
func BenchmarkLookup(b *testing.B) {
	s := openSandbox(b, 1_989)
	c := s.desk.still(b)
	if _, err := c.Tree(b.Context(), desktop.Scope{PID: s.Process.Pid}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Tree(b.Context(), desktop.Scope{PID: s.Process.Pid}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkElementAt(b *testing.B) {
	for _, x := range examples(b) {
		b.Run(x.name, func(b *testing.B) {
			d := onDesk(b, x.command[0])
			app := d.open(b, x.ready, x.command[0], x.command[1:]...)
			d.window(b, app)
			at := d.element(b, app, func(e *desktop.Element) bool { return x.ready(e) && !e.Bounds.Empty() }).Bounds.Center()
			c := d.still(b)
			for b.Loop() {
				if _, err := c.ElementAt(b.Context(), at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFocus saves and restores the focus. Making the window active is the
// window system's part and is left out.
func BenchmarkFocus(b *testing.B) {
	for _, x := range examples(b) {
		b.Run(x.name, func(b *testing.B) {
			d := onDesk(b, x.command[0])
			app := d.open(b, x.ready, x.command[0], x.command[1:]...)
			d.window(b, app)
			c := d.still(b)
			c.options.Activate = nil
			for b.Loop() {
				f, err := c.SaveFocus(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				if err := c.RestoreFocus(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
