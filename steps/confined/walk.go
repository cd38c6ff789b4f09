package confined

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"understudy/steps"
)

// The limits of a pattern, so that matching it takes little time.
const (
	maxAlternatives = 1000
	maxDeep         = 4 // folders of any depth, **
)

// CheckPattern returns an error if a pattern for Walk cannot be used.
func CheckPattern(pattern string) error {
	switch {
	case !doublestar.ValidatePattern(pattern):
		return errors.New("wanted names with *, **, ? and [ ], such as **/*.yaml")
	case alternatives(pattern) > maxAlternatives:
		return fmt.Errorf("wanted at most %d alternatives in { } together, found more; use * and several calls", maxAlternatives)
	case strings.Count(collapse(pattern), "**") > maxDeep:
		return fmt.Errorf("wanted at most %d times **, found more", maxDeep)
	}
	return nil
}

// alternatives returns the number of patterns that one with { } stands for.
func alternatives(pattern string) int {
	var outer [][2]int // of each open { : the alternatives before it, and those that are complete in it
	one, sum := 1, 0   // of the alternative that is read, and of those before it
	for i := 0; i < len(pattern) && one <= maxAlternatives && sum <= maxAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			outer = append(outer, [2]int{one, sum})
			one, sum = 1, 0
		case ',':
			if len(outer) > 0 {
				sum, one = sum+one, 1
			}
		case '}':
			if n := len(outer); n > 0 {
				one, sum, outer = outer[n-1][0]*(sum+one), outer[n-1][1], outer[:n-1]
			}
		}
	}
	return one + sum
}

// collapse replaces several consecutive ** by one, which means the same.
func collapse(pattern string) string {
	for strings.Contains(pattern, "**/**/") {
		pattern = strings.ReplaceAll(pattern, "**/**/", "**/")
	}
	if pattern == "**/**" || strings.HasSuffix(pattern, "/**/**") {
		pattern = strings.TrimSuffix(pattern, "/**")
	}
	return pattern
}

// Match is a file that a pattern matches.
type Match struct {
	File
	Shown string // its path in terms of the pattern
	Info  fs.FileInfo
}

// Walk calls f for each plain file that a pattern matches. Links to folders are not
// followed, and .git folders are left out.
func Walk(ctx context.Context, env *steps.Env, pattern string, within steps.Path, f func(Match) error) error {
	base, rest := doublestar.SplitPattern(collapse(filepath.ToSlash(pattern)))
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
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
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

// cancellable is a file system whose operations fail once the context has ended.
type cancellable struct {
	ctx context.Context
	fs.FS
}

func (w cancellable) Open(name string) (fs.File, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return w.FS.Open(name)
}

func (w cancellable) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return fs.ReadDir(w.FS, name)
}

// Lstat reads what is known of a file, and of a link itself.
func (w cancellable) Lstat(name string) (fs.FileInfo, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return fs.Lstat(w.FS, name)
}

func (w cancellable) ReadLink(name string) (string, error) { return fs.ReadLink(w.FS, name) }
