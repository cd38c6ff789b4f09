package engine

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"
)

// Report is a run as it is shown: its header, and what its steps did, in order of
// execution.
type Report struct {
	RunID      string       `json:"run_id"`
	Workflow   string       `json:"workflow"`
	Status     Status       `json:"status"`
	Position   int          `json:"position,omitempty"` // as in Header
	Waits      string       `json:"waits,omitempty"`    // as in Header
	Attempt    int          `json:"attempt"`
	StartedAt  time.Time    `json:"started_at"`
	DurationMS int64        `json:"duration_ms"`
	Executed   int          `json:"executed"`
	Round      int          `json:"round,omitempty"`
	Rounds     int          `json:"rounds,omitempty"`
	Total      int          `json:"total"`
	Errors     int          `json:"errors,omitempty"`
	Output     any          `json:"output"`
	Parent     string       `json:"parent"`
	Error      *ErrorRecord `json:"error"`
	ResumeFrom string       `json:"resume_from,omitempty"`
	Question   *Question    `json:"question,omitempty"`
	Conclusion
	Steps []StepReport `json:"steps"`
	// StepsTotal is the number of executions; Steps holds one page of them.
	StepsTotal int `json:"steps_total"`
}

// StepReport is one execution of a step.
type StepReport struct {
	Path       string          `json:"path"`
	ID         string          `json:"id"`
	Kind       string          `json:"kind"`
	Status     string          `json:"status"`
	Attempts   int             `json:"attempts"`
	DurationMS int64           `json:"duration_ms"`
	Acted      string          `json:"acted,omitempty"`
	Result     any             `json:"result"`
	Error      *ErrorRecord    `json:"error"`
	Captures   []CaptureReport `json:"captures"`
	Run        int             `json:"attempt"` // the attempt of the run
	StartedAt  time.Time       `json:"started_at"`

	paged bool // it is on the requested page
}

// CaptureReport is a picture of a step.
type CaptureReport struct {
	When string `json:"when"`
	Try  int    `json:"try"`
	URI  string `json:"uri"`
	Hash string `json:"-"`

	takenAt time.Time
}

// Page selects the executions in a report.
type Page struct {
	Offset int  `json:"offset,omitempty"`
	Limit  int  `json:"limit,omitempty"` // 0: 200
	All    bool `json:"all,omitempty"`
}

const defaultPage = 200

// PicturesOf returns the hashes of the pictures that an event refers to: pictures
// before and after a step, and pictures that are the result of a step.
func PicturesOf(ev Event) (hashes []string) {
	var said struct {
		Hash    string `json:"hash"`
		Outcome struct {
			Result struct {
				URI         string   `json:"uri"`
				Screenshots []string `json:"screenshots"`
			} `json:"result"`
		} `json:"outcome"`
	}
	if ev.Type != EvCaptured && ev.Type != EvEnded && ev.Type != EvTaken && ev.Type != EvReturned || json.Unmarshal(ev.Data, &said) != nil {
		return nil
	}
	for _, uri := range append(said.Outcome.Result.Screenshots, said.Outcome.Result.URI) {
		if hash, ok := strings.CutPrefix(uri, CaptureURI("")); ok {
			hashes = append(hashes, hash)
		}
	}
	if ev.Type != EvEnded && said.Hash != "" {
		hashes = append(hashes, said.Hash)
	}
	return hashes
}

// CaptureURI returns the URI of a picture for clients.
func CaptureURI(hash string) string { return "understudy://captures/" + hash }

// Report returns what a run did. The execution that failed is always included.
func (e *Engine) Report(ctx context.Context, id string, p Page) (Report, error) {
	h, err := e.Get(ctx, id)
	if err != nil {
		return Report{}, err
	}
	return ReportOf(h, e.Store.Events(ctx, id, 1), p)
}

// ReportOf builds a report from all events of a run.
func ReportOf(h Header, events iter.Seq2[Event, error], p Page) (Report, error) {
	b := reporter{page: p, current: map[string]*StepReport{}}
	if b.page.Limit <= 0 {
		b.page.Limit = defaultPage
	}
	for ev, err := range events {
		if err != nil {
			return Report{}, err
		}
		if err := b.add(ev); err != nil {
			return Report{}, err
		}
	}
	return b.report(h), nil
}

type reporter struct {
	page    Page
	steps   []*StepReport // on the page
	count   int           // executions so far
	failed  *StepReport   // the last one that failed
	last    *StepReport   // the last one that was started
	current map[string]*StepReport
	output  any

	running time.Duration // until since, without the time in which the run stood still
	since   time.Time     // the last event while the run was under way; else zero

	question *StepReport // that waits for an answer
}

func (b *reporter) add(ev Event) error {
	b.measure(ev)
	switch ev.Type {
	case EvCreated, EvContinued, EvFinished, EvPaused:
		return nil // their data is large and not needed
	}
	fact, err := Fact(ev)
	switch f := fact.(type) {
	case Resumed:
		if b.last != nil && b.last.Status == string(Running) {
			b.last.Status = string(Interrupted)
		}
		if f.Base == 0 && f.From == "" {
			b.decided(f.Decision)
		}
	case Answered:
		b.answered(f)
	case Question:
		b.asked(ev, f)
	case Started:
		b.started(ev, f)
	case Ended:
		b.ended(ev, f)
	case Evaluated:
		b.evaluated(ev, f)
	case SkippedStep:
		if s := b.current[ev.Path]; s != nil { // interrupted, and then skipped
			s.Status, s.Error = Skipped, nil
			break
		}
		b.skipped(ev, f.ID)
	case Captured:
		if s := b.current[ev.Path]; s != nil {
			s.Captures = append(s.Captures, CaptureReport{When: f.When, Try: f.Try, URI: CaptureURI(f.Hash), Hash: f.Hash, takenAt: f.TakenAt})
			// an earlier picture may have been stored later
			slices.SortStableFunc(s.Captures, func(a, b CaptureReport) int { return a.takenAt.Compare(b.takenAt) })
		}
	}
	return err
}

