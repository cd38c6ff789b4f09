package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"understudy/internal/wholefile"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

func (a *app) format() *cobra.Command {
	var write, check bool
	cmd := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Write workflows in their canonical form, with their comments",
		Long:  "Write workflows in their canonical form, with their comments, on the standard\noutput. - is the standard input. Twice is the same as once.",
		Args:  several("the file of a workflow, or - for the standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && check {
				return usage(cmd, "wanted either --write or --check")
			}
			unformatted := false
			for _, name := range args {
				same, err := a.formatOne(name, write, check)
				if err != nil {
					return err
				}
				unformatted = unformatted || check && !same
			}
			if unformatted {
				return &shownError{steps.Invalid}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the files instead of the standard output")
	cmd.Flags().BoolVar(&check, "check", false, "name the files that are in another form, and end with status 2 when there are any")
	return cmd
}

// formatOne says whether a document is in its canonical form already.
func (a *app) formatOne(name string, write, check bool) (same bool, err error) {
	src, err := a.source(name)
	if err != nil {
		return false, err
	}
	text, err := workflows.Format(src.Text)
	if err != nil {
		return false, &steps.Error{Code: steps.Invalid, Err: named(err, src.Name)}
	}
	if json.Valid(text) {
		text = []byte(words.Visible(string(text))) // what was written as a number of a letter stays one
	}
	same = bytes.Equal(text, src.Text)
	switch {
	case check && !same:
		_, err = fmt.Fprintln(a.out, src.Name)
	case check, write && same:
	case write && name != "-":
		err = replaceFile(name, text)
	default:
		_, err = a.out.Write(text)
	}
	return same, err
}

// named gives the problems of a text the name of the file that it came from.
func named(err error, file string) error {
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		for i := range invalid.Problems {
			invalid.Problems[i].File = file
		}
	}
	return err
}

// replaceFile writes a file whole or not at all, and keeps its permissions.
func replaceFile(path string, text []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return wholefile.Write(path, text, info.Mode().Perm())
}
