package cli

import (
	"fmt"
	"net"
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
	var address string
	var hosts, origins []string
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
			s, leave, err := a.server(cmd, &f, func(o *mcpserver.Options) {
				o.MaxConcurrent, o.Timeout, o.Hosts, o.Origins = limit, timeout, hosts, origins
			})
			if err != nil {
				return err
			}
			defer leave()
			l, err := listen(address)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.errOut, "understudy: listening on http://%s/mcp\n", l.Addr())
			return s.ServeHTTP(cmd.Context(), l)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&address, "addr", defaultAddress, "the address to listen on, of this machine")
	cmd.Flags().StringSliceVar(&hosts, "allow-host", nil, "names by which the server may be called beside localhost")
	cmd.Flags().StringSliceVar(&origins, "allow-origin", nil, "origins of pages that may call the server, such as https://example.com")
	return cmd
}

// listen listens on an address of this machine: whoever reaches the server can
// use the desktop.
func listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("--addr: %w", err), Next: "such as " + defaultAddress}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		e := steps.Errorf(steps.Invalid, "--addr %s: the server listens on this machine only, for it asks nobody who they are", address)
		e.Next = "use 127.0.0.1, and a tunnel to reach it from elsewhere"
		return nil, e
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &steps.Error{Code: steps.Unavailable, Err: err, Next: "choose another address with --addr"}
	}
	return l, nil
}

// serverLimits are the limits that the environment sets.
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

// positive reads a number from the environment.
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
