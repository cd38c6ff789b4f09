package recorder

import (
	"fmt"
	"slices"
)

// Line says in a few words what a step of the recording is. A line with the
// number of an earlier one takes its place: a click became a double click.
type Line struct {
	Step int    `json:"step"` // from 1; 0: it is no step, but says that the recording pauses or goes on
	Text string `json:"text"`
}

func (l Line) String() string {
	if l.Step == 0 {
		return l.Text
	}
	return fmt.Sprintf("%3d  %s", l.Step, l.Text)
}

// teller tells the steps as they are understood. It does not wait to see
// whether a step becomes another: then it is told again.
type teller struct {
	tell     func(Line)
	compiler *compiler
	lines    []Line
}

func newTeller(tell func(Line)) *teller { return &teller{tell: tell, compiler: newCompiler()} }

func (t *teller) add(ev Event) {
	t.compiler.add(ev)
	t.compare()
}

func (t *teller) finish() {
	t.compiler.finish()
	t.compare()
}

// say tells something that is no step.
func (t *teller) say(text string) {
	if t.tell != nil {
		t.tell(Line{Text: text})
	}
}

// compare tells the steps that are new or others than they were.
func (t *teller) compare() {
	steps := t.compiler.steps
	for i, s := range steps {
		l := Line{Step: i + 1, Text: s.says}
		if i < len(t.lines) && t.lines[i] == l {
			continue
		}
		if i == len(t.lines) {
			t.lines = append(t.lines, l)
		}
		t.lines[i] = l
		if t.tell != nil {
			t.tell(l)
		}
	}
	t.lines = slices.Delete(t.lines, min(len(steps), len(t.lines)), len(t.lines))
}
