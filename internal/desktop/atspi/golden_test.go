//go:build linux

package atspi

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

var update = flag.Bool("update", false, "write the golden files anew")

// An example is a real application and what of its tree is compared.
type example struct {
	name    string
	command []string
	ready   func(*desktop.Element) bool
	want    func(*desktop.Element) bool
}

func examples(t testing.TB) []example {
	return []example{
		{
			"mousepad",
			[]string{"mousepad", "--disable-server"},
			named("menu", "Help"), roles("menubar", "menu", "text", "pagetab"),
		},
		{
			"galculator",
			[]string{"galculator"},
			named("togglebutton", "7"), roles("menubar", "menu", "button", "togglebutton", "text", "radiobutton"),
		},
		{
			"zenity-forms",
			[]string{"zenity", "--forms", "--title=New contact", "--text=Who is it?", "--add-entry=First name", "--add-entry=Last name", "--add-password=Secret"},
			named("button", "OK"), everything,
		},
		{
			"zenity-password",
			[]string{"zenity", "--password", "--username", "--title=Sign in"},
			named("button", "OK"), everything,
		},
		{
			"gtk3-widget-factory",
			[]string{"gtk3-widget-factory"},
			// Whether a list needs a scrollbar is decided anew by each layout.
			named("radiobutton", "Page 1"), func(e *desktop.Element) bool { return e.Role != "scrollbar" },
		},
		{
			"gtk4-widget-factory",
			[]string{"gtk4-widget-factory"},
			named("pagetab", "Page _1"), roles("frame", "button", "togglebutton", "checkbox", "combobox", "text", "password",
				"spinbutton", "slider", "pagetab", "pagetablist", "progressbar", "label", "switch"),
		},
		{
			"featherpad-qt5",
			[]string{"featherpad", "--standalone"},
			named("menuitem", "File"), roles("frame", "menubar", "menuitem", "toolbar", "button", "pagetab", "statusbar"),
		},
		{
			"qt6ct",
			[]string{"qt6ct"},
			named("button", "Apply"), everything,
		},
		{
			"chromium",
			chromium(t),
			named("button", "In the shadow"), func(e *desktop.Element) bool { return inside(e, "document") },
		},
	}
}

func everything(*desktop.Element) bool { return true }

// roles accepts elements by their roles.
func roles(list ...desktop.Role) func(*desktop.Element) bool {
	return func(e *desktop.Element) bool { return slices.Contains(list, e.Role) }
}

// inside says whether an element is, or is in, one with a role.
func inside(e *desktop.Element, role desktop.Role) bool {
	return e != nil && (e.Role == role || inside(e.Parent, role))
}

// chromium is the command line that shows the test page.
func chromium(t testing.TB) []string {
	return []string{
		"chromium", "--force-renderer-accessibility", "--no-sandbox", "--no-first-run", "--disable-gpu",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--user-data-dir=" + scratch.Dir(t), "--app=file://" + testFile(t, "page.html"),
	}
}

func TestTreesOfRealApplications(t *testing.T) {
	for _, x := range examples(t) {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			d := onDesk(t, x.command[0])
			c := d.open(t, x.ready, x.command[0], x.command[1:]...)
			golden(t, x.name+".golden", func() string {
				tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: c.Process.Pid, Full: true})
				if err != nil {
					t.Fatal(err)
				}
				return outline(tree, x.want)
			})
		})
	}
}

// golden reads until it finds what a file holds: an application lays out its windows bit
// by bit. With -update it reads until two readings in a row are the same, and writes that.
func golden(t *testing.T, name string, read func() string) {
	t.Helper()
	path := testFile(t, name)
	if *update {
		last := ""
		eventually(t, "the tree stays the same", func() bool {
			now := read()
			same := now == last
			last = now
			return same
		}, (*printed)(&last))
		if err := os.WriteFile(path, []byte(last), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	diff := ""
	eventually(t, name+" (-want +got)", func() bool {
		diff = cmp.Diff(string(want), read())
		return diff == ""
	}, (*printed)(&diff))
}

// printed is a text that is printed as it is.
type printed string

func (s *printed) String() string { return string(*s) }
