// Package virtualtest starts virtual displays for the tests of other packages.
package virtualtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/scratch"
	"understudy/steps/desktop/virtual"
)

// RequireVar is the environment variable that turns a skipped desktop test
// into a failed one.
const RequireVar = "UNDERSTUDY_REQUIRE_DESKTOP"

// Start starts a display that ends with the test. The test is skipped when
// this machine cannot start one.
func Start(t testing.TB) *virtual.Display {
	t.Helper()
	return StartWith(t, virtual.Options{})
}

// StartWith is Start with options; the folder is always a temporary one.
func StartWith(t testing.TB, o virtual.Options) *virtual.Display {
	t.Helper()
	Need(t, "Xvfb", "openbox", "dbus-daemon")
	dir := scratch.Dir(t)
	o.Dir = dir
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d, err := virtual.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Need skips a test when one of the programs that it needs is missing, or
// fails it when RequireVar is set.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		_, err := exec.LookPath(p)
		if files, _ := filepath.Glob(p); err == nil || len(files) > 0 {
			continue
		}
		if os.Getenv(RequireVar) != "" {
			t.Fatalf("needs a desktop: the program %s is missing, and %s is set", p, RequireVar)
		}
		t.Skipf("needs a desktop: the program %s is missing", p)
	}
}

// TakesTime skips a test that waits for applications for longer than `make test`
// may take.
func TakesTime(t testing.TB) {
	t.Helper()
	if os.Getenv("UNDERSTUDY_E2E") == "" {
		t.Skip("it takes the time that applications take: make e2e plays it")
	}
}

// Command is a program that shows itself on a display. It is not started.
func Command(t testing.TB, d *virtual.Display, name string, args ...string) *exec.Cmd {
	t.Helper()
	Need(t, name)
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), d.Env()...)
	return cmd
}

// ServerPID is the process of a display's X server: the one that was started with
// its cookie.
func ServerPID(t testing.TB, d *virtual.Display) int {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range commands {
		raw, _ := os.ReadFile(path) // it may have ended
		args := strings.Split(string(raw), "\x00")
		if filepath.Base(args[0]) == "Xvfb" && slices.Contains(args, d.Authority()) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("no X server uses %s", d.Authority())
	return 0
}
