package confined

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"understudy/steps"
)

// ValidPattern says whether a pattern for Walk can be understood.
func ValidPattern(pattern string) bool { return doublestar.ValidatePattern(pattern) }

// Match is a file that a pattern matches.
type Match struct {
	File
	Shown string // its path as the pattern would give it
	Info  fs.FileInfo
}

// Walk calls f for each plain file that a pattern matches. Links to folders
// are not followed, and what git keeps for itself is left out.
func Walk(ctx context.Context, env *steps.Env, pattern string, within steps.Path, f func(Match) error) error {
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	s, err := Find(env, steps.Path(filepath.FromSlash(base)), within)
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := s.Root.Stat(s.Rel)
	if err != nil {
		return s.Error(err)
	}
	if !info.IsDir() {
		return steps.Errorf(steps.NotFound, "%s is not a folder", s.Path)
	}
	folder, err := s.Root.OpenRoot(s.Rel)
	if err != nil {
		return s.Error(err)
	}
	defer folder.Close()
	hidden := Private(env.Private).below(s.Path)
	err = doublestar.GlobWalk(cancellable{ctx, folder.FS()}, rest, func(name string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || slices.Contains(strings.Split(name, "/"), ".git") || hidden(name, info) {
			return nil // gone meanwhile, not a file, or private
		}
		return f(Match{File{folder, filepath.FromSlash(name), filepath.Join(s.Path, name)}, path.Join(base, name), info})
	}, doublestar.WithNoFollow())
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// cancellable is a tree of files that cannot be read any further once the context
// has ended.
type cancellable struct {
	ctx context.Context
	fs.FS
}

// Open opens a file.
func (w cancellable) Open(name string) (fs.File, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return w.FS.Open(name)
}

// ReadDir reads a folder.
func (w cancellable) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return fs.ReadDir(w.FS, name)
}

// Lstat reads what is known of a file, and of a link itself.
func (w cancellable) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(w.FS, name) }

// ReadLink reads where a link leads.
func (w cancellable) ReadLink(name string) (string, error) { return fs.ReadLink(w.FS, name) }
