package compile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"understudy/recorder"
)

// Fit returns the number of the step that an edit applies to. The typing so far becomes a step first.
func (c *Compiler) Fit(e recorder.Edit) (int, error) {
	c.flush()
	i, err := c.steps.edited(e)
	return i + 1, err
}

// edited returns the index of the step that an edit applies to.
func (l stepList) edited(e recorder.Edit) (int, error) {
	i, err := l.meant(e)
	if err != nil || e.Action != recorder.Move {
		return i, err
	}
	if e.To < 1 || e.To > len(l) {
		return 0, fmt.Errorf("wanted a place from 1 to %d for step %d, found %d", len(l), i+1, e.To)
	}
	after := l.moved(i, e.To)
	for at, s := range after {
		if from := slices.IndexFunc(after[at:], s.input.reads); from >= 0 {
			return 0, fmt.Errorf("wanted a place for step %d that keeps %q before %q, which types what it reads, found %d", i+1, after[at+from].summary, s.summary, e.To)
		}
	}
	return i, nil
}

// moved returns the steps with one of them at another place, from 1.
func (l stepList) moved(i, to int) stepList {
	return slices.Insert(slices.Delete(slices.Clone(l), i, i+1), to-1, l[i])
}

// meant returns the index of the step that an edit means.
func (l stepList) meant(e recorder.Edit) (int, error) {
	fits := func(s *step) bool { return s.input != nil && len(s.input.parts) == 0 || !aboutValue(e.Action) }
	if e.Step == 0 {
		for i, s := range slices.Backward(l) {
			if fits(s) {
				return i, nil
			}
		}
		if len(l) == 0 {
			return 0, errors.New("there is no step yet")
		}
		return 0, errors.New("nothing was typed yet")
	}
	if e.Step < 0 || e.Step > len(l) {
		return 0, fmt.Errorf("wanted the number of a step, from 1 to %d, found %d", len(l), e.Step)
	}
	if !fits(l[e.Step-1]) {
		return 0, fmt.Errorf("in step %d, %s, nothing was typed", e.Step, l[e.Step-1].summary)
	}
	return e.Step - 1, nil
}

func aboutValue(a recorder.EditAction) bool {
	return a == recorder.MakeVariable || a == recorder.MakeConstant || a == recorder.MakeSecret
}

// edited applies an edit. An edit that fits no step is of another version's recording, and
// is ignored.
func (c *compilation) edited(e *recorder.Edit) {
	if e == nil {
		return
	}
	i, err := c.steps.edited(*e)
	if err != nil {
		return
	}
	s := c.steps[i]
	if e.Action == recorder.Remove || e.Action == recorder.Move {
		c.steps.forgetEffects()
	}
	switch e.Action {
	case recorder.Remove:
		c.remove(i)
	case recorder.Move:
		c.steps = c.steps.moved(i, e.To)
	case recorder.Rename:
		s.subject, s.named = e.Text, e.Text
	case recorder.Annotate:
		s.notes = append(s.notes, e.Text)
	case recorder.Confirm:
		s.clearDoubts()
	case recorder.MakeVariable:
		s.input.keep, s.input.names = variable, cmp.Or(e.Text, s.input.names)
	case recorder.MakeConstant:
		s.input.keep = constant
	case recorder.MakeSecret:
		s.input.value, s.input.secret = "", true
		s.summary = "type a secret into " + describe(s.target)
	}
}

// remove removes a step and all references to it.
func (c *compilation) remove(i int) {
	gone := c.steps[i]
	c.steps = slices.Delete(c.steps, i, i+1)
	maps.DeleteFunc(c.copied, func(_ int, s *step) bool { return s == gone })
	if c.dropDown == gone {
		c.dropDown = nil
	}
	for _, s := range c.steps {
		if s.input.reads(gone) {
			s.input.parts = nil
			s.doubt("the step that read this text was removed, so the recorded text is typed")
		}
	}
}

// Field returns the field into which a step typed, and the text; not ok if it typed nothing.
func (c *Compiler) Field(e recorder.Edit) (field int, value string, ok bool) {
	i, err := c.steps.edited(e)
	if err != nil || c.steps[i].input == nil {
		return 0, "", false
	}
	in := c.steps[i].input
	return in.field, in.value, true
}
