package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/rundesktops"
	"understudy/internal/service"
	"understudy/mcpserver"
	"understudy/steps"
)

// idleTime is after which time without work a service ends.
const idleTime = 10 * time.Minute

// A serviceSetup is what a service is started with. A client that wants another one gets it
// when nobody works with the first.
type serviceSetup struct {
	displayFlags
	Shared  bool     // runs that chose no desktop share one
	Session []string // the variables that say which session is the user's
}

// sessionVariables are those of a setup.
var sessionVariables = []string{"DISPLAY", "WAYLAND_DISPLAY"}

func setupFor(d displayFlags) serviceSetup {
	s := serviceSetup{displayFlags: d}
	for _, name := range sessionVariables {
		s.Session = append(s.Session, name+"="+os.Getenv(name))
	}
	return s
}

func (s serviceSetup) String() string {
	raw, _ := json.Marshal(s) // cannot fail: strings and numbers
	return string(raw)
}

// keepFolder is the command of the process that is the service; nobody types it.
func keepFolder(a *app) *cobra.Command {
	return &cobra.Command{
		Use: service.Command, Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var s serviceSetup
			idle, err := time.ParseDuration(args[0])
			if err = errors.Join(err, json.Unmarshal([]byte(args[1]), &s)); err != nil {
				return usage(cmd, "the program starts this command itself: %w", err)
			}
			return a.beService(cmd, idle, s)
		},
	}
}

// beService is the service of the data folder until nobody needs it any more.
func (a *app) beService(cmd *cobra.Command, idle time.Duration, s serviceSetup) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	a.errOut = &service.Log{Dir: dir}
	config := s.keeps()
	config.Shared = s.Shared
	h, err := a.host(cmd, &s.displayFlags, 0, config, service.HostOptions{Idle: idle, Setup: s.String()})
	if errors.Is(err, errServed) {
		return service.Report(a.out, nil) // another process was faster
	}
	if err = errors.Join(service.Report(a.out, err), err); err != nil {
		return err
	}
	defer func() { a.leave(cmd.Context(), h.Leave) }()
	_ = os.Stdout.Close()
	a.log().Warn("the service has begun", "pid", os.Getpid(), "version", thisVersion().Version)
	defer a.log().Warn("the service has ended", "pid", os.Getpid())
	return a.serveSchedules(cmd, s.displayFlags, h.Ended())
}

// serveSchedules begins the runs of schedules until over is closed or the command ends.
func (a *app) serveSchedules(cmd *cobra.Command, d displayFlags, over <-chan struct{}) error {
	f := defaultServer()
	f.displayFlags = d
	o, err := a.server(cmd, &f, poolFlags{}, func(*mcpserver.Options) {})
	if err != nil {
		return err
	}
	o.server.RunSchedules()
	select {
	case <-cmd.Context().Done():
	case <-over:
	}
	a.leave(cmd.Context(), o.server.Close)
	return nil
}

var errServed = errors.New("the data folder has a service")

// host makes this process the service of the data folder, where some runs may act at once.
func (a *app) host(cmd *cobra.Command, f *displayFlags, places int, c rundesktops.Config, o service.HostOptions) (*service.Host, error) {
	d, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	if o.Dir, err = a.folder(); err != nil {
		return nil, err
	}
	o.Engine, o.Close, err = a.openWhenFree(cmd.Context(), o.Dir, d, c)
	if err != nil {
		return nil, notReady(err)
	}
	a.engine, o.Engine.Lease.Places = o.Engine, places
	o.Display, o.Version, o.Attach, o.Log = drives(d), thisVersion().Version, a.serveAttached, a.log()
	o.Scheduled = func() bool { return scheduled(cmd.Context(), o.Dir) }
	h, err := service.Serve(o)
	if err != nil {
		return nil, notReady(errors.Join(err, o.Close(context.WithoutCancel(cmd.Context()))))
	}
	return h, nil
}

