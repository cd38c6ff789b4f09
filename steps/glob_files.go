package steps

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// GlobFiles finds files by their names.
var GlobFiles = Define(Kind{
	Name:    "glob_files",
	Summary: "Find files by a pattern of their names, the newest first.",
	Toolset: Files,
	Reads:   true,
	Risk:    ReadsPrivate,
}, GlobArgs{MaxResults: 1000}, globFiles)

// GlobArgs says which names.
type GlobArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a pattern such as **/*.yaml, src/*.go or {a,b}.txt"`
	MaxResults Count  `json:"max_results,omitzero" jsonschema:"how many files at most"`
	Folder
}

// GlobResult is what was found.
type GlobResult struct {
	Files     []FoundFile `json:"files" jsonschema:"the files, the newest first"`
	Count     int         `json:"count" jsonschema:"how many there are"`
	Truncated bool        `json:"truncated" jsonschema:"whether more were found than are listed"`
}

// FoundFile is one file.
type FoundFile struct {
	Path     string `json:"path" jsonschema:"where it is, from the folder that was searched"`
	Bytes    int64  `json:"bytes" jsonschema:"how long it is"`
	Modified string `json:"modified" jsonschema:"when it was changed"`
}

// Validate wants a pattern that can match.
func (a *GlobArgs) Validate() error {
	if !doublestar.ValidatePattern(a.Pattern) {
		return errors.New("pattern: wanted names with *, **, ? and [ ], such as **/*.yaml")
	}
	if a.MaxResults < 1 {
		return errors.New("max_results: wanted at least 1")
	}
	return nil
}

func globFiles(ctx context.Context, env *Env, a GlobArgs) (GlobResult, error) {
	r := GlobResult{Files: []FoundFile{}}
	err := env.files(ctx, a.Pattern, a.WorkingDirectory, func(f found) error {
		r.Files = append(r.Files, FoundFile{f.shown, f.info.Size(), f.info.ModTime().UTC().Format(time.RFC3339Nano)})
		return nil
	})
	slices.SortStableFunc(r.Files, func(a, b FoundFile) int { return cmp.Compare(b.Modified, a.Modified) })
	r.Count = len(r.Files)
	if r.Count > int(a.MaxResults) {
		r.Files, r.Truncated = r.Files[:a.MaxResults], true
	}
	return r, err
}

// found is a file that a pattern matches.
type found struct {
	spot
	shown string // its path as the pattern would give it
	info  fs.FileInfo
}

// files calls f for each plain file that a pattern matches. Links to folders
// are not followed, and what git keeps for itself is left out.
func (e *Env) files(ctx context.Context, pattern string, within Path, f func(found) error) error {
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	s, err := e.spot(Path(filepath.FromSlash(base)), within)
	if err != nil {
		return err
	}
	defer s.close()
	info, err := s.root.Stat(s.rel)
	if err != nil {
		return s.fileError(err)
	}
	if !info.IsDir() {
		return Errorf(NotFound, "%s is not a folder", s.path)
	}
	folder, err := s.root.OpenRoot(s.rel)
	if err != nil {
		return s.fileError(err)
	}
	defer folder.Close()
	err = doublestar.GlobWalk(walked{ctx, folder.FS()}, rest, func(name string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || slices.Contains(strings.Split(name, "/"), ".git") {
			return nil // gone meanwhile, or not a file
		}
		return f(found{spot{folder, filepath.FromSlash(name), filepath.Join(s.path, name)}, path.Join(base, name), info})
	}, doublestar.WithNoFollow())
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// walked is a tree of files that cannot be read any further once the context
// has ended.
type walked struct {
	ctx context.Context
	fs.FS
}

// Open opens a file.
func (w walked) Open(name string) (fs.File, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return w.FS.Open(name)
}

// ReadDir reads a folder.
func (w walked) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	return fs.ReadDir(w.FS, name)
}

// Lstat reads what is known of a file, and of a link itself.
func (w walked) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(w.FS, name) }

// ReadLink reads where a link leads.
func (w walked) ReadLink(name string) (string, error) { return fs.ReadLink(w.FS, name) }
