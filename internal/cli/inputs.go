package cli

import (
	"fmt"
	"maps"
	"os"
	"strings"

	"understudy/steps"
	"understudy/workflows"
)

type inputFlags struct {
	Inputs     repeated `flag:"input,i" usage:"name=value, name=@file, or name=- for the standard input"`
	InputsFile string   `flag:"inputs-file" usage:"a YAML or JSON file of inputs"`

	given map[string]string // by the program itself, through no flag
}

const inputVariable = "UNDERSTUDY_INPUT_"

// read returns the inputs and, apart from them, the secrets, which are never stored.
func (f *inputFlags) read(a *app, p *workflows.Program) (map[string]any, map[string]string, error) {
	inputs, secret := map[string]any{}, map[string]string{}
	known := map[string]workflows.Variable{}
	for _, v := range p.Variables {
		known[v.Name] = v
	}
	set := func(name, text string) error {
		v, ok := known[name]
		if !ok {
			inputs[name] = text // the engine refuses it and names the known ones
			return nil
		}
		if v.Secret {
			secret[name] = text
			return nil
		}
		value, err := workflows.ParseInput(v, text)
		if err != nil {
			return &steps.Error{Code: steps.Invalid, Err: err}
		}
		inputs[name] = value
		return nil
	}
	texts := map[string]string{}
	for name := range known {
		if text := os.Getenv(inputVariable + strings.ToUpper(name)); text != "" {
			texts[name] = text
		}
	}
	maps.Copy(texts, f.given)
	for name, text := range texts {
		if err := set(name, text); err != nil {
			return nil, nil, err
		}
	}
	if err := f.readFile(inputs); err != nil {
		return nil, nil, err
	}
	for name, v := range known { // its secrets
		value, ok := inputs[name]
		if !ok || !v.Secret {
			continue
		}
		delete(inputs, name)
		switch value := value.(type) {
		case nil: // as if it were not given
		case string:
			secret[name] = value
		default: // of a number, what was written would not be known
			return nil, nil, steps.Errorf(steps.Invalid, "%s: the secret %s must be a string", f.InputsFile, name).WithNext("write it in quotes")
		}
	}
	for _, pair := range f.Inputs {
		name, text, err := a.pair(pair, known)
		if err == nil {
			err = set(name, text)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return inputs, secret, nil
}

func (f *inputFlags) readFile(inputs map[string]any) error {
	if f.InputsFile == "" {
		return nil
	}
	src, err := fileSource(f.InputsFile)
	if err != nil {
		return err
	}
	values, err := workflows.ReadInputs(src)
	maps.Copy(inputs, values)
	return err
}

// pair splits name=value, and asks for a secret that is to be typed.
func (c *console) pair(pair string, known map[string]workflows.Variable) (name, text string, err error) {
	name, text, ok := strings.Cut(pair, "=")
	if !ok || name == "" {
		return "", "", steps.Errorf(steps.Invalid, "--input %q: wanted name=value, name=@file or name=-", pair)
	}
	if _, typed := terminal(c.in); typed && text == "-" && known[name].Secret {
		text, err = c.askSecret(nil, name)
	} else {
		text, err = c.value("--input "+name, text)
	}
	return name, text, err
}

// value returns an argument; one of @file or - is read from there. Errors name it.
func (c *console) value(argument, text string) (string, error) {
	var raw []byte
	var err error
	if text == "-" {
		raw, err = c.standardInput()
	} else if file, ok := strings.CutPrefix(text, "@"); ok {
		raw, err = os.ReadFile(file)
	} else {
		return text, nil
	}
	if err != nil {
		return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s: %w", argument, err), Next: "name a file that can be read, as @FILE"}
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}
