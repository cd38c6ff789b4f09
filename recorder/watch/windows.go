package watch

import (
	"context"
	"time"

	"understudy/recorder"
)

// pollWindows writes which windows opened, closed and got the keyboard.
func (r *recording) pollWindows(ctx context.Context) {
	windows, err := r.desktop.Windows(ctx)
	if err != nil || r.paused {
		return
	}
	r.handleQueued(ctx) // it caused the changes of windows
	before := r.windows
	r.windows = windows
	for _, w := range before.Without(windows) {
		r.writeWindow(recorder.Event{Type: recorder.Closed, Window: &w})
		if w.Popup && r.choice.listOpen {
			r.choice.expect(1)
		}
	}
	for _, w := range windows.Without(before) {
		if w.Popup && r.under.seen != nil && r.under.when.After(r.lastEffect) {
			r.write(recorder.Event{Type: recorder.Rested, Time: r.under.when, At: r.under.at, Element: r.under.seen})
		}
		command, origins := "", []int(nil)
		if !w.Popup {
			origins = parentPIDs(w.PID)
			command = commandLine(w.Class, w.PID, origins)
		}
		r.writeWindow(recorder.Event{Type: recorder.Opened, Window: &w, Command: command, Origins: origins})
	}
	if was, now := before.Active(), windows.Active(); now != nil && (was == nil || was.ID != now.ID) {
		r.writeWindow(recorder.Event{Type: recorder.Switched, Window: now})
		r.focus.programMoved()
	}
}

// writeWindow writes an event of a window.
func (r *recording) writeWindow(ev recorder.Event) {
	ev.Time = time.Now()
	r.write(ev)
	r.view.stale = true
	r.inferred.observeSoon(settleDelay)
	if r.under.seen != nil {
		r.underBefore, r.windowsMoved = r.under, ev.Time
	}
	r.under = underPointer{}
	r.scheduleLook(restDelay)
}
