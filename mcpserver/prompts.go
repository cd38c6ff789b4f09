package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/steps"
)

// prompts are tasks that a person can give to a model. A prompt that discloses something
// needs the right to use the tool that discloses the same.
type prompts struct {
	tools   *toolbox
	library *library
}

func (s prompts) addTo(server *mcp.Server) {
	argument := func(name, text string, required bool) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: text, Required: required}
	}
	add := func(name, text, tool string, write func(context.Context, caller, map[string]string) (words.Marked, error), args ...*mcp.PromptArgument) {
		server.AddPrompt(&mcp.Prompt{Name: name, Title: titleOf(name), Description: text, Arguments: args},
			func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				c, err := s.tools.authorize(req, tool)
				if err != nil {
					return nil, err
				}
				said, err := write(ctx, c, req.Params.Arguments)
				if err != nil {
					return nil, err
				}
				message := &mcp.PromptMessage{Role: "user", Content: contentOf(said)}
				return &mcp.GetPromptResult{Description: text, Messages: []*mcp.PromptMessage{message}}, nil
			})
	}
	add("author_workflow", "Write a workflow for a task, try it and save it.", "", s.authorWorkflow,
		argument("task", "what the workflow is to do", true))
	add("run_workflow", "Run a saved workflow and see it through.", "get_workflow", s.runWorkflow,
		argument("name", "the saved workflow", true))
	add("record_workflow", "Watch me do a task, and make a workflow of it.", "", recordPrompt,
		argument("task", "what I am going to do", true), argument("name", "what the workflow is to be called", false))
	add("diagnose_run", "Find out why a run failed, and get it going again.", "get_run", s.diagnoseRun,
		argument("run_id", "the run", true))
	add("fill_form_from_table", "Fill in a form for each row of a table.", "", fillFormPrompt,
		argument("table", "the file with the rows, or where they are shown", true), argument("form", "the application or page with the form", true))
	add("workflow_of_calls", "Make a workflow of what you have just done.", "", fromCallsPrompt,
		argument("name", "what the workflow is to be called", true))
}

// titleOf returns a name as people read it.
func titleOf(name string) string {
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
}

func (s prompts) authorWorkflow(_ context.Context, _ caller, a map[string]string) (words.Marked, error) {
	return words.Say(`Write an Understudy workflow for this task: %s

1. Look at the applications and windows that it needs (get_applications_and_windows_list, get_window_tree).
2. Write it as YAML: steps with tool_name, arguments and an id each; variables for what differs from run to run; expect on steps whose effect must be seen. The resource %s has the grammar; describe_kinds has the arguments.
3. validate_workflow, and correct what it reports.
4. execute_sequence with dry_run: true, then without. When a step fails, read its error, correct the step, and continue with resume_run.
5. save_workflow under a short name.`, words.Ours(a["task"]), guideURI), nil
}

func (s prompts) runWorkflow(_ context.Context, c caller, a map[string]string) (words.Marked, error) {
	saved := s.library.viewFor(c.Subject)
	src, err := saved.get(a["name"])
	if err != nil {
		return "", err
	}
	info := saved.info(a["name"])
	return words.Say(`Run the saved workflow %s with execute_sequence {"url": %q, "inputs": {...}}. Its inputs: %s. Ask me for those that you do not know.
If it waits, ask me what it wants to know and give the answer to resume_run. If it fails, say which step and why, and ask me before resume_run.

%s`, a["name"], a["name"], words.List(info.Inputs), words.Fenced(string(src.Text))), nil
}

func recordPrompt(_ context.Context, _ caller, a map[string]string) (words.Marked, error) {
	name := words.Ours(cmp.Or(a["name"], "a short name that says what it does"))
	return words.Say(`I am going to do this, and you make a workflow of it: %s

1. record_workflow {"action": "start"}, and tell me to begin. Touch nothing while I work.
2. When I say that I am done, record_workflow {"action": "stop", "name": ...}, with %s.
3. Read what came of it. Tell me its steps and its inputs in plain words, and ask me about everything that it is not sure of.
4. Improve it with save_workflow: good names for the inputs, an expect on steps whose effect must be seen, nothing that only I did by mistake.
5. Try it with execute_sequence {"url": ..., "dry_run": true}, and ask me before you run it in earnest.`, words.Ours(a["task"]), name), nil
}

