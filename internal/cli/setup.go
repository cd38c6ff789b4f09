package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"understudy/steps/desktop/wayland"
)

func (a *app) setup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Set up what a session of Wayland needs to be operated",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.setupGNOME(), a.setupKWin())
	return cmd
}

func (a *app) setupGNOME() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "gnome",
		Short: "Install the extension that lets understudy operate GNOME on Wayland",
		Long: "Install an extension of GNOME Shell for your user, and enable it from your next login on.\n" +
			wayland.GNOMERights + "\n\nWith --remove, disable the extension and remove it.",
		Example: "  understudy setup gnome\n  understudy setup gnome --remove",
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if remove {
				folder, err := wayland.RemoveGNOME(cmd.Context())
				if err == nil {
					fmt.Fprintf(a.out, "removed %s\n", folder)
				}
				return err
			}
			folder, err := wayland.SetUpGNOME(cmd.Context())
			if err == nil {
				fmt.Fprintf(a.out, "installed %s\n", folder)
				fmt.Fprintf(a.errOut, "%s\nnext: log out and in again, then understudy doctor\n", wayland.GNOMERights)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "disable the extension and remove it")
	return cmd
}
