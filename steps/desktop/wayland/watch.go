//go:build linux

package wayland

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// hearing tells what a person does, as far as the compositor tells that.
type hearing struct{ *Driver }

// Watch tells nothing by itself: no protocol has a compositor tell what is typed or
// clicked in the windows of others.
func (hearing) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	f(desktop.InputEvent{
		Type: desktop.WatchBegan, Time: time.Now(),
		Unheard: []desktop.InputType{desktop.KeyPress, desktop.KeyRelease, desktop.ButtonPress, desktop.ButtonRelease, desktop.PointerMove, desktop.WheelTurn},
	})
	<-ctx.Done()
	return context.Cause(ctx)
}
