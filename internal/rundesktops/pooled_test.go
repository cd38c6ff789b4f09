package rundesktops

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == virtual.KeeperCommand {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := virtual.RunKeeper(ctx, os.Args[2:])
		stop()
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// pooled is a pool of one desktop, and the folder that it is in.
func pooled(t *testing.T) (d *Desktops, dir string) {
	t.Helper()
	virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon")
	dir = scratch.Dir(t)
	d = New(local.Machine{}, desktop.Options{Display: "virtual", Dir: dir, Screen: desktop.Size{W: 640, H: 480}},
		Config{Shared: true, Desktops: 1, Keep: time.Hour}, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		_ = d.Close()
		for _, k := range virtual.List(dir) {
			_ = virtual.End(k, "the test is over")
		}
	})
	return d, dir
}

// act opens the desktop of a run that acts. It returns the request of that run from then on.
func act(t *testing.T, d *Desktops, run, client string) (r engine.DesktopRequest, x *desktop.Desktop, release func()) {
	t.Helper()
	r = engine.DesktopRequest{Run: run, Client: client}
	release, ok := d.Claim(r)
	if !ok {
		t.Fatalf("run %s gets no desktop", run)
	}
	x, err := d.Of(r).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	on, err := x.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.On = &on
	return r, x, release
}

// TestARunThatLostItsDesktopLeavesThatOfAnotherAlone plays a run that failed, whose
// desktop was given to another client before the run went on.
func TestARunThatLostItsDesktopLeavesThatOfAnotherAlone(t *testing.T) {
	d, dir := pooled(t)
	lost, _, release := act(t, d, "lost", "a")
	d.Release(lost, false)
	release()
	other, x, release := act(t, d, "other", "c")
	if other.On.Birth == lost.On.Birth {
		t.Fatal("another client sees what the first one left")
	}
	for _, succeeded := range []bool{false, true} {
		d.Release(lost, succeeded)
		if err := x.Ping(t.Context()); err != nil {
			t.Errorf("the desktop of another run does not answer any more: %v", err)
		}
		if k, err := virtual.Find(dir, other.On.Name); err != nil || k.Client != "c" || k.Birth != other.On.Birth {
			t.Errorf("the desktop is now %s's, %v", k.Client, err)
		}
	}
	d.Release(other, true)
	release()
	if next, _, _ := act(t, d, "next", "c"); next.On.Birth != other.On.Birth {
		t.Error("the next run of the client does not find what it left")
	}
}

// TestAttackTemporaryFilesOfAnotherClient has a program of a client leave files where programs
// leave theirs, and one of the next client look for them. Both write down, in their homes, what
// there is.
func TestAttackTemporaryFilesOfAnotherClient(t *testing.T) {
	virtualtest.Need(t, "xprop")
	shared, err := os.MkdirTemp("/tmp", "shared")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(shared)
	name := filepath.Base(shared) + "-secret"
	defer os.Remove("/tmp/" + name)
	d, dir := pooled(t)
	d.config.Roots = []string{shared}
	run := func(r engine.DesktopRequest, in, line string) string {
		t.Helper()
		k, err := virtual.Find(dir, r.On.Name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := virtual.Attach(k)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		_, ended, err := a.Start(virtual.Program{Args: []string{"sh", "-c", "(" + line + ") >$HOME/told 2>&1"}, Env: os.Environ(), Dir: in}, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = <-ended
		told, _ := os.ReadFile(filepath.Join(k.Dir, "home", "told"))
		if err != nil {
			t.Fatalf("%v: %s", err, told)
		}
		return string(told)
	}
	one, _, release := act(t, d, "one", "a")
	// The folder that nobody may write to must not keep the desktop from being removed.
	temp := run(one, shared, "set -e; echo seen >seen; echo secret >/tmp/"+name+"; f=$(mktemp -d); echo secret >$f/"+name+"; chmod 500 $f; echo $f")
	d.Release(one, true)
	release()
	two, _, _ := act(t, d, "two", "c")
	if two.On.Birth == one.On.Birth {
		t.Fatal("another client has the same desktop")
	}
	told := run(two, t.TempDir(), "cat "+shared+"/seen; xprop -root >/dev/null && echo shown; test $(id -u) = 0 || grep Cap[PE] /proc/self/status; "+
		"cd ${TMPDIR:-/tmp}; ls -d /tmp/"+name+" "+name+" */"+name+" "+strings.TrimSpace(temp)+"/"+name+" 2>/dev/null; true")
	if !strings.HasPrefix(told, "seen\nshown\n") {
		t.Errorf("the programs of a client do not reach the folder of the server or the display: %s", told)
	}
	if os.Geteuid() != 0 && strings.Count(told, "\t0000000000000000\n") != 2 {
		t.Errorf("a program has rights that its user has not: %s", told)
	}
	if virtual.OwnTmp() != nil { // the file that was written by its path is the one thing that remains
		told = strings.Replace(told, name, "", 1)
	} else if _, err := os.Stat("/tmp/" + name); err == nil {
		t.Error("a program wrote into the /tmp of all")
	}
	if strings.Contains(told, name) {
		t.Errorf("another client sees %s: %s", name, told)
	}
	if os.Geteuid() == 0 {
		asNobody(t)
	}
}

// asNobody runs a test again as a user who may not mount.
func asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir := scratch.Dir(t)
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "test"), program, 0o755)); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "test"), "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR=/tmp")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

