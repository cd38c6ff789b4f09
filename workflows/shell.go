package workflows

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"understudy/internal/words"
	"understudy/workflows/expression"
)

// shellPart is a command line with expressions in it. Each value is quoted for
// the shell, in the way that the place where it stands asks for, so that
// nothing in it is ever executed.
type shellPart struct {
	text *expression.Text
	fill func(command string, values []string) (string, error)
	path string
}

// mark stands for a value while the text around it is read. No command line
// can hold this character itself.
const mark = '\x00'

func (s shellPart) eval(e *evaluation) (any, error) {
	var values []string
	command, err := s.text.EvalQuoted(e.ctx, e.scope, e.probe, func(v string) string {
		values = append(values, v)
		return string(mark)
	})
	if err != nil {
		return nil, at(s.path, err)
	}
	if strings.Count(command, string(mark)) != len(values) || strings.ContainsRune(strings.Join(values, ""), mark) {
		return nil, at(s.path, errors.New("a command cannot hold the character NUL"))
	}
	filled, err := s.fill(command, values)
	if err != nil {
		return nil, at(s.path, err)
	}
	return filled, nil
}

func (s shellPart) looks() bool { return s.text.Looks() }

// filler is the way to put values into a command of a shell, "" meaning the
// system's own.
func filler(shell string) (func(string, []string) (string, error), error) {
	name := shell[strings.LastIndexAny(shell, `/\`)+1:]
	switch name = strings.TrimSuffix(strings.ToLower(name), ".exe"); name {
	case "":
		if runtime.GOOS == "windows" {
			return fillPowerShell, nil
		}
		return fillPOSIX, nil
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		return fillPOSIX, nil
	case "powershell", "pwsh":
		return fillPowerShell, nil
	}
	return nil, fmt.Errorf("no value can be quoted safely for %s", words.Shorten(shell, 40))
}

// errPlace says that a value stands where no quoting makes it data.
func errPlace(where string) error {
	return fmt.Errorf("a value cannot be put %s safely; give it to the command by env, and write \"$NAME\"", where)
}

// fillPOSIX puts values into a command of a POSIX shell.
func fillPOSIX(command string, values []string) (string, error) {
	p := posix{rest: command, values: values}
	for p.rest != "" {
		if err := p.next(); err != nil {
			return "", err
		}
	}
	return p.out.String(), nil
}

// posix reads a command the way a POSIX shell does, as far as it matters for
// quoting.
type posix struct {
	rest   string
	values []string
	out    strings.Builder
	inside []byte // what is open: " for quotes, ( for a parenthesis, ` for backquotes, # for a comment
	here   bool   // a here-document was announced
	nested bool   // a command was opened inside double quotes: where it ends is not sure
	last   byte
}

func (p *posix) top() byte {
	if len(p.inside) == 0 {
		return 0
	}
	return p.inside[len(p.inside)-1]
}

func (p *posix) push(c byte) { p.inside = append(p.inside, c) }
func (p *posix) pop()        { p.inside = p.inside[:len(p.inside)-1] }

// take copies bytes of the command to the output.
func (p *posix) take(n int) {
	n = min(n, len(p.rest))
	p.out.WriteString(p.rest[:n])
	p.last = p.rest[n-1]
	p.rest = p.rest[n:]
}

func (p *posix) next() error {
	c := p.rest[0]
	switch {
	case c == mark:
		return p.value()
	case p.top() == '#':
		if c == '\n' {
			p.pop()
		}
	case c == '\\':
		if len(p.rest) > 1 && p.rest[1] == mark {
			return errPlace("behind a backslash")
		}
		p.take(2)
		return nil
	case c == '`':
		p.toggle('`')
	case c == '"':
		p.toggle('"')
	case strings.HasPrefix(p.rest, "$(("):
		return p.arithmetic()
	case strings.HasPrefix(p.rest, "$("):
		p.nested = p.nested || strings.Contains(string(p.inside), `"`)
		p.push('(')
		p.take(2)
		return nil
	case p.top() != '"':
		return p.bare(c)
	}
	p.take(1)
	return nil
}

func (p *posix) toggle(c byte) {
	if p.top() == c {
		p.pop()
	} else {
		p.push(c)
	}
}

// bare reads a character that stands outside of double quotes.
func (p *posix) bare(c byte) error {
	switch {
	case c == '\'':
		return p.single()
	case strings.HasPrefix(p.rest, "(("):
		return p.arithmetic()
	case c == '(':
		p.push('(')
	case c == ')' && p.top() == '(':
		p.pop()
	case strings.HasPrefix(p.rest, "<<<"):
		p.take(3)
		return nil
	case strings.HasPrefix(p.rest, "<<"):
		p.here = true
	case c == '#' && (p.last == 0 || strings.IndexByte(" \t\n;&|()", p.last) >= 0):
		p.push('#')
	}
	p.take(1)
	return nil
}

// single reads a text in single quotes, in which only a single quote means
// anything.
func (p *posix) single() error {
	dollar := p.last == '$'
	p.take(1)
	for p.rest != "" && p.rest[0] != '\'' {
		if p.rest[0] != mark {
			p.take(1)
			continue
		}
		if dollar {
			return errPlace("into $'…'")
		}
		p.put(strings.ReplaceAll(p.values[0], "'", `'\''`))
	}
	if p.rest != "" {
		p.take(1)
	}
	return nil
}

// arithmetic reads $((…)), in which text can be executed however it is quoted.
func (p *posix) arithmetic() error {
	end := strings.Index(p.rest, "))")
	if end < 0 {
		end = len(p.rest)
	}
	if strings.ContainsRune(p.rest[:end], mark) {
		return errPlace("into arithmetic")
	}
	p.take(end + 2)
	return nil
}

// value puts in a value, quoted for where it stands.
func (p *posix) value() error {
	switch {
	case p.here:
		return errPlace("into a command with a here-document")
	case p.nested:
		return errPlace("behind a $(…) inside double quotes")
	case strings.ContainsRune(string(p.inside), '`'):
		return errPlace("into backquotes")
	case p.top() == '#':
		return errPlace("into a comment")
	case p.top() == '"':
		p.put(strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(p.values[0]))
	default:
		p.put(expression.ShellQuote(p.values[0]))
	}
	return nil
}

// put writes the next value in place of its mark.
func (p *posix) put(quoted string) {
	p.out.WriteString(quoted)
	p.rest, p.values, p.last = p.rest[1:], p.values[1:], 'x'
}

// The characters that PowerShell takes for quotes.
const (
	singleQuotes = "'‘’‚‛"
	doubleQuotes = "\"“”„"
)

// fillPowerShell puts values into a command of PowerShell. Between double
// quotes it refuses, because what is executed there cannot be told from text.
func fillPowerShell(command string, values []string) (string, error) {
	var out strings.Builder
	var open string // the quotes that close what is open
	for _, c := range command {
		switch {
		case c == mark && open == doubleQuotes:
			return "", errPlace("between double quotes")
		case c == mark:
			v := doubled(values[0])
			if open == "" {
				v = "'" + v + "'"
			}
			out.WriteString(v)
			values = values[1:]
			continue
		case open != "" && strings.ContainsRune(open, c):
			open = ""
		case open != "":
		case strings.ContainsAny(string(c), "`@#"):
			return "", errPlace("into a command with ` or @ or #")
		case strings.ContainsRune(singleQuotes, c):
			open = singleQuotes
		case strings.ContainsRune(doubleQuotes, c):
			open = doubleQuotes
		}
		out.WriteRune(c)
	}
	return out.String(), nil
}

// doubled is a value inside single quotes of PowerShell.
func doubled(value string) string {
	var b strings.Builder
	for _, c := range value {
		b.WriteRune(c)
		if strings.ContainsRune(singleQuotes, c) {
			b.WriteRune(c)
		}
	}
	return b.String()
}
