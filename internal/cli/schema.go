package cli

import (
	"github.com/spf13/cobra"

	"understudy/workflows"
)

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of workflows, for editors",
		Long: "Print the draft-07 JSON schema of workflows. An editor with a YAML language server\n" +
			"completes and checks a workflow that begins with:\n\n" +
			"  # yaml-language-server: $schema=./" + schemaFile,
		Example: "  understudy schema >" + schemaFile,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(workflows.Schema(a.kinds))
			return err
		},
	}
}
