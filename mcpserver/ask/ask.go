// Package ask puts questions to the person behind an MCP client: what a run waits
// for, the inputs that a workflow lacks, and secrets, which are given on a page of
// this machine and so pass neither the client nor its model.
//
// A client of the versions with sessions is asked while its call is under way. A
// modern one is answered with the question and calls again with the answer;
// meanwhile the run waits in the store, and the sealed state that the client
// brings back names it.
//
// The package answers no run: it returns what the person said.
package ask

import (
	"cmp"
	"context"
	"crypto/cipher"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// answerKey is the key of the answer in the input responses of a modern client.
const answerKey = "answer"

// Asker puts questions. Make one with New.
type Asker struct {
	seal    cipher.AEAD
	secrets secretPages
	log     *slog.Logger
}

// New makes an asker. Nobody else can read the states that it seals.
func New(log *slog.Logger) *Asker { return &Asker{seal: newSeal(), log: log} }

func (a *Asker) Close() error { return a.secrets.close() }

// A Call is a call of a tool, whose client can be asked.
type Call struct {
	*mcp.CallToolRequest
	Client, Tool string
	Modern       bool     // the client calls again with the answer
	Meta         mcp.Meta // of the questions that are put while the call is under way
}

// elicits reports whether the client can put a question to a person, as a form or as
// the address of a page.
func (c Call) elicits(url bool) bool {
	caps := c.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	e := caps.Elicitation
	if url {
		return e.URL != nil
	}
	return e.Form != nil || e.URL == nil
}

// Elicits reports whether the client can put questions to a person.
func (c Call) Elicits() bool { return c.elicits(false) }

// response returns what a modern client brought back, or nil.
func (c Call) response() *mcp.ElicitResult {
	res, _ := c.Params.InputResponses[answerKey].(*mcp.ElicitResult)
	return res
}

func accepted(res *mcp.ElicitResult) *mcp.ElicitResult {
	if res == nil || res.Action != "accept" {
		return nil
	}
	return res
}

// elicit puts a question to a person. The result is nil if the person declined; a
// modern client is sent the pending result of its call instead.
func (a *Asker) elicit(ctx context.Context, c Call, q *mcp.ElicitParams, state State) (res *mcp.ElicitResult, pending *mcp.CallToolResult, err error) {
	q = sanitized(*q)
	if !c.Modern {
		q.Meta = c.Meta
		res, err := c.Session.Elicit(ctx, q)
		if err != nil && ctx.Err() == nil {
			a.log.Warn("question not answered", "client", c.Client, "error", err)
			return nil, nil, nil
		}
		return accepted(res), nil, err
	}
	sealed, err := a.sealState(c, state)
	if err != nil {
		return nil, nil, err
	}
	return nil, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{answerKey: q}, RequestState: sealed}, nil
}

// Run asks what a waiting run wants to know. It returns no answer and no pending
// result when the client cannot ask, the person declined or the call ended; then
// the run stays waiting.
func (a *Asker) Run(ctx context.Context, c Call, h engine.Header) (*engine.Answer, *mcp.CallToolResult, error) {
	secret := h.Question.Sort == engine.AskSecret
	if back := c.response(); !c.elicits(secret) || back != nil && accepted(back) == nil { // a person who declined is not asked again
		return nil, nil, nil
	}
	q := a.questionOf(h, c.Modern)
	if q == nil {
		return nil, nil, nil
	}
	state := State{Run: h.ID, Question: h.QuestionID(), Page: q.ElicitationID}
	res, pending, err := a.elicit(ctx, c, q, state)
	if pending == nil { // no later call brings the answer
		defer a.secrets.end(state.Page)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, nil
	case err != nil || pending != nil || res == nil:
		return nil, pending, err
	}
	return a.answer(ctx, h.Question, res, state), nil, nil
}

