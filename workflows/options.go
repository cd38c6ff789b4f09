package workflows

import (
	"cmp"
	"maps"
	"slices"

	"understudy/internal/words"
)

func (u *unit) runOptions() Options {
	d := u.doc
	d.checkContinue(u.report)
	u.checkRange(d.StartFrom)
	u.checkRange(d.EndAt)
	return Options{
		StopOnError:      d.StopOnError.or(!d.Continue.or(false)),
		Timeout:          d.Timeout.std(),
		Screenshots:      Policy(d.Screenshots.str()),
		StartFrom:        d.StartFrom.str(),
		EndAt:            d.EndAt.str(),
		FollowFallback:   d.FollowFall.or(d.EndAt.value == nil),
		JumpsAtEnd:       d.JumpsAtEnd.or(false),
		DetailedResults:  d.Detailed.or(true),
		Verbosity:        Verbosity(cmp.Or(d.Verbosity.str(), string(Usual))),
		WorkflowID:       d.WorkflowID.str(),
		TraceID:          d.TraceID.str(),
		ExecutionID:      d.ExecutionID.str(),
		MaxSteps:         u.maxSteps(),
		Durability:       Durability(cmp.Or(d.Durability.str(), string(Always))),
		ResumesItself:    d.Resume.value != nil,
		OnLostDesktop:    LostDesktop(d.OnLostDesktop.str()),
		OnDisconnect:     d.OnDisconnect.str(),
		ScriptsBasePath:  d.ScriptsPath.str(),
		WindowManagement: u.program.Options.WindowManagement,
		RestoreFocus:     d.RestoreFocus.or(false),
		InputsAreOpen:    u.program.Options.InputsAreOpen,
	}
}

// OutlivesClient reports whether the run continues when its client disconnects;
// otherwise is the answer for a document that does not say.
func (o Options) OutlivesClient(otherwise bool) bool {
	if o.OnDisconnect == "" {
		return otherwise
	}
	return o.OnDisconnect == "continue"
}

// checkContinue refuses contradictory values of continue and stop_on_error.
func (d *document) checkContinue(r *report) {
	if d.StopOnError.value != nil && d.Continue.value != nil && d.StopOnError.truth == d.Continue.truth {
		r.add(d.at.at([]string{"continue"}, true), "leave out one of the two", "continue contradicts stop_on_error, of which it is the inverse")
	}
}

// checkRange checks that a run can start or end at a step.
func (u *unit) checkRange(id text) {
	if id.value == nil {
		return
	}
	t := u.targets[id.str()]
	switch {
	case t == nil:
		u.unknownStep(id)
	case t.level.parent != nil || t.level.area == areaFinally || t.level.area == areaBefore:
		u.report.add(id.position, "name a step at the top of steps or troubleshooting", "a run cannot start or end at %q, which stands %s", words.Shorten(id.str(), 60), t.level)
	}
}

// maxSteps returns how many steps may be executed.
func (u *unit) maxSteps() int {
	if u.doc.MaxSteps.value != nil {
		return int(min(u.doc.MaxSteps.number, 1e9))
	}
	n := 0
	u.program.Walk(func(*Node) { n++ })
	return max(1000, 100*n)
}

// windowOptions returns the arguments that the document gives to all its steps, or
// nil.
func (d *document) windowOptions() map[string]any {
	given := map[string]any{}
	for name, f := range map[string]boolean{
		"enable_window_management": d.ManageWindows, "maximize_target": d.Maximize, "minimize_always_on_top": d.MinimizeTop,
		"bring_to_front": d.BringToFront, "highlight_before_action": d.Highlight,
	} {
		if f.value != nil {
			given[name] = f.truth
		}
	}
	if len(given) == 0 {
		return nil
	}
	return given
}

// unknownStep reports an id that no step has.
func (u *unit) unknownStep(id text) {
	hint := ""
	if !u.report.enough(len(u.targets)) {
		hint = u.report.nearest(id.str(), slices.Sorted(maps.Keys(u.targets)))
	}
	u.report.add(id.position, hint, "there is no step with the id %q", words.Shorten(id.str(), 60))
}
