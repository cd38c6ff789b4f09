package expression

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Text is a string with ${{ expressions }} in it. It is immutable, and can be
// evaluated by several goroutines at once.
type Text struct {
	literals []string // literals[i] stands before exprs[i]; the last one ends the text
	exprs    []*Expr
}

// escaped stands for a literal ${{.
const escaped = "$${{"

// HasTemplate reports whether a string holds an expression, or an escaped one, so that
// it must be compiled.
func HasTemplate(text string) bool {
	return strings.Contains(text, "{{")
}

// Limits of a text.
const (
	maxHoles    = 1000     // expressions
	maxTextSize = 16 << 20 // bytes of its value
)

// CompileText compiles a string with expressions in it. The problems are in the order
// of the text. A text with problems cannot be evaluated.
func CompileText(text string, n *Names) (*Text, []*Problem) {
	s := &splitter{text: text, runes: []rune(text), names: n}
	s.offsets = offsetsOf(text, len(s.runes))
	for i := 0; i < len(s.runes); {
		i = s.step(i)
	}
	s.literal(len(s.runes))
	return &Text{append(s.literals, s.open.String()), s.exprs}, s.problems
}

// A splitter splits a text into literals and expressions. It counts in characters.
type splitter struct {
	text     string
	runes    []rune
	offsets  []int // of each character, in bytes
	names    *Names
	done     int             // the number of characters that were split
	open     strings.Builder // the literal up to there
	literals []string
	exprs    []*Expr
	problems []*Problem
}

func offsetsOf(text string, characters int) []int {
	offsets := make([]int, 0, characters+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	return append(offsets, len(text))
}

// step reads the character, the escape or the template at i, and returns its end.
func (s *splitter) step(i int) int {
	if hasAt(s.runes, i, escaped) {
		s.literal(i)
		s.done = i + 1
		return i + len(escaped)
	}
	inner := i + 2
	switch {
	case hasAt(s.runes, i, "${{"):
		inner++
	case !hasAt(s.runes, i, "{{"):
		return i + 1
	}
	end, closed := templateEnd(s.runes, inner)
	switch {
	case !closed && s.braces():
		return inner
	case !closed:
		s.wrong(i, inner, "this template is not closed", "close it with }}, or write $${{ for a literal ${{")
		return len(s.runes)
	case len(s.exprs) == maxHoles:
		s.wrong(i, inner, "the text has more than 1000 templates", "")
		return len(s.runes)
	}
	s.literal(i)
	s.expression(i, inner, end)
	s.done = end + len("}}")
	return s.done
}

// braces reports whether braces that hold no expression are text.
func (s *splitter) braces() bool { return s.names != nil && s.names.Braces }

func (s *splitter) wrong(from, to int, message, hint string) {
	s.problems = append(s.problems, &Problem{s.offsets[from], to - from, message, hint})
}

func (s *splitter) literal(to int) {
	if to > s.done {
		s.open.WriteString(s.text[s.offsets[s.done]:s.offsets[to]])
	}
}

func (s *splitter) expression(open, begin, end int) {
	from, to := s.offsets[begin], s.offsets[end]
	e, problems := Compile(s.text[from:to], s.names)
	if len(problems) > 0 && s.braces() && !isExpression(s.text[from:to]) {
		s.open.WriteString(s.text[s.offsets[open]:to] + "}}")
		return
	}
	for _, p := range problems {
		p.Offset += from
	}
	s.problems = append(s.problems, problems...)
	s.exprs, s.literals = append(s.exprs, e), append(s.literals, s.open.String())
	s.open.Reset()
}

// isExpression reports whether a text could be an expression somewhere.
func isExpression(text string) bool {
	_, problems := Compile(text, &Names{OpenInputs: true, OpenSet: true, Screen: true})
	return len(problems) == 0
}

func hasAt(text []rune, i int, mark string) bool {
	for _, r := range mark {
		if i >= len(text) || text[i] != r {
			return false
		}
		i++
	}
	return true
}

var errTextSize = errors.New("the text grows over 16 MiB")

// Eval returns the string, or the value itself if the string is one whole expression.
// An expression without a value is a *ValueError.
func (t *Text) Eval(ctx context.Context, s *Scope, p Probe) (any, error) {
	if t.Whole() {
		return t.exprs[0].value(ctx, s, p)
	}
	var b strings.Builder
	b.WriteString(t.literals[0])
	for i, x := range t.exprs {
		text, err := x.valueText(ctx, s, p, b.Len())
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		b.WriteString(t.literals[i+1])
	}
	return b.String(), nil
}

// Values returns the value of each expression, in order; as text, where inText says so.
func (t *Text) Values(ctx context.Context, s *Scope, p Probe, inText func(i int) bool) ([]any, error) {
	values := make([]any, len(t.exprs))
	size := 0
	for i, x := range t.exprs {
		var err error
		if !inText(i) {
			values[i], err = x.value(ctx, s, p)
		} else {
			var text string
			text, err = x.valueText(ctx, s, p, size)
			size += len(text)
			values[i] = text
		}
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// value is Eval for an expression that must have a value.
func (x *Expr) value(ctx context.Context, s *Scope, p Probe) (any, error) {
	v, err := x.Eval(ctx, s, p)
	if err == nil && v == nil {
		return nil, &ValueError{Expr: x.text}
	}
	return v, err
}

// valueText returns the value of an expression as it stands in a text that has a size
// already.
func (x *Expr) valueText(ctx context.Context, s *Scope, p Probe, size int) (string, error) {
	v, err := x.value(ctx, s, p)
	if err != nil {
		return "", err
	}
	text, err := written(v)
	if err == nil && size+len(text) > maxTextSize {
		err = errTextSize
	}
	if err != nil {
		return "", &EvalError{Expr: x.text, Err: err}
	}
	return text, nil
}

// Whole reports whether the string is one whole expression.
func (t *Text) Whole() bool {
	return len(t.exprs) == 1 && t.literals[0] == "" && t.literals[1] == ""
}

// Looks reports whether an expression asks the desktop.
func (t *Text) Looks() bool { return slices.ContainsFunc(t.exprs, (*Expr).Looks) }

// Doubts returns what is likely a mistake in the expressions.
func (t *Text) Doubts() (found []Doubt) {
	for _, x := range t.exprs {
		found = append(found, x.Doubts()...)
	}
	return found
}

// NamesSecret reports whether an expression names an input whose schema is write-only.
func (t *Text) NamesSecret() bool {
	return slices.ContainsFunc(t.exprs, func(x *Expr) bool {
		for _, b := range x.bound {
			if b.secret {
				return true
			}
		}
		return false
	})
}

// Outline returns the string with the text of stand in place of each expression.
func (t *Text) Outline(stand func(i int) string) string {
	var b strings.Builder
	for i := range t.exprs {
		b.WriteString(t.literals[i])
		b.WriteString(stand(i))
	}
	b.WriteString(t.literals[len(t.exprs)])
	return b.String()
}

// Calls reports whether expression i is one whole call of a function.
func (t *Text) Calls(i int, function string) bool {
	text := t.exprs[i].text
	return strings.HasPrefix(text, function+"(") && strings.HasSuffix(text, ")")
}
