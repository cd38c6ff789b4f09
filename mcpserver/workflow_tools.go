package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/access"
	"understudy/internal/operations"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// workflowTools are the tools for documents.
type workflowTools struct {
	*library
	resources *resources
}

func (s workflowTools) tools() []*tool {
	of := func(name, summary string, reads bool, result *jsonschema.Schema) tool {
		return tool{Tool: access.Tool{Name: name, Toolset: steps.Runs, Reads: reads, Risk: steps.Normal}, summary: summary, result: shallow(result)}
	}
	save := of("save_workflow", "Save a workflow under a name, for execute_sequence {url: name}.", false, schemaFor[saveResult]())
	save.idempotent = true
	get := of("get_workflow", "The text of a saved workflow.", true, schemaFor[workflowText]())
	get.unlisted = true
	return []*tool{
		define(of("list_workflows", "List the saved workflows and their inputs, or show one.", true, schemaFor[workflowList]()), s.listTool),
		define(get, s.getTool),
		define(save, s.saveTool),
		define(of("validate_workflow", "Check a workflow without running it: each error with its line.", true, schemaFor[validation]()), s.validate),
	}
}

type listArgs struct {
	Name string `json:"name,omitempty"`
}

// workflowInfo is a saved workflow in a list.
type workflowInfo struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Inputs      []string `json:"inputs,omitempty"`
	Problem     string   `json:"problem,omitempty"`
}

type workflowList struct {
	Workflows []workflowInfo `json:"workflows"`
}

func (l *library) list() (workflowList, error) {
	list := workflowList{Workflows: []workflowInfo{}}
	names, err := l.Names()
	for _, name := range names {
		list.Workflows = append(list.Workflows, l.info(name))
	}
	return list, err
}

