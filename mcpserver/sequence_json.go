package mcpserver

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"understudy/engine"
	"understudy/internal/words"
)

// sequenceJSON is a run as Terminator's agent answers execute_sequence, for programs that
// parse that answer, with the fields of our own that they need to continue the run.
type sequenceJSON struct {
	Action     string           `json:"action"`
	Status     string           `json:"status"`
	Total      int              `json:"total_tools"`
	Executed   int              `json:"executed_tools"`
	Results    int              `json:"total_results"`
	DurationMS int64            `json:"total_duration_ms"`
	Timestamp  time.Time        `json:"timestamp"`
	Fallback   bool             `json:"used_fallback"`
	Steps      []sequenceResult `json:"results"`
	Env        map[string]any   `json:"env"`
	Parsed     any              `json:"parsed_output,omitempty"`
	RunID      string           `json:"run_id"`
	Error      *failure         `json:"error,omitempty"`
	ResumeFrom string           `json:"resume_from,omitempty"`
	Question   *engine.Question `json:"question,omitempty"`
}

// sequenceResult is one execution of a step.
type sequenceResult struct {
	ToolName   string `json:"tool_name"`
	Index      int    `json:"index"`
	Status     string `json:"status"`
	DurationMS int64  `json:"duration_ms"`
	StepID     string `json:"step_id,omitempty"`
	Executed   bool   `json:"executed"`
	Result     any    `json:"result,omitempty"`
	Error      string `json:"error,omitempty"`
}

// sequenceStatus has the words of that agent for the status of a run or a step. Others
// are the same in both.
var sequenceStatus = map[string]string{
	string(engine.Succeeded): "executed_without_error", string(engine.Failed): "executed_with_error", string(engine.Success): "executed_without_error",
}

func sequenceWord(status string) string {
	if word, ok := sequenceStatus[status]; ok {
		return word
	}
	return status
}

// asSequenceJSON replaces the value and the text of the reply for a run. The answer about
// a run that failed is no error there: its status says so.
func (r *reply) asSequenceJSON(ctx context.Context, runs engine.Runs, id string) error {
	report, err := runs.Report(ctx, id, engine.Page{All: true})
	if err != nil {
		return err
	}
	events, err := runs.Events(ctx, id, 1)
	if err != nil {
		return err
	}
	view := sequenceJSON{
		Action: "execute_sequence", Status: sequenceWord(string(statusWithErrors(report))), Fallback: usedFallback(events), Total: report.Total, Executed: report.Executed, Results: len(report.Steps), DurationMS: report.DurationMS,
		Timestamp: time.Now().UTC(), Steps: []sequenceResult{}, Env: envOf(events), Parsed: report.Output, RunID: report.RunID, Error: r.failure, ResumeFrom: report.ResumeFrom, Question: report.Question,
	}
	for i, s := range report.Steps {
		view.add(i, s)
	}
	r.value, r.failure = view, nil
	r.text, _ = words.JSONLine(view, math.MaxInt)
	return nil
}

// statusWithErrors returns the status of a run as that agent counts: a failure that a
// fallback or continue_on_error dealt with is one too.
func statusWithErrors(r engine.Report) engine.Status {
	if r.Status == engine.Succeeded && r.Errors > 0 {
		return engine.Failed
	}
	return r.Status
}

func usedFallback(events []engine.Event) bool {
	return slices.ContainsFunc(events, func(ev engine.Event) bool {
		fact, _ := engine.Fact(ev)
		m, ok := fact.(engine.Moved)
		return ok && m.Why == "fallback"
	})
}

func (v *sequenceJSON) add(i int, s engine.StepReport) {
	one := sequenceResult{
		ToolName: s.Kind, Index: i, Status: sequenceWord(s.Status), DurationMS: s.DurationMS, StepID: s.ID,
		Executed: s.Status != string(engine.Skipped), Result: s.Result,
	}
	if s.Error != nil {
		one.Error = s.Error.Message
	}
	v.Steps = append(v.Steps, one)
	if s.ID != "" {
		v.Env[s.ID+"_status"] = one.Status
		if s.Result != nil {
			v.Env[s.ID+"_result"] = s.Result
		}
	}
}

// envOf returns the values that the steps of a run set, as they are stored: without
// secrets.
func envOf(events []engine.Event) map[string]any {
	env := map[string]any{}
	for _, ev := range events {
		fact, _ := engine.Fact(ev)
		if end, ok := fact.(engine.Ended); ok {
			maps.Copy(env, end.Sets)
		}
	}
	return env
}
