package cli

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
)

// desktopsFolder is where the virtual desktops of a data folder are kept.
func desktopsFolder(home string) string { return filepath.Join(home, "display") }

func (a *app) desktop() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "desktop",
		Short: "Start, list and stop the virtual desktops that last",
		Long: "Start, list and stop virtual desktops that last: each is kept by a process of its own,\n" +
			"with the programs on it, until it is stopped or its time is over. Runs use one with\n" +
			"--display virtual:NAME; one that a run made, and that did not succeed, is kept for it.",
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.desktopStart(), a.desktopList(), a.desktopShow(), a.desktopRun(), a.desktopStop(), a.desktopPrune(), a.desktopEnv())
	return cmd
}

// keepDesktop is the process that keeps a desktop, which nobody types.
func (a *app) keepDesktop() *cobra.Command {
	return &cobra.Command{
		Use: virtual.KeeperCommand, Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error { return virtual.RunKeeper(cmd.Context(), args) },
	}
}

// defaultDesktop is what a desktop is called that nobody named.
const defaultDesktop = "main"

func (a *app) desktopStart() *cobra.Command {
	var screen, layout string
	var linger time.Duration
	cmd := &cobra.Command{
		Use:   "start [NEW]",
		Short: "Start a desktop that lasts",
		Long: "Start a desktop that lasts, called " + defaultDesktop + " unless it is named. It ends when it is stopped,\n" +
			"or, with --for, when nobody has used it for that long.",
		Args: atMost(1, "the name of one desktop"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := virtual.Options{Name: defaultDesktop, Layout: layout, Linger: linger}
			if len(args) > 0 {
				o.Name = args[0]
			}
			if err := virtual.CheckName(o.Name); err != nil {
				return usage(cmd, "%w", err)
			}
			if screen != "" {
				size, err := desktop.ParseSize(screen)
				if err != nil {
					return usage(cmd, "--screen: %w", err)
				}
				o.Screen = size
			}
			dir, err := a.desktops()
			if err != nil {
				return err
			}
			o.Dir = dir
			k, err := virtual.Keep(cmd.Context(), o)
			if err != nil {
				return notReady(err)
			}
			fmt.Fprintf(a.out, "desktop %s is ready: %s, %s\n", k.Name, k.Display, k.Screen)
			return nil
		},
	}
	cmd.Flags().StringVar(&screen, "screen", "", "the size of its screen (default 1920x1080)")
	cmd.Flags().StringVar(&layout, "layout", "", "the layout of its keyboard, such as de")
	cmd.Flags().DurationVar(&linger, "for", 0, "end it when nobody has used it for so long, such as 8h")
	return cmd
}

// desktops is the folder of the lasting desktops.
func (a *app) desktops() (string, error) {
	dir, err := a.folder()
	return desktopsFolder(dir), err
}

// desktopNamed is the lasting desktop with a name.
func (a *app) desktopNamed(name string) (virtual.Kept, error) {
	dir, err := a.desktops()
	if err != nil {
		return virtual.Kept{}, err
	}
	k, err := virtual.Find(dir, name)
	if errors.Is(err, desktop.ErrGone) {
		err = &steps.Error{Code: steps.Invalid, Err: err, Next: "`understudy desktop ls` lists them, `understudy desktop start " + name + "` starts it"}
	}
	return k, err
}

