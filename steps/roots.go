package steps

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// spot is a file inside one of the folders that may be used. Everything that
// is done with it goes through root, which no link and no ".." leads out of,
// also when someone changes the folder meanwhile.
type spot struct {
	root *os.Root
	rel  string // from the root
	path string // as messages name it
}

func (s spot) close() { _ = s.root.Close() }

// spot opens the folder that a path of an argument lies in.
func (e *Env) spot(path, within Path) (spot, error) { return e.spotIn(e.Roots, path, within) }

// spotIn is spot with other folders that may be used.
func (e *Env) spotIn(roots []string, path, within Path) (spot, error) {
	if strings.ContainsRune(string(path), 0) {
		return spot{}, Errorf(Invalid, "a path holds a zero byte")
	}
	abs := e.abs(within)
	if filepath.IsAbs(string(path)) {
		abs = filepath.Clean(string(path))
	} else {
		abs = filepath.Join(abs, string(path))
	}
	// A link inside one folder may lead into another that may be used too, so
	// the path is tried as it stands and as it is in truth.
	for _, p := range []string{abs, real(abs)} {
		if s, err := inRoots(roots, p, abs); err == nil {
			if !s.escapes() {
				return s, nil
			}
			s.close()
		} else if CodeOf(err) != Denied {
			return spot{}, err
		}
	}
	return spot{}, outside(roots, abs)
}

// inRoots finds the folder that holds a path.
func inRoots(roots []string, path, shown string) (spot, error) {
	for _, root := range roots {
		for _, r := range []string{filepath.Clean(root), real(root)} {
			rel, err := filepath.Rel(r, path)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			opened, err := os.OpenRoot(r)
			if err != nil {
				return spot{}, Errorf(NotFound, "the folder %s, which may be used, cannot be opened: %w", r, err)
			}
			return spot{opened, rel, shown}, nil
		}
	}
	return spot{}, outside(roots, shown)
}

func outside(roots []string, path string) error {
	where := "no folder may be used"
	if len(roots) > 0 {
		where = "files may be used in " + strings.Join(roots, ", ")
	}
	return &Error{Code: Denied, Err: fmt.Errorf("%s is out of bounds: %s", path, where)}
}

// escapes says whether a link leads out of the folder.
func (s spot) escapes() bool {
	_, err := s.root.Stat(s.rel)
	pe, ok := errors.AsType[*fs.PathError](err)
	return ok && pe.Err.Error() == "path escapes from parent" // os has no name for it
}

// real is a path without links, as far as it exists.
func real(path string) string {
	rest := ""
	for p := path; ; {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(r, rest)
		}
		up := filepath.Dir(p)
		if up == p {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = up
	}
}

// fileError is an error about a file, with a code and without the innards of
// the system call.
func (s spot) fileError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(NotFound, "there is no file %s", s.path)
	case errors.Is(err, fs.ErrPermission):
		return Errorf(Denied, "%s: the system does not allow it", s.path)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return Errorf(Internal, "%s: %w", s.path, err)
}
