package lasting

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"understudy/steps/desktop/virtual/virtualtest"
)

// unprivileged makes the operator another user, where this one is root.
func (o *operator) unprivileged() {
	o.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	o.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	o.program = "/proc/self/exe" // the folder of this test is closed to others
	if err := os.Chown(o.dir, nobody, nobody); err != nil {
		o.Fatal(err)
	}
}

// A desktop that lasts can be a session of Wayland: a workflow plays there, and nothing
// of it is left.
func TestADesktopCanBeASessionOfSway(t *testing.T) {
	virtualtest.Need(t, "sway")
	o := newOperator(t)
	o.unprivileged()
	if ready := o.does(0, "desktop", "start", "way", "--server", "sway", "--screen", "800x600", "--layout", "de"); !strings.Contains(ready, "wayland-1, 800x600") {
		t.Errorf("it said %q", ready)
	}
	t.Cleanup(func() { _ = o.command("desktop", "stop", "way").Run() })
	o.writes(`  - {id: seven, tool_name: log, arguments: {message: "Zürich"}}`, "")
	o.does(0, "run", "--display", "virtual:way", "nine.yaml")
	if got := o.written(); got != "alpha beta gamma delta" {
		t.Errorf("the editor saved %q", got)
	}
	o.does(0, "desktop", "show", "way")
	f, err := os.Open(filepath.Join(o.dir, "way.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Width != 800 || c.Height != 600 {
		t.Errorf("the picture is %dx%d (%v)", c.Width, c.Height, err)
	}
	if list := o.does(0, "desktop", "ls"); !strings.Contains(list, "mousepad") {
		t.Errorf("the editor is not in the list:\n%s", list)
	}
	o.does(0, "desktop", "stop", "way")
	left, _ := filepath.Glob(filepath.Join(o.dir, "data", "display", "desktop-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Where sway cannot be started it is said before anything is made.
func TestSwayIsNotStartedByRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this test is not root")
	}
	virtualtest.Need(t, "sway")
	if said := newOperator(t).does(4, "desktop", "start", "way", "--server", "sway"); !strings.Contains(said, "sway refuses to run as root; to mend it: start Understudy as another user") {
		t.Errorf("it said %q", said)
	}
}
