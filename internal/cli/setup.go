package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
	"understudy/steps"
)

// A compositorSetup is what the sessions of one compositor need, once.
type compositorSetup struct {
	name, short, long string
	rights            string // who gets which rights by it
	removal           string // what --remove does
	next              string
	install, remove   func(context.Context) (path string, err error)
}

var compositorSetups = []compositorSetup{
	{
		name:    "gnome",
		short:   "Install the extension that lets understudy operate GNOME on Wayland",
		long:    "Install an extension of GNOME Shell for your user, and enable it from your next login on.",
		rights:  wayland.GNOMERights,
		removal: "disable the extension and remove it",
		next:    "log out and in again, then understudy doctor",
		install: wayland.SetUpGNOME,
		remove:  wayland.RemoveGNOME,
	},
	{
		name:    "kwin",
		short:   "Allow understudy to operate KDE Plasma on Wayland",
		long:    "Write a desktop file for your user that allows this program to operate your session of KWin.",
		rights:  wayland.KWinRights,
		removal: "remove the file, and with it the right",
		next:    "understudy doctor",
		install: func(context.Context) (string, error) {
			data, err := desktop.DataHome()
			if err != nil {
				return "", err
			}
			program, err := os.Executable()
			if err != nil {
				return "", err
			}
			return wayland.AllowOnKWin(data, program, nil)
		},
		remove: func(context.Context) (string, error) {
			data, err := desktop.DataHome()
			if err != nil {
				return "", err
			}
			return wayland.ForbidOnKWin(data, nil)
		},
	},
}

func setupCommand(a *app) *cobra.Command {
	cmd := group("setup", "Set up a browser or a Wayland session so that it can be operated", "", setupBrowser(a))
	for _, s := range compositorSetups {
		cmd.AddCommand(setupOf(a, s))
	}
	return cmd
}

func setupOf(a *app, s compositorSetup) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:     s.name,
		Short:   s.short,
		Long:    s.long + "\n" + s.rights + "\n\nWith --remove, " + s.removal + ".",
		Example: "  understudy setup " + s.name + "\n  understudy setup " + s.name + " --remove",
		RunE: func(cmd *cobra.Command, _ []string) error {
			do, done := s.install, "installed"
			if remove {
				do, done = s.remove, "removed"
			}
			path, err := do(cmd.Context())
			if remove && errors.Is(err, fs.ErrNotExist) {
				return steps.Errorf(steps.Invalid, "there is nothing to remove: %w", err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s %s\n", done, path)
			if !remove {
				fmt.Fprintf(a.errOut, "%s\nnext: %s\n", s.rights, s.next)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, s.removal)
	return cmd
}
