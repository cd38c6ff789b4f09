package mcpserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/fileio"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/confined"
	"understudy/workflows"
)

// library is the folder of saved workflows, with one plain file for each.
type library struct {
	kinds       []steps.Kind
	folder, dir string
	roots       []string
	private     confined.Private
	who         access.Subject // whose view of the library this is
	saving      *sync.Mutex    // held while a workflow is saved, in every view
}

// viewFor returns the library as a subject may see it.
func (l *library) viewFor(who access.Subject) *library {
	view := *l
	view.who = who
	return &view
}

// ownership is stored beside a saved workflow that belongs to a client.
type ownership struct {
	Owner string `json:"owner"`
}

func (l *library) ownerFile(name string) string { return ownerFile(l.folder, name) }

func ownerFile(folder, name string) string { return filepath.Join(folder, "."+name+".owner.json") }

// owner returns the credential that owns a saved workflow; "" is the person at the
// machine. If the owner cannot be read, it returns a name that no credential has.
func (l *library) owner(name string) string { return ownerOf(l.folder, name) }

func ownerOf(folder, name string) string {
	raw, err := os.ReadFile(ownerFile(folder, name))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	var o ownership
	if err != nil || json.Unmarshal(raw, &o) != nil || o.Owner == "" {
		return "?"
	}
	return o.Owner
}

// canSee reports whether a saved workflow may be read and run. Those of the person at the
// machine are open to everybody.
func (l *library) canSee(name string) bool {
	if l.who.Owner == "" {
		return true
	}
	owner := l.owner(name)
	return owner == "" || l.refusal(name, owner, false) == nil
}

// visible removes the saved workflows of others from a list of resources.
func (l *library) visible(list *mcp.ListResourcesResult) *mcp.ListResourcesResult {
	out := *list
	out.Resources = slices.DeleteFunc(slices.Clone(list.Resources), func(r *mcp.Resource) bool {
		name, saved := strings.CutPrefix(r.URI, workflowURI)
		return saved && !l.canSee(name)
	})
	return &out
}

func (l *library) refusal(name, owner string, change bool) *access.Refusal {
	return l.who.May(access.Tool{Name: name, Always: true}, access.Thing{Name: "the workflow " + name, Owner: owner, Change: change})
}

// maxDocument bounds the size of a file. It is above the limit of package workflows,
// which has the better error message.
const maxDocument = 5 << 20

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

func checkName(name string) error {
	if validName.MatchString(name) {
		return nil
	}
	return steps.Errorf(steps.Invalid, "invalid workflow name %q: wanted letters, digits, - and _", name)
}

// Names returns the names of the saved workflows that the subject may see, sorted.
func (l *library) Names() ([]string, error) {
	names, err := workflows.DocumentsIn(l.folder)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return !validName.MatchString(name) || !l.canSee(name) }), err
}

// stamp is a text that differs after the folder has changed.
func (l *library) stamp() string {
	var b strings.Builder
	names, _ := l.Names()
	for _, name := range names {
		path, _ := workflows.FileIn(l.folder, name)
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(&b, name, info.ModTime().UnixNano(), info.Size())
		}
	}
	return b.String()
}

func (l *library) get(name string) (workflows.Source, error) {
	if err := checkName(name); err != nil {
		return workflows.Source{}, err
	}
	if path, there := workflows.FileIn(l.folder, name); there && l.canSee(name) {
		src, err := readSource(path)
		src.Name = name
		return src, err
	}
	known, _ := l.Names()
	e := steps.Errorf(steps.NotFound, "there is no saved workflow called %q", name)
	if e.Next = words.DidYouMean(name, known); e.Next == "" {
		e.Next = "list_workflows names them"
	}
	return workflows.Source{}, e
}

// save writes a workflow atomically, and reports whether it is new.
func (l *library) save(name string, text []byte, replace bool) (path string, isNew bool, err error) {
	if err := checkName(name); err != nil {
		return "", false, err
	}
	l.saving.Lock() // of two who give a new workflow the same name, one is refused
	defer l.saving.Unlock()
	path, there := workflows.FileIn(l.folder, name)
	if text = []byte(strings.TrimSpace(string(text)) + "\n"); !there && text[0] == '{' {
		path = filepath.Join(l.folder, name+".json")
	}
	if there && (!replace || l.refusal(name, l.owner(name), true) != nil) {
		return path, false, steps.Errorf(steps.Invalid, "there is a saved workflow called %q already", name).
			WithNext("choose another name, or set replace: true if it is yours")
	}
	if !there {
		if err := errors.Join(fileio.ForgetVersions(path), l.writeOwner(name)); err != nil { // those of an earlier workflow with this name
			return path, true, err
		}
	}
	return path, !there, fileio.SaveVersion(path, text)
}

