package local

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
)

// preferredBrowser returns the command line of the user's preferred browser if it is one that
// can be connected, and else nil. The program xdg-open would start it without a connection.
func preferredBrowser(ctx context.Context, in desktop.Setting) []string {
	for _, command := range [][]string{strings.Fields(in.Variable("BROWSER")), handlerOfPages(ctx, in), alternative("x-www-browser", in)} {
		if len(command) == 0 {
			continue
		}
		if !devtools.IsBrowser(command[0]) {
			return nil
		}
		return slices.Clone(command)
	}
	return nil
}

// handlerOfPages is what the settings of the desktop name, or nil.
func handlerOfPages(ctx context.Context, in desktop.Setting) []string {
	query := exec.CommandContext(ctx, "xdg-mime", "query", "default", "x-scheme-handler/https")
	query.Env = in.Variables()
	id, err := query.Output()
	if err != nil || len(strings.TrimSpace(string(id))) == 0 {
		return nil
	}
	target, err := desktopFileTarget(strings.TrimSpace(string(id)))
	if err != nil {
		return nil
	}
	return target.Args
}

// alternative is what a name of Debian's alternatives stands for, or nil.
func alternative(name string, in desktop.Setting) []string {
	path, err := lookPath(name, in)
	if err != nil {
		return nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil
	}
	return []string{path}
}