// openWhenFree opens the data folder in this process. While the folder has a service, it fails
// with errServed; another process that has the folder may be about to leave it.
func (a *app) openWhenFree(ctx context.Context, dir string, o desktop.Options, c rundesktops.Config) (*engine.Engine, func(context.Context) error, error) {
	for deadline := time.Now().Add(leaveTime / 2); ; {
		e, end, err := a.open(dir, o, c)
		if !errors.Is(err, engine.ErrLocked) || time.Now().After(deadline) {
			return e, end, err
		}
		if _, err := service.StatusOf(ctx, dir); err == nil {
			return nil, nil, errServed
		}
		if err := steps.Sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, nil, err
		}
	}
}

// startService starts the service of a folder.
func (a *app) startService(ctx context.Context, dir string, idle time.Duration, s serviceSetup) error {
	args := []string{service.Command, "--home", dir, idle.String(), s.String()}
	if a.Verbose {
		args = append(args, "--verbose")
	}
	return service.Start(ctx, dir, args...)
}

// connect makes this process a client of the service of a folder, which it starts if there is
// none.
func (a *app) connect(ctx context.Context, dir string, h service.Hello, s serviceSetup) (*service.Client, error) {
	h.Version = thisVersion().Version
	c, err := service.Connect(ctx, service.ClientOptions{
		Dir: dir, Patience: leaveTime / 2, Hello: h,
		Start: func(ctx context.Context) error { return a.startService(ctx, dir, idleTime, s) },
	})
	if err != nil {
		return nil, notReady(err)
	}
	return c, nil
}

// attachment is what a client sends whose MCP messages the service is to answer.
type attachment struct {
	Flags   serverFlags `json:"flags"`
	Dir     string      `json:"dir"`
	Environ []string    `json:"environ"`
}

// attachMCP copies messages between this process's client and the service.
func (a *app) attachMCP(cmd *cobra.Command, f *serverFlags) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	s := setupFor(f.displayFlags)
	s.Shared = true
	c, err := a.connect(cmd.Context(), dir, service.Hello{Client: "mcp", Display: f.Display, Setup: s.String()}, s)
	if err != nil {
		return err
	}
	defer func() { a.leave(cmd.Context(), c.Leave) }()
	return c.Attach(cmd.Context(), attachment{*f, here, os.Environ()}, a.in, a.out)
}

// serveAttached answers the MCP messages of an attached client.
func (a *app) serveAttached(life context.Context, request json.RawMessage, in io.Reader, out io.Writer) error {
	var r attachment
	if err := json.Unmarshal(request, &r); err != nil {
		return err
	}
	of := *a
	of.caller = &caller{r.Dir, r.Environ}
	cmd := &cobra.Command{Use: "mcp"}
	cmd.SetContext(life)
	s, err := of.server(cmd, &r.Flags, poolFlags{}, func(*mcpserver.Options) {})
	if err != nil {
		return err
	}
	defer s.close()
	return s.server.ServeStdio(life, in, out)
}

// caller is the process for which the service works.
type caller struct {
	dir     string
	environ []string
}

// workingFolder returns that of the caller.
func (a *app) workingFolder() (string, error) {
	if a.caller != nil {
		return a.caller.dir, nil
	}
	return os.Getwd()
}

// environ returns that of the caller.
func (a *app) environ() []string {
	if a.caller != nil {
		return a.caller.environ
	}
	return os.Environ()
}

func serviceCommand(a *app) *cobra.Command {
	return group("service", "Show and stop the process that has the data folder",
		"Show and stop the process that has the data folder. The first command that needs the\n"+
			"folder starts it, in the background; it executes the runs, which go on when the\n"+
			"command that began them has ended. It ends when it was idle for ten minutes.\n\n"+
			service.Variable+"=off has every command do its work in its own process.",
		serviceStart(a), serviceStatus(a), serviceStop(a), serviceLogs(a))
}

