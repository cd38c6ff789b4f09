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

// level is one list of steps. Its parent is the list that holds the group or
// the loop that it is in; lists that nothing may be reached from have none.
type level struct {
	parent *level
	area   area
	in     string // what it is in: "a group", "a loop"
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

// target is a step and the list that it stands in.
type target struct {
	step  *step
	level *level
}

// collect goes through all steps of the document: which ids there are, where,
// and what their results look like.
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

// name makes the id of a step known.
func (u *unit) name(t *target) {
	if t.step.ID.value == nil {
		return
	}
	id := t.step.ID.str()
	if id == "" {
		u.report.add(t.step.ID.position, "", "the id is empty")
		return
	}
	if first := u.targets[id]; first != nil {
		u.report.add(t.step.ID.position, "rename one of the two", "the id %q is already that of the step in line %d", words.Shorten(id, 60), first.step.ID.line)
		return
	}
	u.targets[id] = t
	u.results[id] = nil
	if k := u.kinds[t.step.ToolName.str()]; k != nil {
		u.results[id] = k.Result
	}
}

// checkTargets holds every jump and fallback to steps that can be reached
// from where it stands.
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

// leads are the ids that a step leads to.
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
		u.report.add(id.position, u.report.nearest(id.str(), u.ids()), "there is no step with the id %q", words.Shorten(id.str(), 60))
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

// reaches reports whether a step of one list can lead to a step of another: of
// the same list, of one around it, of the top of troubleshooting, and from
// there back to where troubleshooting was entered.
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
