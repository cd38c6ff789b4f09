package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/steps/confined"
)

// folders are where relative paths of clients start, and where their steps may
// use files. Clients often start a server in the home folder or in /; nobody has
// chosen to hand those out, so they have to be named.
func (f *serverFlags) folders(cmd *cobra.Command) (dir string, roots []string, err error) {
	for _, root := range f.roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			return "", nil, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return "", nil, usage(cmd, "--root %s: wanted a folder that there is", root)
		}
		roots = append(roots, abs)
	}
	if len(roots) > 0 {
		return roots[0], roots, nil
	}
	if dir, err = os.Getwd(); err != nil || holdsHome(dir) {
		return dir, nil, err
	}
	return dir, []string{dir}, nil
}

func holdsHome(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	return err == nil && confined.Private{dir}.Refuse(home) != nil
}
