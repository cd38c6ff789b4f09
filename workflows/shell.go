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
	"understudy/steps"
	"understudy/workflows/expression"
)

// shellPart is a command line with expressions in it. Each value is given to the
// command as an environment variable, to which the command refers, quoted as its place
// there needs it. So nothing in a value is ever executed.
type shellPart struct {
	*expression.Text
	command string // with the references
}

// mark stands for a value while the text around it is read. No command line can
// hold this character.
const mark = '\x00'

// valueName returns the name of the variable of a value.
func valueName(i int) string { return steps.TemplateVariable + strconv.Itoa(i+1) }

// maxVariable is the limit of Linux for an environment variable with its name.
const maxVariable = 128<<10 - 1

func (s shellPart) eval(e *evaluation) (any, error) {
	values, err := s.Values(e.ctx, e.scope, e.probe, func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	e.variables = map[string]any{}
	for i, v := range values {
		v, _ := v.(string)
		if strings.ContainsRune(v, mark) {
			return nil, errors.New("a command cannot hold the character NUL")
		}
		if len(valueName(i))+1+len(v) > maxVariable {
			return nil, fmt.Errorf("a value of %d bytes is too long for a command; write it to a file with write_file, and have the command read the file", len(v))
		}
		e.variables[valueName(i)] = v
	}
	return s.command, nil
}

// withVariables adds the values in a command to the environment among its arguments.
func withVariables(arguments any, variables map[string]any) (any, error) {
	args, ok := arguments.(map[string]any)
	if !ok || len(variables) == 0 {
		return arguments, nil
	}
	given, ok := args["env"].(map[string]any)
	if !ok && args["env"] != nil {
		return arguments, nil // the check of the arguments refuses it
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

// language returns the language of a shell, and whether that is PowerShell. An empty
// name means the shell of the system.
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

// errPlace returns the error for a value at a place where no quoting makes it data.
func errPlace(where string) error {
	return fmt.Errorf("a value cannot be put %s safely; give it to the command by env, and write \"$NAME\"", where)
}

// The characters that PowerShell accepts as quotes.
const (
	singleQuotes = "'‘’‚‛"
	doubleQuotes = "\"“”„"
)

// powerShellCommand returns a command of PowerShell with references to the variables
// name(i) in place of its values. It refuses values between double quotes, where text
// cannot be told from code.
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
		return "", errPlace("after a quotation mark that is not closed")
	}
	return p.out.String(), nil
}

// powerShell writes a command.
type powerShell struct {
	name   func(int) string
	out    strings.Builder
	text   []rune // the text after the opening single quote
	open   string // the quotes that end the open text; "" outside of quotes
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

// close ends a quoted text. One with values is written between double quotes, where
// references are replaced.
func (p *powerShell) close(quote rune) {
	switch {
	case p.open == doubleQuotes:
		p.out.WriteRune(quote)
	case !slices.Contains(p.text, mark):
		p.out.WriteString("'" + doubledQuotes.Replace(string(p.text)) + "'")
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

// doubledQuotes escapes the quotes of a text between single quotes of PowerShell.
var doubledQuotes = strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")
