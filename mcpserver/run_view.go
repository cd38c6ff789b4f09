package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// runView is a run in a reply, in short unless more is requested.
type runView struct {
	RunID      string           `json:"run_id"`
	Workflow   string           `json:"workflow"`
	Status     engine.Status    `json:"status"`
	Position   int              `json:"position,omitempty"`
	Waits      string           `json:"waits,omitempty"`
	Attempt    int              `json:"attempt,omitempty"`
	DurationMS int64            `json:"duration_ms"`
	Executed   int              `json:"executed"`
	Total      int              `json:"total"`
	Errors     int              `json:"errors,omitempty"`
	Output     any              `json:"output,omitempty"`
	Error      *failure         `json:"error,omitempty"`
	ResumeFrom string           `json:"resume_from,omitempty"`
	Question   *engine.Question `json:"question,omitempty"`
	engine.Conclusion
	Steps      []any `json:"steps,omitempty"`
	StepsTotal int   `json:"steps_total,omitempty"`
}

// stepView is a step of a run, in short.
type stepView struct {
	ID         string     `json:"id,omitempty"`
	Path       string     `json:"path"`
	Kind       string     `json:"kind"`
	Status     string     `json:"status"`
	DurationMS int64      `json:"duration_ms"`
	Code       steps.Code `json:"code,omitempty"`
}

// normalSteps is how many steps an answer of normal verbosity lists.
const normalSteps = 50

// runReply returns the reply for a run, at a verbosity; with the last picture of the
// screen, if show is set.
func runReply(ctx context.Context, kinds []steps.Kind, runs engine.Runs, h engine.Header, v workflows.Verbosity, show bool) (*reply, error) {
	page := engine.Page{Limit: normalSteps}
	if v == workflows.Wordy {
		page.Limit = 0
	}
	r, err := runs.Report(ctx, h.ID, page)
	if err != nil {
		return nil, err
	}
	f := failureOfRun(h)
	if f != nil {
		f.addDoubt(r.Steps)
		acted := func(s engine.StepReport) bool {
			return s.Error != nil && s.Acted != "" && s.Acted != string(steps.ActedNo)
		}
		if f.ResumeFrom != "" && slices.ContainsFunc(r.Steps, acted) {
			p, err := runs.Plan(ctx, h.ID, engine.ResumeRequest{})
			f.Doubt = err == nil && p.Doubt
		}
	}
	out := &reply{value: viewOf(r, f, v), failure: f, text: runText(r)}
	switch {
	case v == workflows.Wordy:
		out.text += stepsText(ctx, kinds, runs, r, v)
	case len(r.Steps) == 1 && r.Output == nil && f == nil:
		out.text += resultText(ctx, kinds, runs, r.Steps[0])
	case f == nil:
		change, err := lastChange(ctx, runs, r)
		if err != nil {
			return nil, err
		}
		out.text += change
	}
	if v == workflows.Wordy {
		out.attachments = linksOf(r)
	}
	if show {
		err = out.lastPicture(ctx, runs, r)
	}
	return out, err
}

func viewOf(r engine.Report, f *failure, v workflows.Verbosity) runView {
	view := runView{
		RunID: r.RunID, Workflow: r.Workflow, Status: r.Status, Position: r.Position, Waits: r.Waits, Attempt: r.Attempt, DurationMS: r.DurationMS,
		Executed: r.Executed, Total: r.Total, Errors: r.Errors, Output: r.Output, Error: f, ResumeFrom: r.ResumeFrom,
		Question: r.Question, StepsTotal: r.StepsTotal, Conclusion: r.Conclusion,
	}
	for _, s := range r.Steps {
		switch {
		case v == workflows.Wordy:
			view.Steps = append(view.Steps, s)
		case v == workflows.Usual:
			short := stepView{ID: s.ID, Path: s.Path, Kind: s.Kind, Status: s.Status, DurationMS: s.DurationMS}
			if s.Error != nil {
				short.Code = s.Error.Code
			}
			view.Steps = append(view.Steps, short)
		}
	}
	return view
}

// stepCount says how many steps were executed, of how many.
func stepCount(executed, total int) words.Marked {
	if executed > total {
		return words.Say("%d steps", total)
	}
	return words.Say("%d of %d steps", executed, total)
}

// moreThanOnce says that steps were repeated, if they were.
func moreThanOnce(executed, total int) words.Marked {
	if executed > total {
		return ", some of them more than once"
	}
	return ""
}

