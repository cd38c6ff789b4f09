package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/steps"
)

// Desktops keeps the desktops that last, with processes that package virtual starts, or
// in memory for tests.
type Desktops interface {
	Start(ctx context.Context, o virtual.Options) (virtual.Kept, error)
	// List returns the desktops, the oldest first.
	List() []virtual.Kept
	Picture(ctx context.Context, k virtual.Kept) (image.Image, error)
	// Run starts a program that outlives its caller, and returns its process id.
	Run(ctx context.Context, k virtual.Kept, p virtual.Program) (pid int, err error)
	End(k virtual.Kept, why string) error
}

// A DesktopCaller is the client of an operation on desktops, with its rights and defaults.
type DesktopCaller struct {
	Owner string // the credential that owns its desktops; empty means the person at the machine
	// May returns an error if the caller may not see a desktop, or change it. Nil
	// means that it may see and change all.
	May func(k virtual.Kept, change bool) error
	// Commands is the error if the caller may not run commands.
	Commands error
	// Linger is the default for how long an unused desktop stays; 0 means until it is
	// stopped.
	Linger time.Duration
	// Most is the largest number of desktops; 0 means no limit.
	Most int
	// Dir and Environ are the working folder and environment of started programs.
	Dir     string
	Environ []string
}

func (c DesktopCaller) may(k virtual.Kept, change bool) error {
	if c.May == nil {
		return nil
	}
	return c.May(k, change)
}

// A DesktopOperation is something that can be done with lasting desktops.
type DesktopOperation = Operation[Desktops, DesktopCaller]

// OnDesktops returns all operations on lasting desktops.
func OnDesktops() []DesktopOperation {
	return []DesktopOperation{
		New(Declaration{
			Command: "start", Tool: "start_desktop", Summary: "Start a desktop that lasts.",
			Details: "It is called " + defaultName + " unless it is named. It ends when it is stopped,\nor, with --for, when nobody has used it for that long.",
		}, startDesktop),
		New(Declaration{Command: "ls", Tool: "list_desktops", Summary: "List the desktops that last.", Reads: true, Lists: "desktops"}, listDesktops),
		New(Declaration{Command: "show", Tool: "show_desktop", Summary: "Take a picture of a desktop.", Reads: true}, showDesktop),
		New(Declaration{
			Command: "run", Tool: "run_on_desktop", Summary: "Start a program on a desktop.",
			Details: "It stays there until it ends or the desktop does:\n\n    understudy desktop run main -- mousepad notes.txt",
		}, runOnDesktop),
		New(Declaration{
			Command: "stop", Tool: "stop_desktop", Summary: "Stop a desktop and all programs on it.", Destructive: true, Lists: "stopped",
		}, stopDesktop),
		New(Declaration{
			Command: "prune", Tool: "prune_desktops", Summary: "Stop the desktops that were kept for runs.",
			Details:     "Stop the desktops that were made for a run and that nobody uses now: such a run can\nthen only begin again. Those that were started by name stay, unless --all is given.",
			Destructive: true, Idempotent: true, Lists: "stopped",
		}, pruneDesktops),
	}
}

// defaultName is the name of a desktop that is started without one.
const defaultName = "main"

type startArgs struct {
	Name   string `json:"name,omitempty" arg:"[NEW]" jsonschema:"what it is called"`
	Screen string `json:"screen,omitempty" jsonschema:"the size of its screen (default 1920x1080)"`
	Layout string `json:"layout,omitempty" jsonschema:"the layout of its keyboard, such as de"`

	// Only for the person at the machine, whose displays and files they name.
	Server    string `json:"-" flag:"server" jsonschema:"its server: xvfb, xephyr for a window of yours, xvnc for VNC viewers, sway for a session of Wayland (default xvfb)"`
	Display   string `json:"-" flag:"display" jsonschema:"a display that is there already, such as :1 or host:1; it is never ended"`
	Authority string `json:"-" flag:"authority" jsonschema:"the file with the cookie of that display (default yours)"`
	Bus       string `json:"-" flag:"bus" jsonschema:"the address of the session bus of that display, to read its elements"`

	For Period `json:"for,omitempty" jsonschema:"end it after it was unused for this long, such as 8h"`
}

