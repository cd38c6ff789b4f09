package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/steps"
	"understudy/steps/confined"
)

// GlobFiles finds files by their names.
var GlobFiles = steps.Define(steps.Kind{
	Name:    "glob_files",
	Summary: "Find files by a pattern of their names, the newest first.",
	Toolset: steps.Files,
	Reads:   true,
	Risk:    steps.ReadsPrivate,
	Whole:   true,
}, GlobArgs{MaxResults: 1000}, globFiles)

// GlobArgs says which names.
type GlobArgs struct {
	Pattern    string      `json:"pattern" jsonschema:"a pattern such as **/*.yaml, src/*.go or {a,b}.txt"`
	MaxResults steps.Count `json:"max_results,omitzero" jsonschema:"how many files at most"`
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
	at       time.Time
}

func (a *GlobArgs) Validate() error {
	if err := confined.CheckPattern(a.Pattern); err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	if a.MaxResults < 1 {
		return errors.New("max_results: wanted at least 1")
	}
	return nil
}

func globFiles(ctx context.Context, env *steps.Env, a GlobArgs) (GlobResult, error) {
	r := GlobResult{Files: []FoundFile{}}
	err := confined.Walk(ctx, env, a.Pattern, a.WorkingDirectory, func(f confined.Match) error {
		at := f.Info.ModTime()
		r.Files = append(r.Files, FoundFile{f.Shown, f.Info.Size(), at.UTC().Format(time.RFC3339Nano), at})
		return nil
	})
	slices.SortStableFunc(r.Files, func(a, b FoundFile) int { return b.at.Compare(a.at) })
	r.Count = len(r.Files)
	if r.Count > int(a.MaxResults) {
		r.Files, r.Truncated = r.Files[:a.MaxResults], true
	}
	return r, err
}
