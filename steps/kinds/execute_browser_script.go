package kinds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/browse"
	"understudy/steps/confined"
	"understudy/steps/kinds/shell"
)

// ExecuteBrowserScript runs a script in a page.
var ExecuteBrowserScript = steps.Define(steps.Kind{
	Name:    "execute_browser_script",
	Summary: "Run JavaScript in the page of a connected browser.",
	Details: "A script does there what a person who is logged in can do, and more: give the right to it as you would to a shell. " +
		"Its result is what it returns, or the value of its last expression; it may await. It sees `env` and `inputs` of the run, and each of their values and of the argument env by its own name. " +
		"The fields of an object that it returns become values of the run's env, as with run_command, and so does what it prints as `::set-env name=NAME::VALUE`. An object whose success is false, or whose status is failed or error, is a failure.",
	Toolset: steps.Browser,
	Touches: steps.Act,
	Risk:    steps.RunsScripts,
	Timeout: time.Hour,
	Whole:   true,
}, ScriptArgs{TimeoutMS: 120_000, IncludeLogs: true}, executeBrowserScript)

// ScriptArgs says what to run, and where.
type ScriptArgs struct {
	Script           steps.Command  `json:"script,omitzero" jsonschema:"the text of the script"`
	ScriptFile       steps.Path     `json:"script_file,omitzero" jsonschema:"a file with the script, instead of script"`
	Env              map[string]any `json:"env,omitzero" jsonschema:"values for the script"`
	Process          string         `json:"process,omitzero" jsonschema:"the browser's program; without it the one that was started last"`
	Tab              string         `json:"tab,omitzero" jsonschema:"the tab: its id, or a part of its title or address; without it the one in front"`
	Frame            string         `json:"frame,omitzero" jsonschema:"run it in this frame of the page: its name, or a part of its address"`
	WorkingDirectory steps.Path     `json:"working_directory,omitzero" use:"rare" jsonschema:"where script_file is looked for"`
	TimeoutMS        steps.Millis   `json:"timeout_ms,omitzero" jsonschema:"how long it may take; 0 means until the step's timeout"`
	IncludeLogs      bool           `json:"include_logs,omitzero" jsonschema:"false leaves out what it printed on the console"`
}

// Validate requires one script.
func (a *ScriptArgs) Validate() error {
	if (strings.TrimSpace(string(a.Script)) == "") == (a.ScriptFile == "") {
		return errors.New("wanted either script or script_file")
	}
	return nil
}

// ScriptResult is what a script returned and printed.
type ScriptResult struct {
	Result any      `json:"result,omitzero" jsonschema:"what the script returned"`
	Logs   []string `json:"logs,omitzero" jsonschema:"what it printed on the console"`
	Tab    string   `json:"tab" jsonschema:"the id of the tab"`

	sets map[string]any // values of the run's env
}

// Say returns the result as text. All of it may come from the page.
func (r ScriptResult) Say() string {
	text, ok := r.Result.(string)
	switch {
	case r.Result == nil:
		text = "the script returned nothing"
	case !ok:
		text, _ = words.JSON(r.Result, "")
	}
	if len(r.Logs) > 0 {
		text += "\nconsole:\n" + strings.Join(r.Logs, "\n")
	}
	return text
}

// SetEnv returns the fields of the result as values of the run.
func (r ScriptResult) SetEnv() map[string]any {
	return r.sets
}

func executeBrowserScript(ctx context.Context, env *steps.Env, a ScriptArgs) (r ScriptResult, err error) {
	script, err := a.script(env)
	if err != nil {
		return r, err
	}
	link, err := browse.Connect(ctx, env, a.Process)
	if err != nil {
		return r, err
	}
	defer link.Close()
	tab, err := link.Find(ctx, a.Tab)
	if err != nil {
		return r, err
	}
	page, err := link.Attach(ctx, tab)
	if err != nil {
		return r, err
	}
	defer page.Detach()
	if a.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.TimeoutMS.Std(), steps.Errorf(steps.Timeout, "the script was ended because it took longer than %s", a.TimeoutMS.Std()).
			WithNext("give it more time with timeout_ms"))
		defer cancel()
	}
	var got browse.Returned
	err = env.Act(func() error {
		got, err = page.Run(ctx, script)
		return err
	})
	r.Tab, r.Result = tab.ID, got.Value
	r.sets = valuesOf(got.Value, strings.Join(got.Printed, "\n"))
	if a.IncludeLogs {
		r.Logs = got.Console
	}
	for _, line := range got.Console {
		env.Logger().InfoContext(ctx, "the page printed", "line", line)
	}
	if err == nil {
		err = failureOf(got.Value)
	}
	return r, err
}

// script returns the script with its variables. Of the results of other steps it gets only those
// that it names: a page can find out the text of a script that runs in it.
func (a *ScriptArgs) script(env *steps.Env) (s browse.Script, err error) {
	s = browse.Script{Code: string(a.Script), Frame: a.Frame}
	if a.ScriptFile != "" {
		if s.File, s.Code, err = a.file(env); err != nil {
			return s, err
		}
	}
	names, all, inputs := scriptValues(env, a.Env)
	all = mentioned(s.Code, all)
	maps.Copy(all, env.Vars) // which the script may list
	maps.Copy(all, a.Env)
	maps.Copy(names, map[string]any{"env": all, "inputs": inputs, "variables": inputs})
	s.Values = mentioned(s.Code, names)
	return s, nil
}

// file returns the path and the text of the file with the script. The errors of a script show
// its lines, so without the right to run commands it must be a file that read_file would read.
func (a *ScriptArgs) file(env *steps.Env) (path, text string, err error) {
	if env.MayUse(RunCommand.Name) == nil {
		if path, err = shell.FindScript(env, string(a.ScriptFile), env.Abs(a.WorkingDirectory)); err != nil {
			return "", "", err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return "", "", steps.Errorf(steps.NotFound, "script_file: %w", err)
		}
		return path, string(b), nil
	}
	if refusal := env.MayUse(ReadFile.Name); refusal != nil {
		return "", "", &steps.Error{Code: steps.Denied, Err: fmt.Errorf("script_file: %w", refusal), Next: "give the text of the script in script"}
	}
	f, err := confined.Find(env, a.ScriptFile, a.WorkingDirectory)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	text, err = f.Text()
	return f.Path, text, err
}

// failureOf returns the error that a script of a page returned instead of throwing it.
func failureOf(result any) error {
	if fieldsOf(result)["success"] == false {
		return statedFailure(result, "success: false")
	}
	return reported(result)
}
