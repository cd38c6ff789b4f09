package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/words"
)

// Problem is one thing that is wrong with a document, and its position.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"` // in characters, from 1
	Length  int    `json:"length"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`    // how to fix it
	Snippet string `json:"snippet,omitempty"` // the line, and a caret below
}

// String returns the problem as a compiler prints it: position and message, the
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

// Limits of the report on a document with many problems. Finding the nearest word
// takes time, so only the first problems get such a hint.
const (
	maxProblems = 200
	maxHints    = 50
	fewHints    = 10    // if there are many words
	manyWords   = 1_000 // among which the nearest is looked for
)

// report collects problems.
type report struct {
	problems []Problem
	root     string // the name of the document whose problems come first
	left     int    // the number of problems beyond maxProblems
	notes    []Problem
}

// note adds something to be told about a document that is right. It is told once, at its
// first place.
func (r *report) note(at position, hint, format string, args ...any) {
	p := problemAt(at, hint, format, args...)
	said := func(n Problem) bool { return n.File == p.File && n.Message == p.Message && n.Hint == p.Hint }
	if len(r.notes) < maxProblems && !slices.ContainsFunc(r.notes, said) {
		r.notes = append(r.notes, p)
	}
}

// sortedNotes returns the notes in the order of the text.
func (r *report) sortedNotes() []Problem {
	r.sort(r.notes)
	return r.notes
}

// full reports whether further problems are only counted.
func (r *report) full() bool { return len(r.problems) >= maxProblems }

// enough reports whether the nearest of so many words is not looked for any more.
func (r *report) enough(words int) bool {
	return len(r.problems) >= maxHints || len(r.problems) >= fewHints && words > manyWords
}

// nearest returns a hint to the known word that is most like a word, or "".
func (r *report) nearest(word string, known []string) string {
	if r.enough(len(known)) {
		return ""
	}
	return words.DidYouMean(words.Shorten(word, 60), known)
}

// add adds a problem at a position.
func (r *report) add(at position, hint, format string, args ...any) {
	if r.full() {
		r.left++
		return
	}
	r.problems = append(r.problems, problemAt(at, hint, format, args...))
}

func problemAt(at position, hint, format string, args ...any) Problem {
	p := Problem{Line: at.line, Column: at.column, Length: max(1, at.length), Hint: hint, Message: fmt.Sprintf(format, args...)}
	if at.file != nil {
		p.File, p.Snippet = at.file.name, at.snippet()
	}
	return p
}

// sort sorts problems by their places in the text.
func (r *report) sort(all []Problem) {
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(strings.Compare(r.rank(a.File), r.rank(b.File)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// addAtSecret is add for the position of a secret. It leaves out the line, since
// problems are sent to clients and logged.
func (r *report) addAtSecret(at position, hint, format string, args ...any) {
	before := len(r.problems)
	if r.add(at, hint, format, args...); len(r.problems) > before {
		r.problems[before].Snippet = ""
	}
}

// err returns all problems in the order of the text, or nil if there are none.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	r.sort(r.problems)
	if r.left > 0 {
		last := &r.problems[len(r.problems)-1]
		last.Message += fmt.Sprintf(" (and %d more problems)", r.left)
	}
	return &InvalidError{Problems: slices.Compact(r.problems)}
}

// rank returns a string by which files are sorted.
func (r *report) rank(file string) string {
	if file == r.root {
		return ""
	}
	return file
}

// snippetWidth is how many characters of a long line are shown.
const snippetWidth = 100

// snippet returns the line of a position with a caret below. A long line is cut to
// the part around the position.
func (p position) snippet() string {
	if p.line < 1 || p.line > len(p.file.lines) {
		return ""
	}
	line := p.file.lines[p.line-1]
	skipped, column := 0, p.column-1
	if column > snippetWidth*3/4 {
		skipped = column - snippetWidth/2
	}
	shown := from(line, skipped+1)
	shown = shown[:len(shown)-len(from(shown, snippetWidth+1))]
	if skipped == 0 {
		trimmed := strings.TrimLeft(shown, " \t")
		column -= utf8.RuneCountInString(shown) - utf8.RuneCountInString(trimmed)
		shown = trimmed
	}
	column = max(0, column-skipped)
	width := max(1, min(p.length, utf8.RuneCountInString(shown)-column))
	return strings.ReplaceAll(strings.TrimRight(shown, " \t\r"), "\t", " ") + "\n" + strings.Repeat(" ", column) + "^" + strings.Repeat("~", width-1)
}
