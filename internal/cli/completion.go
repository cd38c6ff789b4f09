package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "fish", "powershell", "zsh"}

func completionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of a shell",
		Long: "Print the script that completes commands, flags and names in a shell:\n" +
			"bash, fish, powershell or zsh.",
		Example: "  source <(understudy completion bash)",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "wanted the name of one shell: bash, fish, powershell or zsh")
			}
			if !slices.Contains(shells, args[0]) {
				return unknown(cmd, fmt.Sprintf("there is no completion for %q", args[0]), args[0], shells)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			default:
				return root.GenZshCompletion(a.out)
			}
		},
	}
}
