package cli

import (
	"os"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/steps"
)

func proxyCommand(a *app) *cobra.Command {
	var f struct {
		Log      string `flag:"log" usage:"append the lines to this file instead of the standard error"`
		Contents bool   `flag:"verbose,v" usage:"show what the messages contain, except secrets"`
	}
	cmd := withFlags(&cobra.Command{
		Use:   "proxy COMMAND...",
		Short: "Start any MCP server, and show each message between it and its client",
		Long: "Start any MCP server, pass the messages between it and its client through byte for byte,\n" +
			"and write a line about each: its direction, method, id and size, how long its answer\n" +
			"took, and its error. In the configuration of a client it takes the place of the server's\n" +
			"own command. The exit status is that of the server.",
		Example: "  understudy proxy --log /tmp/messages -- npx -y @modelcontextprotocol/server-memory",
		RunE: func(cmd *cobra.Command, args []string) error {
			log := a.errOut
			if f.Log != "" {
				file, err := os.OpenFile(f.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err != nil {
					return &steps.Error{Code: steps.Invalid, Err: err}
				}
				defer file.Close()
				log = file
			}
			status, err := clients.Relay{In: a.in, Out: a.out, Err: a.errOut, Log: log, Contents: f.Contents}.Run(cmd.Context(), args[0], args[1:]...)
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
