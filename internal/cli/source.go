package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"understudy/steps"
	"understudy/steps/confined"
	"understudy/workflows"
	"understudy/workflows/examples"
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
// or a file:// address. Of the data folder, only saved workflows are documents.
func (a *app) loadFile(ref string, from workflows.Source) (workflows.Source, error) {
	path := filepath.Clean(strings.TrimPrefix(ref, "file://"))
	if !filepath.IsAbs(path) {
		path = filepath.Join(from.Dir, path)
	}
	home, err := a.folder()
	if err == nil && filepath.Dir(path) != savedWorkflows(home) {
		err = confined.Private{home}.Refuse(path)
	}
	if err != nil {
		return workflows.Source{}, err
	}
	return fileSource(path)
}

// workflow finds the document that a command names: a file, the name of a
// saved workflow, or an example of ours as "example/NAME".
func (a *app) workflow(name string) (workflows.Source, error) {
	if name == "-" {
		return a.source(name)
	}
	if example, ok := strings.CutPrefix(name, "example/"); ok {
		return examples.Load(example, workflows.Source{})
	}
	if _, err := os.Stat(name); err == nil || strings.ContainsAny(name, `/\.`) {
		return fileSource(name)
	}
	return a.saved(name)
}

var documentEndings = []string{".yaml", ".yml", ".json"}

func (a *app) savedNames() ([]string, error) {
	dir, err := a.folder()
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(savedWorkflows(dir))
	var names []string
	for _, f := range files {
		if ending := filepath.Ext(f.Name()); slices.Contains(documentEndings, ending) {
			names = append(names, strings.TrimSuffix(f.Name(), ending))
		}
	}
	return names, err
}

func savedFile(home, name string) (path string, ok bool) {
	for _, ending := range documentEndings {
		path := filepath.Join(savedWorkflows(home), name+ending)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}

func (a *app) saved(name string) (workflows.Source, error) {
	dir, err := a.folder()
	if err != nil {
		return workflows.Source{}, err
	}
	if path, ok := savedFile(dir, name); ok {
		return fileSource(path)
	}
	return workflows.Source{}, steps.Errorf(steps.Invalid, "there is no file and no saved workflow called %q", name).
		WithNext("name a file, a workflow in " + savedWorkflows(dir) + ", or an example: example/" + strings.Join(examples.Names(), ", example/"))
}

func (a *app) load(ref string, from workflows.Source) (workflows.Source, error) {
	if !strings.ContainsAny(ref, `/\.`) {
		if src, err := a.saved(ref); err == nil {
			return src, nil
		}
	}
	if from.Dir == "" { // an example calls examples
		return examples.Load(ref, from)
	}
	return a.loadFile(ref, from)
}

// invalid shows what is wrong with a document, and gives its exit status.
func (a *app) invalid(err error) error {
	invalid, ok := errors.AsType[*workflows.InvalidError](err)
	if !ok {
		return err
	}
	for _, p := range invalid.Problems {
		fmt.Fprintln(a.errOut, cleanLines(p.String()))
	}
	return &shownError{steps.Invalid}
}
