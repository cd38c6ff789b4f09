package workflows

import (
	"fmt"
	"maps"
	"slices"

	"understudy/internal/words"
)

// area is the part of a document that a list of steps belongs to.
type area string

const (
	areaSteps   area = "steps"
	areaTrouble area = "troubleshooting"
	areaFinally area = "finally"
	areaBefore  area = "before"
)

// level is one list of steps. Its parent is the list around the group or loop that
// holds it. The top lists have no parent, nor has the before of a retry.
type level struct {
	parent *level
	area   area
	in     string // the form of the step that holds it, such as "a group"
	// entersTrouble says that a step in the list, or in a list inside, leads to
	// troubleshooting, from where steps may lead back to the list.
	entersTrouble bool
}

func (l *level) String() string {
	switch {
	case l.in != "":
		return "inside " + l.in
	case l.area == areaBefore:
		return "in the before of a retry"
	}
	return "in " + string(l.area)
}

// target is a step and its list.
type target struct {
	step  *step
	level *level
}

// targets are the steps of a document, as jumps and fallbacks lead to them.
type targets struct {
	report *report
	byID   map[string]*target
	all    []*target // in the order of the text
}

// targetsOf collects the steps of a document, and reports ids that cannot be used.
func targetsOf(d *document, r *report) *targets {
	t := &targets{report: r, byID: map[string]*target{}}
	t.collect(d.Steps, &level{area: areaSteps})
	t.collect(d.Trouble, &level{area: areaTrouble})
	t.collect(d.Finally, &level{area: areaFinally})
	return t
}

func (t *targets) collect(list []*step, l *level) {
	for _, s := range list {
		x := &target{s, l}
		t.all = append(t.all, x)
		t.name(x)
		if len(s.Steps) > 0 {
			t.collect(s.Steps, &level{parent: l, area: l.area, in: formNames[s.form()]})
		}
		if s.Retry != nil {
			t.collect(s.Retry.Before, &level{area: areaBefore})
		}
	}
}

// name registers a step by its id.
func (t *targets) name(x *target) {
	id, first := x.step.ID, t.byID[x.step.ID.str()]
	switch {
	case id == nil:
	case id.str() == "":
		t.report.add(id.position, "", "the id is empty")
	case first != nil:
		t.report.add(id.position, "rename one of the two", "the id %q is already that of the step in line %d", words.Shorten(id.str(), 60), first.step.ID.line)
	default:
		t.byID[id.str()] = x
	}
}

// check checks that every jump and fallback leads to a step that can be reached from
// there.
func (t *targets) check() {
	for _, from := range t.all {
		for _, id := range from.step.leads() {
			if to := t.byID[id.str()]; to != nil && to.level.area == areaTrouble && from.level.area == areaSteps {
				for l := from.level; l != nil; l = l.parent {
					l.entersTrouble = true
				}
			}
		}
	}
	for _, from := range t.all {
		for _, id := range from.step.leads() {
			t.checkLead(from, id)
		}
	}
}

// leads returns the ids to which a step leads.
func (s *step) leads() (ids []*value) {
	if s.Fallback != nil {
		ids = append(ids, s.Fallback)
	}
	for _, j := range s.Jumps {
		if j.To != nil {
			ids = append(ids, j.To)
		}
	}
	return ids
}

func (t *targets) checkLead(from *target, id *value) {
	to := t.byID[id.str()]
	if to == nil {
		t.reportUnknown(id)
		return
	}
	if from.level.reaches(to.level) {
		return
	}
	hint := "lead to a step of the same list, of a list around it, or at the top of troubleshooting"
	if from.level.area != to.level.area {
		hint = fmt.Sprintf("a step in %s can only lead to steps in %[1]s", from.level.area)
		if from.level.area == areaSteps {
			hint += " and at the top of troubleshooting"
		}
	}
	t.report.add(id.position, hint, "%q cannot be reached from here: it stands %s", words.Shorten(id.str(), 60), to.level)
}

// reaches reports whether a step of one list can lead to a step of another: of the
// same list, of a list around it, at the top of troubleshooting, and from there back
// to a list from which troubleshooting is entered.
func (l *level) reaches(to *level) bool {
	for around := l; around != nil; around = around.parent {
		if around == to {
			return true
		}
	}
	if l.area == areaSteps {
		return to.area == areaTrouble && to.parent == nil
	}
	return l.area == areaTrouble && to.area == areaSteps && (to.parent == nil || to.entersTrouble)
}

// checkRange checks that a run can start or end at a step.
func (t *targets) checkRange(id *value) {
	if id == nil {
		return
	}
	at := t.byID[id.str()]
	switch {
	case at == nil:
		t.reportUnknown(id)
	case at.level.parent != nil || at.level.area == areaFinally || at.level.area == areaBefore:
		t.report.add(id.position, "name a step at the top of steps or troubleshooting", "a run cannot start or end at %q, which stands %s", words.Shorten(id.str(), 60), at.level)
	}
}

// reportUnknown reports an id that no step has.
func (t *targets) reportUnknown(id *value) {
	hint := ""
	if !t.report.enough(len(t.byID)) {
		hint = t.report.nearest(id.str(), slices.Sorted(maps.Keys(t.byID)))
	}
	t.report.add(id.position, hint, "there is no step with the id %q", words.Shorten(id.str(), 60))
}
