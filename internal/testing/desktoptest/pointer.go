package desktoptest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// corners returns two corners of the canvas and its middle, on the screen and in
// the canvas.
func (k *kit) corners() (screen, canvas []desktop.Point) {
	k.Helper()
	box := k.box("Canvas")
	canvas = []desktop.Point{{X: 0, Y: 0}, {X: box.W / 2, Y: box.H / 2}, {X: box.W - 1, Y: box.H - 1}}
	for _, p := range canvas {
		screen = append(screen, desktop.Point{X: box.X + p.X, Y: box.Y + p.Y})
	}
	return screen, canvas
}

func testMove(k *kit) {
	k.do(desktop.MovePointer{To: k.middle("OK")}) // out of the canvas
	screen, canvas := k.corners()
	k.must(k.App.Do("reset"))
	var want []string
	for i, at := range screen {
		k.do(desktop.MovePointer{To: at})
		got, err := k.PointerPosition(k.Context())
		k.must(err)
		check(k, "the pointer", got, at)
		want = append(want, fmt.Sprintf(`move "Canvas" at %s`, canvas[i]))
		k.hears("move", want...)
	}
}

func testClickLands(k *kit) {
	screen, canvas := k.corners()
	var want []string
	for i, at := range screen {
		k.click(at)
		want = append(want, fmt.Sprintf(`press "Canvas" left at %s`, canvas[i]), fmt.Sprintf(`release "Canvas" left at %s`, canvas[i]))
		k.hears("press release", want...)
	}
}

func testClickOnce(k *kit) {
	k.click(k.middle("OK"))
	k.click(k.middle("Apply"))
	k.hears("click", `click "OK"`, `click "Apply"`)
}

// around returns the lines of the canvas for a press and its release in its middle.
func (k *kit) around(b desktop.Button, with string) []string {
	_, at := k.corners()
	return []string{
		fmt.Sprintf(`press "Canvas" %s at %s%s`, b, at[1], with),
		fmt.Sprintf(`release "Canvas" %s at %s%s`, b, at[1], with),
	}
}

func testDoubleClick(k *kit) {
	k.pressesTwice(func() { k.clickWith(k.middle("Canvas"), desktop.Left, 2) })
}

func testTwoClicks(k *kit) {
	once := k.around(desktop.Left, "")
	for range 2 {
		k.click(k.middle("Canvas"))
	}
	k.hears("press release double triple", once[0], once[1], once[0], once[1])
}

func testPressesThatFollow(k *kit) {
	k.do(desktop.MovePointer{To: k.middle("Canvas")})
	k.pressesTwice(func() {
		for _, follows := range []bool{false, true} {
			k.do(desktop.ButtonDown{Button: desktop.Left, Follows: follows})
			k.do(desktop.ButtonUp{Button: desktop.Left})
		}
	})
}

// pressesTwice holds that presses on the canvas are one double click. It presses again where the
// application, on a busy machine, has heard the second press too late for one.
func (k *kit) pressesTwice(press func()) {
	once := k.around(desktop.Left, "")
	_, at := k.corners()
	twice := []string{once[0], once[1], once[0], fmt.Sprintf(`double "Canvas" left at %s`, at[1]), once[1]}
	for end, heard := scratch.Deadline(k), 0; ; {
		press()
		var all []string
		k.until("the application heard both presses", func() error {
			all = k.received("press release double triple")[heard:]
			if n := count(all, once[1]); n < 2 {
				return fmt.Errorf("it heard %d releases", n)
			}
			return nil
		})
		err := same("it heard", all, twice)
		if err == nil {
			return
		}
		if time.Now().After(end) || count(all, once[0]) != 2 {
			k.Fatal(err)
		}
		heard += len(all)
	}
}

// count returns how many lines equal one.
func count(lines []string, line string) (n int) {
	for _, l := range lines {
		if l == line {
			n++
		}
	}
	return n
}

func testButtons(k *kit) {
	var want []string
	for _, b := range []desktop.Button{desktop.Left, desktop.Middle, desktop.Right} {
		k.clickWith(k.middle("Canvas"), b, 1)
		want = append(want, k.around(b, "")...)
	}
	k.hears("press release double", want...)
}

func testHeldDuringClick(k *kit) {
	k.do(desktop.KeyDown{Key: desktop.Ctrl})
	k.click(k.middle("Canvas"))
	k.do(desktop.KeyUp{Key: desktop.Ctrl})
	k.hears("press release", k.around(desktop.Left, " ctrl")...)
	k.hears("key", `key "ctrl" down`, `key "ctrl" up`)
}

func testDrag(k *kit) {
	screen, canvas := k.corners()
	k.do(desktop.MovePointer{To: screen[0]})
	k.do(desktop.ButtonDown{Button: desktop.Left})
	k.do(desktop.MovePointer{To: screen[1]})
	k.do(desktop.MovePointer{To: screen[2]})
	k.do(desktop.ButtonUp{Button: desktop.Left})
	want := []string{
		fmt.Sprintf(`press "Canvas" left at %s`, canvas[0]),
		fmt.Sprintf(`move "Canvas" at %s`, canvas[1]),
		fmt.Sprintf(`move "Canvas" at %s`, canvas[2]),
		fmt.Sprintf(`release "Canvas" left at %s`, canvas[2]),
	}
	k.until("the canvas was dragged over", func() error {
		all := k.received("press move release")
		return same("from the press on it heard", all[max(0, slices.Index(all, want[0])):], want)
	})
}

func testScroll(k *kit) {
	before := k.box("Row 3")
	k.do(desktop.MovePointer{To: k.middle("Rows")})
	k.do(desktop.Scroll{DY: 2})
	k.until("the rows moved up", func() error {
		if now := k.box("Row 3"); now.Y >= before.Y || now.X != before.X {
			return fmt.Errorf("they are at %v, from %v", now, before)
		}
		return nil
	})
	k.do(desktop.Scroll{DY: -5})
	k.until("the rows are back", func() error { return same("a row", k.box("Row 3"), before) })
	k.do(desktop.MovePointer{To: k.middle("Canvas")})
	k.do(desktop.Scroll{DY: 1})
	k.hears("wheel", `wheel "Canvas" down`)
	check(k, "a row, when the wheel is turned elsewhere", k.box("Row 3"), before)
}

func testMovedWindow(k *kit) {
	seen := k.window("Contract")
	into := func(w desktop.Window) desktop.Click {
		return desktop.Click{At: k.middle("Canvas"), Button: desktop.Left, In: &w}
	}
	k.do(into(seen))
	k.hears("press release", k.around(desktop.Left, "")...)
	elsewhere := seen
	elsewhere.Bounds.X += 9
	if err := k.Do(k.Context(), into(elsewhere)); !errors.Is(err, desktop.ErrMoved) {
		k.Errorf("a click into a window that was seen elsewhere: %v, want that it moved", err)
	}
	k.must(k.App.Do("open Second"))
	k.until("it is covered", func() error { return same("the top", k.top().Title, "Second") })
	if err := k.Do(k.Context(), into(seen)); !errors.Is(err, desktop.ErrMoved) {
		k.Errorf("a click into a window that another covers: %v, want that it moved", err)
	}
	k.hears("press release", k.around(desktop.Left, "")...)
}

func testDisabledClick(k *kit) {
	k.click(k.middle("Disabled"))
	k.click(k.middle("OK"))
	k.hears("click", `click "OK"`)
}
