//go:build linux

package atspi

import (
	"fmt"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
)

// BenchmarkTree compares readings of whole windows: one call at a time, as a
// simple client would; by pyatspi with nothing kept, and with what it keeps;
// ours with nothing kept; and ours with what was kept, as long as the
// application says that nothing changed. GTK 3 tells of itself in one call; Qt
// is asked, with many calls in flight.
func BenchmarkTree(b *testing.B) {
	for _, nodes := range []int{205, 2_005} {
		s := openSandbox(b, nodes-besideRows)
		benchmarkTree(b, fmt.Sprint(nodes), s.desk, s.Process.Pid, nodes)
	}
	d := onDesk(b, "qt6ct")
	app := d.open(b, named("button", "Apply"), "qt6ct")
	tree, err := d.client.Tree(b.Context(), desktop.Scope{PID: app.Process.Pid, Hidden: true})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkTree(b, "qt6", d, app.Process.Pid, count(tree))
}

// benchmarkTree measures readings of one application with so many elements.
func benchmarkTree(b *testing.B, name string, d *desk, pid, nodes int) {
	c := d.still(b)
	for _, depth := range []string{"basic", "full"} {
		scope := desktop.Scope{PID: pid, Hidden: true, Full: depth == "full"}
		read := func(b *testing.B) {
			tree, err := c.Tree(b.Context(), scope)
			if err != nil {
				b.Fatal(err)
			}
			wants(b, nodes, count(tree))
		}
		b.Run(name+"/"+depth+"/naive", func(b *testing.B) {
			for b.Loop() {
				wants(b, nodes, naive(b, c, pid, scope.Full))
			}
		})
		benchmarkPyatspi(b, name+"/"+depth, pid, nodes, depth)
		b.Run(name+"/"+depth+"/cold", func(b *testing.B) {
			for b.Loop() {
				forget(c)
				read(b)
			}
		})
		b.Run(name+"/"+depth+"/kept", func(b *testing.B) {
			read(b)
			for b.Loop() {
				read(b)
			}
		})
	}
}

// besideRows is how many elements a sandbox has beside its rows.
const besideRows = 14

// wants ends a benchmark in which somebody else was measured than was meant.
func wants(b *testing.B, want, got int) {
	b.Helper()
	if got != want {
		b.Fatalf("%d elements, want %d", got, want)
	}
}

// forget drops what a client keeps.
func forget(c *Client) {
	for _, a := range c.apps.find(func(*application) bool { return true }) {
		a.cache.mu.Lock()
		a.cache.items = nil
		a.cache.mu.Unlock()
	}
}

// naive reads an application one call at a time and counts its elements.
func naive(b *testing.B, c *Client, pid int, full bool) int {
	q, err := c.query(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	apps, err := q.applications()
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range apps {
		if a.pid == pid {
			return naiveWalk(b, q.bus, a.object, full) - 1 // itself
		}
	}
	b.Fatal("the application is not there")
	return 0
}

func naiveWalk(b *testing.B, l *busConn, o object, full bool) int {
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

// BenchmarkLookup finds one of 2,005 elements by its role and name, the last
// one, and sees that it is the only one: by pyatspi with nothing kept, and with
// what it keeps; ours with nothing kept, and with what was kept. "shown" looks
// only at what shows, as a step does first.
func BenchmarkLookup(b *testing.B) {
	const nodes = 2_005
	s := openSandbox(b, nodes-besideRows)
	c := s.desk.still(b)
	last := fmt.Sprintf("Button %d", nodes-besideRows-1)
	look := func(b *testing.B, name string, hidden bool) {
		tree, err := c.Tree(b.Context(), desktop.Scope{PID: s.Process.Pid, Hidden: hidden})
		if err != nil {
			b.Fatal(err)
		}
		wants(b, 1, len(selector.MustParse("role:button && name:"+name).Find(tree.Roots)))
	}
	benchmarkPyatspi(b, "all", s.Process.Pid, 1, "find", last)
	b.Run("all/cold", func(b *testing.B) {
		for b.Loop() {
			forget(c)
			look(b, last, true)
		}
	})
	b.Run("all/kept", func(b *testing.B) {
		look(b, last, true)
		for b.Loop() {
			look(b, last, true)
		}
	})
	b.Run("shown/kept", func(b *testing.B) {
		look(b, "Button 0", false)
		for b.Loop() {
			look(b, "Button 0", false)
		}
	})
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
				if err := c.Do(b.Context(), desktop.RestoreFocus{State: f}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRefresh reads one element again, as a step does before it acts.
func BenchmarkRefresh(b *testing.B) {
	for _, x := range examples(b) {
		b.Run(x.name, func(b *testing.B) {
			d := onDesk(b, x.command[0])
			app := d.open(b, x.ready, x.command[0], x.command[1:]...)
			d.window(b, app)
			h := d.element(b, app, x.ready).Handle
			c := d.still(b)
			for b.Loop() {
				if _, err := c.Refresh(b.Context(), h); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
