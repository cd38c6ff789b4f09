package steps

import "time"

// GrepFiles finds lines in files.
var GrepFiles = Define[GrepArgs, GrepResult](Kind{
	Name:    "grep_files",
	Summary: "Find the lines of text files that match a regular expression.",
	Toolset: Files,
	Reads:   true,
	Timeout: time.Minute,
}, GrepArgs{Glob: "**", ContextLines: 2, MaxResults: 50}, nil)

// GrepArgs says what to look for, and where.
type GrepArgs struct {
	Pattern      Pattern `json:"pattern" jsonschema:"the regular expression"`
	Glob         string  `json:"glob,omitzero" jsonschema:"which files, such as *.go or docs/**/*.md"`
	IgnoreCase   bool    `json:"ignore_case,omitzero" jsonschema:"take small and capital letters for the same"`
	ContextLines Count   `json:"context_lines,omitzero" jsonschema:"how many lines to show before and after"`
	MaxResults   Count   `json:"max_results,omitzero" jsonschema:"how many matches at most"`
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
