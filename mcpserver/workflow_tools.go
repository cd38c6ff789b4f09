package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"understudy/engine"
	"understudy/mcpserver/access"
	"understudy/steps"
	"understudy/workflows"
)

// workflowTools are what can be done with documents.
func (s *Server) workflowTools() []*tool {
	of := func(name, summary string, reads bool) tool {
		return tool{Tool: access.Tool{Name: name, Toolset: steps.Runs, Reads: reads, Risk: steps.Normal}, summary: summary}
	}
	save := of("save_workflow", "Save a workflow under a name, for execute_sequence {url: name}. Invalid ones are refused.", false)
	save.idempotent = true
	return []*tool{
		define(of("list_workflows", "List the saved workflows and the inputs that they take.", true), s.listWorkflows),
		define(of("get_workflow", "The text of a saved workflow.", true), s.getWorkflow),
		define(save, s.saveWorkflow),
		define(of("validate_workflow", "Check a workflow without running it: everything that is wrong, each at its line.", true), s.validateWorkflow),
	}
}

type noArgs struct{}

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

func (s *Server) listWorkflows(context.Context, *call, noArgs) (workflowList, string, error) {
	list := workflowList{Workflows: []workflowInfo{}}
	names, err := s.library.names()
	if err != nil {
		return list, "", err
	}
	var lines []string
	for _, name := range names {
		w := s.workflowInfo(name)
		list.Workflows = append(list.Workflows, w)
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s(%s): %s%s", w.Name, strings.Join(w.Inputs, ", "), w.Description, w.Problem), ": "))
	}
	if len(lines) == 0 {
		lines = []string{"no workflow is saved; save_workflow saves one"}
	}
	return list, strings.Join(lines, "\n"), nil
}

func (s *Server) workflowInfo(name string) workflowInfo {
	w := workflowInfo{Name: name}
	src, err := s.library.get(name)
	if err == nil {
		var p *workflows.Program
		if _, p, err = engine.Pack(src, s.o.Kinds, s.library.load); err == nil {
			w.Description = p.Description
			for _, v := range p.Variables {
				w.Inputs = append(w.Inputs, v.Name)
			}
		}
	}
	if err != nil {
		w.Problem, _, _ = strings.Cut(err.Error(), "\n")
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

func (s *Server) getWorkflow(_ context.Context, _ *call, a nameArgs) (workflowText, string, error) {
	src, err := s.library.get(a.Name)
	return workflowText{a.Name, string(src.Text)}, string(src.Text), err
}

type saveArgs struct {
	Name    string `json:"name" jsonschema:"letters, digits, - and _"`
	Text    string `json:"text" jsonschema:"the workflow, as YAML or JSON"`
	Replace bool   `json:"replace,omitempty" jsonschema:"put it in the place of the one with this name"`
}

type saved struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

func (s *Server) saveWorkflow(ctx context.Context, _ *call, a saveArgs) (saved, string, error) {
	if err := checkName(a.Name); err != nil {
		return saved{}, "", err
	}
	if _, _, err := s.compiled(a.Name, a.Text); err != nil {
		return saved{}, "", err
	}
	path, isNew, err := s.library.save(a.Name, []byte(a.Text), a.Replace)
	if err != nil {
		return saved{}, "", err
	}
	s.savedNews(ctx, a.Name, isNew)
	return saved{a.Name, path}, fmt.Sprintf("saved; run it with execute_sequence {\"url\": %q}", a.Name), nil
}

func (s *Server) compiled(name, text string) (engine.Bundle, *workflows.Program, error) {
	src := workflows.Source{Name: name, Dir: s.o.Folder, Text: []byte(text)}
	return engine.Pack(src, s.o.Kinds, s.library.load)
}

type validateArgs struct {
	Text string `json:"text,omitempty" jsonschema:"the workflow, as YAML or JSON"`
	Name string `json:"name,omitempty" jsonschema:"instead of text: a saved workflow"`
}

// verdict is what is wrong with a document.
type verdict struct {
	Valid    bool      `json:"valid"`
	Steps    int       `json:"steps,omitempty"`
	Inputs   []string  `json:"inputs,omitempty"`
	Problems []problem `json:"problems,omitempty"`
}

type problem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (s *Server) validateWorkflow(_ context.Context, _ *call, a validateArgs) (verdict, string, error) {
	text, name := a.Text, "workflow"
	if (a.Text == "") == (a.Name == "") {
		e := steps.Errorf(steps.Invalid, "wanted either text or name")
		e.Next = "give the workflow as text, or the name of a saved one"
		return verdict{}, "", e
	}
	if a.Name != "" {
		src, err := s.library.get(a.Name)
		if err != nil {
			return verdict{}, "", err
		}
		text, name = string(src.Text), a.Name
	}
	_, p, err := s.compiled(name, text)
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		v := verdict{}
		for _, x := range invalid.Problems {
			v.Problems = append(v.Problems, problem{x.Line, x.Column, x.Message, x.Hint})
		}
		return v, invalid.Error(), nil
	}
	if err != nil {
		return verdict{}, "", err
	}
	v := verdict{Valid: true}
	p.Walk(func(*workflows.Node) { v.Steps++ })
	for _, x := range p.Variables {
		v.Inputs = append(v.Inputs, x.Name)
	}
	return v, fmt.Sprintf("valid: %d steps", v.Steps), nil
}
