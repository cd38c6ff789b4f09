package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/observe"
	"understudy/workflows"
)

// fieldTexts are the texts of fields before the steps from which effects count. They are in no event:
// after a resume, effects that began before it are not compared.
type fieldTexts map[*workflows.Node]*atomic.Pointer[steps.FieldText]

// forget drops the text before an earlier execution of a step.
func (f fieldTexts) forget(n *workflows.Node) { delete(f, n) }

// of returns where a step notes the text of its field; nil for a step from which no effect counts.
func (f *fieldTexts) of(n *workflows.Node) *atomic.Pointer[steps.FieldText] {
	if !n.Watched {
		return nil
	}
	if *f == nil {
		*f = fieldTexts{}
	}
	if (*f)[n] == nil {
		(*f)[n] = new(atomic.Pointer[steps.FieldText])
	}
	return (*f)[n]
}

// before returns the text of the field before the effect of a step began, or nil.
func (f fieldTexts) before(n *workflows.Node) *steps.FieldText {
	if since := f[n.Effect.Since]; since != nil {
		return since.Load()
	}
	return nil
}

// effectTime bounds how long a program may take to show what a step did to a text.
const effectTime = 5 * time.Second

// sameEffect reports whether a step changed the text of its field as it did when it was recorded. A text
// that cannot be read says nothing: the log of the run says so.
func (w *worker) sameEffect(ctx context.Context, n *workflows.Node, path string) (same, unknown bool, err error) {
	if n.Effect == nil {
		return true, false, nil
	}
	wanted, err := w.recordedEdit(ctx, n.Effect)
	if err != nil {
		return false, false, err
	}
	before := w.fields.before(n)
	if before == nil {
		w.notCompared(path, "its text before the step is not known")
		return true, n.Expect == nil, nil
	}
	after, err := w.awaitEdit(ctx, wanted, *before)
	switch {
	case w.stopped(ctx):
		return false, false, context.Cause(ctx)
	case err != nil:
		w.notCompared(path, err.Error())
		return true, n.Expect == nil, nil
	case wanted.Made(before.Text, after):
		return true, false, nil
	}
	return false, false, w.otherEffect(wanted, before.Text, after)
}

// recordedEdit returns the edit that a step made when it was recorded, with the values of this run.
func (w *worker) recordedEdit(ctx context.Context, e *workflows.TextEdit) (observe.Edit, error) {
	inserted, err := e.Inserted.Eval(ctx, w.secrets.scope(w.names(), w.secrets.reveal), w.probe())
	if err != nil {
		return observe.Edit{}, fmt.Errorf("the effect of the recording: %w", err)
	}
	return observe.Edit{Inserted: fmt.Sprint(inserted), Deleted: e.Deleted, At: e.At}, nil
}

// awaitEdit reads a field until an edit is made, or effectTime is over, and returns its text.
func (w *worker) awaitEdit(ctx context.Context, wanted observe.Edit, before steps.FieldText) (text string, err error) {
	d, err := w.desk().Open(ctx)
	if err != nil {
		return "", err
	}
	for end := time.Now().Add(effectTime); ; {
		var now *desktop.Element
		if now, err = d.Refresh(ctx, before.Field); err != nil {
			return "", err
		}
		if wanted.Made(before.Text, now.Text) || time.Now().After(end) {
			return now.Text, nil
		}
		if err := steps.Sleep(ctx, pollEvery); err != nil {
			return "", err
		}
	}
}

// notCompared notes in the log of the run that an effect could not be compared.
func (w *worker) notCompared(path, why string) {
	w.logger(path).Warn("the effect of the step was not compared with the recording: " + why)
}

// otherEffect returns the error of a step that did something else than when it was recorded.
func (w *worker) otherEffect(wanted observe.Edit, before, after string) error {
	plain := func(text string) string { return w.secrets.maskText(text, w.near...) } // before it is quoted or shortened
	before, after, wanted.Inserted = plain(before), plain(after), plain(wanted.Inserted)
	return steps.Errorf(steps.Unexpected, "the step changed the text of its field otherwise than when it was recorded: wanted %s, found %s; it was %q and is %q",
		wanted, observe.Difference(before, after), lastPart(before), lastPart(after)).
		WithNext("look at the picture after the step; correct the steps that led here, or remove the effect of the step")
}

// lastPart shortens a text to its end, where most changes are.
func lastPart(text string) string {
	const most = 200
	if r := []rune(text); len(r) > most {
		return "…" + string(r[len(r)-most:])
	}
	return text
}
