package watch

import (
	"understudy/recorder"
	"understudy/recorder/compile"
)

// teller tells the steps as they are understood. It does not wait to see
// whether a step becomes another: then it is told again.
type teller struct {
	tell     func(recorder.Line)
	compiler *compile.Compiler
	lines    []recorder.Line
}

func newTeller(tell func(recorder.Line)) *teller { return &teller{tell: tell, compiler: compile.New()} }

func (t *teller) add(ev recorder.Event) {
	t.compiler.Add(ev)
	t.compare()
}

func (t *teller) finish() {
	t.compiler.Finish()
	t.compare()
}

// say tells something that is no step.
func (t *teller) say(text string) {
	if t.tell != nil {
		t.tell(recorder.Line{Text: text})
	}
}

// compare tells the steps that are new or others than they were.
func (t *teller) compare() {
	lines := t.compiler.Lines()
	for i, l := range lines {
		if t.tell != nil && (i >= len(t.lines) || t.lines[i] != l) {
			t.tell(l)
		}
	}
	t.lines = lines
}
