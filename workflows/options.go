package workflows

import "cmp"

func (u *unit) runOptions() Options {
	d := u.doc
	part, ids, windows := orZero(d.Part), orZero(d.IDs), orZero(d.Windows)
	u.targets.checkRange(part.From)
	u.targets.checkRange(part.To)
	return Options{
		StopOnError:      d.StopOnError.truthOr(true),
		Timeout:          d.Timeout.duration(),
		Screenshots:      Policy(d.Screenshots.str()),
		StartFrom:        part.From.str(),
		EndAt:            part.To.str(),
		FollowFallback:   part.Fallbacks.truthOr(part.To == nil),
		JumpsAtEnd:       part.Jumps.truthOr(false),
		Verbosity:        Verbosity(cmp.Or(d.Verbosity.str(), string(Usual))),
		WorkflowID:       ids.Workflow.str(),
		TraceID:          ids.Trace.str(),
		ExecutionID:      ids.Execution.str(),
		MaxSteps:         u.maxSteps(),
		Durability:       Durability(cmp.Or(d.Durability.str(), string(Always))),
		ResumesItself:    d.Resume != nil,
		OnLostDesktop:    LostDesktop(d.OnLostDesktop.str()),
		OnDisconnect:     d.OnDisconnect.str(),
		Notify:           d.Notify.str(),
		Labels:           d.Labels.texts(),
		ScriptsBasePath:  d.ScriptsPath.str(),
		WindowManagement: u.program.Options.WindowManagement,
		RestoreFocus:     windows.RestoreFocus.truthOr(false),
		InputsAreOpen:    u.program.Options.InputsAreOpen,
	}
}

func orZero[T any](p *T) (zero T) {
	if p == nil {
		return zero
	}
	return *p
}

// OutlivesClient reports whether the run continues when its client disconnects;
// otherwise is the answer for a document that does not say.
func (o Options) OutlivesClient(otherwise bool) bool {
	return o.OnDisconnect == "continue" || o.OnDisconnect == "" && otherwise
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
	w, given := orZero(d.Windows), map[string]any{}
	for name, f := range map[string]*value{
		"enable_window_management": w.Manage, "maximize_target": w.Maximize, "bring_to_front": w.Front, "highlight_before_action": w.Highlight,
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
