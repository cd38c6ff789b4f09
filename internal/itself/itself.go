// Package itself starts the program of a test anew: as the command understudy,
// for tests that need it as a process of its own, to end it, to kill it, or to be
// another user; or as the process of one test alone, which can be played beside
// others. Its main idea is that nothing is built; its limit is that what is tested
// is so not the file that is shipped.
package itself

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/cli"
	"understudy/steps/desktop/local"
	"understudy/steps/desktop/virtual"
)

// Name is what a test program must be called by to be the command.
const Name = "understudy"

// Main is the TestMain of a package with such tests. A test that starts a desktop
// itself has its own program as the keeper, which must not play the tests again.
func Main(m *testing.M) {
	keeps := len(os.Args) > 1 && os.Args[1] == virtual.KeeperCommand
	if keeps || strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == Name {
		os.Exit(cli.Main(context.Background(), local.Machine{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// Command makes a command that would run the test program anew one that is the
// command understudy.
func Command(c *exec.Cmd) *exec.Cmd {
	c.Args[0] = Name
	return c
}
