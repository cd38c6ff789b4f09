package expression

import (
	"context"
	"fmt"
	"strings"
)

// ShellQuote makes a value one word of a POSIX shell, of which nothing is
// executed. It is for a value that stands outside of quotes; a command with
// templates in any place is what EvalShell is for.
func ShellQuote(value string) string {
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// EvalShell gives a command for a POSIX shell whose values are not in it, but
// in the returned environment, NAME=value. A shell executes nothing of what a
// variable holds, so this is safe wherever in the command a template stands:
// bare, in double quotes, in single quotes or in a substitution.
func (t *Text) EvalShell(ctx context.Context, s *Scope, p Probe) (command string, env []string, err error) {
	var b strings.Builder
	var quotes shellQuotes
	for _, part := range t.parts {
		if part.expr == nil {
			quotes.read(part.literal)
			b.WriteString(part.literal)
			continue
		}
		value, err := part.text(ctx, s, p)
		if err != nil {
			return "", nil, err
		}
		if strings.ContainsRune(value, 0) {
			return "", nil, &EvalError{Expr: part.expr.text, Err: fmt.Errorf("a shell cannot take a zero byte")}
		}
		name := fmt.Sprintf("UNDERSTUDY_VALUE_%d", len(env)+1)
		env = append(env, name+"="+value)
		b.WriteString(quotes.reference(name))
	}
	return b.String(), env, nil
}

// shellQuotes is the kind of quotes that a command stands in, as far as it was
// read: 0, ' or ". A mistake in it can split a word, but executes nothing.
type shellQuotes struct {
	open   rune
	outer  []rune // of the substitutions around
	before rune
}

func (q *shellQuotes) read(text string) {
	for _, r := range text {
		switch {
		case q.before == '\\' && q.open != '\'':
			r = 0 // it was escaped, and escapes nothing
		case r == '(' && (q.open == 0 || q.open == '"' && q.before == '$'):
			q.outer, q.open = append(q.outer, q.open), 0
		case r == ')' && q.open == 0 && len(q.outer) > 0:
			q.open = q.outer[len(q.outer)-1]
			q.outer = q.outer[:len(q.outer)-1]
		case q.open == r:
			q.open = 0
		case q.open == 0 && (r == '\'' || r == '"'):
			q.open = r
		}
		q.before = r
	}
}

// reference is how a variable is written so that its value is one word, or a
// part of the word that the quotes around it make.
func (q *shellQuotes) reference(name string) string {
	q.before = 0
	switch q.open {
	case '"':
		return "${" + name + "}"
	case '\'':
		return `'"${` + name + `}"'`
	}
	return `"${` + name + `}"`
}
