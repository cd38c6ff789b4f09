package kinds

import (
	"context"
	"path/filepath"

	"understudy/steps"
	"understudy/steps/confined"
)

// WriteFile writes a file whole.
var WriteFile = steps.Define(steps.Kind{
	Name:       "write_file",
	Summary:    "Write a text file, whole or not at all, and the folders above it.",
	Toolset:    steps.Files,
	Risk:       steps.WritesFiles,
	Idempotent: true,
}, WriteFileArgs{}, writeFile)

// WriteFileArgs says what to write.
type WriteFileArgs struct {
	Path    steps.Path `json:"path" jsonschema:"the file"`
	Content string     `json:"content" jsonschema:"its new content"`
	Folder
}

// FileResult says which file was written.
type FileResult struct {
	Path    string `json:"path" jsonschema:"the file"`
	Bytes   int    `json:"bytes" jsonschema:"how long it is now"`
	Created bool   `json:"created" jsonschema:"whether it was not there before"`
}

func writeFile(ctx context.Context, env *steps.Env, a WriteFileArgs) (FileResult, error) {
	s, err := confined.FindTarget(env, a.Path, a.WorkingDirectory)
	if err != nil {
		return FileResult{}, err
	}
	defer s.Close()
	created, err := s.IsNew()
	if err != nil {
		return FileResult{}, err
	}
	if created {
		err = env.Act(func() error {
			if err := s.Root.MkdirAll(filepath.Dir(s.Rel), 0o777); err != nil {
				return s.Error(err)
			}
			return nil
		})
		if err != nil {
			return FileResult{}, err
		}
	}
	return FileResult{s.Path, len(a.Content), created}, confined.Rewrite(ctx, env, s, a.Content)
}
