package watch

import (
	"context"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// Command executes a command as its key does. A check is of the element at a point.
func (s *Session) Command(command recorder.Command, at desktop.Point) {
	_ = s.order(func(ctx context.Context) error {
		s.recording.command(ctx, command, at)
		return nil
	})
}

// Edit changes a step, during the recording or afterwards.
func (s *Session) Edit(e recorder.Edit) error {
	return s.order(func(ctx context.Context) error { return s.recording.edit(ctx, e) })
}

// Events returns the events so far.
func (s *Session) Events() (events []recorder.Event) {
	_ = s.order(func(context.Context) error {
		events = append(events, s.recording.journal.events...)
		return nil
	})
	return events
}

// order runs a function on the goroutine that owns the recording, or on this one after its end.
func (s *Session) order(do func(context.Context) error) error {
	failed := make(chan error, 1)
	select {
	case s.recording.orders <- func(ctx context.Context) { failed <- do(ctx) }:
		return <-failed
	case <-s.done:
		s.late.Lock()
		defer s.late.Unlock()
		err := do(context.Background())
		s.recording.flush()
		return err
	}
}

// command executes a command of the person, after writing the keys before it.
func (r *recording) command(ctx context.Context, command recorder.Command, at desktop.Point) {
	r.flushKeys(ctx, true)
	edits := map[recorder.Command]recorder.EditAction{recorder.Undo: recorder.Remove, recorder.Hide: recorder.MakeSecret, recorder.Vary: recorder.MakeVariable}
	switch command {
	case recorder.Stop:
		r.stopped = true
		r.stop(errStopped)
	case recorder.Pause:
		r.pause(ctx)
	case recorder.Check, recorder.CheckText:
		r.check(ctx, at, command == recorder.CheckText)
	case recorder.Undo, recorder.Hide, recorder.Vary:
		if err := r.edit(ctx, recorder.Edit{Action: edits[command]}); err != nil {
			r.reporter.say(err.Error())
		}
	}
}

// check records that an element must be there, with text also that it shows its text.
func (r *recording) check(ctx context.Context, at desktop.Point, text bool) {
	t := r.elementAt(ctx, at)
	if t == nil || r.paused {
		r.reporter.say("nothing is known of what is there, so it cannot be checked")
		return
	}
	ev := recorder.Event{Type: recorder.Asserted, Time: time.Now(), At: at, Element: t}
	if shown := recorder.Shown(&t.Element); text && shown != "" && !t.Secret() {
		ev.Value = &shown
	}
	r.write(ev)
}

func (r *recording) edit(ctx context.Context, e recorder.Edit) error {
	r.readValues(ctx)
	n, err := r.reporter.compiler.Fit(e)
	if err != nil {
		return err
	}
	e.Step = n
	if e.Action == recorder.MakeSecret {
		if err := r.forget(e); err != nil {
			return err
		}
	}
	r.write(recorder.Event{Type: recorder.Edited, Time: time.Now(), Edit: &e})
	return nil
}

// forget erases the text that a step typed from all events and pictures, and hides later text of its
// field.
func (r *recording) forget(e recorder.Edit) error {
	field, value, _ := r.reporter.compiler.Field(e)
	events, pictures := recorder.Forget(r.journal.events, field, value)
	if err := r.journal.removePictures(pictures); err != nil {
		return err
	}
	r.hide(field)
	r.secrets = append(r.secrets, value)
	r.under, r.underBefore, r.view, r.textChange = underPointer{}, underPointer{}, programView{}, textChange{} // they may hold it
	r.reporter.again(events)
	return r.journal.replace(events)
}
