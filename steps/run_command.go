package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// RunCommand runs a shell command or a script.
var RunCommand = Define(Kind{
	Name:    "run_command",
	Summary: "Run a shell command, or a script in JavaScript, TypeScript or Python.",
	Details: "A script is the body of a function: it returns its result with return. It sees `env` (the values of the run and of the argument env) and `inputs`, and each value of the argument env by its own name. " +
		"The fields of an object that it returns become values of the run's env, also those inside its field set_env; status, error, logs and duration_ms do not. " +
		"A shell command sees the argument env as environment variables. Ending with a status other than 0 is a failure. Long output is cut in the middle.",
	Toolset: Shell,
	Risk:    RunsShell,
	Timeout: time.Hour,
}, CommandArgs{TimeoutMS: 120_000, IncludeLogs: true}, runCommand)

// CommandArgs says what to run.
type CommandArgs struct {
	Run              Command        `json:"run,omitzero" jsonschema:"the command line, or the script's text when there is an engine"`
	ScriptFile       Path           `json:"script_file,omitzero" jsonschema:"a file with the script, instead of run"`
	Engine           Engine         `json:"engine,omitzero" jsonschema:"the language of the script; without it a shell runs it"`
	Shell            string         `json:"shell,omitzero" jsonschema:"which shell: sh, bash, cmd, powershell, pwsh; without it the system's own"`
	Env              map[string]any `json:"env,omitzero" jsonschema:"values for the script, and environment variables for a command"`
	WorkingDirectory Path           `json:"working_directory,omitzero" jsonschema:"where to run it"`
	TimeoutMS        Millis         `json:"timeout_ms,omitzero" jsonschema:"how long it may take; 0 means until the step's timeout"`
	IncludeLogs      bool           `json:"include_logs,omitzero" jsonschema:"false leaves out what it printed, unless it fails"`
}

// Validate wants one thing to run.
func (a *CommandArgs) Validate() error {
	if (a.Run == "") == (a.ScriptFile == "") {
		return errors.New("wanted either run or script_file")
	}
	if a.Engine != "" && a.Shell != "" {
		return errors.New("wanted either an engine or a shell, found both")
	}
	for name := range a.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("env: %q cannot be the name of a variable", name)
		}
	}
	return nil
}

// CommandResult is what a command printed, or a script returned.
type CommandResult struct {
	ExitCode int    `json:"exit_code" jsonschema:"how it ended; 0 means well"`
	Stdout   string `json:"stdout,omitzero" jsonschema:"what it printed"`
	Stderr   string `json:"stderr,omitzero" jsonschema:"what it printed as errors"`
	Result   any    `json:"result,omitzero" jsonschema:"what the script returned"`
}

// reserved are the fields of a script's result that say something of the
// script and are not values of the run.
var reserved = []string{"status", "error", "logs", "duration_ms", "set_env"}

// SetEnv gives the fields of what a script returned to the run.
func (r CommandResult) SetEnv() map[string]any {
	fields, _ := r.Result.(map[string]any)
	values := map[string]any{}
	for name, v := range fields {
		if !slices.Contains(reserved, name) {
			values[name] = v
		}
	}
	set, _ := fields["set_env"].(map[string]any)
	maps.Copy(values, set)
	return values
}

func runCommand(ctx context.Context, env *Env, a CommandArgs) (CommandResult, error) {
	p, script, err := a.process(ctx, env)
	if err != nil {
		return CommandResult{}, err
	}
	if a.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.TimeoutMS.Std(), &Error{
			Code: Timeout,
			Err:  fmt.Errorf("the command was ended because it took longer than %s", a.TimeoutMS.Std()),
			Next: "give it more time with timeout_ms",
		})
		defer cancel()
	}
	stdout, stderr := &output{}, &output{}
	sieve := &split{to: stdout, mark: []byte(script.mark)}
	p.stdout, p.stderr = stdout, stderr
	if script.mark != "" {
		p.stdout = sieve
	}
	var r CommandResult
	err = env.Act(func() error {
		r.ExitCode, err = p.run(ctx)
		sieve.end()
		if err == nil && r.ExitCode != 0 {
			err = failed(r.ExitCode, stderr.String(), stdout.String())
		}
		return err
	})
	if err != nil {
		return r, err
	}
	if a.IncludeLogs {
		r.Stdout, r.Stderr = stdout.String(), stderr.String()
	}
	r.Result, err = script.result(sieve)
	return r, err
}

// process is what to start, and the script that it will run, if it is one.
func (a *CommandArgs) process(ctx context.Context, env *Env) (process, script, error) {
	p := process{dir: env.abs(a.WorkingDirectory), env: env.environ(ctx)}
	if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		return p, script{}, Errorf(NotFound, "working_directory: there is no folder %s", p.dir)
	}
	file := ""
	if a.ScriptFile != "" {
		var err error
		if file, err = env.scriptFile(string(a.ScriptFile), p.dir); err != nil {
			return p, script{}, err
		}
	}
	if a.Engine != "" {
		s, err := a.Engine.script(ctx, env, &p, source{string(a.Run), file, a.Env})
		return p, s, err
	}
	p.env = withVariables(p.env, a.Env)
	var err error
	p.name, p.args, err = shellCommand(a.Shell, string(a.Run), file)
	return p, script{}, err
}

// environ is the environment of child processes: the caller's, and what leads
// to the run's desktop. It is never nil, which would stand for our own.
func (e *Env) environ(ctx context.Context) []string {
	all := append([]string{}, e.Environ...)
	if e.DesktopEnv != nil {
		all = append(all, e.DesktopEnv(ctx)...)
	}
	return all
}

// abs is a path of an argument, made absolute.
func (e *Env) abs(path Path) string {
	if filepath.IsAbs(string(path)) {
		return filepath.Clean(string(path))
	}
	return filepath.Join(e.Dir, string(path))
}

// scriptFile finds a script: in the folder of scripts, in the folder where it
// is to run, or where the caller is.
func (e *Env) scriptFile(name, dir string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	var tried []string
	for _, d := range []string{e.Scripts, dir, e.Dir} {
		if d == "" || slices.Contains(tried, d) {
			continue
		}
		path := filepath.Join(d, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		tried = append(tried, d)
	}
	return "", Errorf(NotFound, "script_file: there is no %s in %s", name, strings.Join(tried, ", "))
}

// withVariables adds environment variables; what is not a text goes in as JSON.
func withVariables(environ []string, values map[string]any) []string {
	all := slices.Clone(environ)
	for name, v := range values {
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v) // it came as JSON
			text = string(b)
		}
		all = append(all, name+"="+text)
	}
	return all
}

// lineFlag is how a shell is told to run a line.
func lineFlag(shell string) string {
	switch strings.TrimSuffix(filepath.Base(shell), ".exe") {
	case "powershell", "pwsh":
		return "-Command"
	}
	return "-c"
}

// failed is the error of a command that ended with a status other than 0: it
// shows the end of what the command printed.
func failed(status int, stderr, stdout string) error {
	text := strings.TrimSpace(stderr)
	if text == "" {
		text = strings.TrimSpace(stdout)
	}
	if text == "" {
		return Errorf(Unexpected, "the command ended with status %d and printed nothing", status)
	}
	const shown = 2000
	if r := []rune(text); len(r) > shown {
		text = "…" + string(r[len(r)-shown:])
	}
	return Errorf(Unexpected, "the command ended with status %d: %s", status, text)
}