// questionOf returns the question of a waiting run as it is put: a form, or the address of
// a page for a secret, which lasts longer than the call if lasts is set. It returns nil if
// there can be no page.
func (a *Asker) questionOf(h engine.Header, lasts bool) *mcp.ElicitParams {
	if h.Question.Sort != engine.AskSecret {
		return formOf(h.Question)
	}
	token, address, err := a.secrets.open(h.ID, h.Question.Choices, lasts)
	if err != nil {
		a.log.Warn("no page for secrets", "error", err)
		return nil
	}
	return &mcp.ElicitParams{Mode: "url", Message: h.Question.Text, URL: address, ElicitationID: token}
}

// Open returns the question of a waiting run for a client that asks for the state of the
// run, or nil if the client cannot put it to a person.
func (a *Asker) Open(c Call, h engine.Header) *mcp.ElicitParams {
	if !c.elicits(h.Question.Sort == engine.AskSecret) {
		return nil
	}
	q := a.questionOf(h, true)
	if q == nil {
		return nil
	}
	return sanitized(*q)
}

// Answered returns the answer to the question of a waiting run that a client brought for
// Open. For a secret it waits until the page has it, or the context ends; then it returns
// nil.
func (a *Asker) Answered(ctx context.Context, h engine.Header, res *mcp.ElicitResult) *engine.Answer {
	q := a.questionOf(h, true)
	if q == nil {
		return nil
	}
	return a.answer(ctx, h.Question, res, State{Page: q.ElicitationID})
}

// answer converts the result of a form to the answer to a question. It returns nil if a
// secret was not given in time.
func (a *Asker) answer(ctx context.Context, q *engine.Question, res *mcp.ElicitResult, state State) *engine.Answer {
	if q.Sort != engine.AskSecret {
		return answerOf(q, res.Content)
	}
	given := a.secrets.wait(ctx, state.Page)
	if given == nil {
		return nil
	}
	return &engine.Answer{Secrets: given}
}

// pageTimeout bounds the wait for the answer on a page, after the client has reported
// that its user opened the page.
const pageTimeout = time.Minute

// Resumed returns the answer that a modern client brought back for a waiting run, or nil.
// A client that sends its answer again must not answer the next question with it.
func (a *Asker) Resumed(ctx context.Context, c Call, h engine.Header, state State) *engine.Answer {
	res := accepted(c.response())
	if res == nil || h.QuestionID() != state.Question {
		a.log.Info("question not answered", "run", h.ID, "client", c.Client)
		a.secrets.end(state.Page)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	return a.answer(ctx, h.Question, res, state)
}

// Inputs asks for the inputs that a program lacks, and returns those that a person
// gave. The run itself asks for secrets.
func (a *Asker) Inputs(ctx context.Context, c Call, p *workflows.Program, state State) (map[string]any, *mcp.CallToolResult, error) {
	missing := slices.DeleteFunc(p.Missing(nil), func(v workflows.Variable) bool { return v.Secret })
	if len(missing) == 0 {
		return nil, nil, nil
	}
	res := accepted(c.response())
	schema, ok := inputForm(missing)
	if !state.Inputs {
		if !ok || !c.elicits(false) {
			return nil, nil, errMissingInputs(missing)
		}
		q := &mcp.ElicitParams{Mode: "form", Message: cmp.Or(p.Name, "the workflow") + " needs inputs", RequestedSchema: schema}
		var pending *mcp.CallToolResult
		var err error
		if res, pending, err = a.elicit(ctx, c, q, State{Inputs: true}); err != nil || pending != nil {
			return nil, pending, err
		}
	}
	if res == nil {
		return nil, nil, errMissingInputs(missing)
	}
	return original(schema, res.Content), nil, nil
}

func errMissingInputs(missing []workflows.Variable) error {
	names := make([]string, len(missing))
	for i, v := range missing {
		names[i] = v.Name
		if v.Description != "" {
			names[i] += " (" + v.Description + ")"
		}
	}
	return steps.Errorf(steps.Invalid, "the workflow needs inputs that were not given: %v", names).
		WithNext(fmt.Sprintf("call again with inputs: {%q: ...}", missing[0].Name))
}
