package cli

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/mcpserver"
	"understudy/steps"
	"understudy/workflows"
)

//go:embed sample.yaml
var sample []byte

const schemaFile = "workflow.schema.json"

func initCommand(a *app) *cobra.Command {
	c := &clientSetup{app: a}
	var f struct {
		Force bool `flag:"force" usage:"replace an existing file"`
		Skill bool `flag:"skill" usage:"teach agents this command line, by a skill where they look for it"`
	}
	cmd := withFlags(withFlags(&cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a first workflow, or set up an MCP client or a skill",
		Long: "Write a first workflow, with comments, and its schema.\n\n" +
			"With --client, print the command or the configuration with which an MCP client starts this\n" +
			"program. With --write, run the client's command, or put it into the client's own file:\n" +
			"everything else in it stays, and the old file is kept beside it. Flags after -- are passed\n" +
			"to `understudy mcp`, such as -- --mode ask.",
		Example: "  understudy init\n  understudy init --skill\n  understudy init --client claude-code --write\n  understudy init --client cursor --write -- --display virtual",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.Client != "" && f.Skill {
				return usage(cmd, "--skill is for all clients; wanted it without --client")
			}
			if c.Client != "" {
				return c.init(cmd, args)
			}
			if err := c.refuse(cmd); err != nil {
				return err
			}
			if f.Skill {
				return a.initSkill(cmd, args)
			}
			return a.initWorkflow(cmd, args, f.Force)
		},
	}, &f), c)
	cmd.Flags().Lookup("client").Usage += strings.Join(clients.Names(), ", ")
	http := cmd.Flags().Lookup("http")
	http.NoOptDefVal = "http://" + defaultAddress + "/mcp"
	http.Usage += " (default " + http.NoOptDefVal + ")"
	return cmd
}

func (a *app) initWorkflow(cmd *cobra.Command, args []string, force bool) error {
	if len(args) > 1 {
		return usage(cmd, "wanted the name of one file, found %q after it", args[1])
	}
	path := "workflow.yaml"
	if len(args) > 0 {
		path = args[0]
	}
	if err := refuseOverwriting(cmd, path, force); err != nil {
		return err
	}
	if err := writeDocument(path, sample); err != nil {
		return err
	}
	// The schema is generated, so an older one may be replaced.
	if err := writeDocument(filepath.Join(filepath.Dir(path), schemaFile), workflows.Schema(a.kinds)); err != nil {
		return err
	}
	if !a.Quiet {
		fmt.Fprintf(a.out, "%s\n", path)
		fmt.Fprintf(a.errOut, "next: understudy validate %s\n", path)
	}
	return nil
}

// initSkill writes the skill for agents. An older one is kept beside it.
func (a *app) initSkill(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, "wanted no file with --skill, found %q", args[0])
	}
	system, err := clients.ThisSystem()
	if err != nil {
		return &steps.Error{Code: steps.Unavailable, Err: err, Next: "set HOME"}
	}
	for _, path := range clients.SkillFiles(system) {
		if _, err := clients.Replace(path, []byte(mcpserver.Skill()), false); err != nil {
			return &steps.Error{Code: steps.Invalid, Err: err, Next: "make its folder writable"}
		}
		if !a.Quiet {
			fmt.Fprintln(a.out, path)
		}
	}
	a.tell("next: start a new session of the agent; the skill is called understudy")
	return nil
}