// measure adds the time since the last event to the duration of the run, so that a run
// under way, and one that was cut short, have lasted until their last event.
func (b *reporter) measure(ev Event) {
	switch ev.Type {
	case EvCreated, EvResumed, EvContinued, EvAnswered:
		b.since = ev.At
	case EvFinished, EvPaused, EvAsked:
		b.lasted(ev.At)
		b.since = time.Time{}
	case EvTaken, EvReturned: // of a run at rest, and perhaps one that was cut short long ago
	default:
		b.lasted(ev.At)
	}
}

// lasted adds the time until now, unless the run stands still.
func (b *reporter) lasted(now time.Time) {
	if !b.since.IsZero() {
		b.running += now.Sub(b.since)
		b.since = now
	}
}

// begin counts an execution, and adds it if it is on the page.
func (b *reporter) begin(ev Event, id, kind string) *StepReport {
	s := &StepReport{Path: ev.Path, ID: id, Kind: kind, Captures: []CaptureReport{}, Run: ev.Attempt, StartedAt: ev.At}
	if b.page.All || b.count >= b.page.Offset && b.count < b.page.Offset+b.page.Limit {
		b.steps, s.paged = append(b.steps, s), true
	}
	b.count++
	b.current[ev.Path] = s
	return s
}

func (b *reporter) started(ev Event, st Started) {
	s := b.current[ev.Path]
	if st.Try == 1 || s == nil {
		s = b.begin(ev, st.ID, st.Kind)
	}
	s.Attempts, s.Status, s.Error = st.Try, string(Running), nil
	b.last = s
}

func (b *reporter) ended(ev Event, end Ended) {
	s := b.current[ev.Path]
	if s == nil {
		s = b.begin(ev, end.ID, "")
	}
	s.Status, s.Result, s.Error, s.Acted = end.Outcome.Status, end.Outcome.Result, end.Outcome.Error, string(end.Outcome.Acted)
	s.DurationMS += end.Duration.Milliseconds()
	b.conclude(s)
}

func (b *reporter) asked(ev Event, q Question) {
	if q.Sort != AskUser {
		return
	}
	if b.question = b.current[ev.Path]; b.question == nil || b.question.Status != string(Waiting) {
		b.question = b.begin(ev, q.ID, AskUser)
	}
	b.question.Status, b.question.Attempts = string(Waiting), 1
}

// decided notes a decision about a step that was cut short.
func (b *reporter) decided(choice string) {
	if became := map[string]string{SkipStep: Skipped, DoneByHand: Success}[choice]; became != "" && b.last != nil && b.last.Status == string(Interrupted) {
		b.last.Status = became
	}
}

func (b *reporter) answered(a Answered) {
	if b.question == nil {
		b.decided(a.Choice)
		return
	}
	b.question.Status, b.question.Result = Success, map[string]any{"answer": a.Value}
	b.conclude(b.question)
	b.question = nil
}

// conclude drops an execution that will not be shown, so that the memory for a report
// does not grow with the length of the run.
func (b *reporter) conclude(s *StepReport) {
	if s.Error != nil {
		b.failed = s
	}
	if !s.paged && s != b.failed {
		delete(b.current, s.Path)
	}
}

// evaluated adds the evaluations that determine the outcome of a step.
func (b *reporter) evaluated(ev Event, e Evaluated) {
	switch {
	case e.Purpose == TheIf && e.Error == nil && !e.Holds:
		b.conclude(b.skipped(ev, e.ID))
	case e.Purpose == TheOutput && ev.Path == "": // or it is of a called workflow
		b.output = e.Value
	case e.Error != nil && e.Purpose != TheSelectors && e.Purpose != TheOutput:
		s := b.current[ev.Path]
		if s == nil || e.Purpose == TheIf {
			s = b.begin(ev, e.ID, "")
		}
		s.Status, s.Error = Errored, e.Error
		b.conclude(s)
	case e.Purpose == TheRecheck && e.Holds:
		if s := b.current[ev.Path]; s != nil {
			s.Status, s.Error = Success, nil
		}
	}
}

func (b *reporter) skipped(ev Event, id string) *StepReport {
	s := b.begin(ev, id, "")
	s.Status = Skipped
	return s
}

func (b *reporter) report(h Header) Report {
	r := Report{
		RunID: h.ID, Workflow: h.Workflow, Status: h.Status, Position: h.Position, Waits: h.Waits, Attempt: h.Attempt, StartedAt: h.StartedAt,
		Executed: h.Executed, Round: h.Round, Rounds: h.Rounds, Total: h.Total, Errors: h.Errors, Output: b.output, Parent: h.Parent, Error: h.Error,
		ResumeFrom: h.ResumeFrom, Question: h.Question, StepsTotal: b.count, Steps: []StepReport{},
		DurationMS: b.running.Milliseconds(), Conclusion: h.Conclusion(),
	}
	if b.failed != nil && !b.failed.paged {
		b.steps = append(b.steps, b.failed)
	}
	for _, s := range b.steps {
		if s.Status == string(Running) && h.Status != Running {
			s.Status = string(h.Status)
		}
		r.Steps = append(r.Steps, *s)
	}
	return r
}
