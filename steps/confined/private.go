package confined

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"understudy/steps"
)

// Private are files and folders that no step reads, lists or writes, whatever its roots
// are: Understudy keeps its tokens and runs there. A step that could write them could
// give its client every right.
type Private []string

// Refuse returns an error for a path in one of them, as it is and with its links
// resolved.
func (p Private) Refuse(path string) error {
	known := p.known()
	for _, at := range []string{path, realPath(path)} {
		for ; ; at = filepath.Dir(at) {
			if known.has(at, nil) {
				return steps.Errorf(steps.Denied, "%s is out of bounds: Understudy keeps its tokens, runs and workflows in %s", path, at).
					WithNext("keep files for steps in a folder of their own")
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// knownFiles are private files and folders with the data that identifies them.
type knownFiles []knownFile

type knownFile struct {
	path       string
	info, over fs.FileInfo // of the file and of its folder; nil if it does not exist yet
}

func (p Private) known() knownFiles {
	all := make(knownFiles, len(p))
	for i, path := range p {
		all[i].path = filepath.Clean(path)
		all[i].info, _ = os.Stat(path)
		all[i].over, _ = os.Stat(filepath.Dir(path))
	}
	return all
}

// has reports whether a path is one of them, by its name or as the same file: a file
// system may ignore case, and a folder may be mounted twice. The info may be nil.
func (k knownFiles) has(path string, info fs.FileInfo) bool {
	if len(k) > 0 && info == nil {
		info, _ = os.Stat(path)
	}
	for _, x := range k {
		switch {
		case path == x.path, info != nil && x.info != nil && os.SameFile(info, x.info):
			return true
		case info == nil && x.over != nil && strings.EqualFold(filepath.Base(path), filepath.Base(x.path)):
			if over, err := os.Stat(filepath.Dir(path)); err == nil && os.SameFile(over, x.over) {
				return true
			}
		}
	}
	return false
}

// below returns a function that reports which files below a folder are private. The
// folder is not.
func (p Private) below(folder string) func(name string, info fs.FileInfo) bool {
	known, folders := p.known(), map[string]bool{".": false}
	var hidden func(name string) bool
	hidden = func(name string) bool {
		is, seen := folders[name]
		if !seen {
			is = hidden(path.Dir(name)) || known.has(filepath.Join(folder, name), nil)
			folders[name] = is
		}
		return is
	}
	return func(name string, info fs.FileInfo) bool {
		return len(known) > 0 && (hidden(path.Dir(name)) || known.has(filepath.Join(folder, name), info))
	}
}
