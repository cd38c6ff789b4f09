package local

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"understudy/internal/desktop"
)

// An actor passes each action to the driver that performs it.
type actor struct {
	display  *keys
	elements desktop.Actor
	apps     starter
	connects bool // browsers that it starts
}

func (s actor) Do(ctx context.Context, a desktop.Action) error {
	if err := s.display.Await(ctx); err != nil {
		return err
	}
	switch a := a.(type) {
	case desktop.Launch:
		return s.apps.launch(a)
	case desktop.OpenURL:
		return s.apps.openURL(ctx, a, s.connects)
	case desktop.Invoke, desktop.SetText, desktop.InsertText, desktop.SetNumber, desktop.Select, desktop.GrabFocus, desktop.Reveal:
		return s.elements.Do(ctx, a)
	case desktop.RestoreFocus:
		if a.State.PointerUnknown {
			return s.elements.Do(ctx, a)
		}
		return errors.Join(s.elements.Do(ctx, a), s.display.Do(ctx, desktop.MovePointer{To: a.State.Pointer}))
	}
	return s.display.Do(ctx, a)
}

// keyQueues knows the applications that handle keys later than they read them.
type keyQueues interface {
	QueuesKeys(ctx context.Context, pid int) bool
	AwaitKeys(ctx context.Context, pid, text int) error
}

// keys acts on a display, and makes sure that nothing overtakes a key that an
// application has not handled: the shortcut that saves a text comes after the text.
type keys struct {
	desktop.Actor
	windows desktop.WindowLister
	queues  keyQueues   // nil if elements cannot be read
	pressed atomic.Bool // there are keys that may not have been handled
}

// Do performs an action on the display. Typed text has been handled when it returns.
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

// handled waits until the application of the active window, if it queues keys, has
// handled them; if unread is true, first until it has read them. A text of so many
// bytes takes longer.
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
