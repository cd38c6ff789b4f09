//go:build linux

package wayland

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// hearing tells what a person does, as far as the compositor tells that.
type hearing struct{ *Driver }

// A watcher is a placement whose compositor tells what a person does.
type watcher interface {
	watch(ctx context.Context, f func(desktop.InputEvent)) error
}

// Watch tells what a person does, and at first what of it is never told.
func (h hearing) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	if w, ok := h.place.(watcher); ok {
		return w.watch(ctx, f)
	}
	return watchNothing(ctx, f)
}

// watchNothing tells nothing: no protocol has a compositor tell what is typed or clicked
// in the windows of others.
func watchNothing(ctx context.Context, f func(desktop.InputEvent)) error {
	f(desktop.InputEvent{
		Type: desktop.WatchBegan, Time: time.Now(),
		Unheard: []desktop.InputType{desktop.KeyPress, desktop.KeyRelease, desktop.ButtonPress, desktop.ButtonRelease, desktop.PointerMove, desktop.WheelTurn},
	})
	<-ctx.Done()
	return context.Cause(ctx)
}
