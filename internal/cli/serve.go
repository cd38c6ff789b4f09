package cli

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/mcpserver"
	"understudy/steps"
)

// defaultAddress is where the server listens: this machine only.
const defaultAddress = "127.0.0.1:8765"

func serveCommand(a *app) *cobra.Command {
	f := serveFlags{serverFlags: defaultServer(), accessFlags: defaultAccess()}
	return withFlags(&cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over HTTP, and the runs as web pages",
		Long: "Serve MCP over HTTP at /mcp, and at /mcp/ask for clients that may only look.\n" +
			"/runs shows the runs; /health, /status, /ready, /metrics and /events are for operators.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.poolFlags.check(cmd, &f.displayFlags); err != nil {
				return err
			}
			limit, timeout, err := serverLimits(f.Desktops)
			if err != nil {
				return err
			}
			d, err := a.credentialsFor(cmd, &f.accessFlags)
			if err != nil {
				return err
			}
			o, err := a.server(cmd, &f.serverFlags, f.poolFlags, func(o *mcpserver.Options) {
				o.MaxConcurrent, o.Timeout, o.Hosts, o.Origins = limit, timeout, f.names(), f.Origins
				o.Storage = engine.Storage{Run: int64(f.RunMB) * 1e6, Day: int64(f.DayMB) * 1e6}
				o.Gate, o.SameUser = d.authenticator, d.sameUser
				o.Private = append(o.Private, d.tokens)
			})
			if err != nil {
				return err
			}
			defer o.close()
			s := o.server
			if a.Fleet == "" {
				err = o.host()
			} else {
				_, err = s.Runs(cmd.Context())
			}
			if err != nil {
				return err
			}
			l, scheme, err := f.listen(a.log())
			if err != nil {
				return err
			}
			fmt.Fprintf(a.errOut, "understudy: listening on %s://%s/mcp%s\n", scheme, l.Addr(), d.says())
			if a.Fleet == "" { // otherwise the workers resume them
				s.ResumeInterrupted()
			}
			s.RunSchedules()
			if err := s.SendMetrics(cmd.Context()); err != nil {
				a.log().Warn("no metrics are sent", "error", err)
			}
			return s.ServeHTTP(cmd.Context(), l)
		},
	}, &f)
}

type serveFlags struct {
	serverFlags
	poolFlags
	accessFlags
}

// poolFlags say how many clients of a server have desktops of their own.
type poolFlags struct {
	Desktops   int  `flag:"desktops" usage:"how many runs may act at once, each on a virtual desktop of its own; 0: all runs share one desktop"`
	Warm       int  `flag:"warm" usage:"with --desktops: how many to start in advance"`
	SharedHome bool `flag:"shared-home" usage:"with --desktops: let programs use your home folder and /tmp, instead of empty ones for each desktop"`
}

func (f *poolFlags) check(cmd *cobra.Command, d *displayFlags) error {
	switch {
	case f.Desktops < 0 || f.Warm < 0 || f.Warm > f.Desktops:
		return usage(cmd, "--desktops %d --warm %d: wanted 0 or more, and --warm at most --desktops", f.Desktops, f.Warm)
	case f.Desktops > 0 && d.Display != "auto" && d.Display != "virtual":
		return usage(cmd, "--desktops makes virtual desktops, so it cannot be combined with --display %s", d.Display)
	case f.Desktops > 0:
		d.Display = "virtual"
	}
	return nil
}

// serverLimits returns how many runs may act at once, as many as there are desktops
// unless the environment wants fewer, and how long a call may take.
func serverLimits(desktops int) (places int, timeout time.Duration, err error) {
	places = max(1, desktops)
	for _, name := range []string{"MCP_MAX_CONCURRENT", "UNDERSTUDY_MAX_CONCURRENT"} {
		if places, err = positive(name, places); err != nil {
			return 0, 0, err
		}
	}
	if desktops > 0 {
		places = min(places, desktops)
	}
	ms, err := positive("UNDERSTUDY_DEFAULT_TIMEOUT_MS", 0)
	return places, time.Duration(ms) * time.Millisecond, err
}

func positive(name string, otherwise int) (int, error) {
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, steps.Errorf(steps.Invalid, "%s=%s: wanted a number of 1 or more", name, text)
	}
	return n, nil
}
