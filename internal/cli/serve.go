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

func (a *app) serve() *cobra.Command {
	var f serverFlags
	var g accessFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer MCP clients over HTTP, and show the runs as pages",
		Long: "Answer MCP clients over HTTP at /mcp, and at /mcp/ask those that may only look.\n" +
			"/runs shows the runs; /health, /status, /ready, /metrics and /events are for operators.",
		Args: atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.pool.check(cmd, &f.display); err != nil {
				return err
			}
			limit, timeout, err := serverLimits(f.pool.desktops)
			if err != nil {
				return err
			}
			d, err := a.credentialsFor(cmd, &g)
			if err != nil {
				return err
			}
			s, leave, err := a.server(cmd, &f, func(o *mcpserver.Options) {
				o.MaxConcurrent, o.Timeout, o.Hosts, o.Origins = limit, timeout, g.names(), g.origins
				o.Storage = engine.Storage{Run: int64(g.runMB) * 1e6, Day: int64(g.dayMB) * 1e6}
				o.Gate, o.SameUser = d.authenticator, d.sameUser
				o.Private = append(o.Private, d.tokens)
			})
			if err != nil {
				return err
			}
			defer leave()
			if f.pool.desktops > 0 || a.fleet.url != "" { // whoever has the data folder has the desktops
				if _, err := s.Runs(cmd.Context()); err != nil {
					return err
				}
			}
			l, scheme, err := g.listen(a.log())
			if err != nil {
				return err
			}
			fmt.Fprintf(a.errOut, "understudy: listening on %s://%s/mcp%s\n", scheme, l.Addr(), d.says())
			if a.fleet.url == "" { // workers see to it otherwise
				s.ResumeInterrupted()
			}
			s.RunSchedules()
			if err := s.SendMetrics(cmd.Context()); err != nil {
				a.log().Warn("no metrics are sent", "error", err)
			}
			return s.ServeHTTP(cmd.Context(), l)
		},
	}
	f.add(cmd)
	f.pool.add(cmd)
	g.add(cmd)
	return cmd
}

// poolFlags are those of a server whose clients have desktops of their own.
type poolFlags struct {
	desktops, ready int
	usersHome       bool
}

func (f *poolFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.desktops, "desktops", 0, "give each run that acts a virtual desktop of its own, so many at once; 0: all have one")
	cmd.Flags().IntVar(&f.ready, "warm", 0, "how many of them are started before they are needed")
	cmd.Flags().BoolVar(&f.usersHome, "shared-home", false, "let their programs use your home folder, and not an empty one for each desktop")
}

func (f *poolFlags) check(cmd *cobra.Command, d *displayFlags) error {
	switch {
	case f.desktops < 0 || f.ready < 0 || f.ready > f.desktops:
		return usage(cmd, "--desktops %d --warm %d: wanted numbers from 0 on, and no more warm ones than there are", f.desktops, f.ready)
	case f.desktops > 0 && d.display != "auto" && d.display != "virtual":
		return usage(cmd, "--desktops makes virtual desktops, so --display %s cannot be had beside it", d.display)
	case f.desktops > 0:
		d.display = "virtual"
	}
	return nil
}

// serverLimits are how many runs act at once, as many as there are desktops
// unless fewer are wanted, and how long a call may take.
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
		return 0, steps.Errorf(steps.Invalid, "%s=%s: wanted a number from 1 on", name, text)
	}
	return n, nil
}
