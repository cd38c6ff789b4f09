package input

import "context"

// Mutex is a mutex that a caller can stop waiting for. Drivers hold one during each action,
// so that input comes one action at a time.
type Mutex chan struct{}

// NewMutex returns a mutex that nobody holds.
func NewMutex() Mutex { return make(Mutex, 1) }

// Lock locks the mutex, or returns the cause if the context ends first.
func (m Mutex) Lock(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m Mutex) Unlock() { <-m }

// Do calls f while it holds the mutex, unless the context ends first.
func (m Mutex) Do(ctx context.Context, f func() error) error {
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	return f()
}
