package mcpserver

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// failure is an error of a tool as clients see it.
type failure struct {
	Code       steps.Code          `json:"code"`
	Message    string              `json:"message"`
	Step       string              `json:"step,omitempty"`
	Candidates []steps.Candidate   `json:"candidates,omitempty"`
	Next       string              `json:"next,omitempty"`
	RunID      string              `json:"run_id,omitempty"`
	ResumeFrom string              `json:"resume_from,omitempty"`
	Problems   []workflows.Problem `json:"problems,omitempty"`
	Doubt      bool                `json:"doubt,omitempty"` // a decision about ResumeFrom is needed
}

// failureKey is the key of the failure in the metadata of a result.
const failureKey = "understudy/error"

func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	e := steps.AsError(err)
	f := &failure{Code: e.Code, Step: e.Step, Next: toolAdvice.Replace(e.Next), Candidates: e.Candidates}
	if e.Err != nil {
		f.Message = e.Err.Error()
	}
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		f.Code, f.Problems = steps.Invalid, invalid.Problems
		f.Next = "correct the document; validate_workflow checks it without running it"
	}
	return f
}

// failureOfRun returns why a run did not succeed, or nil if it did, or if it waits.
func failureOfRun(h engine.Header) *failure {
	switch h.Status {
	case engine.Failed, engine.Cancelled, engine.Interrupted:
	default:
		return nil
	}
	f := &failure{Code: steps.Internal, Message: "the run is " + string(h.Status), RunID: h.ID, ResumeFrom: h.ResumeFrom}
	if h.Status == engine.Cancelled {
		f.Code = steps.Cancelled
	}
	if h.Error != nil {
		f.Code, f.Message, f.Step = h.Error.Code, h.Error.Message, h.Error.Step
		f.Next, f.Candidates = toolAdvice.Replace(h.Error.Next), h.Error.Candidates
	}
	return f
}

// addDoubt says first in Next that a step which was cut short may have acted. The steps
// are those of the run, of which the last that was stopped is meant.
func (f *failure) addDoubt(all []engine.StepReport) {
	for _, s := range slices.Backward(all) {
		if s.Status != engine.Stopped {
			continue
		}
		if s.Acted != string(steps.ActedNo) && s.Acted != "" {
			doubt := fmt.Sprintf("look at the desktop before you repeat anything: %s may have acted in part before it was stopped", s.Kind)
			f.Next = strings.TrimSuffix(doubt+"; "+f.Next, "; ")
		}
		return
	}
}

// toolAdvice replaces advice for the command line by advice for callers of tools.
var toolAdvice = strings.NewReplacer(
	"with --from STEP", `with resume_run {"run_id": RUN, "from": STEP}`,
	", with --from", `: resume_run {"run_id": RUN, "from": STEP}`,
	"--from ", `resume_run with "from": `,
	"with --input name=value, or under inputs", "under inputs",
	", or use --force if the difference does not matter", ": a step that succeeded cannot be changed",
	"or queue this run", `or run it with execute_sequence and "queue": true`,
	"resume the run when you are ready", "", // a run that can be resumed is named, and a single call is made again
	"answer it instead of resuming", `give the answer: resume_run {"run_id": RUN, "answer": ...}`,
)

// addAdvice adds to Next that the kinds it mentions can be steps of a sequence, if the
// client may use them but is not offered them as tools.
func (f *failure) addAdvice(kinds []steps.Kind, p access.Subject) {
	for _, k := range kinds {
		if t := access.Of(k); mentions(f.Next, k.Name) && !p.Offers(t) && p.May(t) == nil {
			f.Next += fmt.Sprintf(" (%s is no tool here, but can be a step of execute_sequence)", k.Name)
		}
	}
}

// mentions reports whether a text contains the name of a kind as a whole word. Names that
// are words of English do not count: "scroll it into view" is no advice to use scroll.
func mentions(text, name string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) })
	return strings.Contains(name, "_") && slices.Contains(words, name)
}

func (f *failure) Error() string { return f.Message }

// counted says of a step without an id, which is named by its place, how that counts.
func counted(step string) words.Marked {
	if _, err := strconv.Atoi(step[strings.LastIndexByte(step, '.')+1:]); err == nil {
		return words.Say(" (counted from 0)")
	}
	return ""
}

// text returns the failure as text for a model: what failed, which elements nearly
// matched, and what to do next.
func (f *failure) text() words.Marked {
	text := words.Say("%s: ", f.Code)
	if f.Step != "" && f.RunID != "" && f.ResumeFrom != "" {
		text += words.Say("step %s", f.Step) + counted(f.Step) + ": "
	}
	if strings.Contains(f.Message, "\n") {
		text += "\n"
	}
	text += words.Told(f.Message)
	for _, c := range f.Candidates {
		if strings.Contains(f.Message, c.Selector) {
			continue // already reported
		}
		text += words.Say("\ntried %s: %d matches", c.Selector, c.Matches)
		if c.Element != "" {
			text += words.Say(", such as %s", c.Element)
		}
	}
	if f.Next != "" {
		text += "\nnext: " + words.Ours(words.Line(f.Next))
	}
	if f.Doubt && f.RunID != "" && f.ResumeFrom != "" {
		return text + words.Say("\nrun %s stopped in step %s, which may have acted: look at the desktop, then resume_run {\"run_id\": %q, \"decision\": \"redo\" or \"skip\"}", f.RunID, f.ResumeFrom, f.RunID)
	}
	if f.RunID != "" && f.ResumeFrom != "" {
		text += words.Say("\nrun %s continues at step %s: resume_run {\"run_id\": %q}; when the step itself is wrong, with \"workflow\": the whole document with that step corrected",
			f.RunID, f.ResumeFrom, f.RunID)
	}
	return text
}
