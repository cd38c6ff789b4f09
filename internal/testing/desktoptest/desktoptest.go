// Package desktoptest is the contract that every desktop passes, and the
// application that is its witness.
//
// A window system is supported when Run passes on it. The effect of an action is
// reported by an application (App), or seen in a picture (FindPicture, FindText),
// and never by the desktop that acted, so no driver is judged by its own reports.
// How fast a desktop is, and features of one system or one toolkit, are for the
// tests of that desktop.
package desktoptest

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// A System is a desktop under test, with the application on it.
type System struct {
	*desktop.Desktop
	App App
	// Launch is the command line of a program that shows a window of its own,
	// with the title Launched.
	Launch, Launched string
	// Person presses and releases a key outside of the desktop, as a person does.
	Person func(k desktop.Key) error
	// PersonClicks does so with a button of the mouse. It is needed if Watch does
	// not report keys.
	PersonClicks func(b desktop.Button) error
	// Lacks names the sentences that the system cannot pass, each with the reason.
	// They are skipped, which the test reports.
	Lacks map[string]string
	// Unseen names the elements that the system cannot tell of, each with the reason.
	Unseen map[string]string
}

// App is the application. It has one window, "Contract", with the elements of
// application.py, and reports on itself truthfully.
type App interface {
	// Do makes the application execute a command, and returns once it has handled
	// all that the display sent it:
	//
	//	reset            everything is as at the start, and nothing was received
	//	settle           nothing more
	//	open TITLE       another window opens over the canvas, with an entry
	//	                 "In TITLE" that fills it
	//	cover NAME       the same, titled "Cover", over an element
	//	remove NAME      an element ceases to exist
	//	disable NAME     an element can no longer be used
	//	paint R G B      the canvas takes another colour
	Do(command string) error
	// Boxes returns where elements and windows (with their frames) are drawn on the
	// screen, by their names, also of those that are scrolled out of view.
	Boxes() (map[string]desktop.Rect, error)
	// Received lists what reached it since the reset, in order, such as
	//
	//	click "OK"                        a button or an item of a menu
	//	text "Name" "Ada"                 the whole text of a field now
	//	toggle "Urgent" on                or off
	//	choose "Colour" "blue"
	//	number "Volume" 70
	//	menu "File" open                  or closed
	//	press "Canvas" left at 3,4 ctrl   in pixels of the canvas; and release,
	//	move "Canvas" at 3,4              double (after the second press), move
	//	wheel "Canvas" down
	//	key "f7" down                     or up; only shift, ctrl, f7 and f8
	//	close "Second"                    a window was asked to close
	Received() []string
}

// Colour is the colour of the canvas after a reset.
var Colour = color.RGBA{R: 200, G: 40, B: 80, A: 255}

// A sentence is one promise of the contract.
type sentence struct {
	say  string
	test func(k *kit)
}

var sentences = []sentence{
	{"the pointer is where it was moved", testMove},
	{"a click lands where it was aimed", testClickLands},
	{"a click is one click", testClickOnce},
	{"a double click is one double click", testDoubleClick},
	{"two clicks with a rest between are no double click", testTwoClicks},
	{"two presses that may follow each other are a double click", testPressesThatFollow},
	{"each button arrives as itself", testButtons},
	{"a key that is held is held during a click", testHeldDuringClick},
	{"a drag moves from end to end", testDrag},
	{"a scroll moves what is under the pointer", testScroll},
	{"a click into a window that was seen elsewhere presses nothing", testMovedWindow},
	{"a click on a disabled button does nothing", testDisabledClick},

	{"typed text is what the field holds", testType},
	{"text of many scripts is exact", testScripts},
	{"a long text arrives whole", testLongText},
	{"typed text has been read before anything else is done", testTypedIsRead},
	{"lines and tabs stay in a field of many lines", testLines},
	{"keys edit", testEdit},
	{"tab moves the focus on, and shift+tab back", testTab},
	{"space presses the button that has the focus", testSpace},
	{"held keys and buttons are released by ReleaseAll", testReleaseAll},
	{"a menu opens with a click and closes with escape", testMenu},
	{"an item of an open menu is clicked like anything else", testMenuItem},

	{"a tree names what is there", testTree},
	{"a tree's boxes are where the application draws", testBoxes},
	{"a tree holds what was asked for and no more", testScope},
	{"what does not show is read only with Hidden", testHidden},
	{"the element at a point is what is drawn there", testElementAt},
	{"where no window is, no element is found", testNothingThere},
	{"a covered element is not what a hit test names", testCovered},
	{"an element that was removed is not found", testRemoved},
	{"an element is read anew", testRefresh},
	{"the text that a field holds is read", testReadText},
	{"a password field does not show its text", testPassword},

	{"an invoked button is clicked once", testInvoke},
	{"a toggle that was invoked reads as on", testToggle},
	{"of two radio buttons one is on", testRadio},
	{"what is disabled refuses", testRefuses},
	{"text that is set replaces what was there", testSetText},
	{"text that is inserted goes in at the caret", testInsertText},
	{"a number is set within its limits", testSetNumber},
	{"a select changes the option", testSelect},
	{"the focus that is grabbed gets what is typed", testGrabFocus},
	{"what is scrolled away is revealed", testReveal},

	{"focus, caret, selection and pointer come back", testFocus},
	{"the caret stays in a field that holds another text now", testFocusTyped},
	{"the window comes back with the focus", testFocusWindow},
	{"a move of the focus is told", testWatchFocus},
	{"a change of an element is told", testWatchElement},

	{"a launched program shows a window", testLaunch},
	{"an unknown program is not found", testLaunchNothing},
	{"a window that is raised is on top", testRaise},
	{"the active window gets what is typed", testActive},
	{"a window that is moved is where it was sent", testPlace},
	{"a minimized window can be brought back", testMinimize},
	{"a maximized window gets its size back", testMaximize},
	{"a closed window is gone", testClose},

	{"a capture is the size that was asked", testCaptureSize},
	{"a capture shows a colour where the application draws it", testColour},
	{"what is drawn anew is noticed", testLastDrawn},
	{"a mark is drawn, takes no click, and goes", testMark},
	{"a panel is drawn, takes clicks and no keyboard, and goes", testPanel},

	{"the clipboard gives back what was put in", testClipboard},
	{"what is copied can be read, and what was put in can be pasted", testCopyPaste},

	{"watched input leaves our own out", testWatch},
	{"a call whose context has ended does nothing", testCancelled},
	{"the desktop describes itself", testInfo},
}

