// Package virtualtest starts screens for the tests of other packages: virtual displays, and
// headless sessions of sway, KWin and GNOME, which it asks for the truth independently of
// the code under test. It also says which tests of desktops are to be played.
//
// Its limit is that sway refuses to run as root: for root it runs as another user than the
// programs of the test.
package virtualtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/scratch"
)

// RequireVar is the environment variable that makes desktop tests fail instead of being skipped.
const RequireVar = "UNDERSTUDY_REQUIRE_DESKTOP"

// Start starts a display that ends with the test. It skips the test if this machine cannot start
// one.
func Start(t testing.TB) *virtual.Display {
	t.Helper()
	return StartWith(t, virtual.Options{})
}

// StartWith is Start with options; the folder is always a temporary one.
func StartWith(t testing.TB, o virtual.Options) *virtual.Display {
	t.Helper()
	Need(t, "Xvfb", "openbox", "dbus-daemon")
	o.Dir = scratch.Dir(t)
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	d, err := virtual.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Need skips a test if one of the programs that it needs is missing, or fails it if RequireVar is
// set.
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

// TakesTime skips a test that waits for applications too long for `make test`.
func TakesTime(t testing.TB) {
	t.Helper()
	if os.Getenv("UNDERSTUDY_E2E") == "" {
		t.Skip("it takes the time that applications take: make e2e plays it")
	}
}

// Command returns the command for a program on a display, without starting it.
func Command(t testing.TB, d *virtual.Display, name string, args ...string) *exec.Cmd {
	t.Helper()
	Need(t, name)
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), d.Env()...)
	return cmd
}

// ServerPID returns the process of the X server of a display, which is known by the file with its
// cookie.
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

// The environment variables that choose one of several shards of scenarios.
const (
	// ShardVariable is i/n for shard i, from 1, of n; empty: all scenarios.
	ShardVariable = "UNDERSTUDY_E2E_SHARD"
	// SeedVariable changes which scenarios are in which shard.
	SeedVariable = "UNDERSTUDY_E2E_SEED"
)

// InShard reports whether a scenario is in the shard that is to be played.
func InShard(t testing.TB, name string) bool {
	t.Helper()
	text := os.Getenv(ShardVariable)
	if text == "" {
		return true
	}
	var i, n uint32
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		t.Fatalf("%s: wanted i/n with i from 1 to n, found %q", ShardVariable, text)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(os.Getenv(SeedVariable) + name))
	return h.Sum32()%n == i-1
}
