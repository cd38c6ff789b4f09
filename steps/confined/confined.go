package confined

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"understudy/steps"
)

// File is a file inside one of the folders that may be used. Every access goes through
// Root, which no link and no ".." leads out of, also when the folder is changed
// meanwhile.
type File struct {
	Root *os.Root
	Rel  string // relative to Root
	Path string // for messages
}

func (s File) Close() { _ = s.Root.Close() }

// Find opens the folder that contains a path of an argument, unless the path is private.
func Find(env *steps.Env, path, within steps.Path) (File, error) {
	abs, err := absolute(env, path, within)
	if err != nil {
		return File{}, err
	}
	return find(env, abs)
}

func find(env *steps.Env, abs string) (File, error) {
	if err := Private(env.Private).Refuse(abs); err != nil {
		return File{}, err
	}
	return findIn(env.Roots, abs)
}

// OpenFolder opens a folder, which no link leads out of, unless it is private. The folder
// is opened anew from its root, whatever was in its place before.
func OpenFolder(env *steps.Env, path steps.Path) (*os.Root, error) {
	f, err := Find(env, path, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	folder, err := f.Root.OpenRoot(f.Rel)
	if err != nil {
		return nil, f.Error(err)
	}
	return folder, nil
}

// FindPicture is Find for a picture to look for, which may be in further folders, even
// private ones. A relative path that does not exist is taken relative to the folder of
// the workflow, so that both can be moved together.
func FindPicture(env *steps.Env, path steps.Path) (File, error) {
	abs, err := absolute(env, path, "")
	if err != nil {
		return File{}, err
	}
	if env.Document != "" && !filepath.IsAbs(string(path)) {
		if _, err := os.Stat(abs); err != nil {
			abs = filepath.Join(env.Document, string(path))
		}
	}
	f, err := find(env, abs)
	if steps.CodeOf(err) != steps.Denied || len(env.PictureRoots) == 0 {
		return f, err
	}
	if f, err = findIn(env.PictureRoots, abs); steps.CodeOf(err) == steps.Denied {
		err = outside(slices.Concat(env.Roots, env.PictureRoots), abs)
	}
	return f, err
}

// absolute returns a path of an argument as an absolute one.
func absolute(env *steps.Env, path, within steps.Path) (string, error) {
	switch {
	case strings.ContainsRune(string(path), 0):
		return "", steps.Errorf(steps.Invalid, "a path contains a NUL byte")
	case filepath.IsAbs(string(path)):
		return filepath.Clean(string(path)), nil
	}
	return filepath.Join(env.Abs(within), string(path)), nil
}

// findIn opens the root that contains a path.
func findIn(roots []string, abs string) (File, error) {
	// A link inside one root may lead into another one, so the path is tried as it is
	// and with its links resolved.
	for _, p := range []string{abs, realPath(abs)} {
		if s, err := inRoots(roots, p, abs); err == nil {
			if !s.escapes() {
				return s, nil
			}
			s.Close()
		} else if steps.CodeOf(err) != steps.Denied {
			return File{}, err
		}
	}
	return File{}, outside(roots, abs)
}

// inRoots opens the first root that contains a path lexically.
func inRoots(roots []string, path, shown string) (File, error) {
	for _, root := range roots {
		for _, r := range []string{filepath.Clean(root), realPath(root)} {
			rel, err := filepath.Rel(r, path)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			opened, err := os.OpenRoot(r)
			if err != nil {
				return File{}, steps.Errorf(steps.NotFound, "the folder %s, which may be used, cannot be opened: %w", r, err)
			}
			return File{opened, rel, shown}, nil
		}
	}
	return File{}, outside(roots, shown)
}

func outside(roots []string, path string) error {
	if len(roots) == 0 {
		return steps.Errorf(steps.Denied, "%s is out of bounds: no folder may be used", path).
			WithNext("start the server with --root FOLDER, or in a folder for its files; a whole home folder is never used by itself")
	}
	return &steps.Error{Code: steps.Denied, Err: fmt.Errorf("%s is out of bounds: files may be used in %s", path, strings.Join(slices.Compact(slices.Sorted(slices.Values(roots))), ", "))}
}

// escapes reports whether a link leads out of the folder.
func (s File) escapes() bool {
	_, err := s.Root.Stat(s.Rel)
	pe, ok := errors.AsType[*fs.PathError](err)
	return ok && pe.Err.Error() == "path escapes from parent" // os has no name for it
}

// realPath returns a path with its links resolved, as far as it exists.
func realPath(path string) string {
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

// Error returns an error about the file with a code, and without the details of the
// system call.
func (s File) Error(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return steps.Errorf(steps.NotFound, "there is no file %s", s.Path)
	case errors.Is(err, fs.ErrPermission):
		return steps.Errorf(steps.Denied, "%s: the system does not allow it", s.Path)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return steps.Errorf(steps.Internal, "%s: %w", s.Path, err)
}
