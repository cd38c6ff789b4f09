// Package virtualtest starts virtual displays for the tests of other packages.
package virtualtest

import (
	"context"
	"os"
	"os/exec"
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
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		if os.Getenv(RequireVar) != "" {
			t.Fatalf("needs a desktop: the program %s is missing, and %s is set", p, RequireVar)
		}
		t.Skipf("needs a desktop: the program %s is missing", p)
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

// ServerPID is the process of a display's X server, which says so in its lock.
func ServerPID(t testing.TB, d *virtual.Display) int {
	t.Helper()
	text, err := os.ReadFile("/tmp/.X" + strings.TrimPrefix(d.Name(), ":") + "-lock")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
