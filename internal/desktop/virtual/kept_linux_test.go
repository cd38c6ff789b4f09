package virtual

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/sandbox"
	"understudy/internal/testing/scratch"
)

// need is virtualtest.Need, which imports this package.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range append(programs, "Xvfb", "openbox", "dbus-daemon") {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("UNDERSTUDY_REQUIRE_DESKTOP") != "" {
				t.Fatalf("needs a desktop: the program %s is missing", p)
			}
			t.Skipf("needs a desktop: the program %s is missing", p)
		}
	}
}

// keepOne starts a lasting desktop that ends with the test.
func keepOne(t testing.TB, o Options) Kept {
	t.Helper()
	need(t)
	if o.Dir == "" {
		o.Dir = scratch.Dir(t)
	}
	if o.Screen == (desktop.Size{}) && o.Display == "" {
		o.Screen = desktop.Size{W: 640, H: 480}
	}
	k, err := Keep(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = End(k, "the test is over") })
	return k
}

// leftovers returns a function that lists what is left of a lasting desktop, which runs now:
// processes, files, and its own socket. Another display may have its number and a socket later.
func leftovers(k Kept) (left func() []string) {
	socket := SocketOf(k.Display)
	own, _ := os.Lstat(socket)
	return func() []string {
		var left []string
		now, err := os.Lstat(socket)
		if own != nil && err == nil && os.SameFile(own, now) && own.ModTime().Equal(now.ModTime()) {
			left = append(left, socket)
		}
		for _, p := range programsOf(k.Dir) {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
			left = append(left, fmt.Sprintf("process %d: %s", p.PID, strings.ReplaceAll(string(name), "\x00", " ")))
		}
		if _, err := os.Lstat(k.Dir); err == nil {
			left = append(left, k.Dir)
		}
		return append(left, mountsBelow(k.Dir)...)
	}
}

// mountsBelow returns what is mounted in a folder, such as by the portal for documents.
func mountsBelow(dir string) (found []string) {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, " "+dir+"/") {
			found = append(found, "mount "+strings.TrimSpace(line))
		}
	}
	return found
}

func guardOf(t testing.TB, k Kept) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", k.Keeper))
	if err != nil {
		t.Fatal(err)
	}
	var parent int
	if _, err := fmt.Sscan(strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[1], &parent); err != nil {
		t.Fatal(err)
	}
	return parent
}

// Every user of the machine can read the arguments of a process.
func TestAttackTheArgumentsOfAKeeperRevealNothing(t *testing.T) {
	k := keepOne(t, Options{Name: "work", Run: "r1", Owner: "laptop of alice"})
	for what, pid := range map[string]int{"keeper": k.Keeper, "guard": guardOf(t, k)} {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || !strings.Contains(string(line), KeeperCommand) {
			t.Fatalf("the arguments of the %s: %q, %v", what, line, err)
		}
		for _, private := range []string{k.Owner, k.Run, k.Name, k.Dir, filepath.Dir(k.Dir)} {
			if strings.Contains(string(line), private) {
				t.Errorf("the arguments of the %s tell %q: %q", what, private, line)
			}
		}
	}
}

func TestADesktopOutlivesWhoUsesIt(t *testing.T) {
	k := keepOne(t, Options{Name: "work", Layout: "de", Run: "r1"})
	a, err := Attach(k)
	if err != nil {
		t.Fatal(err)
	}
	pid, _, err := a.Start(Program{Args: []string{"sh", "-c", "sleep 300; true"}, Env: os.Environ()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Find(filepath.Dir(k.Dir), "work")
	if err != nil || got.Birth != k.Birth || got.Layout != "de" || got.Run != "r1" || startOf(pid) == 0 {
		t.Errorf("wanted the same desktop with its program, got %+v, %v", got, err)
	}
	all := List(filepath.Dir(k.Dir))
	if len(all) != 1 || !slices.Contains(all[0].Programs, "sh") || all[0].Memory == 0 {
		t.Errorf("wanted it listed with its programs and memory, got %+v", all)
	}
	out, err := display(k, "setxkbmap", "-query").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "layout:     de") {
		t.Errorf("the layout: %s, %v", out, err)
	}
}

// TestAKeeperRefusesTheSandbox starts a program on a desktop from the sandbox and outside it, and
// sets a variable for the services of its bus.
func TestAKeeperRefusesTheSandbox(t *testing.T) {
	k := keepOne(t, Options{Name: "work"})
	dir := filepath.Dir(k.Dir)
	for _, confined := range []bool{false, true} {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), "UNDERSTUDY_TEST_START_ON="+dir+" work")
		if confined {
			if err := sandbox.Confine(c, nil); err != nil {
				t.Fatal(err)
			}
		}
		out, err := c.CombinedOutput()
		_, started := os.Stat(filepath.Join(dir, "started"))
		if (err == nil) == confined || (started == nil) == confined || confined && !strings.Contains(string(out), "sandbox") {
			t.Errorf("confined: %t: started: %v; %v: %s", confined, started, err, out)
		}
		_ = os.Remove(filepath.Join(dir, "started"))
	}
	out, err := display(k, "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
		"org.freedesktop.DBus.UpdateActivationEnvironment", "dict:string:string:LD_PRELOAD,/tmp/x.so").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "AccessDenied") {
		t.Errorf("the environment of services: %s, %v", out, err)
	}
}