// writeOwner stores the owner of a new workflow, before the workflow itself.
func (l *library) writeOwner(name string) error {
	if l.who.Owner == "" {
		if err := os.Remove(l.ownerFile(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	raw, err := json.Marshal(ownership{l.who.Owner})
	if err != nil {
		return err
	}
	return fileio.Write(l.ownerFile(name), raw, 0o600)
}

// EditOf returns the act of somebody who has saved the workflow in a file.
func EditOf(path, by string, isNew bool) audit.Act {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	a := audit.Act{By: by, Owner: ownerOf(filepath.Dir(path), name), Verb: audit.Edited, Workflow: name}
	if text, err := os.ReadFile(path); err == nil {
		a.Detail = "version " + fileio.ShortHash(fileio.HashOf(text))
	}
	if isNew {
		a.Detail = "new, " + a.Detail
	}
	return a
}

// load finds the document to which another one refers: a saved workflow, a path, or a
// file:// URL.
func (l *library) load(ref string, from workflows.Source) (workflows.Source, error) {
	if validName.MatchString(ref) {
		return l.get(ref)
	}
	path := ref
	if u, err := url.Parse(ref); err == nil && u.Scheme == "file" {
		path = u.Path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(from.Dir, l.dir), path)
	}
	text, ok := l.textAt(path)
	if !ok {
		return workflows.Source{}, l.errUnreachable()
	}
	return workflows.Source{Name: path, Dir: filepath.Dir(path), Text: []byte(text)}, nil
}

// textAt reads a document within the folders that a run may read, unless it is a saved
// workflow that the subject may not see. The path is checked before the file is opened,
// and symbolic links cannot lead out.
func (l *library) textAt(path string) (text string, ok bool) {
	if !slices.Contains(workflows.Extensions, filepath.Ext(path)) {
		return "", false
	}
	in, saved := steps.Folders{Roots: l.roots, Private: l.private}, isBelow(path, l.folder)
	switch {
	case saved:
		in = steps.Folders{Roots: []string{l.folder}}
	case !slices.ContainsFunc(l.roots, func(root string) bool { return isBelow(path, root) }):
		return "", false
	}
	f, err := confined.Find(&steps.Env{Folders: in}, steps.Path(path), "")
	if err != nil {
		return "", false
	}
	defer f.Close()
	if saved && !l.canSee(strings.TrimSuffix(f.Rel, filepath.Ext(f.Rel))) {
		return "", false
	}
	text, err = f.Text()
	return text, err == nil
}

// errUnreachable returns the same error for documents that are missing, forbidden or out
// of bounds, so that a client cannot find out which files exist.
func (l *library) errUnreachable() error {
	folders := strings.Join(append(l.roots[:len(l.roots):len(l.roots)], l.folder), ", ")
	return steps.Errorf(steps.NotFound, "there is no such document: wanted a file whose name ends in %s, in %s", strings.Join(workflows.Extensions, ", "), folders).
		WithNext("save it with save_workflow and use its name")
}

// isBelow reports whether a path is in a folder, by the name of the folder or by its
// name without symbolic links.
func isBelow(path, folder string) bool {
	real, err := filepath.EvalSymlinks(folder)
	if folder == "" || err != nil {
		return false
	}
	return slices.ContainsFunc([]string{folder, real}, func(folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// pack compiles a document; documents that it calls are searched relative to dir.
func (l *library) pack(name, dir string, text []byte) (engine.Bundle, *workflows.Program, error) {
	return l.packWith(name, workflows.Source{Name: name, Dir: dir, Text: text}, l.load)
}

// packWith compiles a document. The sender may see the problems only of the source sent.
func (l *library) packWith(sent string, main workflows.Source, load workflows.Loader) (engine.Bundle, *workflows.Program, error) {
	b, p, err := engine.Pack(main, l.kinds, load)
	if err == nil {
		err = withoutSecrets(p)
	}
	return b, p, withoutForeignLines(sent, err)
}

// withoutSecrets refuses a document that contains the value of a secret of another
// document that it calls.
func withoutSecrets(p *workflows.Program) (err error) {
	p.Walk(func(n *workflows.Node) {
		if n.Call == nil || n.Inputs == nil {
			return
		}
		for _, v := range n.Call.Variables {
			if given, written := n.Inputs.ConstantOf(v.Name); v.Secret && written && given != nil {
				e := steps.Errorf(steps.Invalid, "the value of the secret %s of a workflow that is called does not belong in a document", v.Name)
				e.Next = fmt.Sprintf("declare a variable here with secret: true, write inputs: {%s: \"${{ inputs.%[1]s }}\"}, and leave it out: the run asks the person for it", words.Quoted(v.Name))
				err = e
			}
		}
	})
	return err
}

// withoutForeignLines removes from an error the lines of documents that are only
// called. A sender may see its own document, but could call any file.
func withoutForeignLines(sent string, err error) error {
	invalid, ok := errors.AsType[*workflows.InvalidError](err)
	if !ok {
		return err
	}
	var foreign []workflows.Problem
	for _, p := range invalid.Problems {
		if p.File != sent && !slices.ContainsFunc(foreign, func(x workflows.Problem) bool { return x.File == p.File }) {
			hint := "its owner can run: understudy validate FILE"
			if validName.MatchString(p.File) {
				hint = fmt.Sprintf("validate_workflow {\"name\": %q} says what is wrong", p.File)
			}
			foreign = append(foreign, workflows.Problem{File: p.File, Line: 1, Column: 1, Length: 1, Message: fmt.Sprintf("the document %s, which is called, is not valid", p.File), Hint: hint})
		}
	}
	if len(foreign) == 0 {
		return err
	}
	return &workflows.InvalidError{Problems: foreign}
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
