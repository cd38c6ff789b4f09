package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

func formatCommand(a *app) *cobra.Command {
	var f struct {
		Write     bool `flag:"write,w" usage:"write the files instead of the standard output"`
		Canonical bool `flag:"canonical" usage:"write the names of other programs as they are written here, and say what was changed"`
		Check     bool `flag:"check" usage:"list the files that are not in canonical form, and exit with status 2 if there are any"`
	}
	return withFlags(&cobra.Command{
		Use:   "fmt FILE...",
		Short: "Format workflows, keeping their comments",
		Long:  "Print workflows in their canonical form, with their comments.\n- is the standard input.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Write && f.Check {
				return usage(cmd, "wanted either --write or --check")
			}
			unformatted := false
			var errs []error
			for _, name := range args {
				same, err := a.formatOne(name, f.Canonical, f.Write, f.Check)
				errs = append(errs, err)
				unformatted = unformatted || err == nil && f.Check && !same
			}
			if err := errors.Join(errs...); err != nil || !unformatted {
				return err
			}
			return &shownError{steps.Invalid}
		},
	}, &f)
}

// formatOne formats one document, and reports whether it was in canonical form.
func (a *app) formatOne(name string, canonical, write, check bool) (same bool, err error) {
	src, err := a.source(name)
	if err != nil {
		return false, err
	}
	text, err := a.formatted(src, canonical)
	if err != nil {
		return false, &steps.Error{Code: steps.Invalid, Err: named(err, src.Name)}
	}
	if json.Valid(text) {
		text = []byte(words.Visible(string(text))) // characters that were written as escapes stay so
	}
	same = bytes.Equal(text, src.Text)
	switch {
	case check && !same:
		_, err = fmt.Fprintln(a.out, src.Name)
	case check, write && same:
	case write && name != "-":
		err = writeDocument(name, text)
	default:
		_, err = a.out.Write(text)
	}
	return same, err
}

// formatted returns a document in its canonical form; with canonical, in its canonical
// spelling too.
func (a *app) formatted(src workflows.Source, canonical bool) ([]byte, error) {
	if !canonical {
		return workflows.Format(src.Text)
	}
	text, notes, err := workflows.Canonical(src, workflows.CompileOptions{Kinds: a.kinds, Load: a.loadFile})
	showNotes(&a.console, notes)
	return text, err
}

// named sets the file of the problems of a text.
func named(err error, file string) error {
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		for i := range invalid.Problems {
			invalid.Problems[i].File = file
		}
	}
	return err
}
