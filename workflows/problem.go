package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/words"
)

// Problem is one thing that is wrong with a document, and where.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"` // in characters, from 1
	Length  int    `json:"length"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`    // how to fix it
	Snippet string `json:"snippet,omitempty"` // the line, and a caret below
}

// String is the problem as a compiler prints it: its place and message, the
// line with a caret, and the fix.
func (p Problem) String() string {
	text := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	if p.Snippet != "" {
		text += "\n    " + strings.ReplaceAll(p.Snippet, "\n", "\n    ")
	}
	if p.Hint != "" {
		text += "\n    " + p.Hint
	}
	return text
}

// InvalidError is everything that is wrong with a document.
type InvalidError struct {
	Problems []Problem `json:"problems"`
}

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Limits of what a document with many problems reports. The nearest word of many is
// only looked for as long as someone will read it.
const (
	maxProblems = 200
	maxHints    = 50
	fewHints    = 10    // where there are many words
	manyWords   = 1_000 // to find the nearest among
)

// report collects problems.
type report struct {
	problems []Problem
	root     string // the name of the document whose problems come first
	left     int    // how many were left out
}

// full says that nothing more will be kept.
func (r *report) full() bool { return len(r.problems) >= maxProblems }

// enough says that the nearest of so many words need not be looked for any
// more.
func (r *report) enough(words int) bool {
	return len(r.problems) >= maxHints || len(r.problems) >= fewHints && words > manyWords
}

// nearest is the hint to the known word that is most like a word.
func (r *report) nearest(word string, known []string) string {
	if r.enough(len(known)) {
		return ""
	}
	return words.DidYouMean(words.Shorten(word, 60), known)
}

// add notes a problem at a position.
func (r *report) add(at position, hint, format string, args ...any) {
	if r.full() {
		r.left++
		return
	}
	p := Problem{Line: at.line, Column: at.column, Length: max(1, at.length), Hint: hint, Message: fmt.Sprintf(format, args...)}
	if at.file != nil {
		p.File, p.Snippet = at.file.name, at.snippet()
	}
	r.problems = append(r.problems, p)
}

// addAtSecret is add where a secret is written: its line is not shown, for the
// problems of a document are told to others and logged.
func (r *report) addAtSecret(at position, hint, format string, args ...any) {
	before := len(r.problems)
	if r.add(at, hint, format, args...); len(r.problems) > before {
		r.problems[before].Snippet = ""
	}
}

// err is everything that was noted, in the order of the text.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(
			boolCompare(a.File != r.root, b.File != r.root),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.left > 0 {
		last := &r.problems[len(r.problems)-1]
		last.Message += fmt.Sprintf(" (and %d more problems)", r.left)
	}
	return &InvalidError{Problems: slices.Compact(r.problems)}
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// snippetWidth is how much of a long line is shown.
const snippetWidth = 100

// snippet is the line of a position with a caret below, cut to what can be read.
func (p position) snippet() string {
	if p.line < 1 || p.line > len(p.file.lines) {
		return ""
	}
	line := p.file.lines[p.line-1]
	from, column := 0, p.column-1
	if column > snippetWidth*3/4 {
		from = column - snippetWidth/2
	}
	shown := cut(line, from, snippetWidth)
	if from == 0 {
		trimmed := strings.TrimLeft(shown, " \t")
		column -= utf8.RuneCountInString(shown) - utf8.RuneCountInString(trimmed)
		shown = trimmed
	}
	column = max(0, column-from)
	width := max(1, min(p.length, utf8.RuneCountInString(shown)-column))
	return strings.ReplaceAll(strings.TrimRight(shown, " \t\r"), "\t", " ") + "\n" + strings.Repeat(" ", column) + "^" + strings.Repeat("~", width-1)
}

// cut is a part of a line, in characters.
func cut(line string, from, width int) string {
	start, n := 0, 0
	for i := range line {
		if n == from {
			start = i
		}
		if n == from+width {
			return line[start:i]
		}
		n++
	}
	if from >= n {
		return ""
	}
	return line[start:]
}
