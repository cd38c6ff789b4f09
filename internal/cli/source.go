package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"understudy/steps"
	"understudy/workflows"
)

// maxDocument is more than a document may have, so that one that is too large
// is refused by those who know the limit, and an endless one is not read.
const maxDocument = 5 << 20

// source reads a document: a file, or the standard input when the name is "-".
func (a *app) source(name string) (workflows.Source, error) {
	if name != "-" {
		return fileSource(name)
	}
	text, err := io.ReadAll(io.LimitReader(a.in, maxDocument))
	if err != nil {
		return workflows.Source{}, fmt.Errorf("reading the standard input: %w", err)
	}
	dir, err := os.Getwd()
	return workflows.Source{Name: "stdin", Dir: dir, Text: text}, err
}

func fileSource(path string) (workflows.Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return workflows.Source{}, &steps.Error{Code: steps.Invalid, Err: err, Next: "name a workflow's file, or - for the standard input"}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDocument))
	if err != nil {
		return workflows.Source{}, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("reading %s: %w", path, err)}
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	return workflows.Source{Name: path, Dir: dir, Text: text}, err
}

// loadFile finds the document that another names: a path, as seen from there,
// or a file:// address.
func loadFile(ref string, from workflows.Source) (workflows.Source, error) {
	path := strings.TrimPrefix(ref, "file://")
	if !filepath.IsAbs(path) {
		path = filepath.Join(from.Dir, path)
	}
	return fileSource(path)
}
