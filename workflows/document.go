package workflows

// The types of this file are the document. The parser, the formatter and the
// published schema are derived from them: `json` names a key, `doc` explains it,
// `words` lists the texts that it may have, `min` and `max` bound a number, `whole`
// refuses fractions, and `required` a missing key. `form` names the form that a key
// gives to a step, and `of` the forms of a step that may have the key (default: all).

type document struct {
	origin

	Version       number          `json:"version" min:"1" max:"1" doc:"The version of the format: 1."`
	Name          text            `json:"name" doc:"What people call the workflow."`
	Description   text            `json:"description" doc:"What it does, for people, the tool list and the run list."`
	Variables     dict[*variable] `json:"variables" doc:"What a run may be given, by name."`
	Inputs        object          `json:"inputs" doc:"Values for this run, by name."`
	Selectors     selectors       `json:"selectors" doc:"Names for elements: name to selector. An object, or its JSON as a string."`
	Timeout       duration        `json:"timeout" doc:"The limit of the whole run, such as 10m."`
	Screenshots   text            `json:"screenshots" words:"around,after,failure,none" doc:"When pictures of each step are taken."`
	StopOnError   boolean         `json:"stop_on_error" doc:"Whether a failed step ends the run; true unless said otherwise."`
	Continue      boolean         `json:"continue" doc:"The inverse of stop_on_error."`
	MaxSteps      number          `json:"max_steps" min:"1" whole:"true" doc:"How many steps may be executed, repetitions included."`
	Durability    text            `json:"durability" words:"always,interval" doc:"When events are synced to the disk."`
	Resume        text            `json:"resume" words:"auto" doc:"auto: the run goes on by itself when it was cut short and the server is started again. Without it somebody resumes it."`
	OnLostDesktop text            `json:"on_lost_desktop" words:"ask,restart,fail" doc:"What a resume does when the virtual desktop of the run is gone: says so and wants the step to begin at (ask), begins again at the first step that used it (restart), or refuses (fail)."`
	OnDisconnect  text            `json:"on_disconnect" words:"cancel,continue" doc:"What happens to the run when its client goes away."`
	URL           text            `json:"url" doc:"Instead of steps: file://…, or the name of a saved workflow."`
	Steps         []*step         `json:"steps" required:"true" doc:"What to do, in order."`
	Trouble       []*step         `json:"troubleshooting" doc:"Steps that are reached only by fallback_id, a jump or start_from_step."`
	Finally       []*step         `json:"finally" doc:"Steps that always run at the end: after success, failure and cancellation."`
	Output        output          `json:"output" doc:"What the run returns: an expression, or names with an expression each."`
	StartFrom     text            `json:"start_from_step" doc:"The id of the step to start at."`
	EndAt         text            `json:"end_at_step" doc:"The id of the last step to execute."`
	FollowFall    boolean         `json:"follow_fallback" doc:"Whether fallback_id is followed; true unless end_at_step is given."`
	JumpsAtEnd    boolean         `json:"execute_jumps_at_end" doc:"Whether the jumps of the step at end_at_step are taken."`
	Detailed      boolean         `json:"include_detailed_results" doc:"Whether the results of the steps come back; true unless said otherwise."`
	Verbosity     text            `json:"verbosity" words:"quiet,normal,verbose" doc:"How much comes back to the caller."`
	WorkflowID    text            `json:"workflow_id" doc:"Kept with the run; with start_from_step it restores the state of that workflow's last run."`
	TraceID       text            `json:"trace_id" doc:"Kept with the run, to search by."`
	ExecutionID   text            `json:"execution_id" doc:"Kept with the run, to search by."`
	ScriptsPath   text            `json:"scripts_base_path" doc:"Where script_file is looked for first."`
	SkipPreflight boolean         `json:"skip_preflight_check" doc:"Whether to start without looking whether the environment is ready."`
	ManageWindows boolean         `json:"enable_window_management" doc:"Whether windows are arranged for the steps."`
	Maximize      boolean         `json:"maximize_target" doc:"Whether the window that a step acts on is maximised."`
	MinimizeTop   boolean         `json:"minimize_always_on_top" doc:"Whether windows that stay on top are minimised."`
	BringToFront  boolean         `json:"bring_to_front" doc:"Whether the window that a step acts on is raised."`
	RestoreFocus  boolean         `json:"restore_focus" doc:"Whether the user's focus is given back at the end."`
	Highlight     boolean         `json:"highlight_before_action" doc:"Whether elements are highlighted before a step acts on them."`
}

