package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/fileio"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/confined"
	"understudy/workflows"
)

// library finds the documents that commands and other documents name.
type library struct {
	Home  string `flag:"home" usage:"the data folder (default $UNDERSTUDY_HOME, else the user's)"`
	kinds []steps.Kind
}

const homeVariable = "UNDERSTUDY_HOME"

// folder returns the data folder: the flag, the variable, or the user's own.
func (l *library) folder() (string, error) {
	if dir := cmp.Or(l.Home, os.Getenv(homeVariable)); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := desktop.DataHome()
	if err != nil {
		return "", &steps.Error{Code: steps.Unavailable, Err: err, Next: "name the data folder with --home or " + homeVariable}
	}
	return filepath.Join(dir, "understudy"), nil
}

// source reads a document from a file, or from the standard input if the name is "-".
func (a *app) source(name string) (workflows.Source, error) {
	if name != "-" {
		return fileSource(name)
	}
	text, err := a.standardInput()
	if err != nil {
		return workflows.Source{}, &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file"}
	}
	dir, err := os.Getwd()
	return workflows.Source{Name: "stdin", Dir: dir, Text: text}, err
}

func fileSource(path string) (workflows.Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return workflows.Source{}, unreadableFile(err, path)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxInput))
	if err != nil {
		return workflows.Source{}, unreadableFile(err, path)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	return workflows.Source{Name: path, Dir: dir, Text: text}, err
}

// unreadableFile returns the error of a file that cannot be read, with the name beside it that
// may have been meant.
func unreadableFile(err error, path string) error {
	next := "name a file that can be read"
	entries, _ := os.ReadDir(filepath.Dir(path))
	var names []string
	for _, e := range entries {
		if workflows.FileName(e.Name()) != "" {
			names = append(names, e.Name())
		}
	}
	if near := words.Nearest(filepath.Base(path), names); near != "" && errors.Is(err, fs.ErrNotExist) {
		next = "did you mean " + filepath.Join(filepath.Dir(path), near) + "?"
	}
	return &steps.Error{Code: steps.Invalid, Err: err, Next: next}
}

// writeDocument writes the file of a document. One that is there is replaced
// atomically and keeps its permissions, and a link stays a link.
func writeDocument(path string, text []byte) error {
	var err error
	if info, missing := os.Stat(path); missing == nil && info.Mode().IsRegular() {
		err = fileio.Replace(path, text, info.Mode().Perm())
	} else {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	return nil
}

// loadFile finds the document that another one names: a path relative to it, or a
// file:// URL. In the data folder, only saved workflows are documents.
func (l *library) loadFile(ref string, from workflows.Source) (workflows.Source, error) {
	path := filepath.Clean(strings.TrimPrefix(ref, "file://"))
	if !filepath.IsAbs(path) {
		path = filepath.Join(from.Dir, path)
	}
	home, err := l.folder()
	if err == nil && filepath.Dir(path) != savedWorkflows(home) {
		err = confined.Private{home}.Refuse(path)
	}
	if err != nil {
		return workflows.Source{}, err
	}
	return fileSource(path)
}

// workflow finds the document that a command names: a file, the name of a saved
// workflow, or a built-in example as "example/NAME".
func (a *app) workflow(name string) (workflows.Source, error) {
	if name == "-" {
		return a.source(name)
	}
	if example, ok := strings.CutPrefix(name, "example/"); ok {
		src, err := workflows.Example(example, workflows.Source{})
		if err != nil {
			err = &steps.Error{Code: steps.Invalid, Err: err}
		}
		return src, err
	}
	if _, err := os.Stat(name); err == nil || strings.ContainsAny(name, `/\.`) {
		return fileSource(name)
	}
	src, err := a.saved(name)
	if e, ok := errors.AsType[*steps.Error](err); ok {
		e.Next += "; or name a file, or an example: example/" + strings.Join(workflows.ExampleNames(), ", example/")
	}
	return src, err
}

func (l *library) savedNames() ([]string, error) {
	dir, err := l.folder()
	if err != nil {
		return nil, err
	}
	return workflows.DocumentsIn(savedWorkflows(dir))
}

// saved reads a saved workflow.
func (l *library) saved(name string) (workflows.Source, error) {
	dir, err := l.folder()
	if err != nil {
		return workflows.Source{}, err
	}
	if path, ok := workflows.FileIn(savedWorkflows(dir), name); ok {
		return fileSource(path)
	}
	names, _ := workflows.DocumentsIn(savedWorkflows(dir))
	return workflows.Source{}, steps.Errorf(steps.Invalid, "there is no saved workflow called %q", name).
		WithNext(cmp.Or(words.DidYouMean(name, names), "save it in "+savedWorkflows(dir)))
}

// load finds the document that another one names: a saved workflow, an example or a file.
func (l *library) load(ref string, from workflows.Source) (workflows.Source, error) {
	if !strings.ContainsAny(ref, `/\.`) {
		if src, err := l.saved(ref); err == nil {
			return src, nil
		}
	}
	if from.Dir == "" { // examples call examples
		return workflows.Example(ref, from)
	}
	return l.loadFile(ref, from)
}

// invalid shows the problems of a document, and returns the error for the exit status.
func (c *console) invalid(err error) error {
	invalid, ok := errors.AsType[*workflows.InvalidError](err)
	if !ok {
		return err
	}
	for _, p := range invalid.Problems {
		fmt.Fprintln(c.errOut, cleanLines(p.String()))
	}
	return &shownError{steps.Invalid}
}
