package workflows

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
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
	command string // with the references; "" for PowerShell, into which values are written
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
	if s.command == "" {
		filled, err := fillPowerShell(command, values)
		if err != nil {
			return nil, at(s.path, err)
		}
		return filled, nil
	}
	e.variables = map[string]any{}
	for i, v := range values {
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
	if name == "" {
		name = map[bool]string{true: "cmd", false: "sh"}[runtime.GOOS == "windows"]
	}
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
