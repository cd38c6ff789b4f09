package engine

import (
	"fmt"
	"slices"

	"understudy/steps"
)

// mostDeaths is how often the process may die at one step before the run no longer
// continues by itself: the step may be the reason.
const mostDeaths = 3

// Deaths counts how often the process of a run died at one step.
type Deaths struct {
	At    string `json:"at,omitempty"` // the path of the step
	Times int    `json:"times"`
}

// another returns the count after one more death, at a step. It starts again at another
// step.
func (d *Deaths) another(at string) *Deaths {
	if d == nil || d.At != at {
		return &Deaths{at, 1}
	}
	return &Deaths{at, d.Times + 1}
}

// checkAuto returns why a run may not continue by itself; nil if it may, or if a
// person continues it. A run whose process died too often at one step is given up:
// this is recorded, so that it is visible in the run.
func (v *evaluator) checkAuto(r ResumeRequest) error {
	switch {
	case !r.Auto:
		return nil
	case !v.program.Options.ResumesItself:
		return steps.Errorf(steps.Invalid, "the document of run %s does not say resume: auto", v.id)
	case v.s.Status != Running && v.s.Status != Interrupted:
		return steps.Errorf(steps.Invalid, "run %s was not cut short: it is %s", v.id, v.s.Status)
	case v.s.Status == Interrupted && v.s.Deaths != nil && v.s.Deaths.Times >= mostDeaths:
		return &steps.Error{Code: steps.Interrupted, Err: fmt.Errorf("%s", v.s.Error.Message), Next: v.s.Error.Next}
	}
	less := v.s.Created
	if less.restrict(r.Within); !slices.Equal(less.Roots, v.s.Created.Roots) {
		return steps.Errorf(steps.Denied, "run %s may use files in %s, which this server does not allow", v.id, join(v.s.Created.Roots))
	}
	if v.s.Status == Interrupted {
		return nil
	}
	return v.giveUpAfterDeaths()
}

func (v *evaluator) giveUpAfterDeaths() error {
	at := resumePoint(v.s.Frames)
	top := &at[len(at)-1]
	times := v.s.Deaths.another(pathOf(top)).Times
	if times < mostDeaths {
		return nil
	}
	n, err := v.layout.node(top)
	if err != nil {
		return err
	}
	why := steps.Errorf(steps.Interrupted, "the process that executed the run died %d times at step %s, so the run is not resumed automatically", times, name(n, pathOf(top))).
		WithNext("find out what happens at that step, then resume the run")
	if err := v.commit(EvFinished, "", Finished{Status: Interrupted, Error: v.errorRecord(why, name(n, pathOf(top))), Deaths: times}); err != nil {
		return err
	}
	return why
}
