package engine

import (
	"iter"
	"time"

	"understudy/steps"
)

// Limits bound how many runs with a label are executed at a time, and how many of them
// begin within an hour. Labels without one are not limited.
type Limits map[string]*Lease

// labelLimits returns the limits of the labels of a run, in the order in which every run takes
// them, so that no two runs wait for each other.
func (j *journal) labelLimits() iter.Seq2[string, *Lease] {
	return func(yield func(string, *Lease) bool) {
		for _, label := range j.s.Created.Labels {
			if l := j.e.Limits[label]; l != nil && !j.s.Created.DryRun && !yield(label, l) {
				return
			}
		}
	}
}

// takeLabels waits for a place for each label of the run.
func (w *worker) takeLabels() (waited time.Duration, ok bool, err error) {
	for _, l := range w.labelLimits() {
		more, ok, err := w.takePlace(l, AnyDesktop)
		if waited += more; !ok {
			return waited, false, err
		}
	}
	return waited, true, nil
}

// position returns the position of a run in the queue where it waits, from 1.
func (w *worker) position() int {
	for _, l := range w.labelLimits() {
		if n := l.Position(w.id); n > 0 {
			return n
		}
	}
	return w.e.Lease.Position(w.id)
}

// refuseLimited returns an error if a label of the run lets no more runs begin now.
func (j *journal) refuseLimited() error {
	for label, l := range j.labelLimits() {
		if !l.Free(AnyDesktop) {
			return steps.Errorf(steps.Busy, "as many runs with the label %s as may were begun", label).WithNext("wait, stop one of them, or queue this run")
		}
	}
	return nil
}
