package steps

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
)

// Engine is the language of a script.
type Engine string

// Words are the words that it may be.
func (Engine) Words() []string {
	return []string{"javascript", "js", "node", "typescript", "ts", "python"}
}

// The languages. Each has other names that mean the same: js, node; ts.
const (
	JavaScript Engine = "javascript"
	TypeScript Engine = "typescript"
	Python     Engine = "python"
)

//go:embed script/run.mjs
var runJavaScript string

//go:embed script/run.py
var runPython string

// script is a script that a process runs: its result stands behind the mark.
type script struct{ mark string }

// source is a script: its text or the file that holds it, and the values that
// it gets under their names.
type source struct {
	code, file string
	names      map[string]any
}

// script makes the process one that runs a script. The script and all its
// values go through the standard input, so that none of them is seen in the
// list of processes or left in a file.
func (e Engine) script(ctx context.Context, env *Env, p *process, from source) (script, error) {
	code, file := from.code, from.file
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return script{}, Errorf(NotFound, "script_file: %w", err)
		}
		code = string(b)
	}
	values := maps.Clone(env.Vars)
	if values == nil {
		values = map[string]any{}
	}
	maps.Copy(values, from.names)
	names, inputs := from.names, env.Inputs
	if names == nil {
		names = map[string]any{}
	}
	if inputs == nil {
		inputs = map[string]any{}
	}
	if file == "" {
		file = "<script>"
	}
	s := script{mark: "\n" + rand.Text() + " returned "}
	given, err := json.Marshal(map[string]any{
		"code": code, "file": file, "dir": p.dir, "mark": s.mark, "typed": e.typed(),
		"env": values, "inputs": inputs, "names": names,
	})
	if err != nil {
		return s, Errorf(Invalid, "the values of the script: %w", err)
	}
	p.stdin = bytes.NewReader(given)
	p.name, p.args, err = e.command(ctx)
	return s, err
}

func (e Engine) typed() bool { return e == TypeScript || e == "ts" }

// command is the interpreter and the program that runs a script in it.
func (e Engine) command(ctx context.Context) (string, []string, error) {
	if e == Python {
		path, err := program("install Python 3, such as with apt-get install python3", "python3", "python")
		return path, []string{"-c", runPython}, err
	}
	path, err := program("install Node.js, such as with apt-get install nodejs", "node")
	if err == nil && e.typed() && exec.CommandContext(ctx, path, "-e", readsTypes).Run() != nil {
		err = &Error{
			Code: Unavailable,
			Err:  errors.New("the Node.js that is installed does not read TypeScript"),
			Next: "install Node.js 22.13 or newer, or write the script in JavaScript",
		}
	}
	return path, []string{"--no-warnings", "--input-type=module", "-e", runJavaScript}, err
}

// readsTypes ends well where Node.js can run TypeScript.
const readsTypes = `process.exit(require("node:module").stripTypeScriptTypes ? 0 : 1)`

// result is the value that the script returned, nil when it returned none.
func (s script) result(out *split) (any, error) {
	if !out.marked {
		return nil, nil
	}
	if out.tooLong() {
		return nil, Errorf(Invalid, "the script returned more than %d bytes; write them to a file and return its path", resultLimit)
	}
	var v any
	if err := json.Unmarshal(out.behind, &v); err != nil {
		return nil, Errorf(Invalid, "what the script returned is not JSON: %w", err)
	}
	return v, nil
}