// A program is found as its caller names it, whose folder and PATH the keeper does not have.
func TestAProgramIsFoundWhereItsCallerIs(t *testing.T) {
	k := keepOne(t, Options{Name: "work"})
	a, err := Attach(k)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "named"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, name := range []string{"./named", "named", filepath.Join(dir, "named")} {
		_, ended, err := a.Start(Program{Args: []string{name}, Env: os.Environ(), Dir: dir}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := <-ended; err == nil || err.Error() != "exit status 3" {
			t.Errorf("%s ended with %v", name, err)
		}
	}
	if _, _, err := a.Start(Program{Args: []string{"./absent"}, Dir: dir}, nil); err == nil {
		t.Error("a program that is not there was started")
	}
}

// The whole of /tmp is among the folders that are shared. Then TMPDIR leads to the desktop's own
// folder for temporary files, by a path that leaves room for the addresses of sockets.
func TestTemporaryFilesWithoutAMount(t *testing.T) {
	home := filepath.Join(scratch.Dir(t), "long"+strings.Repeat("g", 40))
	for _, killed := range []bool{false, true} {
		k := keepOne(t, Options{Dir: home, Name: "work", OwnHome: true, Share: []string{"/tmp/none", "/"}})
		i := slices.IndexFunc(k.Env, func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
		if i < 0 {
			t.Fatalf("there is no TMPDIR: %q", k.Env)
		}
		temp := strings.TrimPrefix(k.Env[i], "TMPDIR=")
		if to, err := filepath.EvalSymlinks(temp); err != nil || to != filepath.Join(k.Dir, "tmp") || len(temp) > len(k.Dir) {
			t.Errorf("TMPDIR is %s, which leads to %s, %v", temp, to, err)
		}
		if killed {
			_ = syscall.Kill(guardOf(t, k), syscall.SIGKILL)
			_ = syscall.Kill(k.Keeper, syscall.SIGKILL)
			scratch.Until(t, "the desktop is cleared away", func() bool { Clean(filepath.Dir(k.Dir)); return k.hasEnded() })
		} else if err := End(k, "enough"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(temp); err == nil {
			t.Errorf("%s is left, killed: %t", temp, killed)
		}
	}
}

// display returns the command for a program that uses a desktop from outside.
func display(k Kept, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), k.Env...)
	return c
}

func TestOneDesktopHasAName(t *testing.T) {
	k := keepOne(t, Options{Name: "work"})
	if _, err := Keep(t.Context(), Options{Name: "work", Dir: filepath.Dir(k.Dir)}); err == nil || !strings.Contains(err.Error(), "there is a desktop work already") {
		t.Errorf("a second one: %v", err)
	}
	if _, err := Find(filepath.Dir(k.Dir), "work"); err != nil {
		t.Errorf("the first one: %v", err)
	}
	if _, err := Keep(t.Context(), Options{Name: "Work/../x"}); err == nil {
		t.Error("a name that is a path was taken")
	}
}

func TestADesktopThatIsEndedLeavesNothing(t *testing.T) {
	k := keepOne(t, Options{Name: "work"})
	started, left := startSome(t, k), leftovers(k)
	if err := End(k, "enough"); err != nil {
		t.Fatal(err)
	}
	if left := append(left(), running(started)...); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if c, found := FindClosing(filepath.Dir(k.Dir), k.Birth); !found || c.Why != "enough" || c.Name != "work" {
		t.Errorf("its closing: %+v", c)
	}
	if _, err := Find(filepath.Dir(k.Dir), "work"); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("it is still found: %v", err)
	}
}

func TestTheEndsOfDesktopsThatEndTogetherAreAllRecorded(t *testing.T) {
	home := scratch.Dir(t)
	var ending sync.WaitGroup
	for i := range 100 {
		k := Kept{Dir: filepath.Join(home, fmt.Sprintf("%s%d", keptPrefix, i)), Birth: fmt.Sprint("b", i)}
		ending.Go(func() { noteClosing(k, "enough") })
	}
	ending.Wait()
	for i := range 100 {
		if c, found := FindClosing(home, fmt.Sprint("b", i)); !found || c.Why != "enough" {
			t.Errorf("the end of desktop %d: %+v, %t", i, c, found)
		}
	}
}