func (a *app) desktopList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the desktops that last",
		Args:  atMost(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.desktops()
			if err != nil {
				return err
			}
			all := virtual.List(dir)
			if asJSON {
				return a.document(append([]virtual.Kept{}, all...))
			}
			return a.table(func(w io.Writer) {
				fmt.Fprintln(w, "NAME\tDISPLAY\tSCREEN\tAGE\tMEMORY\tPROCESSES\tPROGRAMS\tRUN\tUNTIL")
				for _, k := range all {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d MB\t%d\t%s\t%s\t%s\n", k.Name, k.Display, k.Screen, time.Since(k.Started).Round(time.Second),
						k.Memory>>20, k.Processes, dash(strings.Join(k.Programs, ",")), dash(k.Run), untilWords(k))
				}
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON document")
	return cmd
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// untilWords say how long a desktop stays.
func untilWords(k virtual.Kept) string {
	switch {
	case k.Linger == 0:
		return "stopped"
	case k.Until.IsZero():
		return "in use"
	}
	return k.Until.Local().Format(time.DateTime)
}

func (a *app) desktopShow() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "show DESKTOP",
		Short: "Take a picture of a desktop",
		Long:  "Take a picture of a desktop, and write its name to the standard output.",
		Args:  exactly(1, "the name of one desktop"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := a.desktopNamed(args[0])
			if err != nil {
				return err
			}
			d, err := a.machine.Open(cmd.Context(), desktop.Options{Display: "virtual", Name: k.Name, Birth: k.Birth, Dir: filepath.Dir(k.Dir)})
			if err != nil {
				return notReady(err)
			}
			defer d.Close()
			picture, err := d.Capture(cmd.Context(), desktop.Rect{})
			if err != nil {
				return err
			}
			if file == "" {
				file = k.Name + ".png"
			}
			f, err := os.Create(file)
			if err != nil {
				return &steps.Error{Code: steps.Invalid, Err: err, Next: "name another file with --picture"}
			}
			if err := errors.Join(png.Encode(f, picture), f.Close()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, file)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "picture", "", "the file to write (default the desktop's name and .png, here)")
	return cmd
}

func (a *app) desktopRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run DESKTOP COMMAND...",
		Short: "Start a program on a desktop",
		Long:  "Start a program on a desktop, where it stays until it ends or the desktop does:\n\n    understudy desktop run main -- mousepad notes.txt",
		Args:  atLeast(2, "the name of a desktop, --, and a program with its arguments"),
		RunE: func(_ *cobra.Command, args []string) error {
			program := args[1:]
			if program[0] == "--" && len(program) > 1 {
				program = program[1:]
			}
			k, err := a.desktopNamed(args[0])
			if err != nil {
				return err
			}
			at, err := virtual.Attach(k)
			if err != nil {
				return notReady(err)
			}
			defer at.Close()
			here, err := os.Getwd()
			if err != nil {
				return err
			}
			pid, _, err := at.Start(virtual.Program{Args: program, Env: os.Environ(), Dir: here}, nil)
			if err != nil {
				return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a program that is installed here"}
			}
			_, err = fmt.Fprintln(a.out, pid)
			return err
		},
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (a *app) desktopStop() *cobra.Command {
	return &cobra.Command{
		Use:   "stop DESKTOP",
		Short: "Stop a desktop, with all that runs on it",
		Args:  exactly(1, "the name of one desktop"),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := a.desktopNamed(args[0])
			if err != nil {
				return err
			}
			return virtual.End(k, "it was stopped by hand")
		},
	}
}

func (a *app) desktopPrune() *cobra.Command {
	var age time.Duration
	var all bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Stop the desktops that were kept for runs, and clear away what is left of others",
		Long: "Stop the desktops that were made for a run and that nobody uses now: such a run can\n" +
			"then only begin again. Those that were started by name stay, unless --all is given.",
		Args: atMost(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.desktops()
			if err != nil {
				return err
			}
			var errs []error
			for _, k := range virtual.List(dir) {
				if k.Users > 0 || k.Run == "" && !all || time.Since(k.Started) < age {
					continue
				}
				if err := virtual.End(k, "it was pruned"); err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(a.out, "stopped %s\n", k.Name)
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().DurationVar(&age, "age", 0, "only those that are as old as this, such as 24h")
	cmd.Flags().BoolVar(&all, "all", false, "also those that were started by name")
	return cmd
}

func (a *app) desktopEnv() *cobra.Command {
	return &cobra.Command{
		Use:   "env DESKTOP",
		Short: "Write what a shell has to export to use a desktop",
		Long:  "Write what a shell has to export to use a desktop:\n\n    eval \"$(understudy desktop env main)\"",
		Args:  exactly(1, "the name of one desktop"),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := a.desktopNamed(args[0])
			if err != nil {
				return err
			}
			for _, v := range k.Env {
				name, value, _ := strings.Cut(v, "=")
				if name == "XDG_RUNTIME_DIR" {
					continue // what has it ends with the desktop, and a shell should not
				}
				fmt.Fprintf(a.out, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
			}
			return nil
		},
	}
}

func (a *app) completeDesktop(*cobra.Command, []string, string) (names []string, d cobra.ShellCompDirective) {
	dir, err := a.desktops()
	if err == nil {
		_, err = os.Stat(dir) // looking for what to offer makes none
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, k := range virtual.List(dir) {
		names = append(names, k.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
