package viewer

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"understudy/engine"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// act is what a form on the page of a run asks for: a tool with its arguments.
type act struct {
	tool string
	args func(url.Values) (map[string]any, error)
	// again shows the page of the form with what went wrong; nil: that of the run.
	again func(v *Viewer, w http.ResponseWriter, r *http.Request, runs engine.Runs, status int, said string) error
}

func acts() map[string]act {
	return map[string]act{
		"resume":    {tool: "resume_run", args: resumeArgs},
		"answer":    {tool: "answer_run", args: answerArgs},
		"stop":      {tool: "stop_execution", args: func(url.Values) (map[string]any, error) { return map[string]any{"reason": "stopped on its page"}, nil }},
		"take-over": {tool: takeOverTool, args: noArgs, again: (*Viewer).showDesktop},
		"hand-back": {tool: "hand_back", args: noArgs, again: (*Viewer).showDesktop},
		"repair":    {tool: "repair_run", args: repairArgs, again: (*Viewer).showRepair},
	}
}

func noArgs(url.Values) (map[string]any, error) { return map[string]any{}, nil }

func resumeArgs(form url.Values) (map[string]any, error) {
	args := map[string]any{"wait": false}
	for _, key := range []string{"from", "decision"} {
		if value := form.Get(key); value != "" {
			args[key] = value
		}
	}
	if text := strings.TrimSpace(form.Get("inputs")); text != "" {
		inputs := map[string]any{}
		for line := range strings.Lines(text) {
			name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
			if !ok {
				return nil, steps.Errorf(steps.Invalid, "inputs: wanted a line NAME=VALUE for each, found %q", strings.TrimSpace(line))
			}
			inputs[strings.TrimSpace(name)] = valueOf(value)
		}
		args["inputs"] = inputs
	}
	return args, nil
}

func answerArgs(form url.Values) (map[string]any, error) {
	args := map[string]any{"wait": false}
	if choice := form.Get("choice"); choice != "" {
		args["choice"] = choice
	} else {
		args["value"] = form.Get("value")
	}
	return args, nil
}

// valueOf is what a person wrote: JSON where it is a number, a list or true, else
// the text itself.
func valueOf(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil && v != nil {
		return v
	}
	return text
}

// do does what a form asks for, and shows the run again.
func (v *Viewer) do(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	id, a := r.PathValue("id"), acts()[r.PathValue("act")]
	if a.tool == "" {
		return steps.Errorf(steps.NotFound, "the page of a run has no form %q", r.PathValue("act"))
	}
	if err := r.ParseForm(); err != nil {
		return steps.Errorf(steps.Invalid, "the form could not be read: %w", err)
	}
	if !auth.FromOwnPage(r) || !hmac.Equal([]byte(r.PostForm.Get("token")), []byte(token(r, id))) {
		return steps.Errorf(steps.Denied, "this form is not of a page that was shown to you; open /runs/%s and press the button there", id)
	}
	err := v.call(r, id, a)
	if err == nil && a.tool == "hand_back" && r.PostForm.Get("resume") != "" { // after the desktop was handed back
		a = acts()["resume"]
		err = v.call(r, id, a)
	}
	next := ""
	switch {
	case err != nil && a.again != nil:
		return a.again(v, w, r, runs, http.StatusConflict, err.Error())
	case a.tool == takeOverTool:
		next = "/desktop"
	case r.PostForm.Get("keep") != "": // what was done before the desktop was handed back
		next = "/repair"
	}
	if err == nil {
		http.Redirect(w, r, "/runs/"+url.PathEscape(id)+next, http.StatusSeeOther)
		return nil
	}
	p, failed := formPage(r, runs, id)
	if failed != nil {
		return failed
	}
	p.Said = err.Error()
	return show(w, http.StatusConflict, "run", p)
}

// call calls the tool of a form.
func (v *Viewer) call(r *http.Request, run string, a act) error {
	args, err := a.args(r.PostForm)
	if err != nil {
		return err
	}
	args["run_id"] = run
	return v.o.Do(r, a.tool, args)
}

// formKey makes the tokens of this process.
var formKey = []byte(rand.Text())

// token shows that a form was made for a person and a run. A page of another place
// cannot read it, so it cannot send such a form.
func token(r *http.Request, run string) string {
	who, _ := auth.From(r.Context())
	m := hmac.New(sha256.New, formKey)
	m.Write([]byte(who.Name + "\n" + run))
	return hex.EncodeToString(m.Sum(nil))
}

type planPage struct {
	frame
	engine.Plan
	Token, Said string
	Steps       []engine.StepReport // to begin again from
	From        string
}

// plan shows what resuming would do, before it is done.
func (v *Viewer) plan(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	id := r.PathValue("id")
	p := planPage{frame: frame{Title: "Resume " + id, Page: "runs"}, Token: token(r, id), From: r.FormValue("from")}
	var err error
	if p.Steps, err = namedSteps(r.Context(), runs, id); err != nil {
		return err
	}
	p.Plan, err = runs.Plan(r.Context(), id, engine.ResumeRequest{From: p.From})
	if err != nil {
		p.Said = err.Error()
		p.RunID = id
	}
	return show(w, http.StatusOK, "plan", p)
}

// namedSteps are the steps of a run that can be named to go on at.
func namedSteps(ctx context.Context, runs engine.Runs, id string) (named []engine.StepReport, err error) {
	report, err := runs.Report(ctx, id, engine.Page{})
	for _, s := range report.Steps {
		if s.ID != "" {
			named = append(named, s)
		}
	}
	return named, err
}
