package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// A question to a person goes through the client. A client of the versions with
// sessions is asked while its call is under way. A modern one is answered with
// the question and calls again with the answer; meanwhile the run waits in the
// store, and the state that the client brings back names it.

// theAnswer is the name of a question in what a modern client brings back.
const theAnswer = "answer"

// asks says whether a client can put a question to a person.
func (c *call) asks(url bool) bool {
	caps := c.req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	e := caps.Elicitation
	if url {
		return e.URL != nil
	}
	return e.Form != nil || e.URL == nil
}

// elicit puts a question. A modern client gets it as the result of its call.
func (s *Server) elicit(ctx context.Context, c *call, q *mcp.ElicitParams, state parked) (*mcp.ElicitResult, *reply, error) {
	if !c.modern() {
		res, err := c.req.Session.Elicit(ctx, q)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Warn("question not answered", "client", c.name, "error", err)
			return &mcp.ElicitResult{Action: "cancel"}, nil, nil
		}
		return res, nil, err
	}
	sealed, err := s.sealState(c, state)
	if err != nil {
		return nil, nil, err
	}
	return nil, &reply{pending: &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{theAnswer: q}, RequestState: sealed}}, nil
}

// brought is the answer that a modern client brought back; nil: none.
func (c *call) brought() *mcp.ElicitResult {
	res, _ := c.req.Params.InputResponses[theAnswer].(*mcp.ElicitResult)
	return res
}

// question asks what a waiting run wants to know, when the client can. It says
// whether the run goes on; if not, and there is no reply, the run stays waiting.
func (s *Server) question(ctx context.Context, c *call, runs engine.Runs, h *engine.Header) (out *reply, goesOn bool, err error) {
	q := h.Question
	if h.Status != engine.Waiting || q == nil {
		return nil, false, nil
	}
	if q.Sort == engine.AskSecret {
		return s.askSecret(ctx, c, runs, h)
	}
	if !c.asks(false) {
		return nil, false, nil
	}
	res, out, err := s.elicit(ctx, c, formOf(q), parked{Run: h.ID})
	if err != nil && ctx.Err() != nil { // the call ended; the run goes on waiting
		return nil, false, nil
	}
	if err != nil || out != nil {
		return out, false, err
	}
	return s.take(ctx, c, runs, h, res)
}

// take answers a run with what a person said.
func (s *Server) take(ctx context.Context, c *call, runs engine.Runs, h *engine.Header, res *mcp.ElicitResult) (*reply, bool, error) {
	if res == nil || res.Action != "accept" || h.Question == nil {
		return nil, false, nil
	}
	a := answerOf(h.Question, res.Content)
	a.By, a.Environ = c.id(), s.o.Environ
	next, err := runs.Answer(context.WithoutCancel(ctx), h.ID, a)
	if err != nil {
		return nil, false, err
	}
	*h = next
	s.inflight.noteRun(h.ID, c.caller)
	return nil, true, nil
}

// formOf is the question of a run as a form.
func formOf(q *engine.Question) *mcp.ElicitParams {
	message := q.Text
	if q.Context != "" {
		message += "\n" + q.Context
	}
	p := &mcp.ElicitParams{Mode: "form", Message: message}
	switch {
	case q.Sort == engine.AskDoubt:
		p.RequestedSchema = object("choice", map[string]any{"type": "string", "enum": q.Choices})
	case len(q.Fields) > 0:
		p.RequestedSchema = map[string]any{"type": "object", "properties": q.Fields, "required": slices.Sorted(maps.Keys(q.Fields))}
	case len(q.Choices) > 0:
		p.RequestedSchema = object(theAnswer, map[string]any{"type": "string", "enum": q.Choices})
	default:
		p.RequestedSchema = object(theAnswer, map[string]any{"type": "string"})
	}
	return p
}

func object(name string, schema map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{name: schema}, "required": []string{name}}
}