// Run tests a desktop against the contract. The desktop is opened once; each
// sentence begins with a reset of the application.
func Run(t *testing.T, open func(t *testing.T) *System) {
	s := open(t)
	for _, name := range slices.Sorted(maps.Keys(s.Lacks)) {
		if !slices.ContainsFunc(sentences, func(c sentence) bool { return c.say == name }) {
			t.Errorf("the system is said to lack %q, which is no sentence of the contract", name)
		}
	}
	for _, c := range sentences {
		t.Run(c.say, func(t *testing.T) {
			if why, lacks := s.Lacks[c.say]; lacks {
				t.Skip("this system cannot hold it: " + why)
			}
			k := &kit{T: t, System: s}
			k.must(k.App.Do("reset"))
			k.until("the application's window is active", func() error {
				return same("the active window", k.active().Title, "Contract")
			})
			k.must(k.App.Do("reset")) // events of the activation do not belong to the sentence
			c.test(k)
			k.must(k.ReleaseAll(k.Context()))
		})
	}
}

// A kit is a system under test, with helpers for the sentences.
type kit struct {
	*testing.T
	*System
}

func (k *kit) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// do performs an action, which must not fail.
func (k *kit) do(a desktop.Action) {
	k.Helper()
	k.must(k.Do(k.Context(), a))
}

// click clicks once, and not as a double click with the click before.
func (k *kit) click(at desktop.Point) {
	k.Helper()
	k.clickWith(at, desktop.Left, 1)
}

func (k *kit) clickWith(at desktop.Point, b desktop.Button, count int) {
	k.Helper()
	c := desktop.Click{At: at, Button: b, Count: count}
	rest, err := k.ClickRest(k.Context(), c)
	k.must(err)
	k.must(desktop.Sleep(k.Context(), rest))
	k.do(c)
}

// press presses chords, such as "ctrl+a left".
func (k *kit) press(keys string) {
	k.Helper()
	chords, err := desktop.ParseKeys(keys)
	k.must(err)
	for _, c := range chords {
		k.do(desktop.Press{Chord: c})
	}
}

func (k *kit) write(text string) {
	k.Helper()
	k.do(desktop.Type{Text: text})
}

// until waits for a condition; its error says what is still missing.
func (k *kit) until(what string, f func() error) {
	k.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := scratch.Deadline(k); ; <-tick.C {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			k.Fatalf("waited in vain until %s: %v", what, err)
		}
	}
}

// same returns an error that shows how two values differ.
func same[T any](what string, got, want T) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s (-want +got):\n%s", what, diff)
	}
	return nil
}

// check fails the sentence, which continues, if two values differ.
func check[T any](k *kit, what string, got, want T) {
	k.Helper()
	if err := same(what, got, want); err != nil {
		k.Error(err)
	}
}

// received returns the lines of some types, such as "press release", that reached
// the application.
func (k *kit) received(types string) []string {
	k.Helper()
	k.must(k.App.Do("settle"))
	return slices.DeleteFunc(append([]string{}, k.App.Received()...), func(line string) bool {
		typ, _, _ := strings.Cut(line, " ")
		return !slices.Contains(strings.Fields(types), typ)
	})
}

// hears waits until exactly these lines of some types reached the application.
func (k *kit) hears(types string, want ...string) {
	k.Helper()
	want = append([]string{}, want...) // empty, not nil
	k.until("the application heard it", func() error { return same("it heard", k.received(types), want) })
}

// holds waits until a field of the application holds a text.
func (k *kit) holds(field, want string) {
	k.Helper()
	begin := fmt.Sprintf("text %q ", field)
	k.until("the field holds the text", func() error {
		got := `""`
		for _, line := range k.received("text") {
			if text, ok := strings.CutPrefix(line, begin); ok {
				got = text
			}
		}
		return same(field, got, fmt.Sprintf("%q", want))
	})
}

func (k *kit) box(name string) desktop.Rect {
	k.Helper()
	boxes, err := k.App.Boxes()
	k.must(err)
	if boxes[name].Empty() {
		k.Fatalf("the application does not draw %q, only %v", name, slices.Sorted(maps.Keys(boxes)))
	}
	return boxes[name]
}

func (k *kit) middle(name string) desktop.Point {
	k.Helper()
	return k.box(name).Center()
}
