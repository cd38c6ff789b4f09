package cli

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

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
			limit, timeout, err := serverLimits()
			if err != nil {
				return err
			}
			d, err := a.credentialsFor(cmd, &g)
			if err != nil {
				return err
			}
			s, leave, err := a.server(cmd, &f, func(o *mcpserver.Options) {
				o.MaxConcurrent, o.Timeout, o.Hosts, o.Origins = limit, timeout, g.names(), g.origins
				o.Gate, o.SameUser = d.authenticator, d.sameUser
				o.Private = append(o.Private, d.tokens)
			})
			if err != nil {
				return err
			}
			defer leave()
			l, scheme, err := g.listen(a.log())
			if err != nil {
				return err
			}
			fmt.Fprintf(a.errOut, "understudy: listening on %s://%s/mcp%s\n", scheme, l.Addr(), d.says())
			return s.ServeHTTP(cmd.Context(), l)
		},
	}
	f.add(cmd)
	g.add(cmd)
	return cmd
}

func serverLimits() (places int, timeout time.Duration, err error) {
	places = 1
	for _, name := range []string{"MCP_MAX_CONCURRENT", "UNDERSTUDY_MAX_CONCURRENT"} {
		if places, err = positive(name, places); err != nil {
			return 0, 0, err
		}
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