func serviceStart(a *app) *cobra.Command {
	f := struct {
		displayFlags
		Idle time.Duration `flag:"idle" usage:"after which time without work it ends; 0: only when it is stopped"`
	}{defaultDisplay(), idleTime}
	return withFlags(&cobra.Command{
		Use:   "start",
		Short: "Start the service, unless there is one",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.folder()
			if err != nil {
				return err
			}
			s, err := service.StatusOf(cmd.Context(), dir)
			if errors.Is(err, service.ErrNone) {
				if err := a.startService(cmd.Context(), dir, f.Idle, setupFor(f.displayFlags)); err != nil {
					return notReady(err)
				}
				if s, err = service.StatusOf(cmd.Context(), dir); errors.Is(err, service.ErrNone) {
					a.showLines(fmt.Sprintf("the service has begun, and has ended again: it was idle for %s", f.Idle))
					return nil
				}
			}
			return a.showService(dir, s, err, false)
		},
	}, &f)
}

func serviceStatus(a *app) *cobra.Command {
	var f jsonFlag
	return withFlags(&cobra.Command{
		Use:   "status",
		Short: "Show the service and what keeps it alive",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.folder()
			if err != nil {
				return err
			}
			s, err := service.StatusOf(cmd.Context(), dir)
			return a.showService(dir, s, err, f.JSON)
		},
	}, &f)
}

// showService shows what service.StatusOf returned of a folder.
func (a *app) showService(dir string, s service.Status, err error, asJSON bool) error {
	if errors.Is(err, service.ErrNone) {
		return noService(dir)
	}
	if err != nil {
		return notReady(err)
	}
	return a.show(asJSON, s, func(line func(...any)) {
		line("process", s.PID)
		line("version", s.Version)
		line("age", time.Since(s.Started).Round(time.Second))
		line("alive for", keeps(s))
	})
}

func noService(dir string) error {
	return steps.Errorf(steps.Unavailable, "the data folder %s has no service", dir).WithNext("the next command that needs one starts it")
}

// keeps says what keeps a service alive.
func keeps(s service.Status) string {
	var why []string
	for _, part := range []struct {
		n    int
		what string
	}{{len(s.Running), "running run"}, {len(s.Waiting), "waiting run"}, {len(s.Clients), "client"}} {
		if part.n > 0 {
			why = append(why, count(part.n, part.what))
		}
	}
	if s.Scheduled {
		why = append(why, "schedules")
	}
	if s.Idle == 0 {
		why = append(why, "as long as it is not stopped")
	}
	idle := time.Duration(s.Idle * float64(time.Second))
	return cmp.Or(strings.Join(why, ", "), "nothing; it ends when it was idle for "+idle.String())
}

func serviceStop(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the service; its runs are interrupted, and can be resumed",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.folder()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), leaveTime)
			defer cancel()
			err = service.Stop(ctx, dir)
			if errors.Is(err, service.ErrNone) {
				a.tell("the data folder %s has no service", dir)
				return nil
			}
			return err
		},
	}
}

func serviceLogs(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logs",
		Short: "Print the log of the service",
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.folder()
			if err != nil {
				return err
			}
			return service.CopyLog(a.out, dir)
		},
	}
}

// serviceFinding tells doctor's reader of the service.
func serviceFinding(ctx context.Context, dir string) desktop.Finding {
	f := desktop.Finding{Name: "service", OK: true}
	s, err := service.StatusOf(ctx, dir)
	switch {
	case errors.Is(err, service.ErrNone) && service.Off():
		f.Detail = "none, because of " + service.Variable + "=off"
	case errors.Is(err, service.ErrNone):
		f.Detail = "none; the next command that needs one starts it"
	case err != nil:
		f.OK, f.Detail = false, err.Error()
	default:
		f.Detail = fmt.Sprintf("process %d, version %s, for %s; alive for: %s", s.PID, s.Version, time.Since(s.Started).Round(time.Second), keeps(s))
	}
	return f
}