// A desktop whose keeper is only suspended, or slow, is not gone.
func TestAtLengthADesktopWhoseKeeperIsSuspendedIsNotGone(t *testing.T) {
	k := keepOne(t, Options{Name: "work"})
	if err := syscall.Kill(k.Keeper, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	poll(endTimeout, func() bool { return desktop.ProcessStat(k.Keeper)[0] == "T" })
	_, found := Find(filepath.Dir(k.Dir), k.Name)
	_, attached := Attach(k)
	_ = syscall.Kill(k.Keeper, syscall.SIGCONT)
	for _, err := range []error{found, attached} {
		if !errors.Is(err, desktop.ErrUnresponsive) || errors.Is(err, desktop.ErrGone) {
			t.Errorf("got %v, want that it does not answer", err)
		}
	}
	if _, err := Find(filepath.Dir(k.Dir), k.Name); err != nil {
		t.Error(err)
	}
}

func TestAFolderIsNotMadeAgainByWhoOnlyLooks(t *testing.T) {
	k := keepOne(t, Options{Name: "work"})
	dir, guard := filepath.Dir(k.Dir), guardOf(t, k)
	if err := End(k, "enough"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the guard has ended", func() bool { return startOf(guard) == 0 })
	if all := List(dir); len(all) > 0 {
		t.Errorf("there is %+v", all)
	}
	if _, err := Find(dir, "work"); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("finding it: %v", err)
	}
	FindClosing(dir, k.Birth)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there again: %v", err)
	}
}

// TestNobodyAttachesToADesktopThatEnds asks a keeper whose time has just run out, and one
// that closes the connection without an answer.
func TestNobodyAttachesToADesktopThatEnds(t *testing.T) {
	for name, serve := range map[string]func(l *net.UnixListener){
		"its time has run out": func(l *net.UnixListener) {
			k := &keeper{control: l, over: make(chan string, 1), conns: map[net.Conn]bool{}, idle: time.NewTimer(time.Hour)}
			k.expire()
			k.serve()
		},
		"its process has ended": func(l *net.UnixListener) {
			if conn, err := l.Accept(); err == nil {
				conn.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := Kept{Name: "work", Dir: scratch.Dir(t)}
			l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(k.Dir, controlName)})
			if err != nil {
				t.Fatal(err)
			}
			go serve(l)
			defer l.Close()
			if _, err := Attach(k); !errors.Is(err, desktop.ErrGone) {
				t.Errorf("attaching: %v, wanted that it is gone", err)
			}
		})
	}
}

// TestADesktopOfTheSameNameIsAnother asks the keeper of a desktop for an earlier one that
// had its name, which has ended since it was found.
func TestADesktopOfTheSameNameIsAnother(t *testing.T) {
	now := Kept{Name: "work", Birth: "later", Dir: scratch.Dir(t)}
	if err := writeKept(now); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(now.Dir, controlName)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	k := &keeper{control: l, kept: now, over: make(chan string, 1), conns: map[net.Conn]bool{}, idle: time.NewTimer(time.Hour)}
	go k.serve()
	earlier := now
	earlier.Birth = "earlier"
	if a, err := Attach(earlier); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("attaching to it: %+v, %v", a, err)
	}
	if err := Assign(earlier, Assignment{Owner: "another"}); err == nil || k.describe().Owner != "" {
		t.Errorf("assigning it: %v, and now it is %s's", err, k.describe().Owner)
	}
	if err := End(earlier, "enough"); err != nil {
		t.Errorf("ending it: %v", err)
	}
	select {
	case why := <-k.over:
		t.Errorf("the later one ends: %s", why)
	default:
	}
	if a, err := Attach(now); err != nil {
		t.Errorf("attaching to the later one: %v", err)
	} else if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestADesktopEndsWhenNobodyUsesItForLong(t *testing.T) {
	k := keepOne(t, Options{Name: "work", Linger: time.Millisecond})
	left := leftovers(k)
	a, err := Attach(k)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Find(filepath.Dir(k.Dir), "work"); err != nil || got.Users != 1 || !got.Until.IsZero() {
		t.Errorf("while it is used: %+v, %v", got, err)
	}
	_ = a.Close()
	scratch.Until(t, "it ends", func() bool { return len(left()) == 0 })
	if c, _ := FindClosing(filepath.Dir(k.Dir), k.Birth); c.Why != "it was not used for 1ms" {
		t.Errorf("its closing: %+v", c)
	}
}

