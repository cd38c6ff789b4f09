package local_test

import (
	"maps"
	"os"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/desktoptest"
)

func TestMain(m *testing.M) { desktoptest.Main(m) }

const inMenu = "the application of the contract answers nothing while a menu is open"

// lacks are the sentences that this driver alone cannot hold.
var lacks = map[string]string{
	"a menu opens with a click and closes with escape": inMenu, "an item of an open menu is clicked like anything else": inMenu,
	"a drag moves from end to end":  "Windows joins the moves that a program has not read yet",
	"what is drawn anew is noticed": "Windows does not tell when something was drawn",
}

const letsGo = "Wine lets go of keys that no person holds when a button is pressed"

// wineLacks are those that Wine cannot hold.
var wineLacks = map[string]string{
	"held keys and buttons are released by ReleaseAll": letsGo,
	"a key that is held is held during a click":        letsGo,
}

func TestContract(t *testing.T) {
	d, err := local.Machine{}.Open(t.Context(), desktop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		s := &desktoptest.System{
			Desktop: d, App: desktoptest.StartNative(t), Lacks: maps.Clone(lacks),
			Launch: desktoptest.AnotherNative("Another"), Launched: "Another",
			Person: func(k desktop.Key) error { desktoptest.Hand{TB: t}.Presses(k); return nil },
		}
		if os.Getenv("UNDERSTUDY_WINE") != "" {
			maps.Copy(s.Lacks, wineLacks)
			s.Unseen = map[string]string{"File": "Wine tells the menus of a program to no other one"}
		}
		return s
	})
}
