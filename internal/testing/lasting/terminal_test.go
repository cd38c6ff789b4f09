//go:build linux

package lasting

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a terminal with a shell in it.
type terminal struct {
	*operator
	screen *os.File // what a person sees and types into; closed: the window is
	shell  *exec.Cmd
}

// opens opens a terminal in which a shell does a line and waits for the next.
func (o *operator) opens(line string) *terminal {
	o.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		o.Fatal(err)
	}
	var number int
	raw, err := screen.SyscallConn() // after Fd, a close would wait until a read returns
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			var failed error
			if number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); failed == nil {
				failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
			}
			if failed != nil {
				o.Error(failed)
			}
		})
	}
	if err != nil {
		o.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		o.Fatal(err)
	}
	defer side.Close()
	self, err := os.Executable()
	if err != nil {
		o.Fatal(err)
	}
	t := &terminal{o, screen, exec.Command("bash", "-c", `understudy() { (exec -a understudy "$SELF" "$@"); }; `+line+"; read -r next")}
	t.shell.Dir, t.shell.Env = o.dir, slices.Concat(o.command().Env, []string{"SELF=" + self})
	t.shell.Stdin, t.shell.Stdout, t.shell.Stderr = side, side, side
	t.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := t.shell.Start(); err != nil {
		o.Fatal(err)
	}
	return t
}

// says waits until the screen shows a text.
func (t *terminal) says(want string) {
	t.Helper()
	var shown strings.Builder
	b := make([]byte, 4096)
	for !strings.Contains(shown.String(), want) {
		n, err := t.screen.Read(b)
		if err != nil {
			t.Fatalf("wanted %q on the screen, got %v after\n%s", want, err, &shown)
		}
		shown.Write(b[:n])
	}
}

// closes closes the window: the kernel hangs up on all that ran in it.
func (t *terminal) closes() {
	t.Helper()
	if err := t.screen.Close(); err != nil {
		t.Fatal(err)
	}
	_ = t.shell.Wait()
}

// A closing is a moment in which the terminal of a run is closed.
type closing struct {
	sentence, seventh string
	closed            func(x *terminal)
	resume            []string
}

// TestTheTerminalIsClosed closes the terminal of a run, and goes on the next day.
func TestTheTerminalIsClosed(t *testing.T) {
	closings(t, []closing{
		{"in the middle of a step that may have acted", press, func(x *terminal) { x.inTheMiddle(); x.closes() }, []string{"resume", "last", "--redo"}},
	})
}

func TestAtLengthTheTerminalIsClosed(t *testing.T) {
	closings(t, []closing{
		{"after the run failed", waits, func(x *terminal) { x.says("continues at seven"); x.closes() }, []string{"resume", "last"}},
		{"while the run looks for something", waitsLong, func(x *terminal) { x.inTheMiddle(); x.closes() }, []string{"resume", "last"}},
	})
}

func closings(t *testing.T, rows []closing) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			o := newOperator(t)
			o.writes(row.seventh, "")
			row.closed(o.opens("understudy run --display virtual nine.yaml"))
			k := o.theDesktop()
			if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "would continue at seven, on its desktop "+k.Name) {
				t.Errorf("the plan:\n%s", plan)
			}
			o.mends()
			o.does(0, row.resume...)
			if got := o.written(); got != "alpha beta gamma delta" {
				t.Errorf("the editor has %q", got)
			}
			for id, n := range o.executed("last") {
				if want := map[bool]int{true: 2, false: 1}[id == "seven"]; n != want {
					t.Errorf("step %s was executed %d times, wanted %d", id, n, want)
				}
			}
		})
	}
}

// inTheMiddle waits until the seventh step is under way.
func (t *terminal) inTheMiddle() {
	t.Helper()
	go func() { _, _ = io.Copy(io.Discard, t.screen) }() // a person looks on
	t.until("the seventh step has begun", func() bool {
		show := t.command("runs", "show", "last", "--json")
		text, _ := show.Output()
		return strings.Contains(string(text), `"id": "seven"`)
	})
}