// startSome starts programs of all sorts: one that stays, one whose parent ends, one that also leaves
// its session, and one with a window.
func startSome(t testing.TB, k Kept) []int {
	t.Helper()
	a, err := Attach(k)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var pids []int
	for _, args := range [][]string{
		{"sleep", "300"},
		{"sh", "-c", "trap '' TERM; while :; do sleep 1; done"},
		{"sh", "-c", "(sleep 301 &) ; (setsid sleep 302 &) ; exec sleep 303"},
		{"xmessage", "hello"},
	} {
		pid, _, err := a.Start(Program{Args: args, Env: os.Environ()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	scratch.Until(t, "the programs have started theirs", func() bool { return len(programsOf(k.Dir)) >= 3+4+2 })
	if _, err := os.Stat("/usr/libexec/xdg-document-portal"); err == nil { // it mounts a folder
		portal := []string{"call", "--session", "--dest", "org.freedesktop.portal.Documents", "--object-path", "/org/freedesktop/portal/documents", "--method", "org.freedesktop.portal.Documents.GetMountPoint"}
		if out, err := display(k, "gdbus", portal...).CombinedOutput(); err != nil {
			t.Logf("the portal for documents: %v: %s", err, out)
		} else if len(mountsBelow(k.Dir)) == 0 {
			t.Errorf("the portal for documents mounted nothing: %s", out)
		}
	}
	for _, p := range programsOf(k.Dir) {
		pids = append(pids, p.PID)
	}
	return pids
}

// running returns the processes that still run.
func running(pids []int) []string {
	var left []string
	for _, pid := range pids {
		if startOf(pid) != 0 {
			left = append(left, fmt.Sprintf("process %d", pid))
		}
	}
	return left
}

// TestKillingInAnyOrderLeavesNothing kills two processes of a desktop in each order. Something
// may be left for the next process to clean up only if both that could do so were killed.
func TestKillingInAnyOrderLeavesNothing(t *testing.T) {
	need(t, "xmessage")
	parts := []string{"keeper", "guard", "server", "manager", "bus"}
	for _, first := range parts {
		for _, second := range parts {
			if first == "manager" && second == first {
				continue // it is started again, as another test checks
			}
			t.Run("first the "+first+", then the "+second, func(t *testing.T) {
				t.Parallel()
				k := keepOne(t, Options{Name: "work"})
				started, ofDesktop := startSome(t, k), leftovers(k)
				for _, part := range []string{first, second} {
					_ = syscall.Kill(pidOf(t, k, part), syscall.SIGKILL)
				}
				if slices.Contains([]string{first, second}, "bus") && !slices.ContainsFunc([]string{first, second}, func(p string) bool { return p != "bus" && p != "manager" }) {
					_ = End(k, "its bus is gone") // a desktop goes on without one
				}
				scratch.Until(t, "the keeper and its guard are gone", func() bool { return startOf(k.Keeper) == 0 && startOf(started[0]) == 0 })
				left := func() []string { return append(ofDesktop(), running(started)...) }
				nobody := slices.Contains([]string{first, second}, "keeper") && slices.Contains([]string{first, second}, "guard")
				what := left()
				for deadline := scratch.Deadline(t); len(what) > 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
					if nobody { // the last threads of those that were killed may hold the lock for a moment
						Clean(filepath.Dir(k.Dir))
					}
					what = left()
				}
				if len(what) > 0 {
					t.Errorf("left behind: %q", what)
				}
				if _, found := FindClosing(filepath.Dir(k.Dir), k.Birth); !found {
					t.Error("nobody noted why it ended")
				}
			})
		}
	}
}

func pidOf(t testing.TB, k Kept, part string) int {
	t.Helper()
	switch part {
	case "keeper":
		return k.Keeper
	case "guard":
		if startOf(k.Keeper) == 0 {
			return 1 << 30 // it is ending already
		}
		return guardOf(t, k)
	}
	name := map[string]string{"server": "Xvfb", "manager": "openbox", "bus": "dbus-daemon"}[part]
	for _, p := range programsOf(k.Dir) {
		comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID))
		if strings.TrimSpace(string(comm)) == name {
			return p.PID
		}
	}
	return 1 << 30 // it has ended
}

func TestAStartThatIsGivenUpLeavesNothing(t *testing.T) {
	need(t)
	dir := scratch.Dir(t)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	if k, err := Keep(ctx, Options{Name: "work", Dir: dir}); err == nil {
		_ = End(k, "it was faster than the test")
	}
	scratch.Until(t, "no folder is left", func() bool {
		left, _ := filepath.Glob(filepath.Join(dir, "desktop-*"))
		return len(left) == 0
	})
}

func BenchmarkKeep(b *testing.B) {
	need(b)
	dir := scratch.Dir(b)
	for b.Loop() {
		k, err := Keep(b.Context(), Options{Name: "bench", Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = End(k, "measured")
		b.StartTimer()
	}
}

func BenchmarkAttach(b *testing.B) {
	k := keepOne(b, Options{Name: "bench"})
	for b.Loop() {
		a, err := Attach(k)
		if err != nil {
			b.Fatal(err)
		}
		_ = a.Close()
	}
}
