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

// formAction is the action of a form on the page of a run: a tool with its arguments.
type formAction struct {
	tool string
	args func(v *Viewer, r *http.Request, runs engine.Runs, h engine.Header) (map[string]any, error)
	page runForms // shows the page of the form after a failure
}

func formActions() map[string]formAction {
	return map[string]formAction{
		"resume": {tool: "resume_run", args: (*Viewer).resumeArgs, page: (*Viewer).plan},
		"answer": {tool: "answer_run", args: (*Viewer).answerArgs, page: (*Viewer).run},
		"stop": {tool: "stop_execution", args: func(*Viewer, *http.Request, engine.Runs, engine.Header) (map[string]any, error) {
			return map[string]any{"reason": "stopped on its page"}, nil
		}, page: (*Viewer).run},
		"take-over": {tool: takeOverTool, args: noArgs, page: (*Viewer).desktop},
		"hand-back": {tool: "hand_back", args: noArgs, page: (*Viewer).desktop},
		"repair":    {tool: "repair_run", args: (*Viewer).repairArgs, page: (*Viewer).repair},
	}
}

func noArgs(*Viewer, *http.Request, engine.Runs, engine.Header) (map[string]any, error) {
	return map[string]any{}, nil
}

func (v *Viewer) resumeArgs(r *http.Request, runs engine.Runs, h engine.Header) (map[string]any, error) {
	args := map[string]any{"wait": false}
	for _, key := range []string{"from", "decision"} {
		if value := r.PostForm.Get(key); value != "" {
			args[key] = value
		}
	}
	if args["decision"] == "holds" { // proposed for the step at which the run stands, and for no other
		delete(args, "decision")
		if args["from"] == nil {
			args["decision"] = engine.DoneByHand
		}
	}
	text := strings.TrimSpace(r.PostForm.Get("inputs"))
	if text == "" {
		return args, nil
	}
	documents, err := v.o.DocumentsFor(r, "get_run")
	if err != nil {
		return nil, err
	}
	typed := typedFrom(r.PostForm)
	_, program, err := documents.Mended(r.Context(), runs, h, typed.Name, typed.Document)
	if err != nil {
		return nil, err
	}
	inputs := map[string]any{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, steps.Errorf(steps.Invalid, "inputs: wanted a line NAME=VALUE for each, found %q", line)
		}
		name = strings.TrimSpace(name)
		if inputs[name], err = inputValue(program, name, value); err != nil {
			return nil, err
		}
	}
	args["inputs"] = inputs
	return args, nil
}

func (*Viewer) answerArgs(r *http.Request, _ engine.Runs, h engine.Header) (map[string]any, error) {
	form := r.PostForm
	args := map[string]any{"wait": false}
	if form.Get("question") != h.QuestionID() { // a button was pressed twice, or somebody else was quicker
		return nil, steps.Errorf(steps.Invalid, "the run no longer asks that")
	}
	switch q := h.Question; {
	case q != nil && q.Sort == engine.AskSecret: // secrets are passed in Typed, not as arguments
	case q != nil && len(q.Fields) > 0:
		args["value"] = formValues(form, fieldsOf(q))
	case form.Get("choice") != "":
		args["choice"] = form.Get("choice")
	default:
		args["value"] = form.Get("value")
	}
	return args, nil
}

// valueOf decodes what a person entered: JSON if it is valid, else the text itself.
func valueOf(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil && v != nil {
		return v
	}
	return text
}

// typedFrom returns what a form holds beside the arguments of its tool.
func typedFrom(form url.Values) Typed {
	t := Typed{Secrets: map[string]string{}, Name: form.Get("of"), Document: normalizeLines(form.Get("document")), Fork: form.Get("fork") != ""}
	for key, values := range form {
		if name, ok := strings.CutPrefix(key, secretPrefix); ok && values[0] != "" {
			t.Secrets[name] = values[0]
		}
	}
	return t
}

// normalizeLines converts the line ends of a text field, which are CR LF.
func normalizeLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// errStale is the error of a form that a page of this process did not make for its sender.
var errStale = steps.Errorf(steps.Denied, "this form was not shown to you, or the server was restarted since; check it and press the button again")

// checkForm parses a form, and refuses it unless it comes from a page that was shown to
// its sender.
func checkForm(r *http.Request, subject string) error {
	if err := r.ParseForm(); err != nil {
		return steps.Errorf(steps.Invalid, "the form could not be read: %w", err)
	}
	if !auth.FromOwnPage(r) || !hmac.Equal([]byte(r.PostForm.Get("token")), []byte(token(r, subject))) {
		return errStale
	}
	return nil
}

// submit performs the action of a form, and shows the run again.
func (v *Viewer) submit(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	id, a := r.PathValue("id"), formActions()[r.PathValue("act")]
	if a.tool == "" {
		return steps.Errorf(steps.NotFound, "the page of a run has no form %q", r.PathValue("act"))
	}
	if err := checkForm(r, id); err != nil {
		return a.page(v, w, r, runs, err)
	}
	if a.tool == "resume_run" && r.PostForm.Get("check")+r.PostForm.Get("open") != "" {
		return v.plan(w, r, runs, nil)
	}
	shown, err := v.call(r, runs, a)
	if err == nil && a.tool == "hand_back" && r.PostForm.Get("resume") != "" { // resume once the desktop is handed back
		a = formActions()["resume"]
		shown, err = v.call(r, runs, a)
	}
	if err != nil {
		return a.page(v, w, r, runs, err)
	}
	next := ""
	switch {
	case a.tool == takeOverTool:
		next = "/desktop"
	case r.PostForm.Get("keep") != "": // show what was done on the desktop
		next = "/repair"
	}
	http.Redirect(w, r, "/runs/"+url.PathEscape(shown)+next, http.StatusSeeOther)
	return nil
}

// call calls the tool of a form, and returns the run to show next.
func (v *Viewer) call(r *http.Request, runs engine.Runs, a formAction) (id string, err error) {
	h, err := runs.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return "", err
	}
	args, err := a.args(v, r, runs, h)
	if err != nil {
		return "", err
	}
	args["run_id"] = h.ID
	typed := typedFrom(r.PostForm)
	raw, err := v.o.Do(r, Call{a.tool, args, typed})
	if err != nil || !typed.Fork {
		return h.ID, err
	}
	var made struct {
		RunID string `json:"run_id"`
	}
	err = json.Unmarshal(raw, &made)
	return made.RunID, err
}

// formKey signs the tokens of forms; it is new in each process.
var formKey = []byte(rand.Text())

// token proves that a form was made for a person, and for a run or a page. Pages of
// other sites cannot read it, so they cannot send such a form.
func token(r *http.Request, subject string) string {
	who, _ := auth.From(r.Context())
	m := hmac.New(sha256.New, formKey)
	m.Write([]byte(who.Name + "\n" + subject))
	return hex.EncodeToString(m.Sum(nil))
}

// namedSteps returns the steps of a run that have an id, at which it can continue.
func namedSteps(ctx context.Context, runs engine.Runs, id string) (named []engine.StepReport, err error) {
	report, err := runs.Report(ctx, id, engine.Page{})
	for _, s := range report.Steps {
		if s.ID != "" {
			named = append(named, s)
		}
	}
	return named, err
}
