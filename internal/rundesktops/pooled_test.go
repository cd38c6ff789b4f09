package rundesktops

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/scratch"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/local"
	"understudy/steps/desktop/virtual"
	"understudy/steps/desktop/virtual/virtualtest"
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

// TestWhatIsNoRunGetsNoDesktopOfThePool opens a desktop outside of any run, as for a
// recording.
func TestWhatIsNoRunGetsNoDesktopOfThePool(t *testing.T) {
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