func (s workflowTools) listTool(ctx context.Context, c *call, a listArgs) (*reply, error) {
	list, err := s.viewFor(c.Subject).list()
	if a.Name != "" {
		if err := c.blockedError(c.May(s.resources.tools.named["get_workflow"].Tool)); err != nil {
			return nil, err
		}
		r, err := s.getTool(ctx, c, nameArgs(a))
		if err == nil {
			r.value = list
		}
		return r, err
	}
	var lines []words.Marked
	for _, w := range list.Workflows {
		line := words.Say("%s(%s)", w.Name, words.List(w.Inputs))
		if w.Description != "" {
			line += words.Say(": %s", w.Description)
		}
		if w.Problem != "" {
			line += ": " + words.Ours(w.Problem)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []words.Marked{"no workflow is saved; save_workflow saves one"}
	}
	return textReply(list, words.Join(lines, "\n"), err)
}

func (l *library) info(name string) workflowInfo {
	w := workflowInfo{Name: name}
	src, err := l.get(name)
	if err == nil {
		var p *workflows.Program
		if _, p, err = l.pack(name, src.Dir, src.Text); err == nil {
			w.Description = p.Description
			for _, v := range p.Variables {
				w.Inputs = append(w.Inputs, v.Name)
			}
		}
	}
	if err != nil {
		w.Problem = fmt.Sprintf("it is not valid: validate_workflow {\"name\": %q} says why", name)
	}
	return w
}

type nameArgs struct {
	Name string `json:"name" jsonschema:"the workflow; list_workflows names them"`
}

type workflowText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (s workflowTools) getTool(_ context.Context, c *call, a nameArgs) (*reply, error) {
	src, err := s.viewFor(c.Subject).get(a.Name)
	return textReply(workflowText{a.Name, string(src.Text)}, words.Fenced(string(src.Text)), err)
}

type saveArgs struct {
	Name    string `json:"name" jsonschema:"letters, digits, - and _"`
	Text    string `json:"text" jsonschema:"YAML or JSON"`
	Replace bool   `json:"replace,omitempty"`
}

type saveResult struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

func (s workflowTools) saveTool(ctx context.Context, c *call, a saveArgs) (*reply, error) {
	if err := checkName(a.Name); err != nil {
		return nil, err
	}
	_, program, err := s.viewFor(c.Subject).pack(a.Name, s.folder, []byte(a.Text))
	if err != nil {
		return nil, err
	}
	if err := c.blockedError(c.MaySave(program, s.kinds)); err != nil {
		return nil, err
	}
	path, err := s.resources.saveWorkflow(ctx, c.caller, a.Name, []byte(a.Text), a.Replace)
	return textReply(saveResult{a.Name, path}, words.Say("saved; run it with execute_sequence {\"url\": %q}", a.Name), err)
}

type validateArgs struct {
	Text string `json:"text,omitempty" jsonschema:"YAML or JSON"`
	Name string `json:"name,omitempty" jsonschema:"a saved one"`
}

// validation is the result of checking a document.
type validation struct {
	Valid    bool              `json:"valid"`
	Steps    int               `json:"steps,omitempty"`
	Inputs   []string          `json:"inputs,omitempty"`
	Problems []documentProblem `json:"problems,omitempty"`
	Notes    []documentProblem `json:"notes,omitempty"` // what is right, and likely not meant or spelt otherwise here
}

type documentProblem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (s workflowTools) validate(_ context.Context, c *call, a validateArgs) (*reply, error) {
	text, name, saved := a.Text, "workflow", s.viewFor(c.Subject)
	if (a.Text == "") == (a.Name == "") {
		return nil, steps.Errorf(steps.Invalid, "wanted either text or name").WithNext("give the workflow as text, or the name of a saved one")
	}
	if a.Name != "" { // problems quote its lines
		if err := c.blockedError(c.May(s.resources.tools.named["get_workflow"].Tool)); err != nil {
			return nil, err
		}
		src, err := saved.get(a.Name)
		if err != nil {
			return nil, err
		}
		text, name = string(src.Text), a.Name
	}
	_, p, err := saved.pack(name, s.folder, []byte(text))
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		v := validation{Problems: problemsOf(invalid.Problems)}
		return textReply(v, words.Told(invalid.Error()), nil)
	}
	if err != nil {
		return nil, err
	}
	v := validation{Valid: true, Notes: problemsOf(p.Notes)}
	p.Walk(func(*workflows.Node) { v.Steps++ })
	for _, x := range p.Variables {
		v.Inputs = append(v.Inputs, x.Name)
	}
	said := []words.Marked{words.Say("valid: %d steps", v.Steps)}
	for _, n := range v.Notes {
		said = append(said, words.Told(fmt.Sprintf("line %d: %s; %s", n.Line, n.Message, n.Hint)))
	}
	return textReply(v, words.Join(said, "\n"), nil)
}

func problemsOf(all []workflows.Problem) (out []documentProblem) {
	for _, x := range all {
		out = append(out, documentProblem{x.Line, x.Column, x.Message, x.Hint})
	}
	return out
}

// versionOperations returns the operations on versions of saved workflows.
func (s workflowTools) versionOperations() []operation {
	return operationsOn("workflows", steps.Runs, operations.OnVersions(), func(who caller, _ access.Tool) (operations.Workflows, struct{}) {
		return versionShelf{s, who}, struct{}{}
	})
}

// versionShelf gives package versions access to the saved workflows that a caller may
// see.
type versionShelf struct {
	workflowTools
	who caller
}

func (v versionShelf) Path(name string) (string, error) {
	if _, err := v.viewFor(v.who.Subject).get(name); err != nil {
		return "", err
	}
	path, there := workflows.FileIn(v.folder, name)
	if !there {
		return "", steps.Errorf(steps.NotFound, "the saved workflow %s is gone", name)
	}
	return path, nil
}

func (v versionShelf) Save(ctx context.Context, name string, text []byte) error {
	_, p, err := v.viewFor(v.who.Subject).pack(name, v.folder, text)
	if err == nil {
		err = v.who.MaySave(p, v.kinds).Denied()
	}
	if err == nil {
		_, err = v.resources.saveWorkflow(ctx, v.who, name, text, true)
	}
	return err
}
