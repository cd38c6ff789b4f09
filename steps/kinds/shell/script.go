package shell

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/steps"
)

// FindScript finds a script in the folder of scripts, which may be named from that of the
// caller or of the workflow; in the folder where it is to run, in that of the caller, or
// beside the workflow.
func FindScript(env *steps.Env, name, dir string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	scripts := []string{env.Scripts}
	if env.Scripts != "" && !filepath.IsAbs(env.Scripts) {
		scripts = nil
		for _, base := range []string{env.Dir, env.Document} {
			if base != "" {
				scripts = append(scripts, filepath.Join(base, env.Scripts))
			}
		}
	}
	var tried []string
	for _, d := range append(scripts, dir, env.Dir, env.Document) {
		if d == "" || slices.Contains(tried, d) {
			continue
		}
		path := filepath.Join(d, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		tried = append(tried, d)
	}
	return "", steps.Errorf(steps.NotFound, "script_file: there is no %s in %s", name, strings.Join(tried, ", "))
}

// Language is the language of a script.
type Language string

func (Language) Words() []string {
	return []string{"javascript", "js", "node", "typescript", "ts", "python"}
}

//go:embed script/run.mjs
var runJavaScript string

//go:embed script/run.py
var runPython string

// Source is a script: its text or its file, and what it gets: variables by their names, and
// the variables env and inputs.
type Source struct {
	Code, File         string
	Names, Env, Inputs map[string]any
}

// Prepare makes p run a script, and returns the mark that precedes its result on the
// standard output. The script and its values go through the standard input, so that they
// show in no process list and no file.
func (e Language) Prepare(ctx context.Context, p *Process, from Source) (mark string, err error) {
	code, file := from.Code, from.File
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", steps.Errorf(steps.NotFound, "script_file: %w", err)
		}
		code = string(b)
	}
	dir := p.Dir
	if file != "" {
		dir = filepath.Dir(file)
	}
	file = cmp.Or(file, "<script>")
	mark = "\n" + rand.Text() + " "
	given, err := json.Marshal(map[string]any{
		"code": code, "file": file, "dir": dir, "mark": mark, "typed": e.hasTypes(),
		"env": from.Env, "inputs": from.Inputs, "names": from.Names,
	})
	if err != nil {
		return mark, steps.Errorf(steps.Invalid, "the values of the script: %w", err)
	}
	p.Input = &Input{first: given}
	p.Name, p.Args, err = e.command(ctx)
	return mark, err
}

func (e Language) hasTypes() bool { return e == "typescript" || e == "ts" }

// command returns the interpreter and the arguments that run a script in it.
func (e Language) command(ctx context.Context) (string, []string, error) {
	if e == "python" {
		path, err := findProgram("install Python 3, such as with apt-get install python3", "python3", "python")
		return path, []string{"-c", runPython}, err
	}
	path, err := findProgram("install Node.js, such as with apt-get install nodejs", "node")
	if err == nil && e.hasTypes() && exec.CommandContext(ctx, path, "-e", readsTypes).Run() != nil {
		err = steps.Errorf(steps.Unavailable, "the Node.js that is installed does not read TypeScript").
			WithNext("install Node.js 22.13 or newer, or write the script in JavaScript")
	}
	return path, []string{"--no-warnings", "--input-type=module", "-e", runJavaScript}, err
}

// readsTypes exits with 0 where Node.js can run TypeScript.
const readsTypes = `process.exit(require("node:module").stripTypeScriptTypes ? 0 : 1)`
