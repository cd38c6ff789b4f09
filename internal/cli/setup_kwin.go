package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/steps/desktop/wayland"
)

func (a *app) setupKWin() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "kwin",
		Short: "Allow understudy to operate KDE Plasma on Wayland",
		Long: "Write a desktop file for your user that allows this program to operate your session of KWin.\n" +
			wayland.KWinRights + "\n\nWith --remove, remove the file, and with it the right.",
		Example: "  understudy setup kwin\n  understudy setup kwin --remove",
		Args:    atMost(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			data := cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
			if remove {
				path, err := wayland.ForbidOnKWin(data, nil)
				if err == nil {
					fmt.Fprintf(a.out, "removed %s\n", path)
				}
				return err
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			path, err := wayland.AllowOnKWin(data, program, nil)
			if err == nil {
				fmt.Fprintf(a.out, "wrote %s\n", path)
				fmt.Fprintf(a.errOut, "%s\nnext: understudy doctor\n", wayland.KWinRights)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the file that allows it")
	return cmd
}
