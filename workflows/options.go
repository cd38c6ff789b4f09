package workflows

import "cmp"

func (u *unit) runOptions() Options {
	d := u.doc
	d.checkContinue(u.report)
	u.targets.checkRange(d.StartFrom)
	u.targets.checkRange(d.EndAt)
	return Options{
		StopOnError:      d.StopOnError.truthOr(!d.Continue.truthOr(false)),
		Timeout:          d.Timeout.duration(),
		Screenshots:      Policy(d.Screenshots.str()),
		StartFrom:        d.StartFrom.str(),
		EndAt:            d.EndAt.str(),
		FollowFallback:   d.FollowFall.truthOr(d.EndAt == nil),
		JumpsAtEnd:       d.JumpsAtEnd.truthOr(false),
		DetailedResults:  d.Detailed.truthOr(true),
		Verbosity:        Verbosity(cmp.Or(d.Verbosity.str(), string(Usual))),
		WorkflowID:       d.WorkflowID.str(),
		TraceID:          d.TraceID.str(),
		ExecutionID:      d.ExecutionID.str(),
		MaxSteps:         u.maxSteps(),
		Durability:       Durability(cmp.Or(d.Durability.str(), string(Always))),
		ResumesItself:    d.Resume != nil,
		OnLostDesktop:    LostDesktop(d.OnLostDesktop.str()),
		OnDisconnect:     d.OnDisconnect.str(),
		Notify:           d.Notify.str(),
		Labels:           d.Labels.texts(),
		ScriptsBasePath:  d.ScriptsPath.str(),
		WindowManagement: u.program.Options.WindowManagement,
		RestoreFocus:     d.RestoreFocus.truthOr(false),
		InputsAreOpen:    u.program.Options.InputsAreOpen,
	}
}

// OutlivesClient reports whether the run continues when its client disconnects;
// otherwise is the answer for a document that does not say.
func (o Options) OutlivesClient(otherwise bool) bool {
	return o.OnDisconnect == "continue" || o.OnDisconnect == "" && otherwise
}

// checkContinue refuses contradictory values of continue and stop_on_error.
func (d *document) checkContinue(r *report) {
	if d.StopOnError != nil && d.Continue != nil && d.StopOnError.truth == d.Continue.truth {
		r.add(d.at.at([]string{"continue"}, true), "leave out one of the two", "continue contradicts stop_on_error, of which it is the inverse")
	}
}

// maxSteps returns how many steps may be executed.
func (u *unit) maxSteps() int {
	if u.doc.MaxSteps != nil {
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
	for name, f := range map[string]*value{
		"enable_window_management": d.ManageWindows, "maximize_target": d.Maximize, "minimize_always_on_top": d.MinimizeTop,
		"bring_to_front": d.BringToFront, "highlight_before_action": d.Highlight,
	} {
		if f != nil {
			given[name] = f.truth
		}
	}
	if len(given) == 0 {
		return nil
	}
	return given
}
