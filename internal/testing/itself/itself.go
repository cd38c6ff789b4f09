// Package itself starts the program of a test again: as the command understudy, for
// tests that need it as a separate process, to end it, to kill it, or to run it as
// another user; or as the process of one test alone, which can run in parallel with
// others. Its main idea is that nothing has to be built; its limit is that the tested
// program is not the file that is shipped.
package itself

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/cli"
	"understudy/internal/desktop/local"
	"understudy/internal/desktop/virtual"
	"understudy/internal/service"
)

// Name is the name by which a test program must be called to be the command.
const Name = "understudy"

// Main is the TestMain of a package with such tests. A test that starts a desktop
// or a service itself starts its own program as that, which must not run the tests again.
func Main(m *testing.M) {
	keeps := len(os.Args) > 1 && (os.Args[1] == virtual.KeeperCommand || os.Args[1] == service.Command)
	if keeps || strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == Name {
		os.Exit(cli.Main(context.Background(), local.Machine{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// grace is how long the output of a program that has ended is still read: what it started may
// keep it open.
const grace = 5 * time.Second

// Command turns a command that would run the test program into one that runs as
// understudy.
func Command(c *exec.Cmd) *exec.Cmd {
	c.Args[0], c.WaitDelay = Name, grace
	return c
}
