package workflows

// The types of this file are the document. The parser, the formatter and the
// published schema are derived from them: `json` names a key, `doc` explains it, `type`
// names the type of its value (see field_types.go), `words` lists the texts that it may
// have, `min` and `max` bound a number, `whole` refuses fractions, and `required` a
// missing key. `form` names the form that a key gives to a step, and `of` the forms of a
// step that may have the key (default: all).

type document struct {
	origin

	Version       *value       `json:"version" type:"number" min:"1" max:"1" doc:"The version of the format: 1."`
	Name          *value       `json:"name" type:"text" doc:"The name of the workflow, for people."`
	Description   *value       `json:"description" type:"text" doc:"What it does, for people, the tool list and the run list."`
	Variables     dict         `json:"variables" doc:"The inputs of a run, by name."`
	Inputs        *value       `json:"inputs" type:"object" doc:"Values for this run, by name."`
	Selectors     *value       `json:"selectors" type:"selectors" doc:"Names for elements: name to selector. An object, or its JSON as a string."`
	Timeout       *value       `json:"timeout" type:"duration" doc:"The limit of the whole run, such as 10m."`
	Screenshots   *value       `json:"screenshots" type:"text" words:"around,after,failure,none" doc:"When pictures of each step are taken."`
	StopOnError   *value       `json:"stop_on_error" type:"boolean" doc:"Whether a failed step ends the run; default true."`
	MaxSteps      *value       `json:"max_steps" type:"number" min:"1" whole:"true" doc:"How many steps may be executed, repetitions included."`
	Durability    *value       `json:"durability" type:"text" words:"always,interval" doc:"When events are synced to the disk."`
	Resume        *value       `json:"resume" type:"text" words:"auto" doc:"auto: a run that was cut short is resumed when the server starts again. Without it a person resumes it."`
	OnLostDesktop *value       `json:"on_lost_desktop" type:"text" words:"ask,restart,fail" doc:"What a resume does when the virtual desktop of the run is gone: stops and asks for a start step (ask), starts again at the first step that used it (restart), or refuses (fail)."`
	OnDisconnect  *value       `json:"on_disconnect" type:"text" words:"cancel,continue" doc:"What happens to the run when its client goes away."`
	Notify        *value       `json:"notify" type:"text" doc:"The name of a receiver in the notify.json of the data folder, which is told when a run fails, waits, is paused or succeeds again."`
	Labels        *value       `json:"labels" type:"labels" doc:"Words by which its runs are found and limited, such as [night, sap]."`
	URL           *value       `json:"url" type:"text" doc:"Instead of steps: file://…, or the name of a saved workflow."`
	Steps         []*step      `json:"steps" required:"true" doc:"What to do, in order."`
	Trouble       []*step      `json:"troubleshooting" doc:"Steps that are reached only by fallback_id, a jump or part.from."`
	Finally       []*step      `json:"finally" doc:"Steps that always run at the end: after success, failure and cancellation."`
	Output        *value       `json:"output" type:"output" doc:"What the run returns: an expression, or names with an expression each."`
	Part          *portion     `json:"part" doc:"Which part of the steps is executed; default all."`
	Verbosity     *value       `json:"verbosity" type:"text" words:"quiet,normal,verbose" doc:"How much is returned to the caller."`
	IDs           *identity    `json:"ids" doc:"Names of the run in other programs, to search by."`
	ScriptsPath   *value       `json:"scripts_base_path" type:"text" doc:"Where script_file is looked for first; then in working_directory, the caller's folder, and beside the workflow."`
	Windows       *arrangement `json:"windows" doc:"What happens to windows and the focus, unless a step says otherwise."`
}

// portion says which part of the steps is executed.
type portion struct {
	origin

	From      *value `json:"from" type:"text" doc:"The id of the step to start at."`
	To        *value `json:"to" type:"text" doc:"The id of the last step to execute."`
	Fallbacks *value `json:"fallbacks" type:"boolean" doc:"Whether fallback_id is followed; true unless to is given."`
	Jumps     *value `json:"jumps" type:"boolean" doc:"Whether the jumps of the last step are taken."`
}