// options returns the arguments as options of a keeper.
func (a *startArgs) options(c DesktopCaller) (virtual.Options, error) {
	o := virtual.Options{
		Name: cmp.Or(a.Name, defaultName), Layout: a.Layout, Linger: cmp.Or(time.Duration(a.For), c.Linger), Owner: c.Owner,
		Server: a.Server, Display: a.Display, Authority: a.Authority, Bus: a.Bus,
	}
	err := virtual.CheckName(o.Name)
	if err == nil && a.Screen != "" {
		o.Screen, err = desktop.ParseSize(a.Screen)
	}
	if err != nil {
		return o, &steps.Error{Code: steps.Invalid, Err: err}
	}
	return o, nil
}

func startDesktop(ctx context.Context, ks Desktops, c DesktopCaller, a *startArgs) (Result, error) {
	o, err := a.options(c)
	if err != nil {
		return Result{}, err
	}
	if n := len(slices.DeleteFunc(ks.List(), virtual.Kept.IsSeat)); c.Most > 0 && n >= c.Most {
		return Result{}, steps.Errorf(steps.Busy, "there are %d desktops, the maximum", n).WithNext("stop one that is not needed")
	}
	k, err := ks.Start(ctx, o)
	if errors.Is(err, fs.ErrExist) {
		return Result{}, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("the name %s is taken: there is a desktop %s already", o.Name, o.Name), Next: "give it another name, or stop the one that has it"}
	}
	if err != nil {
		return Result{}, &steps.Error{Code: steps.Unavailable, Err: err}
	}
	text := fmt.Sprintf("desktop %s is ready: %s, %s", k.Name, filepath.Base(k.Display), k.Screen)
	if k.VNC != nil && c.May == nil {
		text += fmt.Sprintf("\nto look at it: a VNC viewer at %s, with the password %s", strings.Replace(k.VNC.Address, ":", "::", 1), k.VNC.Password)
	}
	return Result{Value: seenBy(c, k), Text: text}, nil
}

// seenBy returns what a caller may see of a desktop. Only the person at the machine can
// use the files through which programs reach it.
func seenBy(c DesktopCaller, k virtual.Kept) virtual.Kept {
	if c.May != nil {
		k.Dir, k.Bus, k.Env, k.Keeper, k.VNC = "", "", nil, 0, nil
	}
	return k
}

// FindDesktop returns the desktop with a name, if the caller may see it, and with change set,
// change it. It returns the same error for one that the caller may not see and one that
// does not exist.
func FindDesktop(ks Desktops, c DesktopCaller, name string, change bool) (virtual.Kept, error) {
	for _, k := range ks.List() {
		if k.Name != name || c.may(k, false) != nil {
			continue
		}
		return k, c.may(k, change)
	}
	return virtual.Kept{}, &steps.Error{
		Code: steps.NotFound, Err: fmt.Errorf("desktop %s: %w", name, desktop.ErrGone), Next: "list the existing desktops, or start it",
	}
}

type noArgs struct{}

func listDesktops(_ context.Context, ks Desktops, c DesktopCaller, _ *noArgs) (Result, error) {
	all, lines := []virtual.Kept{}, []string{"NAME\tDISPLAY\tSCREEN\tAGE\tMEMORY\tPROCESSES\tPROGRAMS\tRUN\tUNTIL"}
	for _, k := range ks.List() {
		if c.may(k, false) != nil {
			continue
		}
		all = append(all, seenBy(c, k))
		age, memory, processes := "-", "-", "-"
		if !k.IsSeat() {
			age, memory, processes = time.Since(k.Started).Round(time.Second).String(), fmt.Sprintf("%d MB", k.Memory>>20), strconv.Itoa(k.Processes)
		}
		lines = append(lines, strings.Join([]string{
			k.Name, filepath.Base(k.Display), k.Screen.String(), age, memory, processes,
			cmp.Or(strings.Join(k.Programs, ","), "-"), cmp.Or(k.Run, "-"), untilWords(k),
		}, "\t"))
	}
	return Result{Value: all, Text: Table(lines)}, nil
}

