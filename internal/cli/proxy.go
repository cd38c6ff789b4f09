package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

func proxyCommand(a *app) *cobra.Command {
	var f struct {
		Log      string `flag:"log" usage:"append the lines to this file instead of the standard error"`
		Contents bool   `flag:"verbose,v" usage:"show what the messages contain, except secrets"`
		URL      string `flag:"url" usage:"be between clients and the server at this address, instead of starting one"`
		Address  string `flag:"addr" usage:"with --url: the address of this machine to listen on"`
	}
	f.Address = "127.0.0.1:0"
	cmd := withFlags(&cobra.Command{
		Use:   "proxy [COMMAND...]",
		Short: "Start any MCP server, and show each message between it and its client",
		Long: "Start any MCP server, pass the messages between it and its client through byte for byte,\n" +
			"and write a line about each: its direction, method, id and size, how long its answer\n" +
			"took, and its error. In the configuration of a client it takes the place of the server's\n" +
			"own command. The exit status is that of the server.\n\n" +
			"With --url, it listens at an address that clients call instead of the server's.",
		Example: "  understudy proxy --log /tmp/messages -- npx -y @modelcontextprotocol/server-memory\n  understudy proxy --url http://127.0.0.1:8765/mcp",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (f.URL == "") == (len(args) == 0) {
				return usage(cmd, "wanted either the command that starts a server, after --, or --url with the address of one")
			}
			log := a.errOut
			if f.Log != "" {
				file, err := os.OpenFile(f.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err != nil {
					return &steps.Error{Code: steps.Invalid, Err: err}
				}
				defer file.Close()
				log = file
			}
			r := clients.Relay{In: a.in, Out: a.out, Err: a.errOut, Log: log, Contents: f.Contents}
			if f.URL != "" {
				return a.relayHTTP(cmd, r, f.URL, f.Address)
			}
			status, err := r.Run(cmd.Context(), args[0], args[1:]...)
			if err != nil {
				return &steps.Error{Code: steps.Unavailable, Err: err}
			}
			if status != statusOK {
				return childStatus(status)
			}
			return nil
		},
	}, &f)
	cmd.Flags().SetInterspersed(false) // what follows COMMAND are its flags
	return cmd
}

// relayHTTP is between clients and the server at an address, until the context ends.
func (a *app) relayHTTP(cmd *cobra.Command, r clients.Relay, target, address string) error {
	to, err := url.Parse(target)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return usage(cmd, "--url %s: wanted an address such as http://%s/mcp", target, defaultAddress)
	}
	if host, _, err := net.SplitHostPort(address); err != nil || onNetwork(host) {
		return usage(cmd, "--addr %s: wanted an address of this machine only, such as 127.0.0.1:0", address)
	}
	s := &http.Server{Handler: r.Handler(to), ReadHeaderTimeout: headerTimeout}
	if auth.TellsUsers() { // the server would take everybody who calls here for this user
		user, err := auth.NewSameUser(a.log())
		if err != nil {
			return err
		}
		s.Handler, s.ConnContext = user.Wrap(s.Handler), user.Note
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return &steps.Error{Code: steps.Unavailable, Err: err, Next: "choose another address with --addr"}
	}
	fmt.Fprintf(a.errOut, "understudy: listening on http://%s%s, for %s\n", l.Addr(), to.Path, clean(target))
	defer context.AfterFunc(cmd.Context(), func() { _ = s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return &steps.Error{Code: steps.Unavailable, Err: err}
	}
	return nil
}

// headerTimeout bounds how long a client may take to send the head of a request.
const headerTimeout = 10 * time.Second
