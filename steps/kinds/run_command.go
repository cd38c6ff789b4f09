package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/kinds/shell"
)

// RunCommand runs a shell command or a script.
var RunCommand = steps.Define(steps.Kind{
	Name:    "run_command",
	Summary: "Run a shell command, or a script in JavaScript, TypeScript or Python.",
	Details: "A script is the body of a function: it returns its result with return. It sees `env` (the values of the run and of the argument env), `inputs`, and each of these values, ID_result and ID_status of steps by their own names; `log`, `sleep(ms)` and `setEnv({…})`; " +
		"and `desktop`: await desktop.locator(SELECTOR).click(), .typeText(TEXT), .text(), .exists(), .first(MS), .all(), .locator(INNER), and others; desktop.openApplication(NAME), .pressKey(KEYS), .screenshot(), .call(KIND, ARGUMENTS). " +
		"In Python await is for bodies that await; a script_file runs in its folder unless working_directory is given. " +
		"The fields of an object that it returns become values of the run's env, also those inside its fields set_env and env, those of an object in a string of JSON, and those of printed lines ::set-env name=NAME::VALUE; status, error, logs and duration_ms do not. The status failed or error fails the step. " +
		"A shell command sees the argument env as environment variables. Ending with a status other than 0 is a failure. Long output is cut in the middle.",
	Toolset: steps.Shell,
	Risk:    steps.RunsShell,
	Timeout: time.Hour,
	Whole:   true,
	Calls:   true,
}, CommandArgs{TimeoutMS: 120_000, IncludeLogs: true}, runCommand)

// CommandArgs says what to run.
type CommandArgs struct {
	Run              steps.Command  `json:"run,omitzero" jsonschema:"the command line, or the script's text when there is an engine"`
	ScriptFile       steps.Path     `json:"script_file,omitzero" jsonschema:"a file with the script, instead of run"`
	Engine           shell.Language `json:"engine,omitzero" jsonschema:"the language of the script; without it a shell runs it"`
	Shell            string         `json:"shell,omitzero" jsonschema:"which shell: sh, bash, cmd, powershell, pwsh; without it the system's own"`
	Env              map[string]any `json:"env,omitzero" jsonschema:"values for the script, and environment variables for a command"`
	WorkingDirectory steps.Path     `json:"working_directory,omitzero" jsonschema:"where to run it"`
	TimeoutMS        steps.Millis   `json:"timeout_ms,omitzero" jsonschema:"how long it may take; 0 means until the step's timeout"`
	IncludeLogs      bool           `json:"include_logs,omitzero" jsonschema:"false leaves out what it printed, unless it fails"`
}

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
	ExitCode int    `json:"exit_code" jsonschema:"the exit status; 0 is success"`
	Stdout   string `json:"stdout,omitzero" jsonschema:"what it printed"`
	Stderr   string `json:"stderr,omitzero" jsonschema:"what it printed as errors"`
	Result   any    `json:"result,omitzero" jsonschema:"what the script returned"`

	values map[string]any // of the run
}

// SetEnv returns what a script sets in the run.
func (r CommandResult) SetEnv() map[string]any { return r.values }

func runCommand(ctx context.Context, env *steps.Env, a CommandArgs) (CommandResult, error) {
	p, mark, err := a.process(ctx, env)
	if err != nil {
		return CommandResult{}, err
	}
	if a.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.TimeoutMS.Std(), steps.Errorf(steps.Timeout, "the command was ended because it took longer than %s", a.TimeoutMS.Std()).
			WithNext("give it more time with timeout_ms"))
		defer cancel()
	}
	stdout, stderr := &shell.Output{}, &shell.Output{}
	script := &shell.Splitter{To: stdout, Mark: mark, Call: func(call []byte) { p.Input.Write(answer(ctx, env, call)) }}
	p.Stdout, p.Stderr = stdout, stderr
	if mark != "" {
		p.Stdout = script
	}
	var r CommandResult
	err = env.Act(func() error {
		r.ExitCode, err = p.Run(ctx)
		script.End()
		return err
	})
	if err == nil && r.ExitCode != 0 { // it has ended, so there is no doubt about what it did
		err = failed(r.ExitCode, stderr.String(), stdout.String())
	}
	if err != nil {
		return r, err
	}
	if a.IncludeLogs {
		r.Stdout, r.Stderr = stdout.String(), stderr.String()
	}
	var set map[string]any
	if r.Result, set, err = script.Result(); err == nil {
		err = reported(r.Result)
	}
	r.values = valuesOf(r.Result, stdout.String())
	for name, v := range set {
		if _, returned := r.values[name]; !returned {
			r.values[name] = v
		}
	}
	return r, err
}

// process returns the process to start, and the mark before the result of a script.
func (a *CommandArgs) process(ctx context.Context, env *steps.Env) (p shell.Process, mark string, err error) {
	p = shell.Process{Dir: env.Abs(a.WorkingDirectory), Env: shell.Environ(ctx, env)}
	if env.Sandbox {
		p.Write = append([]string{}, env.Roots...) // not nil, which means no restriction
	}
	if a.ScriptFile != "" && a.WorkingDirectory == "" {
		if file, err := shell.FindScript(env, string(a.ScriptFile), p.Dir); err == nil {
			p.Dir = filepath.Dir(file)
		}
	}
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return p, "", steps.Errorf(steps.NotFound, "working_directory: there is no folder %s", p.Dir)
	}
	file := ""
	if a.ScriptFile != "" {
		if file, err = shell.FindScript(env, string(a.ScriptFile), p.Dir); err != nil {
			return p, "", err
		}
	}
	if a.Engine != "" {
		names, all, inputs := scriptValues(env, a.Env)
		mark, err = a.Engine.Prepare(ctx, &p, shell.Source{Code: string(a.Run), File: file, Names: names, Env: all, Inputs: inputs})
		return p, mark, err
	}
	p.Env = shell.WithVariables(p.Env, a.Env)
	p.Name, p.Args, err = shell.Command(a.Shell, string(a.Run), file)
	return p, "", err
}

// failed returns the error of a command that ended with a status other than 0, with the
// end of its output.
func failed(status int, stderr, stdout string) error {
	text := cmp.Or(strings.TrimSpace(stderr), strings.TrimSpace(stdout))
	if text == "" {
		return steps.Errorf(steps.Unexpected, "the command ended with status %d and printed nothing", status)
	}
	const shown = 2000
	if r := []rune(text); len(r) > shown {
		text = "…" + string(r[len(r)-shown:])
	}
	return steps.Errorf(steps.Unexpected, "the command ended with status %d: %s", status, text)
}