// TestADesktopThatWasNotEndedIsNotGivenToAnother plays a keeper that did not answer, so
// that its desktop counted as ended.
func TestADesktopThatWasNotEndedIsNotGivenToAnother(t *testing.T) {
	d, _ := pooled(t)
	left, _, release := act(t, d, "left", "a")
	d.Release(left, true)
	release()
	d.pool.ended(left.On.Name)
	r := engine.DesktopRequest{Run: "other", Client: "c"}
	if _, ok := d.Claim(r); !ok {
		t.Fatal("there is no desktop")
	}
	if _, err := d.Of(r).Open(t.Context()); steps.CodeOf(err) != steps.Busy {
		t.Errorf("opening it: %v", err)
	}
	x, err := d.Of(r).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if on, err := x.Info(t.Context()); err != nil || on.Birth == left.On.Birth {
		t.Errorf("another client sees what the first one left: %v", err)
	}
}

// TestOnlyRunsGetDesktopsOfThePool opens a desktop outside of any run, as for a
// recording.
func TestOnlyRunsGetDesktopsOfThePool(t *testing.T) {
	d, dir := pooled(t)
	if _, err := d.Of(engine.DesktopRequest{}).Open(t.Context()); steps.CodeOf(err) != steps.Unavailable {
		t.Errorf("opening one: %v", err)
	}
	if all := virtual.List(dir); len(all) > 0 {
		t.Errorf("it was started for nobody: %v", all)
	}
}

// TestALookThatIsCancelledLeavesTheDesktop looks where another run of the client acts.
func TestALookThatIsCancelledLeavesTheDesktop(t *testing.T) {
	d, dir := pooled(t)
	acts, x, _ := act(t, d, "acts", "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Of(engine.DesktopRequest{Run: "looks", Client: "a"}).Open(ctx); err == nil {
		t.Error("the look was not cancelled")
	}
	if err := x.Ping(t.Context()); err != nil {
		t.Errorf("the desktop does not answer any more: %v", err)
	}
	if k, err := virtual.Find(dir, acts.On.Name); err != nil || k.Birth != acts.On.Birth {
		t.Errorf("the desktop has ended: %v", err)
	}
}

// TestALookLeavesTheDesktopOfARunThatGoesOn looks where a run of the client, for which the
// desktop was kept, acts again.
func TestALookLeavesTheDesktopOfARunThatGoesOn(t *testing.T) {
	d, _ := pooled(t)
	acts, _, release := act(t, d, "acts", "a")
	d.Release(acts, false)
	release()
	if _, ok := d.Claim(acts); !ok {
		t.Fatal("the run does not get its desktop again")
	}
	x, err := d.Of(acts).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		single bool
		keep   time.Duration
	}{{true, time.Hour}, {false, time.Hour}, {false, 0}} {
		d.config.Keep = row.keep
		look := engine.DesktopRequest{Run: "looks", Client: "a", Single: row.single}
		if _, err := d.Of(look).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		look.On = acts.On
		d.Release(look, row.single)
		if err := x.Ping(t.Context()); err != nil {
			t.Errorf("after the look %+v the run cannot act any more: %v", row, err)
		}
	}
}
