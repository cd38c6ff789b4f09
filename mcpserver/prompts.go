package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
)

// prompts are what a person can ask a model to do. One that discloses something
// of this server needs the right to use the tool that discloses the same.
type prompts struct {
	tools   *toolbox
	library *library
}

func (s prompts) addTo(server *mcp.Server) {
	argument := func(name, text string, required bool) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: text, Required: required}
	}
	add := func(name, text, tool string, write func(context.Context, caller, map[string]string) (string, error), args ...*mcp.PromptArgument) {
		server.AddPrompt(&mcp.Prompt{Name: name, Description: text, Arguments: args},
			func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				c, err := s.tools.who(req, tool)
				if err != nil {
					return nil, err
				}
				words, err := write(ctx, c, req.Params.Arguments)
				if err != nil {
					return nil, err
				}
				message := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: words}}
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
}

func (s prompts) authorWorkflow(_ context.Context, _ caller, a map[string]string) (string, error) {
	return fmt.Sprintf(`Write an Understudy workflow for this task: %s

1. Look at the applications and windows that it needs (get_applications_and_windows_list, get_window_tree).
2. Write it as YAML: steps with tool_name, arguments and an id each; variables for what differs from run to run; expect on steps whose effect must be seen. The resource %s has every key.
3. validate_workflow, and mend what it says.
4. execute_sequence with dry_run: true, then without. When a step fails, read its error, mend the step, and go on with resume_run.
5. save_workflow under a short name.`, a["task"], schemaURI), nil
}

func (s prompts) runWorkflow(_ context.Context, c caller, a map[string]string) (string, error) {
	saved := s.library.of(c.Subject)
	src, err := saved.get(a["name"])
	if err != nil {
		return "", err
	}
	info := saved.info(a["name"])
	return fmt.Sprintf(`Run the saved workflow %s with execute_sequence {"url": %q, "inputs": {...}}. Its inputs: %s. Ask me for those that you do not know.
If it waits, ask me what it wants to know and give the answer to resume_run. If it fails, say which step and why, and ask me before resume_run.

%s`, a["name"], a["name"], strings.Join(info.Inputs, ", "), src.Text), nil
}

func recordPrompt(_ context.Context, _ caller, a map[string]string) (string, error) {
	name := a["name"]
	if name == "" {
		name = "a short name that says what it does"
	}
	return fmt.Sprintf(`I am going to do this, and you make a workflow of it: %s

1. record_workflow {"action": "start"}, and tell me to begin. Touch nothing while I work.
2. When I say that I am done, record_workflow {"action": "stop", "name": ...}, with %s.
3. Read what came of it. Tell me its steps and its inputs in plain words, and ask me about everything that it is not sure of.
4. Mend it with save_workflow: good names for the inputs, an expect on steps whose effect must be seen, nothing that only I did by mistake.
5. Try it with execute_sequence {"url": ..., "dry_run": true}, and ask me before you run it in earnest.`, a["task"], name), nil
}

func (s prompts) diagnoseRun(ctx context.Context, c caller, a map[string]string) (string, error) {
	runs, err := s.tools.runsFor(ctx, c.Subject, "get_run")
	if err != nil {
		return "", err
	}
	r, err := runs.Report(ctx, a["run_id"], engine.Page{Limit: normalSteps})
	if err != nil {
		return "", fmt.Errorf("run %s: %w", a["run_id"], steps.AsError(err))
	}
	said := runText(r)
	if r.Error != nil {
		said += fmt.Sprintf("\n%s at step %s: %s\n%s", r.Error.Code, r.Error.Step, r.Error.Message, r.Error.Next)
	}
	return fmt.Sprintf(`Find out why this run of Understudy stands still, and what would get it going again:

%s

Look at its steps (get_run {"run_id": %q, "verbosity": "verbose"}) and at the pictures of the last step. Look at the desktop as it is now. Then say what is wrong and what you would do: resume_run as it is, resume_run with other inputs or from another step, or a change of the workflow. Wait for my word before anything acts.`, said, r.RunID), nil
}