// identity names a run in other programs.
type identity struct {
	origin

	Workflow  *value `json:"workflow" type:"text" doc:"Of the workflow; with part.from, the state of its last run is restored."`
	Trace     *value `json:"trace" type:"text" doc:"Of the trace that the run belongs to."`
	Execution *value `json:"execution" type:"text" doc:"Of the execution that the run belongs to."`
}

// arrangement says what becomes of windows and the focus.
type arrangement struct {
	origin

	Manage       *value `json:"manage" type:"boolean" doc:"false leaves all windows as they are."`
	Front        *value `json:"front" type:"boolean" doc:"Whether the window that a step acts on is raised."`
	Maximize     *value `json:"maximize" type:"boolean" doc:"Whether the window that a step acts on is maximised."`
	Highlight    *value `json:"highlight" type:"boolean" doc:"Whether a frame is shown around an element before a step acts on it."`
	RestoreFocus *value `json:"restore_focus" type:"boolean" doc:"Whether the user's focus is given back at the end of the run."`
}

// step is one entry of a list of steps, in one of five forms.
type step struct {
	origin

	ID        *value    `json:"id" type:"text" doc:"The name of the step, unique in the document."`
	ToolName  *value    `json:"tool_name" type:"text" form:"step" doc:"The kind of the step."`
	GroupName *value    `json:"group_name" type:"text" form:"group" doc:"The name of a group of steps."`
	Foreach   *value    `json:"foreach" type:"each" form:"foreach" doc:"An expression that gives the list to go through."`
	As        *value    `json:"as" type:"text" of:"foreach" doc:"The name of the element inside the loop."`
	While     *value    `json:"while" type:"condition" form:"while" doc:"The steps are repeated as long as this expression holds."`
	Max       *value    `json:"max" type:"number" of:"while" min:"1" whole:"true" doc:"The maximum number of iterations."`
	Workflow  *value    `json:"workflow" type:"text" form:"workflow" doc:"A workflow to call: a path, or the name of a saved one."`
	Inputs    *value    `json:"inputs" type:"object" of:"workflow" doc:"The inputs of the called workflow, by name."`
	If        *value    `json:"if" type:"condition" doc:"An expression; when it does not hold the step is skipped."`
	Arguments *value    `json:"arguments" type:"object" of:"step" doc:"The arguments of the kind; any of them may be a template."`
	Expect    *value    `json:"expect" type:"condition" of:"step" doc:"An expression that must hold after the step; it is waited for until timeout, or for at most 30s without one."`
	Effect    *textEdit `json:"effect" of:"step" doc:"How the step changed the text of its field when it was recorded: a run in which it changes that otherwise fails, and one that cannot read the text says so."`
	Timeout   *value    `json:"timeout" type:"duration" doc:"The limit of one attempt, such as 5s."`
	Retries   *value    `json:"retries" type:"number" of:"step,group" min:"0" max:"1000" whole:"true" doc:"How often a failed step is retried, with 500ms between; a group is repeated from its start."`
	Retry     *retry    `json:"retry" of:"step,group" doc:"How often and when a failed step, or a group from its start, is retried."`
	Delay     *value    `json:"delay" type:"duration" of:"step,group" doc:"A pause after success, such as 1s."`
	Fallback  *value    `json:"fallback_id" type:"text" doc:"The id of the step to go to after the last attempt failed."`
	Jumps     []*jump   `json:"jumps" doc:"Where to go after success: the first whose condition holds."`
	Continue  *value    `json:"continue_on_error" type:"boolean" doc:"A failure is recorded and the run continues."`
	Idem      *value    `json:"idempotent" type:"boolean" of:"step" doc:"Repeating the step does no harm."`
	Interrupt *value    `json:"on_interrupt" type:"text" of:"step" words:"rerun,skip,ask" doc:"What a resume does with the step when it was cut short."`
	Pictures  *value    `json:"screenshots" type:"text" of:"step" words:"around,after,failure,none" doc:"When pictures of the step are taken."`
	Note      *value    `json:"note" type:"anything" doc:"What people should know about the step; its page shows it."`
	Steps     []*step   `json:"steps" of:"group,foreach,while" required:"true" doc:"The steps inside."`
}

