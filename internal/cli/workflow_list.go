package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/internal/operations"
	"understudy/workflows"
)

func workflowListCommand(a *app) *cobra.Command {
	var f jsonFlag
	return withFlags(&cobra.Command{
		Use:   "list",
		Short: "List the saved workflows, and whether they are fit to run alone",
		Long:  "List the saved workflows, and whether they are fit to run while nobody is there.\nunderstudy validate --unattended FILE says why not.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			home, err := a.folder()
			if err != nil {
				return err
			}
			folder := savedWorkflows(home)
			names, err := workflows.DocumentsIn(folder)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			all, lines := []checked{}, []string{"NAME\tSTEPS\tALONE\tFILE"}
			for _, name := range names {
				path, _ := workflows.FileIn(folder, name)
				c, err := a.checkDocument(path, true)
				if err != nil {
					return err
				}
				c.Name = name
				all = append(all, c)
				lines = append(lines, fmt.Sprintf("%s\t%d\t%s\t%s", clean(name), c.Steps, c.alone(), clean(filepath.Base(path))))
			}
			if f.JSON {
				return a.document(all)
			}
			_, err = fmt.Fprint(a.out, operations.Table(lines)+"\n")
			return err
		},
	}, &f)
}

// alone says whether the workflow is fit to run alone.
func (c *checked) alone() string {
	switch {
	case !c.Valid:
		return "not valid"
	case len(c.Alone) > 0:
		return "no: " + count(len(c.Alone), "reason")
	}
	return "yes"
}
