package steps

import (
	"errors"
	"time"
)

// RunCommand runs a shell command or a script.
var RunCommand = Define[CommandArgs, CommandResult](Kind{
	Name:    "run_command",
	Summary: "Run a shell command, or a script in JavaScript, TypeScript or Python.",
	Toolset: Shell,
	Risk:    RunsShell,
	Timeout: time.Hour,
}, CommandArgs{TimeoutMS: 120_000, IncludeLogs: true}, nil)

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

// Engine is the language of a script.
type Engine string

// The languages, each with the names that it is called by.
const (
	JavaScript Engine = "javascript"
	TypeScript Engine = "typescript"
	Python     Engine = "python"
)

// Validate wants one thing to run.
func (a *CommandArgs) Validate() error {
	if (a.Run == "") == (a.ScriptFile == "") {
		return errors.New("wanted either run or script_file")
	}
	if a.Engine != "" && a.Shell != "" {
		return errors.New("wanted either an engine or a shell, found both")
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
