package kinds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/confined"
)

// GrepFiles finds lines in files.
var GrepFiles = steps.Define(steps.Kind{
	Name:    "grep_files",
	Summary: "Find the lines of text files that match a regular expression.",
	Toolset: steps.Files,
	Reads:   true,
	Risk:    steps.ReadsPrivate,
	Timeout: time.Minute,
	Whole:   true,
}, GrepArgs{Glob: "**", ContextLines: 2, MaxResults: 50}, grepFiles)

// GrepArgs says what to look for, and where.
type GrepArgs struct {
	Pattern      steps.Pattern `json:"pattern" jsonschema:"the regular expression"`
	Glob         string        `json:"glob,omitzero" jsonschema:"which files, such as *.go or docs/**/*.md"`
	IgnoreCase   bool          `json:"ignore_case,omitzero" jsonschema:"ignore case"`
	ContextLines steps.Count   `json:"context_lines,omitzero" jsonschema:"how many lines to show before and after"`
	MaxResults   steps.Count   `json:"max_results,omitzero" jsonschema:"how many matches at most"`
	Folder
}

// GrepResult is what was found.
type GrepResult struct {
	Matches   []GrepMatch `json:"matches" jsonschema:"the lines that match"`
	Files     int         `json:"files" jsonschema:"how many files were searched"`
	Truncated bool        `json:"truncated" jsonschema:"whether more lines match than are listed"`
}

// GrepMatch is one line.
type GrepMatch struct {
	Path   string   `json:"path" jsonschema:"the file, from the folder that was searched"`
	Line   int      `json:"line" jsonschema:"the line's number, from 1"`
	Text   string   `json:"text" jsonschema:"the line"`
	Before []string `json:"before,omitzero" jsonschema:"the lines before it"`
	After  []string `json:"after,omitzero" jsonschema:"the lines after it"`
}

// maxInstructions bounds an expression, because matching one line cannot be cancelled.
const maxInstructions = 2000

// lineShown bounds the bytes of a line that are shown.
const lineShown = 500

func (a *GrepArgs) Validate() error {
	if err := confined.CheckPattern(a.Glob); err != nil {
		return fmt.Errorf("glob: %w", err)
	}
	if parsed, err := syntax.Parse(string(a.Pattern), syntax.Perl); err == nil {
		if program, err := syntax.Compile(parsed.Simplify()); err == nil && len(program.Inst) > maxInstructions {
			return fmt.Errorf("pattern: wanted one of at most %d instructions, found %d; repeat less in it", maxInstructions, len(program.Inst))
		}
	}
	if a.MaxResults < 1 {
		return errors.New("max_results: wanted at least 1")
	}
	return nil
}

func grepFiles(ctx context.Context, env *steps.Env, a GrepArgs) (GrepResult, error) {
	text := string(a.Pattern)
	if a.IgnoreCase {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return GrepResult{}, steps.Errorf(steps.Invalid, "pattern: %w", err)
	}
	glob := a.Glob
	if !strings.Contains(glob, "/") { // *.go means wherever it is
		glob = "**/" + glob
	}
	g := grep{args: a, re: re, r: GrepResult{Matches: []GrepMatch{}}}
	err = confined.Walk(ctx, env, glob, a.WorkingDirectory, func(f confined.Match) error { return g.file(ctx, f) })
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return g.r, err
}

// grep is one search.
type grep struct {
	args GrepArgs
	re   *regexp.Regexp
	r    GrepResult
}

// file searches one file. Files that cannot be read or are not text are skipped.
func (g *grep) file(ctx context.Context, f confined.Match) error {
	var before []string
	open, around := len(g.r.Matches), int(g.args.ContextLines) // open: the first match that lacks lines after it
	err := f.Lines(ctx, func(n int, line string) {
		line = strings.TrimRight(line, "\r\n")
		shown := short(line)
		for open < len(g.r.Matches) && n > g.r.Matches[open].Line+around {
			open++
		}
		for i := open; i < len(g.r.Matches); i++ {
			g.r.Matches[i].After = append(g.r.Matches[i].After, shown)
		}
		if g.re.MatchString(line) {
			if len(g.r.Matches) == int(g.args.MaxResults) {
				g.r.Truncated = true
			} else {
				g.r.Matches = append(g.r.Matches, GrepMatch{Path: f.Shown, Line: n, Text: shown, Before: slices.Clone(before)})
			}
		}
		if before = append(before, shown); len(before) > around {
			before = before[1:]
		}
	})
	switch {
	case ctx.Err() != nil:
		return err
	case err == nil:
		g.r.Files++
	}
	if g.r.Truncated {
		return fs.SkipAll
	}
	return nil
}

// short returns a line as it is shown.
func short(line string) string {
	if len(line) > lineShown {
		line = strings.ToValidUTF8(line[:lineShown], "") + "…"
	}
	return strings.ToValidUTF8(line, "�")
}
