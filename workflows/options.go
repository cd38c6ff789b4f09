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

// OutlivesClient reports whether the run goes on when its client goes away: as the
// document says, or else as whoever runs it does.
func (o Options) OutlivesClient(otherwise bool) bool {
	if o.OnDisconnect == "" {
		return otherwise
	}
	return o.OnDisconnect == "continue"
}

// checkContinue refuses the two ways to say one thing when they disagree.
func (d *document) checkContinue(r *report) {
	if d.StopOnError.value != nil && d.Continue.value != nil && d.StopOnError.truth == d.Continue.truth {
		r.add(d.at.at([]string{"continue"}, true), "leave out one of the two", "continue contradicts stop_on_error, of which it is the inverse")
	}
}

// checkRange holds start_from_step and end_at_step to steps that a run can
// stand at.
func (u *unit) checkRange(id text) {
	if id.value == nil {
		return
	}
	t := u.targets[id.str()]
	switch {
	case t == nil:
		u.report.add(id.position, u.report.nearest(id.str(), u.ids()), "there is no step with the id %q", words.Shorten(id.str(), 60))
	case t.level.parent != nil || t.level.area == areaFinally || t.level.area == areaBefore:
		u.report.add(id.position, "name a step at the top of steps or troubleshooting", "a run cannot start or end at %q, which stands %s", words.Shorten(id.str(), 60), t.level)
	}
}

// maxSteps is the bound of step executions.
func (u *unit) maxSteps() int {
	if u.doc.MaxSteps.value != nil {
		return int(min(u.doc.MaxSteps.number, 1e9))
	}
	n := 0
	u.program.Walk(func(*Node) { n++ })
	return max(1000, 100*n)
}

// windowOptions are the arguments that the document gives for all its steps.
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

func (u *unit) ids() []string {
	if u.report.enough(len(u.targets)) {
		return nil // nobody asks for the nearest any more
	}
	return slices.Sorted(maps.Keys(u.targets))
}