func fillFormPrompt(_ context.Context, _ caller, a map[string]string) (words.Marked, error) {
	return words.Say(`Fill in the form of %s once for each row of %s.

1. Read the rows. A file is read by a step: execute_sequence {"steps": [{"tool_name": "read_file", "arguments": {"path": "rows.csv"}}]}.
2. Open the form (open_application or open_url), and look at its elements. Fill it in for the first row by type_into_element, select_option, set_selected and click_element; each answers with a selector that finds its element again.
3. Show me the form before you send it. When I have agreed, do the other rows in one run, with these selectors:
   {"variables": {"rows": {"type": "array"}}, "inputs": {"rows": [{"name": "Ada"}, {"name": "Alan"}]},
    "steps": [{"foreach": "${{ inputs.rows }}", "as": "row", "steps": [
     {"id": "name", "tool_name": "type_into_element", "arguments": {"target": "process:chromium >> role:entry && name:Name", "text_to_type": "${{ row.name }}"}},
     {"id": "send", "tool_name": "click_element", "arguments": {"target": "process:chromium >> role:button && name:Send"}, "expect": "exists('text:Thank you')"}]}]}
   The expect of the step that sends must be something that shows only when the row has been taken; without it the next row may be typed into the page that is just going.
4. If the run fails, resume_run goes on with the row that failed; look first whether that row was taken. Tell me which rows were sent.`, words.Ours(a["form"]), words.Ours(a["table"])), nil
}

func fromCallsPrompt(_ context.Context, _ caller, a map[string]string) (words.Marked, error) {
	return words.Say(`Make a workflow with the name %[1]s of what you have just done.

1. record_workflow {"action": "from_runs", "name": %[1]q, "last": N} takes your last N calls that acted and succeeded. If others are among them, name those that belong to the task in their order, by the line "run ID" at the end of each answer: "runs": ["01...", "01..."]. list_runs {"calls": true} has them, the newest first.
2. Read what came of it. Typed texts became inputs named after their fields, and windows that opened and closed are expected. Add an expect to the other steps whose effect must be seen, and save it with save_workflow.
3. Put everything back as it was before you began, or tell me to, and try it: execute_sequence {"url": %[1]q}.
4. If a step fails, correct it with resume_run and "workflow", and save the corrected workflow.`, a["name"]), nil
}

func (s prompts) diagnoseRun(ctx context.Context, c caller, a map[string]string) (words.Marked, error) {
	runs, err := s.tools.runsFor(ctx, c.Subject, "get_run")
	if err != nil {
		return "", err
	}
	h, err := runs.Get(ctx, a["run_id"])
	if err != nil {
		return "", err
	}
	r, err := runs.Report(ctx, h.ID, engine.Page{Limit: normalSteps})
	if err != nil {
		return "", err
	}
	said := runText(r)
	if f := failureOfRun(h); f != nil {
		said += "\n" + f.text()
	}
	return words.Say(`Find out why this run of Understudy stands still, and what would get it going again:

%[1]s

Look at its steps (get_run {"run_id": %[2]q, "verbosity": "verbose"}) and at the pictures of the last step. Look at the desktop as it is now. Then say what is wrong and what you would do: resume_run {"run_id": %[2]q} as it is; with "inputs" or "from": another step; or, if a step is wrong, with "workflow": the whole document with that step corrected, such as another selector that you have tried with wait_for_element. Wait for my word before anything acts.`, said, r.RunID), nil
}

// maxCompletions bounds the values of one completion.
const maxCompletions = 100

// complete offers values for an argument of a prompt or a template, by the name of the
// argument.
func (s prompts) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var known []string
	switch req.Params.Argument.Name {
	case "name", "url", "workflow":
		if c, err := s.tools.authorize(req, "list_workflows"); err == nil {
			known, _ = s.library.viewFor(c.Subject).Names()
		}
	case "id", "run_id":
		if c, err := s.tools.authorize(req, "list_runs"); err == nil {
			known = s.runIDs(ctx, c)
		}
	case "kind", "tool_name":
		known = steps.Names(s.library.kinds)
	}
	known = slices.DeleteFunc(known, func(v string) bool { return !strings.HasPrefix(v, req.Params.Argument.Value) })
	values := append([]string{}, known[:min(len(known), maxCompletions)]...)
	details := mcp.CompletionResultDetails{Values: values, Total: len(known), HasMore: len(known) > len(values)}
	return &mcp.CompleteResult{Completion: details}, nil
}

func (s prompts) runIDs(ctx context.Context, c caller) (ids []string) {
	runs, err := s.tools.runsFor(ctx, c.Subject, "list_runs")
	if err != nil {
		return nil
	}
	list, err := runs.List(ctx, engine.Query{Limit: 200})
	if err != nil {
		return nil
	}
	for _, h := range list {
		ids = append(ids, h.ID)
	}
	return ids
}
