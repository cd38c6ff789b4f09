//go:build linux

package lasting

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop/virtual"
)

// build builds the program with a version, and gives the file.
func build(t *testing.T, version string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "understudy")
	cmd := exec.Command("go", "build", "-ldflags", "-X understudy/internal/cli.stamped="+version, "-o", file, "understudy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", version, err, out)
	}
	return file
}

func TestAtLengthAnUpgrade(t *testing.T) {
	t.Parallel()
	older, newer := build(t, "1.0.0"), build(t, "1.1.0")
	t.Run("with runs waiting", func(t *testing.T) { upgradeWithRunsWaiting(t, older, newer) })
	t.Run("with a run under way", func(t *testing.T) { upgradeWithARunUnderWay(t, older, newer) })
}

// upgradeWithRunsWaiting puts another build into the place of the program while
// a run waits on the desktop that the old one keeps.
func upgradeWithRunsWaiting(t *testing.T, older, newer string) {
	t.Parallel()
	o := newOperator(t)
	o.program = filepath.Join(o.dir, "understudy")
	installs := func(build, version string) {
		t.Helper()
		if err := os.Link(build, o.program+".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(o.program+".new", o.program); err != nil {
			t.Fatal(err)
		}
		if said := o.does(0, "version"); !strings.Contains(said, version) {
			t.Fatalf("installed is %s, wanted %s", said, version)
		}
	}
	installs(older, "1.0.0")
	o.writes(waits, "")
	o.does(3, "run", "--display", "virtual", "nine.yaml")
	k := o.theDesktop()
	installs(newer, "1.1.0")
	if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "would continue at seven, on its desktop "+k.Name) {
		t.Errorf("the plan:\n%s", plan)
	}
	o.does(0, "desktop", "show", k.Name)
	o.mends()
	o.does(0, "resume", "last")
	if got := o.written(); got != "alpha beta gamma delta" {
		t.Errorf("the editor has %q", got)
	}
	if left := o.desktops(); len(left) > 0 {
		t.Errorf("the run succeeded, and its desktop is still there: %+v", left)
	}
}

// upgradeWithARunUnderWay ends a server in order, as its package does, and starts
// the next build, on the desktop that the old one keeps.
func upgradeWithARunUnderWay(t *testing.T, older, newer string) {
	t.Parallel()
	o := newOperator(t)
	o.writes(waitsLong, "resume: auto\n")
	o.program = older
	first := o.serves()
	run, k := first.begins(), o.theDesktop()
	if err := first.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()
	o.program = newer
	o.serves()
	o.until("the seventh step has begun again", func() bool { return o.executed(run)["seven"] == 2 })
	o.mends()
	if got := o.written(); got != "alpha beta gamma delta" || o.theDesktop().Birth != k.Birth {
		t.Errorf("the editor has %q, on %+v", got, o.theDesktop())
	}
}

// TestAKeeperOfAnotherVersion holds what is said of a desktop that a program keeps
// which speaks another version.
func TestAKeeperOfAnotherVersion(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.does(0, "desktop", "start", "work")
	k := o.theDesktop()
	if k.Protocol != virtual.Protocol {
		t.Errorf("its keeper speaks version %d, wanted %d", k.Protocol, virtual.Protocol)
	}
	file := filepath.Join(k.Dir, "desktop.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(raw), `"protocol":1`, `"protocol":99`, 1)
	if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := o.does(4, "desktop", "show", "work"); !strings.Contains(said, "a newer understudy keeps the desktop work (it speaks version 99, this one up to 1)") {
		t.Errorf("of the keeper of a newer one it says:\n%s", said)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}
