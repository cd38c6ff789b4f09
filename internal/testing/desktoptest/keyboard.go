package desktoptest

import (
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// writeIn clicks a field and types a text there.
func (k *kit) writeIn(field, text string) {
	k.Helper()
	k.click(k.middle(field))
	k.write(text)
	k.holds(field, text)
}

// focus gives a field the focus by a click, and waits until it has that: text that no key
// has may overtake a click, as it does not come as keys do.
func (k *kit) focus(field string) {
	k.Helper()
	k.click(k.middle(field))
	k.until("it has the focus", func() error { return k.has(k.element(field), desktop.Focused) })
}

func testType(k *kit) {
	k.writeIn("Name", `Ada Lovelace, 36: "(a+b)*c" <x@y.org> #1 & ~50% \o/ {[_^|']}`)
}

func testScripts(k *kit) {
	for _, text := range []string{"Grüße, Ærø, žluťoučký", "Ελληνικά", "Съешь ещё", "שלום", "日本語と漢字", "𝄞 and 🙂"} {
		k.focus("Body")
		k.write(text)
		k.holds("Body", text)
		k.press("ctrl+a delete")
		k.holds("Body", "")
	}
}

func testLongText(k *kit) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%d é ж; ", i)
	}
	k.focus("Name")
	k.write(b.String())
	k.holds("Name", b.String())
}

// testTypedIsRead moves the caret to the beginning at once, over the accessibility
// interface: keys that were not read yet would be inserted before the others.
func testTypedIsRead(k *kit) {
	k.focus("Name")
	saved, err := k.SaveFocus(k.Context())
	k.must(err)
	text := strings.Repeat("all of this in one go, ", 40) + "to the end"
	k.write(text)
	k.do(desktop.RestoreFocus{State: saved})
	k.holds("Name", text)
}

func testLines(k *kit) { k.writeIn("Body", "one\n\ttwo\n\nfour") }

func testEdit(k *kit) {
	k.writeIn("Name", "hello")
	k.press("home delete end backspace left")
	k.write("X")
	k.holds("Name", "elXl")
	k.press("shift+left shift+left")
	k.write("Y")
	k.holds("Name", "eYl")
	k.press("ctrl+a")
	k.write("z")
	k.holds("Name", "z")
}

func testTab(k *kit) {
	k.click(k.middle("Name"))
	k.press("tab")
	k.write("next")
	k.holds("Code", "next")
	k.press("shift+tab")
	k.write("back")
	k.holds("Name", "back")
}

func testSpace(k *kit) {
	k.do(desktop.GrabFocus{Element: k.element("OK").Handle})
	k.until("the button has the focus", func() error { return k.has(k.element("OK"), desktop.Focused) })
	k.press("space")
	k.hears("click", `click "OK"`)
}

func testReleaseAll(k *kit) {
	k.do(desktop.MovePointer{To: k.middle("Canvas")})
	k.do(desktop.KeyDown{Key: desktop.Shift})
	k.do(desktop.KeyDown{Key: "f7"})
	k.do(desktop.ButtonDown{Button: desktop.Left})
	k.hears("key", `key "shift" down`, `key "f7" down`)
	k.must(k.ReleaseAll(k.Context()))
	k.hears("press release", k.around(desktop.Left, "")...)
	k.until("both keys are up", func() error {
		up := k.received("key")[2:]
		slices.Sort(up)
		return same("then it heard", up, []string{`key "f7" up`, `key "shift" up`})
	})
}

// openMenu clicks the menu until its items can be clicked.
func (k *kit) openMenu() {
	k.Helper()
	k.click(k.middle("File"))
	k.hears("menu", `menu "File" open`)
	k.until("the item is at its place", func() error {
		e, err := k.ElementAt(k.Context(), k.middle("Save"))
		if err != nil {
			return err
		}
		return same("the element there", e.Name, "Save")
	})
}

func testMenu(k *kit) {
	k.openMenu()
	check(k, "the box of the item", k.element("Save").Bounds, k.box("Save"))
	k.press("escape")
	k.hears("menu", `menu "File" open`, `menu "File" closed`)
	k.until("the item does not show", func() error { return k.absent("Save") })
	k.hears("click")
}

func testMenuItem(k *kit) {
	k.openMenu()
	k.click(k.middle("Save"))
	k.hears("click menu", `menu "File" open`, `menu "File" closed`, `click "Save"`)
}