// textEdit is a change of the text of a field.
type textEdit struct {
	origin

	Inserted *value `json:"inserted" type:"text" doc:"The text that is inserted, in one piece; may be a template."`
	Deleted  *value `json:"deleted" type:"number" min:"0" whole:"true" doc:"How many characters are deleted there."`
	At       *value `json:"at" type:"text" words:"start,end" doc:"Where the text is inserted; anywhere without it."`
	Since    *value `json:"since" type:"text" doc:"The id of an earlier step on the same field: the change counts from its beginning."`
}

// retry says how often and when a failed step is tried again.
type retry struct {
	origin

	Attempts *value  `json:"attempts" type:"number" min:"1" max:"1000" whole:"true" doc:"How many attempts, including the first; default 3."`
	Delay    *value  `json:"delay" type:"duration" doc:"The time between the first two attempts; default 500ms."`
	Backoff  *value  `json:"backoff" type:"number" min:"1" max:"100" doc:"Each delay is this much longer than the one before."`
	MaxDelay *value  `json:"max_delay" type:"duration" doc:"The longest delay."`
	Jitter   *value  `json:"jitter" type:"number" min:"0" max:"1" doc:"The share by which a delay is made longer or shorter, at random."`
	On       *value  `json:"on" type:"codes" doc:"Retry only after these codes."`
	NotOn    *value  `json:"not_on" type:"codes" doc:"Do not retry after these codes."`
	Before   []*step `json:"before" doc:"Steps to do before the next attempt."`
}

// jump says where to go on after success.
type jump struct {
	origin

	If     *value `json:"if" type:"condition" required:"true" doc:"An expression; the jump is taken when it holds."`
	To     *value `json:"to_id" type:"text" required:"true" doc:"The id of the step to go to."`
	Reason *value `json:"reason" type:"text" doc:"Why, for the log."`
}

// variable declares an input.
type variable struct {
	origin

	Type        *value    `json:"type" type:"text" words:"string,number,boolean,enum,array,object" doc:"The type of the value; default string, or what options or the default imply."`
	Label       *value    `json:"label" type:"text" doc:"What people call it."`
	Description *value    `json:"description" type:"text" doc:"What it is for."`
	Regex       *value    `json:"regex" type:"pattern" doc:"A regular expression that a string must match."`
	Options     *value    `json:"options" type:"list" doc:"The values to choose from."`
	Item        *variable `json:"item_schema" doc:"What the elements of an array are."`
	Value       *variable `json:"value_schema" doc:"What the values of an object are."`
	Properties  dict      `json:"properties" doc:"What the named values of an object are."`
	Default     *value    `json:"default" type:"anything" doc:"The value when none is given."`
	Required    *value    `json:"required" type:"boolean" doc:"Whether a value is required; true unless there is a default."`
	Secret      *value    `json:"secret" type:"boolean" doc:"The value is never written anywhere."`
}

// call is a document in the form of a tool call.
type call struct {
	origin

	ToolName  *value    `json:"tool_name" type:"text" required:"true" words:"execute_sequence" doc:"execute_sequence."`
	Arguments *document `json:"arguments" required:"true" doc:"The workflow."`
}

// A dict declares variables by name, in the order of the text. It is nil if the document
// does not have it.
type dict []declaration

type declaration struct {
	key *value
	*variable
}

// origin holds the value from which a declared type was read.
type origin struct{ at *value }

func (o *origin) set(v *value) { o.at = v }

// Source is the text of a document, with the place that it came from.
type Source struct {
	Name string // a file's path, a saved workflow's name, or "inline"
	Dir  string // the folder to which paths in it are relative
	Text []byte
}

// A Loader returns the document that `workflow` or `url` of another document names.
type Loader func(ref string, from Source) (Source, error)