// answerOf is a filled form as the answer of a run.
func answerOf(q *engine.Question, content map[string]any) engine.Answer {
	switch {
	case q.Sort == engine.AskDoubt:
		choice, _ := content["choice"].(string)
		return engine.Answer{Choice: choice}
	case len(q.Fields) > 0:
		return engine.Answer{Value: content}
	}
	return engine.Answer{Value: content[theAnswer]}
}

// goOn takes up a run whose question a modern client brought an answer to.
func (s *Server) goOn(ctx context.Context, c *call, state parked) (*reply, error) {
	b := func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		h, err := runs.Get(ctx, state.Run)
		if err != nil || h.Status != engine.Waiting {
			return h, err
		}
		if h.Question != nil && h.Question.Sort == engine.AskSecret {
			return s.givenSecrets(ctx, c, runs, h, state)
		}
		_, _, err = s.take(ctx, c, runs, &h, c.brought())
		return h, err
	}
	once := c.brought()
	return s.play(ctx, c, b, func(ctx context.Context, runs engine.Runs, h engine.Header) (*reply, error) {
		if once == nil || once.Action != "accept" {
			s.o.Log.Info("question declined", "run", h.ID, "client", c.name)
		}
		if k, ok := steps.Find(s.o.Kinds, h.Call); ok {
			_, show := takenOut(k, c.args)
			return kindReply(ctx, runs, k, h, show)
		}
		return runReply(ctx, runs, h, workflows.Usual, c.flag(includeImage))
	})
}

// missing asks for the inputs that a program lacks, and gives those that a
// person gave. Secrets are asked for by the run itself.
func (s *Server) missing(ctx context.Context, c *call, p *workflows.Program, state parked) (map[string]any, *reply, error) {
	var lacking []workflows.Variable
	for _, v := range p.Missing(nil) {
		if !v.Secret {
			lacking = append(lacking, v)
		}
	}
	if len(lacking) == 0 {
		return nil, nil, nil
	}
	if state.Inputs {
		if res := c.brought(); res != nil && res.Action == "accept" {
			return res.Content, nil, nil
		}
		return nil, nil, lacks(lacking)
	}
	schema, ok := inputForm(lacking)
	if !ok || !c.asks(false) {
		return nil, nil, lacks(lacking)
	}
	q := &mcp.ElicitParams{Mode: "form", Message: fmt.Sprintf("%s needs inputs", title(p)), RequestedSchema: schema}
	res, out, err := s.elicit(ctx, c, q, parked{Inputs: true})
	if err != nil || out != nil {
		return nil, out, err
	}
	if res.Action != "accept" {
		return nil, nil, lacks(lacking)
	}
	return res.Content, nil, nil
}

func title(p *workflows.Program) string {
	if p.Name == "" {
		return "the workflow"
	}
	return p.Name
}

// lacks is the error for inputs that nobody gave.
func lacks(missing []workflows.Variable) error {
	names := make([]string, len(missing))
	for i, v := range missing {
		names[i] = v.Name
		if v.Description != "" {
			names[i] += " (" + v.Description + ")"
		}
	}
	e := steps.Errorf(steps.Invalid, "the workflow needs inputs that were not given: %v", names)
	e.Next = fmt.Sprintf("call again with inputs: {%q: ...}", missing[0].Name)
	return e
}

// inputForm is a form for variables; forms hold plain values only.
func inputForm(missing []workflows.Variable) (map[string]any, bool) {
	properties, names := map[string]any{}, []string{}
	for _, v := range missing {
		p := map[string]any{"type": v.Type}
		switch v.Type {
		case "string", "number", "boolean":
		case "enum":
			options := []string{}
			for _, o := range v.Options {
				text, ok := o.(string)
				if !ok {
					return nil, false
				}
				options = append(options, text)
			}
			p["type"], p["enum"] = "string", options
		default:
			return nil, false
		}
		if v.Label != "" {
			p["title"] = v.Label
		}
		if v.Description != "" {
			p["description"] = v.Description
		}
		properties[v.Name], names = p, append(names, v.Name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": names}, true
}