// runText summarizes a run in one line.
func runText(r engine.Report) words.Marked {
	took := (time.Duration(r.DurationMS) * time.Millisecond).Round(time.Millisecond)
	text := words.Say("run %s %s: %s in %s%s", r.RunID, r.Status, stepCount(r.Executed, r.Total), took, moreThanOnce(r.Executed, r.Total))
	if r.Rounds > 0 && !r.Status.Ended() {
		text += words.Say(", in round %d of %d", r.Round, r.Rounds)
	}
	if r.Position > 0 {
		text += words.Say("; it is number %d in the queue", r.Position)
	}
	if r.Waits != "" {
		text += words.Say("; it waits: %s", r.Waits)
	}
	switch {
	case r.Errors == 0 || r.Status != engine.Succeeded:
	case r.Errors == 1:
		text += "; one failure was recovered or ignored"
	default:
		text += words.Say("; %d failures were recovered or ignored", r.Errors)
	}
	if acts := dryActs(r.Steps); len(acts) > 0 {
		text += "; as a dry run, so nothing was done: these would act: " + words.Join(acts, ", ")
	}
	if r.Output != nil {
		text += "; output " + outputText(r)
	}
	if r.Question != nil && r.Status == engine.Waiting {
		text += "\n" + words.Told(r.Question.Text) + "\nnext: " + nextOfQuestion(engine.Header{ID: r.RunID, Question: r.Question})
	}
	return text
}

// dryActs returns the steps that a dry run left out because they would act.
func dryActs(all []engine.StepReport) (acts []words.Marked) {
	for _, s := range all {
		if m, _ := s.Result.(map[string]any); m["dry_run"] == true {
			acts = append(acts, words.Say("%s %s", cmp.Or(s.ID, s.Path), s.Kind))
		}
	}
	return acts
}

// maxOutput bounds the output of a run in an answer.
const maxOutput = 8000

func outputText(r engine.Report) words.Marked {
	text, whole := words.JSONLine(r.Output, maxOutput)
	if !whole {
		text += words.Say(" (all of it: %s)", runURI+r.RunID)
	}
	return text
}

// stepsText lists the steps of a run, one per line; with their results, if the verbosity
// is wordy.
func stepsText(ctx context.Context, kinds []steps.Kind, runs engine.Runs, r engine.Report, v workflows.Verbosity) (text words.Marked) {
	for _, s := range r.Steps {
		text += words.Say("\n%s %s: %s %s %dms", s.Path, s.ID, s.Kind, s.Status, s.DurationMS)
		if s.Error != nil {
			text += words.Say(": %s: %s", s.Error.Code, s.Error.Message)
		}
		if v == workflows.Wordy {
			text += words.Indent(resultText(ctx, kinds, runs, s))
		}
	}
	if more := r.StepsTotal - len(r.Steps); more > 0 {
		text += words.Say("\n%d other steps are not listed: steps_offset and steps_limit of get_run choose them", more)
	}
	return text
}

// resultText returns the result of a step as its tool would write it.
func resultText(ctx context.Context, kinds []steps.Kind, runs engine.Runs, s engine.StepReport) words.Marked {
	k, _, ok := workflows.FindKind(kinds, s.Kind, nil)
	value, err := loadLarge(ctx, runs, s.Result)
	if !ok || err != nil || value == nil {
		return ""
	}
	return "\n" + textOf(k, value)
}

// lastChange tells what happened after the last act of a run that told it.
func lastChange(ctx context.Context, runs engine.Runs, r engine.Report) (words.Marked, error) {
	if len(r.Steps) < r.StepsTotal {
		var err error
		if r, err = runs.Report(ctx, r.RunID, engine.Page{Offset: max(0, r.StepsTotal-normalSteps)}); err != nil {
			return "", err
		}
	}
	for _, s := range slices.Backward(r.Steps) {
		m, _ := s.Result.(map[string]any)
		if text, _ := m["happened"].(string); text != "" {
			return words.Say("\nafter %s, %s:\n", cmp.Or(s.ID, s.Path), s.Kind) + words.Outline(text), nil
		}
	}
	return "", nil
}

// linksOf returns links to the pictures of the last step of a run.
func linksOf(r engine.Report) (links []mcp.Content) {
	if len(r.Steps) == 0 {
		return nil
	}
	for _, c := range r.Steps[len(r.Steps)-1].Captures {
		links = append(links, &mcp.ResourceLink{URI: c.URI, Name: c.When, MIMEType: pngType})
	}
	return links
}

// nextOfQuestion returns how to answer a waiting run.
func nextOfQuestion(h engine.Header) words.Marked {
	q := h.Question
	switch {
	case q == nil:
		return words.Say("resume_run {\"run_id\": %q}", h.ID)
	case q.Sort == engine.AskSecret:
		return secretCommand(h.ID, q.Choices)
	case q.Sort == engine.AskDoubt:
		return words.Say("look at the desktop, then resume_run {\"run_id\": %q, \"decision\": \"redo\" or \"skip\"}", h.ID)
	}
	return words.Say("ask the user, then resume_run {\"run_id\": %q, \"answer\": ...}", h.ID)
}

// secretCommand returns the command by which a person enters secrets.
func secretCommand(run string, names []string) words.Marked {
	text := words.Say("a secret cannot be given through this client; the user runs: understudy resume %s", run)
	for _, n := range names {
		text += words.Say(" --input %s=@FILE", n)
	}
	return text
}
