package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"understudy/internal/words"
	"understudy/workflows/expression"
)

// shellPart is a command line with expressions in it. Each value is an
// environment variable of the command, which refers to it in the way that the
// place where it stands asks for, so that nothing in it is ever executed.
type shellPart struct {
	text    *expression.Text
	command string // with the references
	path    string
}

// mark stands for a value while the text around it is read. No command line
// can hold this character itself.
const mark = '\x00'

// valueName is the environment variable of a value.
func valueName(i int) string { return "UNDERSTUDY_VALUE_" + strconv.Itoa(i+1) }

// maxVariable is how long Linux lets an environment variable be, with its name.
const maxVariable = 128<<10 - 1

func (s shellPart) eval(e *evaluation) (any, error) {
	values, err := s.text.Values(e.ctx, e.scope, e.probe, func(int) bool { return true })
	if err != nil {
		return nil, at(s.path, err)
	}
	e.variables = map[string]any{}
	for i, v := range values {
		v, _ := v.(string)
		if strings.ContainsRune(v, mark) {
			return nil, at(s.path, errors.New("a command cannot hold the character NUL"))
		}
		if len(valueName(i))+1+len(v) > maxVariable {
			return nil, at(s.path, fmt.Errorf("a value of %d bytes is too long for a command; write it to a file with write_file, and have the command read the file", len(v)))
		}
		e.variables[valueName(i)] = v
	}
	return s.command, nil
}

func (s shellPart) looks() bool { return s.text.Looks() }

// withVariables adds the values of a command to the environment that its
// arguments ask for.
func withVariables(arguments any, variables map[string]any) (any, error) {
	args, ok := arguments.(map[string]any)
	if !ok || len(variables) == 0 {
		return arguments, nil
	}
	given, ok := args["env"].(map[string]any)
	if !ok && args["env"] != nil {
		return arguments, nil // which the check of the arguments refuses
	}
	all := maps.Clone(variables)
	for name, v := range given {
		if _, taken := all[name]; taken {
			return nil, fmt.Errorf("env: %s is the name of a value in the command; take another name", name)
		}
		all[name] = v
	}
	args["env"] = all
	return args, nil
}

// language is the language of a shell, "" meaning the system's own, and whether
// it is PowerShell.
func language(shell string) (variant syntax.LangVariant, power bool, err error) {
	name := shell[strings.LastIndexAny(shell, `/\`)+1:]
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	name = cmp.Or(name, map[bool]string{true: "cmd", false: "sh"}[runtime.GOOS == "windows"])
	switch name {
	case "sh", "bash", "dash", "ash":
		return syntax.LangBash, false, nil
	case "zsh":
		return syntax.LangZsh, false, nil
	case "ksh":
		return syntax.LangMirBSDKorn, false, nil
	case "powershell", "pwsh":
		return 0, true, nil
	}
	return 0, false, fmt.Errorf("no value can be quoted safely for %s", words.Shorten(name, 40))
}

// errPlace says that a value stands where no quoting makes it data.
func errPlace(where string) error {
	return fmt.Errorf("a value cannot be put %s safely; give it to the command by env, and write \"$NAME\"", where)
}

// The characters that PowerShell takes for quotes.
const (
	singleQuotes = "'‘’‚‛"
	doubleQuotes = "\"“”„"
)

// powerShellCommand writes a command of PowerShell with references to the
// variables name(i) where its values stand. Between double quotes it refuses,
// because what is executed there cannot be told from text.
func powerShellCommand(outline func(func(int) string) string, name func(int) string) (string, error) {
	p := powerShell{name: name}
	command := []rune(outline(func(int) string { return string(mark) }))
	for i := 0; i < len(command); i++ {
		if p.open == singleQuotes && i+1 < len(command) && isSingle(command[i]) && isSingle(command[i+1]) {
			p.text = append(p.text, command[i]) // a quotation mark is doubled inside
			i++
			continue
		}
		if err := p.next(command[i]); err != nil {
			return "", err
		}
	}
	if p.open != "" && (p.values > 0 || slices.Contains(p.text, mark)) {
		return "", errPlace("behind a quotation mark that is not closed")
	}
	return p.out.String(), nil
}

// powerShell is a command that is being written.
type powerShell struct {
	name   func(int) string
	out    strings.Builder
	text   []rune // what stands between single quotes, so far
	open   string // the quotes that close what is open
	values int
}

func isSingle(c rune) bool { return strings.ContainsRune(singleQuotes, c) }

func (p *powerShell) next(c rune) error {
	switch {
	case c == mark && p.open == doubleQuotes:
		return errPlace("between double quotes")
	case p.open != "" && strings.ContainsRune(p.open, c):
		p.close(c)
	case p.open == singleQuotes:
		p.text = append(p.text, c)
	case p.open != "":
		p.out.WriteRune(c)
	case c == mark:
		p.out.WriteString(`"` + p.reference() + `"`)
	case strings.ContainsAny(string(c), "`@#"):
		return errPlace("into a command with ` or @ or #")
	case isSingle(c):
		p.open, p.text = singleQuotes, nil
	case strings.ContainsRune(doubleQuotes, c):
		p.open = doubleQuotes
		p.out.WriteRune(c)
	default:
		p.out.WriteRune(c)
	}
	return nil
}

func (p *powerShell) reference() string {
	p.values++
	return "${env:" + p.name(p.values-1) + "}"
}

// close writes what stood between quotes: with values, between double quotes,
// where a reference is replaced.
func (p *powerShell) close(quote rune) {
	switch {
	case p.open == doubleQuotes:
		p.out.WriteRune(quote)
	case !slices.Contains(p.text, mark):
		p.out.WriteString("'" + doubled(string(p.text)) + "'")
	default:
		p.out.WriteByte('"')
		for _, c := range p.text {
			switch {
			case c == mark:
				p.out.WriteString(p.reference())
				continue
			case strings.ContainsRune("`$"+doubleQuotes, c):
				p.out.WriteByte('`')
			}
			p.out.WriteRune(c)
		}
		p.out.WriteByte('"')
	}
	p.open = ""
}

// doubled is a text inside single quotes of PowerShell.
func doubled(text string) string {
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(c)
		if isSingle(c) {
			b.WriteRune(c)
		}
	}
	return b.String()
}
