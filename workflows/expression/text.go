package expression

import (
	"context"
	"errors"
	"strings"
)

// Text is a string with ${{ expressions }} in it. It is never changed, and can
// be evaluated by several goroutines at once.
type Text struct {
	parts []part
	whole bool
}

// A part is some literal text, or an expression.
type part struct {
	literal string
	expr    *Expr
}

// A hole is a template in a text: the positions of its marks, in characters.
type hole struct{ from, inner, end, to int }

// escaped is how a literal ${{ is written.
const escaped = "$${{"

// HasTemplate reports whether a string holds an expression, or an escaped one, so
// that it has to be compiled.
func HasTemplate(text string) bool {
	return strings.Contains(text, "{{")
}

// maxHoles and maxTextSize bound a text.
const (
	maxHoles    = 1000
	maxTextSize = 16 << 20
)

// CompileText compiles a string with expressions in it. Problems are in the
// order of the text; when there is one, the text has no value.
func CompileText(text string, n *Names) (*Text, []*Problem) {
	s := &splitter{text: text, runes: []rune(text), names: n}
	s.offsets = offsetsOf(text, len(s.runes))
	for i := 0; i < len(s.runes); {
		i = s.step(i)
	}
	s.literal(len(s.runes))
	t := &Text{parts: s.parts}
	t.whole = len(t.parts) == 1 && t.parts[0].expr != nil
	return t, s.problems
}

// A splitter cuts a text into its parts. It counts in characters.
type splitter struct {
	text     string
	runes    []rune
	offsets  []int // of each character, in bytes
	names    *Names
	done     int // what is in parts already
	holes    int
	parts    []part
	problems []*Problem
}

func offsetsOf(text string, characters int) []int {
	offsets := make([]int, 0, characters+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	return append(offsets, len(text))
}

// step reads one thing at i and says where the next begins.
func (s *splitter) step(i int) int {
	if hasAt(s.runes, i, escaped) {
		s.literal(i)
		s.done = i + 1
		return i + len(escaped)
	}
	h, found, closed := holeAt(s.runes, i)
	switch {
	case !found:
		return i + 1
	case !closed:
		s.wrong(h, "this template is not closed", "close it with }}, or write $${{ for a literal ${{")
		return len(s.runes)
	case s.holes == maxHoles:
		s.wrong(h, "the text has more than 1000 templates", "")
		return len(s.runes)
	}
	s.holes++
	s.literal(h.from)
	s.expression(h)
	s.done = h.to
	return h.to
}

func (s *splitter) wrong(h hole, message, hint string) {
	s.problems = append(s.problems, &Problem{s.offsets[h.from], h.inner - h.from, message, hint})
}

func (s *splitter) literal(to int) {
	if to > s.done {
		s.parts = append(s.parts, part{literal: s.text[s.offsets[s.done]:s.offsets[to]]})
	}
}

func (s *splitter) expression(h hole) {
	from := s.offsets[h.inner]
	e, problems := Compile(s.text[from:s.offsets[h.end]], s.names)
	for _, p := range problems {
		p.Offset += from
	}
	s.problems = append(s.problems, problems...)
	s.parts = append(s.parts, part{expr: e})
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

// holeAt finds the template that begins at i.
func holeAt(text []rune, i int) (h hole, found, closed bool) {
	switch {
	case hasAt(text, i, "${{"):
		h = hole{from: i, inner: i + 3}
	case hasAt(text, i, "{{"):
		h = hole{from: i, inner: i + 2}
	default:
		return h, false, false
	}
	end, ok := templateEnd(text, h.inner)
	h.end, h.to = end, end+2
	return h, true, ok
}

var errTextSize = errors.New("the text grows over 16 MiB")

// Eval gives the string, or the value itself when the string is one whole
// expression. An expression without a value is a *ValueError.
func (t *Text) Eval(ctx context.Context, s *Scope, p Probe) (any, error) {
	if t.whole {
		return t.parts[0].value(ctx, s, p)
	}
	var b strings.Builder
	for _, part := range t.parts {
		text := part.literal
		if part.expr != nil {
			var err error
			if text, err = part.text(ctx, s, p); err != nil {
				return nil, err
			}
			if b.Len()+len(text) > maxTextSize {
				return nil, &EvalError{Expr: part.expr.text, Err: errTextSize}
			}
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Values gives the value of each expression, in order, those that inText names
// as they stand in a text.
func (t *Text) Values(ctx context.Context, s *Scope, p Probe, inText func(i int) bool) ([]any, error) {
	var values []any
	size := 0
	for _, part := range t.parts {
		if part.expr == nil {
			continue
		}
		if !inText(len(values)) {
			v, err := part.value(ctx, s, p)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
			continue
		}
		text, err := part.text(ctx, s, p)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxTextSize {
			return nil, &EvalError{Expr: part.expr.text, Err: errTextSize}
		}
		values = append(values, text)
	}
	return values, nil
}

func (p part) value(ctx context.Context, s *Scope, probe Probe) (any, error) {
	v, err := p.expr.Eval(ctx, s, probe)
	if err == nil && v == nil {
		return nil, &ValueError{Expr: p.expr.text}
	}
	return v, err
}

// text is the value of an expression as it stands in a text.
func (p part) text(ctx context.Context, s *Scope, probe Probe) (string, error) {
	v, err := p.value(ctx, s, probe)
	if err != nil {
		return "", err
	}
	text, err := written(v)
	if err != nil {
		return "", &EvalError{Expr: p.expr.text, Err: err}
	}
	return text, nil
}

// Whole reports whether the string is one whole expression.
func (t *Text) Whole() bool { return t.whole }

func (t *Text) Looks() bool {
	for _, p := range t.parts {
		if p.expr != nil && p.expr.looks {
			return true
		}
	}
	return false
}

// Outline is the string with a text in the place of each expression.
func (t *Text) Outline(stand func(i int) string) string {
	var b strings.Builder
	i := 0
	for _, part := range t.parts {
		if part.expr == nil {
			b.WriteString(part.literal)
			continue
		}
		b.WriteString(stand(i))
		i++
	}
	return b.String()
}

// Calls reports whether expression i is one whole call of a function.
func (t *Text) Calls(i int, function string) bool {
	for _, part := range t.parts {
		if part.expr == nil {
			continue
		}
		if i == 0 {
			text := strings.TrimSpace(part.expr.text)
			return strings.HasPrefix(text, function+"(") && strings.HasSuffix(text, ")")
		}
		i--
	}
	return false
}
