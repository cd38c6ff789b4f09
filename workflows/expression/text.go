package expression

import (
	"context"
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

// A hole is a template in a text: the places of its marks, in characters.
type hole struct{ from, inner, end, to int }

// escaped is how a literal ${{ is written.
const escaped = "$${{"

// HasTemplate says whether a string holds an expression, or an escaped one, so
// that it has to be compiled.
func HasTemplate(text string) bool {
	return strings.Contains(text, "{{")
}

// CompileText understands a string with expressions in it. Problems are in the
// order of the text; when there is one, the text has no value.
func CompileText(text string, n *Names) (*Text, []*Problem) {
	t := &Text{}
	runes := []rune(text)
	var problems []*Problem
	at := 0
	literal := func(to int) {
		if to > at {
			t.parts = append(t.parts, part{literal: textBetween(text, at, to)})
		}
	}
	for i := 0; i < len(runes); {
		if hasAt(runes, i, escaped) {
			literal(i)
			at = i + 1
			i += len(escaped)
			continue
		}
		h, found, closed := holeAt(runes, i)
		if !found {
			i++
			continue
		}
		if !closed {
			from := byteOffset(text, h.from)
			problems = append(problems, &Problem{from, h.inner - h.from, "this template is not closed", "close it with }}, or write $${{ for a literal ${{"})
			break
		}
		literal(h.from)
		e, found2 := compileHole(text, h, n)
		problems = append(problems, found2...)
		t.parts = append(t.parts, part{expr: e})
		at, i = h.to, h.to
	}
	literal(len(runes))
	t.whole = len(t.parts) == 1 && t.parts[0].expr != nil
	return t, problems
}

func hasAt(text []rune, i int, mark string) bool {
	for j, r := range []rune(mark) {
		if i+j >= len(text) || text[i+j] != r {
			return false
		}
	}
	return true
}

// holeAt finds the template that begins at i.
func holeAt(text []rune, i int) (h hole, found, closed bool) {
	mark := ""
	for _, m := range []string{"${{", "{{"} {
		if hasAt(text, i, m) {
			mark = m
			break
		}
	}
	if mark == "" {
		return h, false, false
	}
	h.from, h.inner = i, i+len(mark)
	end, ok := templateEnd(text, h.inner)
	h.end, h.to = end, end+2
	return h, true, ok
}

func textBetween(text string, from, to int) string {
	return text[byteOffset(text, from):byteOffset(text, to)]
}

// compileHole compiles one template; the places of its problems are those of
// the whole text.
func compileHole(text string, h hole, n *Names) (*Expr, []*Problem) {
	e, problems := Compile(textBetween(text, h.inner, h.end), n)
	for _, p := range problems {
		p.Offset += byteOffset(text, h.inner)
	}
	return e, problems
}

// Eval gives the string, or the value itself when the string is one whole
// expression. An expression without a value is a *ValueError.
func (t *Text) Eval(ctx context.Context, s *Scope, p Probe) (any, error) {
	if t.whole {
		return t.parts[0].value(ctx, s, p)
	}
	return t.EvalQuoted(ctx, s, p, func(value string) string { return value })
}

// EvalQuoted gives the string with each expression's value, but not the text
// around it, passed through quote.
func (t *Text) EvalQuoted(ctx context.Context, s *Scope, p Probe, quote func(string) string) (string, error) {
	var b strings.Builder
	for _, part := range t.parts {
		if part.expr == nil {
			b.WriteString(part.literal)
			continue
		}
		v, err := part.value(ctx, s, p)
		if err != nil {
			return "", err
		}
		text, err := written(v)
		if err != nil {
			return "", &EvalError{Expr: part.expr.text, Err: err}
		}
		b.WriteString(quote(text))
	}
	return b.String(), nil
}

func (p part) value(ctx context.Context, s *Scope, probe Probe) (any, error) {
	v, err := p.expr.Eval(ctx, s, probe)
	if err == nil && v == nil {
		return nil, &ValueError{Expr: p.expr.text}
	}
	return v, err
}

// Whole says whether the string is one whole expression.
func (t *Text) Whole() bool { return t.whole }

// Looks says whether it asks the desktop.
func (t *Text) Looks() bool {
	for _, p := range t.parts {
		if p.expr != nil && p.expr.looks {
			return true
		}
	}
	return false
}

// ShellQuote makes a value one word of a POSIX shell, of which nothing is
// executed. It is for a value that stands outside of quotes.
func ShellQuote(value string) string {
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
