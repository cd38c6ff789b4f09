package cli

import (
	"fmt"

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
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			case "zsh":
				return root.GenZshCompletion(a.out)
			}
			return unknown(cmd, fmt.Sprintf("there is no completion for %q", args[0]), args[0], shells)
		},
	}
}
