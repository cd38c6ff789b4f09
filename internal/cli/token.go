package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/mcpserver/access"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

func (a *app) token() *cobra.Command {
	var file string
	cmd := group("token", "Say which clients may call the server, each with a token of its own",
		"Say which clients may call \"understudy serve\" over HTTP, each with a token of its own,\n"+
			"a mode, and the toolsets that it sees. A server that runs heeds every change at once.",
		a.tokenAdd(&file), a.tokenList(&file), a.tokenRemove(&file))
	cmd.PersistentFlags().StringVar(&file, "token-file", "", "the file of the clients (default tokens.json in the data folder)")
	return cmd
}

func (a *app) tokenAdd(file *string) *cobra.Command {
	var mode, toolsets, runs string
	var operator bool
	cmd := &cobra.Command{
		Use:   "add NEW",
		Short: "Make a token for a client, and write it to the standard output",
		Long: "Make a token for a client, and write it to the standard output. It is shown this once:\n" +
			"the file has its hash only. The flags of \"understudy serve\" may allow less than a token does.",
		Args: exactly(1, "the name of the client"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if mode != auth.Ask && mode != auth.Act {
				return usage(cmd, "--mode %s: wanted ask or act", mode)
			}
			if runs != auth.OwnRuns && runs != auth.AllRuns {
				return usage(cmd, "--runs %s: wanted own or all", runs)
			}
			sets, err := access.ParseToolsets(toolsets)
			if err != nil {
				return usage(cmd, "--toolsets: %w", err)
			}
			tokens, err := a.tokens(*file)
			if err != nil {
				return err
			}
			token, err := tokens.Add(auth.Token{Name: args[0], Mode: mode, Toolsets: sets, Operator: operator, Runs: runs})
			if err != nil {
				return err
			}
			if !a.quiet {
				fmt.Fprintf(a.errOut, "the token of %s, in %s mode; it is shown this once:\n", args[0], mode)
			}
			_, err = fmt.Fprintln(a.out, token)
			return err
		},
	}
	cmd.Flags().StringVar(&mode, "mode", auth.Ask, "ask: it may look; act: it may touch")
	cmd.Flags().StringVar(&toolsets, "toolsets", "", "what it sees of what the server offers, such as core,files (default all of that)")
	cmd.Flags().StringVar(&runs, "runs", auth.OwnRuns, "own: it sees its runs, pictures and saved workflows; all: also those of others")
	cmd.Flags().BoolVar(&operator, "operator", false, "it may also change the modes of other clients, and sees all runs")
	return cmd
}

type tokenLine struct {
	Name     string          `json:"name"`
	Mode     string          `json:"mode"`
	Toolsets []steps.Toolset `json:"toolsets"`
	Operator bool            `json:"operator"`
	Runs     string          `json:"runs"`
	Created  time.Time       `json:"created"`
}

func (a *app) tokenList(file *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Aliases: []string{"list"},
		Short: "List the clients that have a token",
		Args:  atMost(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			tokens, err := a.tokens(*file)
			if err != nil {
				return err
			}
			list, err := tokens.List()
			if err != nil {
				return err
			}
			lines := []tokenLine{}
			for _, x := range list {
				lines = append(lines, tokenLine{x.Name, x.Mode, append([]steps.Toolset{}, x.Toolsets...), x.Operator, x.Sees(), x.Created})
			}
			if asJSON {
				return a.document(lines)
			}
			return a.table(func(w io.Writer) {
				fmt.Fprintln(w, "NAME\tMODE\tTOOLSETS\tOPERATOR\tRUNS\tCREATED")
				for _, l := range lines {
					fmt.Fprintf(w, "%s\t%s\t%s\t%t\t%s\t%s\n", l.Name, l.Mode, toolsetsOf(l), l.Operator, l.Runs, l.Created.Local().Format(time.DateTime))
				}
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	return cmd
}

func toolsetsOf(l tokenLine) string {
	if len(l.Toolsets) == 0 {
		return "as the server"
	}
	var names []string
	for _, t := range l.Toolsets {
		names = append(names, string(t))
	}
	return strings.Join(names, ",")
}

func (a *app) tokenRemove(file *string) *cobra.Command {
	return &cobra.Command{
		Use: "rm CLIENT", Aliases: []string{"remove", "delete"},
		Short: "Take the token of a client back",
		Args:  exactly(1, "the name of the client"),
		RunE: func(_ *cobra.Command, args []string) error {
			tokens, err := a.tokens(*file)
			if err != nil {
				return err
			}
			if err := tokens.Remove(args[0]); err != nil {
				return err
			}
			if !a.quiet {
				fmt.Fprintf(a.errOut, "the token of %s counts no more\n", args[0])
			}
			return nil
		},
	}
}
