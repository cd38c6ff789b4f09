package local

import (
	"context"
	"fmt"
	"sync/atomic"

	"understudy/steps/desktop"
)

// keyQueues know of applications that handle keys later than they read them.
type keyQueues interface {
	QueuesKeys(ctx context.Context, pid int) bool
	AwaitKeys(ctx context.Context, pid, text int) error
}

// keys acts on a display, and lets nothing overtake a key that an application has
// not handled: the shortcut that saves a text comes after the text.
type keys struct {
	desktop.Actor
	windows desktop.WindowLister
	queues  keyQueues   // nil where elements cannot be read
	pressed atomic.Bool // keys that may not have been handled
}

// Do performs an action on the display. What was typed has been handled then.
func (k *keys) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Type:
		if err := k.Actor.Do(ctx, a); err != nil {
			return err
		}
		k.pressed.Store(false)
		return k.handled(ctx, false, len(a.Text))
	case desktop.Press, desktop.KeyDown, desktop.KeyUp:
		k.pressed.Store(true)
	}
	return k.Actor.Do(ctx, a)
}

// Await returns when the keys that were pressed have been handled.
func (k *keys) Await(ctx context.Context) error {
	if !k.pressed.Swap(false) {
		return nil
	}
	return k.handled(ctx, true, 0)
}

// handled waits for the application of the active window, if it queues keys; first until
// it has read them, if that is not known. A text of so many bytes takes it longer.
func (k *keys) handled(ctx context.Context, unread bool, text int) error {
	if k.queues == nil {
		return nil
	}
	windows, err := k.windows.Windows(ctx)
	active := desktop.Windows(windows).Active()
	if err != nil || active == nil || !k.queues.QueuesKeys(ctx, active.PID) {
		return context.Cause(ctx)
	}
	if unread {
		if err := k.Actor.Do(ctx, desktop.Type{}); err != nil {
			return err
		}
	}
	if err := k.queues.AwaitKeys(ctx, active.PID, text); err != nil {
		return fmt.Errorf("the keys that were sent to the window %q have not been handled: %w", active.Title, err)
	}
	return nil
}
