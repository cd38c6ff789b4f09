package input

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/steps/desktop"
)

// Marks are the frames that a driver shows.
type Marks struct {
	mu    sync.Mutex
	shown map[*mark]bool // guarded by mu
}

// mark is one frame.
type mark struct {
	remove func(context.Context) error
	timer  *time.Timer // nil: it is shown until RemoveAll
}

// Show shows a frame around an area by calling draw, which returns how to remove it again.
// The frame goes away after the time of the mark, or with RemoveAll if that is zero. Show
// does not wait for that.
func (m *Marks) Show(a desktop.Mark, draw func() (remove func(context.Context) error, err error)) error {
	if a.Area.Empty() {
		return fmt.Errorf("there is nothing to mark: the area %s is empty", a.Area)
	}
	remove, err := draw()
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown == nil {
		m.shown = map[*mark]bool{}
	}
	one := &mark{remove: remove}
	m.shown[one] = true
	if a.For > 0 {
		one.timer = time.AfterFunc(a.For, func() { _ = m.remove(context.Background(), one) })
	}
	return nil
}

// RemoveAll removes all frames.
func (m *Marks) RemoveAll(ctx context.Context) error {
	m.mu.Lock()
	all := slices.Collect(maps.Keys(m.shown))
	m.mu.Unlock()
	for _, one := range all {
		if err := m.remove(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// remove removes one frame, unless that has been done.
func (m *Marks) remove(ctx context.Context, one *mark) error {
	m.mu.Lock()
	shown := m.shown[one]
	delete(m.shown, one)
	if one.timer != nil {
		one.timer.Stop()
	}
	m.mu.Unlock()
	if !shown {
		return nil
	}
	return one.remove(ctx)
}
