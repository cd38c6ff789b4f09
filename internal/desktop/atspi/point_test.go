//go:build linux

package atspi

import (
	"errors"
	"strings"
	"testing"

	"understudy/internal/desktop"
)

// The middle of every control of an application is that control.
func TestAtLengthEveryControlIsFoundAtItsMiddle(t *testing.T) {
	d := onDesk(t)
	for _, x := range examples(t) {
		t.Run(x.name, func(t *testing.T) {
			onDesk(t, x.command[0])
			app := d.open(t, x.ready, x.command[0], x.command[1:]...)
			w := d.settle(t, app)
			c := d.still(t)
			tree, err := c.Tree(t.Context(), desktop.Scope{PID: app.Process.Pid, Full: true})
			if err != nil {
				t.Fatal(err)
			}
			asked, missed := 0, []string{}
			tree.Walk(func(e *desktop.Element) bool {
				n := &node{basics: basics{role: number16(e.RawRole)}}
				if !isControl(n) || e.Bounds.Empty() || e.Bounds.Intersect(w.Bounds) != e.Bounds || covered(e) {
					return true
				}
				asked++
				got, err := c.ElementAt(t.Context(), e.Bounds.Center())
				if err != nil {
					missed = append(missed, describe(e)+"  "+err.Error())
				} else if got.Handle != e.Handle {
					missed = append(missed, describe(e)+"  is "+describe(got))
				} else if got.Name != e.Name || got.Class != e.Class {
					t.Errorf("%s  is called %q of the class %q at its middle", describe(e), got.Name, got.Class)
				}
				return true
			})
			t.Logf("%d of %d", asked-len(missed), asked)
			if asked == 0 || len(missed)*20 > asked {
				t.Errorf("%d of %d controls are not at their middle:\n%s", len(missed), asked, strings.Join(missed, "\n"))
			}
		})
	}
}

// covered says whether another control in it is at the middle of an element.
func covered(e *desktop.Element) bool {
	over := false
	for _, c := range e.Children {
		c.Walk(func(i *desktop.Element) bool {
			over = over || isControl(&node{basics: basics{role: number16(i.RawRole)}}) && i.Bounds.Contains(e.Bounds.Center())
			return !over
		})
	}
	return over
}

// number16 is the number of a role by its name.
func number16(raw string) uint32 {
	for i, n := range roleNames {
		if n == raw {
			return uint32(i)
		}
	}
	return 0
}

func TestAPointOfNoWindowIsNotFound(t *testing.T) {
	d := onDesk(t)
	_, err := d.client.ElementAt(t.Context(), desktop.Point{X: -5, Y: -5})
	if !errors.Is(err, desktop.ErrNotFound) || !strings.Contains(err.Error(), "no window") {
		t.Errorf("%v, want %v that says that there is no window", err, desktop.ErrNotFound)
	}
}

func TestAPointInAnOpenMenuIsItsItem(t *testing.T) {
	d := onDesk(t, "mousepad")
	app := d.open(t, named("menu", "Help"), "mousepad", "--disable-server")
	d.settle(t, app)
	menu := d.element(t, app, named("menu", "File"))
	if err := d.client.Do(t.Context(), desktop.Invoke{Element: menu.Handle}); err != nil {
		t.Fatal(err)
	}
	var item *desktop.Element
	eventually(t, "the menu is open", func() bool {
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: app.Process.Pid, Full: true})
		if err != nil {
			t.Fatal(err)
		}
		item = find(tree, func(e *desktop.Element) bool { return strings.HasPrefix(e.Name, "Open...") && !e.Bounds.Empty() })
		return item != nil
	}, &item)
	for _, slow := range []bool{true, false} {
		setItemsSlow(t, d.client, app.Process.Pid, slow)
		got, err := d.client.ElementAt(t.Context(), item.Bounds.Center())
		if err != nil || got.Handle != item.Handle {
			t.Errorf("items are slow %v: %v, %v; want %v", slow, got, err, item)
		}
		if got != nil && (got.Window == 0 || got.Parent == nil) {
			t.Errorf("the item has window %v and parent %v", got.Window, got.Parent)
		}
	}
}

// A browser that answers a hit test with no object has nothing but the page there.
func TestAHitTestWithoutAnObjectIsThePage(t *testing.T) {
	page := &node{object: object{":1.1", "/page"}}
	p := &pageTest{walker: &walker{loader: loader{app: &application{object: object{":1.1", "/app"}}}}, page: page}
	if n, err := p.nodeOf(object{}); n != page || err != nil {
		t.Errorf("%v, %v, want the page", n, err)
	}
}

// setItemsSlow says whether the items of a process cost more than they save a hit test.
func setItemsSlow(t *testing.T, c *Client, pid int, slow bool) {
	t.Helper()
	q, err := c.query(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apps, err := q.ofProcess(pid)
	if err != nil || len(apps) != 1 {
		t.Fatalf("the applications of process %d: %v, %v; want one", pid, apps, err)
	}
	apps[0].cache.mu.Lock()
	defer apps[0].cache.mu.Unlock()
	apps[0].cache.slow = slow
}
