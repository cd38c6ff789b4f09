package kinds

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"understudy/steps"
	"understudy/steps/confined"
)

// ReadFile reads lines of a text file.
var ReadFile = steps.Define(steps.Kind{
	Name:    "read_file",
	Summary: "Read lines of a text file.",
	Toolset: steps.Files,
	Reads:   true,
	Risk:    steps.ReadsPrivate,
}, ReadFileArgs{Offset: 1, Limit: 100}, readFile)

// ReadFileArgs says which file and which lines.
type ReadFileArgs struct {
	Path steps.Path `json:"path" jsonschema:"the file"`
	Folder
	Offset steps.Count `json:"offset,omitzero" jsonschema:"the first line, from 1"`
	Limit  steps.Count `json:"limit,omitzero" jsonschema:"how many lines at most"`
}

// ReadFileResult is what was read.
type ReadFileResult struct {
	Path       string `json:"path" jsonschema:"the file"`
	Content    string `json:"content" jsonschema:"the lines"`
	FirstLine  int    `json:"first_line" jsonschema:"the number of the first line that was read"`
	Lines      int    `json:"lines" jsonschema:"how many lines were read"`
	TotalLines int    `json:"total_lines" jsonschema:"how many lines the file has"`
	Truncated  bool   `json:"truncated" jsonschema:"whether there is more than was read"`
}

func (a *ReadFileArgs) Validate() error {
	if a.Offset < 1 || a.Limit < 1 {
		return errors.New("offset and limit begin at 1")
	}
	return nil
}

func readFile(ctx context.Context, env *steps.Env, a ReadFileArgs) (ReadFileResult, error) {
	s, err := confined.Find(env, a.Path, a.WorkingDirectory)
	if err != nil {
		return ReadFileResult{}, err
	}
	defer s.Close()
	r := ReadFileResult{Path: s.Path, FirstLine: int(a.Offset)}
	content := &strings.Builder{}
	err = s.Lines(ctx, func(n int, line string) {
		r.TotalLines = n
		switch {
		case n < int(a.Offset):
		case r.Truncated || r.Lines == int(a.Limit):
			r.Truncated = true
		case content.Len()+len(line) > confined.ContentLimit:
			r.Truncated = true
			if r.Lines == 0 { // a later read could not get more of it
				end := confined.ContentLimit
				for end > 0 && !utf8.RuneStart(line[end]) {
					end--
				}
				content.WriteString(line[:end])
				r.Lines++
			}
		default:
			content.WriteString(line)
			r.Lines++
		}
	})
	if err != nil {
		return r, err
	}
	if r.Lines == 0 && r.TotalLines > 0 {
		return r, steps.Errorf(steps.NotFound, "%s has %d lines, none at %d", s.Path, r.TotalLines, a.Offset)
	}
	r.Content = strings.ToValidUTF8(content.String(), "�")
	return r, nil
}