// step is one entry of a list of steps, in one of five forms.
type step struct {
	origin

	ID        text      `json:"id" doc:"The name of the step, unique in the document."`
	ToolName  text      `json:"tool_name" form:"step" doc:"The kind of the step."`
	GroupName text      `json:"group_name" form:"group" doc:"The name of a group of steps."`
	Foreach   each      `json:"foreach" form:"foreach" doc:"An expression that gives the list to go through."`
	As        text      `json:"as" of:"foreach" doc:"What the element is called inside the loop."`
	While     condition `json:"while" form:"while" doc:"The steps are repeated as long as this expression holds."`
	Max       number    `json:"max" of:"while" min:"1" whole:"true" doc:"The most rounds of the loop."`
	Workflow  text      `json:"workflow" form:"workflow" doc:"A workflow to call: a path, or the name of a saved one."`
	Inputs    object    `json:"inputs" of:"workflow" doc:"What the called workflow is given, by name."`
	If        condition `json:"if" doc:"An expression; when it does not hold the step is skipped."`
	Arguments object    `json:"arguments" of:"step" doc:"The arguments of the kind; any of them may be a template."`
	Expect    condition `json:"expect" of:"step" doc:"An expression that must hold after the step."`
	Timeout   duration  `json:"timeout" doc:"The limit of one attempt, such as 5s."`
	Retries   number    `json:"retries" of:"step" min:"0" max:"1000" whole:"true" doc:"How often a failed step is tried again, with 500ms between."`
	Retry     *retry    `json:"retry" of:"step" doc:"How often and when a failed step is tried again."`
	Delay     duration  `json:"delay" of:"step" doc:"A pause after success, such as 1s."`
	DelayMS   duration  `json:"delay_ms" of:"step" doc:"A pause after success, in milliseconds."`
	Fallback  text      `json:"fallback_id" doc:"The id of the step to go to after the last attempt failed."`
	Jumps     []*jump   `json:"jumps" doc:"Where to go after success: the first whose condition holds."`
	Continue  boolean   `json:"continue_on_error" doc:"A failure is recorded and the run goes on."`
	Skippable boolean   `json:"skippable" doc:"The same as continue_on_error, for a group."`
	Idem      boolean   `json:"idempotent" of:"step" doc:"Repeating the step does no harm."`
	Interrupt text      `json:"on_interrupt" of:"step" words:"rerun,skip,ask" doc:"What a resume does with the step when it was cut short."`
	Pictures  text      `json:"screenshots" of:"step" words:"around,after,failure,none" doc:"When pictures of the step are taken."`
	Note      anything  `json:"expected_ui_changes" of:"step" doc:"What should change on the screen; kept as a note."`
	Steps     []*step   `json:"steps" of:"group,foreach,while" required:"true" doc:"The steps inside."`
}

// retry says how often and when a failed step is tried again.
type retry struct {
	origin

	Attempts number   `json:"attempts" min:"1" max:"1000" whole:"true" doc:"How many attempts, the first included; 3 unless said otherwise."`
	Delay    duration `json:"delay" doc:"The time between the first two attempts; 500ms unless said otherwise."`
	Backoff  number   `json:"backoff" min:"1" max:"100" doc:"Each delay is this much longer than the one before."`
	MaxDelay duration `json:"max_delay" doc:"The longest delay."`
	Jitter   number   `json:"jitter" min:"0" max:"1" doc:"The share by which a delay is made longer or shorter, at random."`
	On       codes    `json:"on" doc:"Try again only after these codes."`
	NotOn    codes    `json:"not_on" doc:"Do not try again after these codes."`
	Before   []*step  `json:"before" doc:"Steps to do before the next attempt."`
}

// jump says where to go on after success.
type jump struct {
	origin

	If     condition `json:"if" required:"true" doc:"An expression; the jump is taken when it holds."`
	To     text      `json:"to_id" required:"true" doc:"The id of the step to go to."`
	Reason text      `json:"reason" doc:"Why, for the log."`
}

// variable declares an input.
type variable struct {
	origin

	Type        text            `json:"type" words:"string,number,boolean,enum,array,object" doc:"The type of the value; string unless options or the default say otherwise."`
	Label       text            `json:"label" doc:"What people call it."`
	Description text            `json:"description" doc:"What it is for."`
	Regex       pattern         `json:"regex" doc:"A regular expression that a string must match."`
	Options     list            `json:"options" doc:"The values to choose from."`
	Item        *variable       `json:"item_schema" doc:"What the elements of an array are."`
	Value       *variable       `json:"value_schema" doc:"What the values of an object are."`
	Properties  dict[*variable] `json:"properties" doc:"What the named values of an object are."`
	Default     anything        `json:"default" doc:"The value when none is given."`
	Required    boolean         `json:"required" doc:"Whether a value must be given; true unless there is a default."`
	Secret      boolean         `json:"secret" doc:"The value is never written anywhere."`
}

// call is a document in the form of a tool call.
type call struct {
	origin

	ToolName  text      `json:"tool_name" required:"true" words:"execute_sequence" doc:"execute_sequence."`
	Arguments *document `json:"arguments" required:"true" doc:"The workflow."`
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
