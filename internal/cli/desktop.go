package cli

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"understudy/internal/desktop/virtual"
	"understudy/internal/operations"
	"understudy/steps"
)

// desktopsFolder returns the folder of the virtual desktops of a data folder.
func desktopsFolder(home string) string { return filepath.Join(home, "display") }

func desktopCommand(a *app) *cobra.Command {
	cmd := group("desktop", "Start, list and stop virtual desktops that last",
		"Start, list and stop virtual desktops that last: each is kept by a process of its own,\n"+
			"with the programs on it, until it is stopped or its time is over. Runs use one with\n"+
			"--display virtual:NAME; one that a run made, and that did not succeed, is kept for it.",
		desktopEnv(a))
	for _, o := range operations.OnDesktops() {
		cmd.AddCommand(desktopOperation(a, o))
	}
	return cmd
}

// keepDesktop is the command of the process that keeps a desktop; nobody types it.
func keepDesktop(*app) *cobra.Command {
	return &cobra.Command{
		Use: virtual.KeeperCommand, Hidden: true, DisableFlagParsing: true, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return virtual.RunKeeper(cmd.Context(), args) },
	}
}

func desktopOperation(a *app, o operations.DesktopOperation) *cobra.Command {
	var picture string
	cmd := a.operation(o.Declaration, func(cmd *cobra.Command, values any) (operations.Result, error) {
		ks, err := a.keepers()
		if err != nil {
			return operations.Result{}, err
		}
		here, err := os.Getwd()
		if err != nil {
			return operations.Result{}, err
		}
		answer, err := o.Do(cmd.Context(), ks, operations.DesktopCaller{Dir: here, Environ: os.Environ()}, values)
		return answer, desktopError(err)
	}, func(answer operations.Result, args []string) error {
		return writePicture(a.out, answer.Picture, picture, args[0])
	})
	if o.Command == "show" {
		cmd.Flags().StringVar(&picture, "picture", "", "the file to write (default the desktop's name and .png, here)")
	}
	return cmd
}

// desktopError replaces the advice of an error by that for the command line.
func desktopError(err error) error {
	return adviseNotFound(err, "`understudy desktop ls` lists them, `understudy desktop start NAME` starts one")
}

func (a *app) keepers() (operations.Desktops, error) {
	dir, err := a.folder()
	return operations.MachineDesktops{Machine: a.machine, Dir: desktopsFolder(dir), Seat: true}, err
}

func writePicture(out io.Writer, p image.Image, file, desktop string) error {
	file = cmp.Or(file, desktop+".png")
	f, err := os.Create(file)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name another file with --picture"}
	}
	if err := errors.Join(png.Encode(f, p), f.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, file)
	return err
}

func desktopEnv(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "env DESKTOP",
		Short: "Print what a shell must export to use a desktop",
		Long:  "Print what a shell must export to use a desktop:\n\n    eval \"$(understudy desktop env main)\"",
		RunE: func(_ *cobra.Command, args []string) error {
			ks, err := a.keepers()
			if err != nil {
				return err
			}
			k, err := operations.FindDesktop(ks, operations.DesktopCaller{}, args[0], false)
			if err != nil {
				return desktopError(err)
			}
			for _, v := range k.Env {
				name, value, _ := strings.Cut(v, "=")
				if name == "XDG_RUNTIME_DIR" {
					continue // programs with it end with the desktop, and a shell should not
				}
				fmt.Fprintf(a.out, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
			}
			return nil
		},
	}
}
