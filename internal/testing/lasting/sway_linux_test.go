package lasting

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/testing/virtualtest"
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

// Where sway cannot be started it is said before anything is made.
func TestSwayIsNotStartedByRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this test is not root")
	}
	virtualtest.Need(t, "sway")
	if said := newOperator(t).does(4, "desktop", "start", "way", "--server", "sway"); !strings.Contains(said, "sway refuses to run as root; to fix it: start Understudy as another user") {
		t.Errorf("it said %q", said)
	}
}
