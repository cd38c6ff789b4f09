package viewer

import (
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
}

var acts = map[string]act{
	"resume": {"resume_run", resumeArgs},
	"answer": {"answer_run", answerArgs},
	"stop":   {"stop_execution", func(url.Values) (map[string]any, error) { return map[string]any{"reason": "stopped on its page"}, nil }},
}

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
		args["value"] = valueOf(form.Get("value"))
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
	id, a := r.PathValue("id"), acts[r.PathValue("act")]
	if a.tool == "" {
		return steps.Errorf(steps.NotFound, "the page of a run has no form %q", r.PathValue("act"))
	}
	if err := r.ParseForm(); err != nil {
		return steps.Errorf(steps.Invalid, "the form could not be read: %w", err)
	}
	if !auth.FromOwnPage(r) || !hmac.Equal([]byte(r.PostForm.Get("token")), []byte(token(r, id))) {
		return steps.Errorf(steps.Denied, "this form is not of a page that was shown to you; open /runs/%s and press the button there", id)
	}
	args, err := a.args(r.PostForm)
	if err == nil {
		args["run_id"] = id
		err = v.o.Do(r, a.tool, args)
	}
	if err == nil {
		http.Redirect(w, r, "/runs/"+url.PathEscape(id), http.StatusSeeOther)
		return nil
	}
	p, failed := formPage(r, runs, id)
	if failed != nil {
		return failed
	}
	p.Said = err.Error()
	w.WriteHeader(http.StatusConflict)
	return show(w, "run", p)
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
	report, err := runs.Report(r.Context(), id, engine.Page{})
	if err != nil {
		return err
	}
	for _, s := range report.Steps {
		if s.ID != "" {
			p.Steps = append(p.Steps, s)
		}
	}
	p.Plan, err = runs.Plan(r.Context(), id, engine.ResumeRequest{From: p.From})
	if err != nil {
		p.Said = err.Error()
		p.RunID = id
	}
	return show(w, "plan", p)
}
