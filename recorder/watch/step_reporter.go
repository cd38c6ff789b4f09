package watch

import (
	"understudy/recorder"
	"understudy/recorder/compile"
)

// stepReporter compiles the events, and reports new and changed steps.
type stepReporter struct {
	tell     func(recorder.Line) // may be nil
	compiler *compile.Compiler
	lines    []recorder.Line
}

func (t *stepReporter) add(events ...recorder.Event) {
	for _, ev := range events {
		t.compiler.Add(ev)
	}
	t.report()
}

// again compiles all events anew.
func (t *stepReporter) again(events []recorder.Event) {
	t.compiler = compile.New()
	t.add(events...)
}

func (t *stepReporter) finish() {
	t.compiler.Finish()
	t.report()
}

// say reports something that is no step.
func (t *stepReporter) say(text string) {
	if t.tell != nil {
		t.tell(recorder.Line{Text: text})
	}
}

// report reports the new and changed steps.
func (t *stepReporter) report() {
	lines := t.compiler.Lines()
	for i, l := range lines {
		if t.tell != nil && (i >= len(t.lines) || t.lines[i] != l) {
			t.tell(l)
		}
	}
	t.lines = lines
}
