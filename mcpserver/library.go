package mcpserver

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/confined"
	"understudy/workflows"
)

// library is the folder of saved workflows: plain files, one for each.
type library struct {
	kinds       []steps.Kind
	folder, dir string
	roots       []string
	private     confined.Private
}

// endings of saved workflows, the first that there is counts.
var endings = []string{".yaml", ".yml", ".json"}

// maxDocument bounds what is read; it is above the limit of package workflows,
// whose error is the better one.
const maxDocument = 5 << 20

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

func checkName(name string) error {
	if validName.MatchString(name) {
		return nil
	}
	return steps.Errorf(steps.Invalid, "%q is no name of a workflow: wanted letters, digits, - and _", name)
}

// names are the saved workflows, sorted.
func (l *library) names() ([]string, error) {
	entries, err := os.ReadDir(l.folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name, ending := splitEnding(e.Name())
		if !e.IsDir() && slices.Contains(endings, ending) && validName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func splitEnding(file string) (name, ending string) {
	ending = filepath.Ext(file)
	return strings.TrimSuffix(file, ending), ending
}

// get reads a saved workflow.
func (l *library) get(name string) (workflows.Source, error) {
	if err := checkName(name); err != nil {
		return workflows.Source{}, err
	}
	for _, ending := range endings {
		src, err := readSource(filepath.Join(l.folder, name+ending))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		src.Name = name
		return src, err
	}
	known, _ := l.names()
	e := steps.Errorf(steps.NotFound, "there is no saved workflow called %q", name)
	if e.Next = words.DidYouMean(name, known); e.Next == "" {
		e.Next = "list_workflows names them"
	}
	return workflows.Source{}, e
}

// save writes a workflow atomically, and says whether it is new.
func (l *library) save(name string, text []byte, replace bool) (path string, isNew bool, err error) {
	if err := checkName(name); err != nil {
		return "", false, err
	}
	ending := ".yaml"
	if text = []byte(strings.TrimSpace(string(text)) + "\n"); text[0] == '{' {
		ending = ".json"
	}
	path, isNew = filepath.Join(l.folder, name+ending), true
	for _, other := range endings {
		if _, err := os.Stat(filepath.Join(l.folder, name+other)); err == nil {
			path, isNew = filepath.Join(l.folder, name+other), false
			break
		}
	}
	if !isNew && !replace {
		e := steps.Errorf(steps.Invalid, "there is a saved workflow called %q already", name)
		e.Next = "choose another name, or say replace: true"
		return path, isNew, e
	}
	return path, isNew, writeWhole(path, text)
}

// writeWhole replaces a file atomically.
func writeWhole(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".saving-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// load finds the document that another names: a saved workflow, a path, or a
// file:// address.
func (l *library) load(ref string, from workflows.Source) (workflows.Source, error) {
	if validName.MatchString(ref) {
		return l.get(ref)
	}
	path := ref
	if strings.HasPrefix(ref, "file://") {
		u, err := url.Parse(ref)
		if err != nil {
			return workflows.Source{}, err
		}
		path = u.Path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(from.Dir, l.dir), path)
	}
	if err := l.within(path); err != nil {
		return workflows.Source{}, err
	}
	return readSource(path)
}

// within refuses a path that leads out of the folders in which a run may read,
// after links are resolved: the problems of a document quote its lines, through
// which a client could read any file.
func (l *library) within(path string) error {
	path, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil:
		return err
	case isBelow(path, l.folder):
		return nil
	case slices.ContainsFunc(l.roots, func(root string) bool { return isBelow(path, root) }):
		return l.private.Refuse(path)
	}
	return &steps.Error{
		Code: steps.Denied, Err: fmt.Errorf("%s is out of bounds: documents may be read in %s", path, strings.Join(append(l.roots[:len(l.roots):len(l.roots)], l.folder), ", ")),
		Next: "save it with save_workflow and use its name, or start the server in its folder",
	}
}

// isBelow says whether a path without links lies in a folder.
func isBelow(path, folder string) bool {
	root, err := filepath.EvalSymlinks(folder)
	if folder == "" || err != nil {
		return false
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// pack compiles a document. What it calls is found from a folder.
func (l *library) pack(name, dir string, text []byte) (engine.Bundle, *workflows.Program, error) {
	return engine.Pack(workflows.Source{Name: name, Dir: dir, Text: text}, l.kinds, l.load)
}

func readSource(path string) (workflows.Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return workflows.Source{}, err
	}
	if info.Size() > maxDocument || !info.Mode().IsRegular() {
		return workflows.Source{}, fmt.Errorf("%s is not a document: it has %d bytes", path, info.Size())
	}
	text, err := os.ReadFile(path)
	return workflows.Source{Name: path, Dir: filepath.Dir(path), Text: text}, err
}
