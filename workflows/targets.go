package workflows

import (
	"fmt"

	"understudy/internal/words"

	"github.com/google/jsonschema-go/jsonschema"
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

// collect collects the steps of the document, their ids and the schemas of their
// results.
func (u *unit) collect() {
	u.results = map[string]*jsonschema.Schema{}
	u.collectList(u.doc.Steps, &level{area: areaSteps})
	u.collectList(u.doc.Trouble, &level{area: areaTrouble})
	u.collectList(u.doc.Finally, &level{area: areaFinally})
}

func (u *unit) collectList(list []*step, l *level) {
	for _, s := range list {
		if u.steps++; u.steps == MaxSteps+1 {
			u.report.add(s.at.position, "split the workflow into several runs", "there are more than %d steps, called workflows included", MaxSteps)
		}
		t := &target{s, l}
		u.order = append(u.order, t)
		u.name(t)
		if len(s.Steps) > 0 {
			u.collectList(s.Steps, &level{parent: l, area: l.area, in: formNames[s.form()]})
		}
		if s.Retry != nil {
			u.collectList(s.Retry.Before, &level{area: areaBefore})
		}
	}
}

// name registers a step by its id.
func (u *unit) name(t *target) {
	id := t.step.ID.str()
	first := u.targets[id]
	switch {
	case t.step.ID.value == nil:
	case id == "":
		u.report.add(t.step.ID.position, "", "the id is empty")
	case first != nil:
		u.report.add(t.step.ID.position, "rename one of the two", "the id %q is already that of the step in line %d", words.Shorten(id, 60), first.step.ID.line)
	default:
		u.targets[id] = t
		u.results[id] = nil
		if k := u.kinds[t.step.ToolName.str()]; k != nil {
			u.results[id] = k.Result
		}
	}
}

// checkTargets checks that every jump and fallback leads to a step that can be reached
// from there. Entering troubleshooting from a list allows the way back to that list.
func (u *unit) checkTargets() {
	for _, t := range u.order {
		for _, to := range t.step.leads() {
			if d := u.targets[to.str()]; d != nil && d.level.area == areaTrouble && t.level.area == areaSteps {
				for l := t.level; l != nil; l = l.parent {
					u.entries[l] = true
				}
			}
		}
	}
	for _, t := range u.order {
		for _, to := range t.step.leads() {
			u.checkTarget(t, to)
		}
	}
}

// leads returns the ids to which a step leads.
func (s *step) leads() (ids []text) {
	if s.Fallback.value != nil {
		ids = append(ids, s.Fallback)
	}
	for _, j := range s.Jumps {
		if j.To.value != nil {
			ids = append(ids, j.To)
		}
	}
	return ids
}

func (u *unit) checkTarget(from *target, id text) {
	to := u.targets[id.str()]
	if to == nil {
		u.unknownStep(id)
		return
	}
	if u.reaches(from.level, to.level) {
		return
	}
	hint := "lead to a step of the same list, of a list around it, or at the top of troubleshooting"
	if from.level.area != to.level.area {
		hint = fmt.Sprintf("a step in %s can only lead to steps in %[1]s", from.level.area)
		if from.level.area == areaSteps {
			hint += " and at the top of troubleshooting"
		}
	}
	u.report.add(id.position, hint, "%q cannot be reached from here: it stands %s", words.Shorten(id.str(), 60), to.level)
}

// reaches reports whether a step of one list can lead to a step of another: of the
// same list, of a list around it, at the top of troubleshooting, and from there back
// to a list from which troubleshooting is entered.
func (u *unit) reaches(from, to *level) bool {
	for l := from; l != nil; l = l.parent {
		if l == to {
			return true
		}
	}
	if from.area == areaSteps {
		return to.area == areaTrouble && to.parent == nil
	}
	return from.area == areaTrouble && to.area == areaSteps && (to.parent == nil || u.entries[to])
}
