package steps

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

// WriteFile writes a file whole.
var WriteFile = Define(Kind{
	Name:       "write_file",
	Summary:    "Write a text file, whole or not at all, and the folders above it.",
	Toolset:    Files,
	Risk:       WritesFiles,
	Idempotent: true,
}, WriteFileArgs{}, writeFile)

// WriteFileArgs says what to write.
type WriteFileArgs struct {
	Path    Path   `json:"path" jsonschema:"the file"`
	Content string `json:"content" jsonschema:"what it shall hold"`
	Folder
}

// FileResult says which file was written.
type FileResult struct {
	Path    string `json:"path" jsonschema:"the file"`
	Bytes   int    `json:"bytes" jsonschema:"how long it is now"`
	Created bool   `json:"created" jsonschema:"whether it was not there before"`
}

func writeFile(ctx context.Context, env *Env, a WriteFileArgs) (FileResult, error) {
	s, err := env.resolved(a.Path, a.WorkingDirectory)
	if err != nil {
		return FileResult{}, err
	}
	defer s.close()
	mode, created, err := s.target()
	if err != nil {
		return FileResult{}, err
	}
	if created {
		err = env.Act(func() error {
			if err := s.root.MkdirAll(filepath.Dir(s.rel), 0o777); err != nil {
				return s.fileError(err)
			}
			return nil
		})
		if err != nil {
			return FileResult{}, err
		}
	}
	return FileResult{s.path, len(a.Content), created}, env.rewrite(ctx, s, a.Content, mode)
}

// target says with which permissions a file is to be written, and whether it
// is new.
func (s spot) target() (mode fs.FileMode, created bool, err error) {
	info, err := s.root.Stat(s.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o644, true, nil
	case err != nil:
		return 0, false, s.fileError(err)
	case !info.Mode().IsRegular():
		return 0, false, Errorf(Invalid, "%s is not a plain file", s.path)
	}
	return info.Mode().Perm(), false, nil
}
