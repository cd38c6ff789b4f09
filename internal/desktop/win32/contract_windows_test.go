package win32

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/desktoptest"
)

func TestMain(m *testing.M) { desktoptest.Main(m) }

const (
	noElements = "elements are not read on Windows yet"
	noWatch    = "a person is not watched on Windows yet"
	noMarks    = "nothing is drawn above the windows on Windows yet"
)

// lacks are the sentences that this driver alone cannot hold.
var lacks = map[string]string{
	"a tree names what is there": noElements, "a tree's boxes are where the application draws": noElements,
	"a tree holds what was asked for and no more": noElements, "what does not show is read only with Hidden": noElements,
	"the element at a point is what is drawn there": noElements, "where no window is, no element is found": noElements,
	"a covered element is not what a hit test names": noElements, "an element that was removed is not found": noElements,
	"an element is read anew": noElements, "the text that a field holds is read": noElements,
	"a password field does not show its text": noElements, "an invoked button is clicked once": noElements,
	"a toggle that was invoked reads as on": noElements, "of two radio buttons one is on": noElements,
	"what is disabled refuses": noElements, "text that is set replaces what was there": noElements,
	"text that is inserted goes in at the caret": noElements, "a number is set within its limits": noElements,
	"a select changes the option": noElements, "the focus that is grabbed gets what is typed": noElements,
	"what is scrolled away is revealed": noElements, "focus, caret, selection and pointer come back": noElements,
	"the caret stays in a field that holds another text now": noElements, "the window comes back with the focus": noElements,
	"a move of the focus is told": noElements, "a change of an element is told": noElements,
	"text of many scripts is exact": noElements, "a long text arrives whole": noElements,
	"typed text has been read before anything else is done": noElements, "space presses the button that has the focus": noElements,
	"a menu opens with a click and closes with escape": noElements, "an item of an open menu is clicked like anything else": noElements,
	"a closed window is gone":                   noElements,
	"a mark is drawn, takes no click, and goes": noMarks, "a panel is drawn, takes clicks and no keyboard, and goes": noMarks,
	"a drag moves from end to end":     "Windows joins the moves that a program has not read yet",
	"watched input leaves our own out": noWatch, "what is drawn anew is noticed": "Windows does not tell when something was drawn",
}

const letsGo = "Wine lets go of keys that no person holds when a button is pressed"

// wineLacks are those that Wine cannot hold.
var wineLacks = map[string]string{
	"held keys and buttons are released by ReleaseAll": letsGo,
	"a key that is held is held during a click":        letsGo,
}

// starts adds the start of programs, which is not part of the driver.
type starts struct{ desktop.Actor }

func (s starts) Do(ctx context.Context, a desktop.Action) error {
	launch, ok := a.(desktop.Launch)
	if !ok {
		return s.Actor.Do(ctx, a)
	}
	words := strings.Fields(launch.App)
	cmd := exec.Command(words[0], words[1:]...)
	if cmd.Err != nil {
		return desktop.ErrNotFound
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	*launch.Started = desktop.App{PID: cmd.Process.Pid}
	return nil
}

func TestContract(t *testing.T) {
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		all := d.Desktop()
		all.Actor = starts{all.Actor}
		cannot := maps.Clone(lacks)
		if os.Getenv("UNDERSTUDY_WINE") != "" {
			maps.Copy(cannot, wineLacks)
		}
		return &desktoptest.System{
			Desktop: all, App: desktoptest.StartNative(t), Lacks: cannot,
			Launch: desktoptest.AnotherNative("Another"), Launched: "Another",
		}
	})
}
