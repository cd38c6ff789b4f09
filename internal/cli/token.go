package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

func tokenCommand(a *app) *cobra.Command {
	var file struct {
		TokenFile string `flag:"token-file" usage:"the file of the clients (default tokens.json in the data folder)"`
	}
	cmd := group("token", "Manage the clients that may call the server, each with its own token",
		"Say which clients may call \"understudy serve\" over HTTP, each with a token of its own,\n"+
			"a mode, and the toolsets that it sees. A running server applies each change at once.",
		tokenAdd(a, &file.TokenFile), tokenList(a, &file.TokenFile), tokenRemove(a, &file.TokenFile))
	addFlags(cmd.PersistentFlags(), &file)
	return cmd
}

func tokenAdd(a *app, file *string) *cobra.Command {
	f := struct {
		Mode     string `flag:"mode" words:"ask,act" usage:"ask: it may only look; act: it may also act"`
		Toolsets string `flag:"toolsets" usage:"toolsets that it may use, such as core,files (default all that the server offers)"`
		Runs     string `flag:"runs" words:"own,all" usage:"own: it sees its own runs, pictures and saved workflows; all: also those of others"`
		Operator bool   `flag:"operator" usage:"it sees all runs, and may change the modes of other clients"`
	}{Mode: auth.Ask, Runs: auth.OwnRuns}
	return withFlags(&cobra.Command{
		Use:   "add NEW",
		Short: "Make a token for a client, and print it",
		Long: "Make a token for a client, and print it. It is never shown again:\n" +
			"the file holds only its hash. The flags of \"understudy serve\" can restrict it further.",
		RunE: func(cmd *cobra.Command, args []string) error {
			sets, err := access.ParseToolsets(f.Toolsets)
			if err != nil {
				return usage(cmd, "--toolsets: %w", err)
			}
			tokens, err := a.tokens(*file)
			if err != nil {
				return err
			}
			token, err := tokens.Add(auth.Token{Name: args[0], Mode: f.Mode, Toolsets: sets, Operator: f.Operator, Runs: f.Runs})
			if err != nil {
				return err
			}
			kept := a.keepOwnAct(audit.Act{Owner: args[0], Verb: audit.MadeToken, Thing: args[0], Detail: rightsOf(f.Mode, sets, f.Runs, f.Operator)})
			a.tell("the token of %s, in %s mode; it is shown this once:", args[0], f.Mode)
			_, err = fmt.Fprintln(a.out, token)
			return errors.Join(err, kept)
		},
	}, &f)
}

// rightsOf describes the rights of a token.
func rightsOf(mode string, sets []steps.Toolset, runs string, operator bool) string {
	text := fmt.Sprintf("%s mode, %s runs", mode, runs)
	if len(sets) > 0 {
		text += ", toolsets " + strings.Join(texts(sets), ",")
	}
	if operator {
		text += ", operator"
	}
	return text
}

type tokenLine struct {
	Name     string          `json:"name"`
	Mode     string          `json:"mode"`
	Toolsets []steps.Toolset `json:"toolsets"`
	Operator bool            `json:"operator"`
	Runs     string          `json:"runs"`
	Created  time.Time       `json:"created"`
}

func tokenList(a *app, file *string) *cobra.Command {
	var f jsonFlag
	return withFlags(&cobra.Command{
		Use: "ls", Aliases: []string{"list"},
		Short: "List the clients that have a token",
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
			return a.show(f.JSON, lines, func(line func(...any)) {
				line("NAME", "MODE", "TOOLSETS", "OPERATOR", "RUNS", "CREATED")
				for _, l := range lines {
					line(l.Name, l.Mode, toolsetsOf(l), l.Operator, l.Runs, l.Created.Local().Format(time.DateTime))
				}
			})
		},
	}, &f)
}

func toolsetsOf(l tokenLine) string {
	if len(l.Toolsets) == 0 {
		return "as the server"
	}
	return strings.Join(texts(l.Toolsets), ",")
}

func tokenRemove(a *app, file *string) *cobra.Command {
	return &cobra.Command{
		Use: "rm CLIENT", Aliases: []string{"remove", "delete"},
		Short: "Revoke the token of a client",
		RunE: func(_ *cobra.Command, args []string) error {
			tokens, err := a.tokens(*file)
			if err != nil {
				return err
			}
			if err := tokens.Remove(args[0]); err != nil {
				return err
			}
			a.tell("the token of %s is revoked", args[0])
			return a.keepOwnAct(audit.Act{Owner: args[0], Verb: audit.RevokedToken, Thing: args[0]})
		},
	}
}