// untilWords describes how long a desktop stays.
func untilWords(k virtual.Kept) string {
	switch {
	case k.IsSeat():
		return "yours"
	case k.Linger == 0:
		return "stopped"
	case k.Until.IsZero():
		return "in use"
	}
	return k.Until.Local().Format(time.DateTime)
}

type nameArgs struct {
	Desktop string `json:"desktop" arg:"DESKTOP" jsonschema:"its name, as in list_desktops"`
}

func showDesktop(ctx context.Context, ks Desktops, c DesktopCaller, a *nameArgs) (Result, error) {
	k, err := FindDesktop(ks, c, a.Desktop, false)
	if err != nil {
		return Result{}, err
	}
	p, err := ks.Picture(ctx, k)
	if err != nil {
		return Result{}, &steps.Error{Code: steps.Unavailable, Err: err}
	}
	return Result{Value: seenBy(c, k), Text: fmt.Sprintf("desktop %s, %s", k.Name, k.Screen), Picture: p}, nil
}

type runArgs struct {
	Desktop string   `json:"desktop" arg:"DESKTOP" jsonschema:"its name, as in list_desktops"`
	Program []string `json:"program" arg:"COMMAND..." jsonschema:"the program and its arguments"`
}

type startedProgram struct {
	PID int `json:"pid"`
}

func runOnDesktop(ctx context.Context, ks Desktops, c DesktopCaller, a *runArgs) (Result, error) {
	if c.Commands != nil {
		return Result{}, c.Commands
	}
	k, err := FindDesktop(ks, c, a.Desktop, true)
	if err != nil {
		return Result{}, err
	}
	if len(a.Program) == 0 {
		return Result{}, steps.Errorf(steps.Invalid, "program is empty: wanted a program and its arguments")
	}
	pid, err := ks.Run(ctx, k, virtual.Program{Args: a.Program, Env: c.Environ, Dir: c.Dir})
	if err != nil {
		return Result{}, &steps.Error{Code: steps.Invalid, Err: err, Next: "name a program that is installed here"}
	}
	return Result{Value: startedProgram{pid}, Text: fmt.Sprint(pid)}, nil
}

func stopDesktop(_ context.Context, ks Desktops, c DesktopCaller, a *nameArgs) (Result, error) {
	k, err := FindDesktop(ks, c, a.Desktop, true)
	if err != nil {
		return Result{}, err
	}
	if k.IsSeat() {
		return Result{}, steps.Errorf(steps.Invalid, "%s is the display of the person at the machine, and is not stopped", k.Name)
	}
	if err := ks.End(k, "it was stopped by hand"); err != nil {
		return Result{}, err
	}
	return Result{Value: []string{k.Name}, Text: "stopped " + k.Name}, nil
}

type pruneArgs struct {
	Age Period `json:"age,omitempty" jsonschema:"only those that are as old as this, such as 24h"`
	All bool   `json:"all,omitempty" jsonschema:"also those that were started by name"`
}

func pruneDesktops(_ context.Context, ks Desktops, c DesktopCaller, a *pruneArgs) (Result, error) {
	ended, lines := []string{}, []string{}
	var errs []error
	for _, k := range ks.List() {
		if k.IsSeat() || k.Users > 0 || k.Run == "" && !a.All || time.Since(k.Started) < time.Duration(a.Age) || c.may(k, true) != nil {
			continue
		}
		if err := ks.End(k, "it was pruned"); err != nil {
			errs = append(errs, err)
			continue
		}
		ended = append(ended, k.Name)
		lines = append(lines, "stopped "+k.Name)
	}
	return Result{Value: ended, Text: strings.Join(lines, "\n")}, errors.Join(errs...)
}
