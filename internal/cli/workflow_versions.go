package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/internal/fileio"
	"understudy/internal/operations"
	"understudy/mcpserver"
	"understudy/workflows"
)

func workflowCommand(a *app) *cobra.Command {
	cmd := group("workflow COMMAND", "List saved workflows, and compare and restore their versions", "")
	cmd.AddCommand(workflowListCommand(a))
	for _, o := range operations.OnVersions() {
		cmd.AddCommand(a.operation(o.Declaration, func(cmd *cobra.Command, values any) (operations.Result, error) {
			return o.Do(cmd.Context(), savedFiles{a}, struct{}{}, values)
		}, nil))
	}
	return cmd
}

// savedFiles are the saved workflows of the data folder.
type savedFiles struct{ a *app }

func (f savedFiles) Path(name string) (string, error) {
	src, err := f.a.saved(name)
	return src.Name, err
}

// saveVersion replaces a saved workflow, and keeps who did it.
func (a *app) saveVersion(path string, text []byte) error {
	if err := fileio.SaveVersion(path, text); err != nil {
		return err
	}
	return a.keepOwnAct(mcpserver.EditOf(path, "", false))
}

func (f savedFiles) Save(_ context.Context, name string, text []byte) error {
	path, err := f.Path(name)
	if err != nil {
		return err
	}
	if _, err := workflows.Compile(workflows.Source{Name: name, Dir: filepath.Dir(path), Text: text}, workflows.CompileOptions{Kinds: f.a.kinds, Load: f.a.load}); err != nil {
		return f.a.invalid(err)
	}
	return f.a.saveVersion(path, text)
}
