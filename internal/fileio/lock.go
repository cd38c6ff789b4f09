// Package fileio does with files what package os leaves to its users: it locks them
// between processes, replaces them atomically, and keeps their earlier contents. It does
// not interpret what they contain.
package fileio

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"
)

// retryDelay is the time between two tries to get a lock that another process has.
const retryDelay = 5 * time.Millisecond

// Lock opens a file, which it creates if necessary, and waits for its lock. Closing
// the file releases the lock; the system does so when the process ends, however that
// happens.
func Lock(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = TryLock(f); err == nil {
			return f, nil
		}
		if IsLocked(err) {
			select {
			case <-time.After(retryDelay):
				continue
			case <-ctx.Done():
				err = fmt.Errorf("waiting for the lock %s: %w", path, context.Cause(ctx))
			}
		}
		return nil, cmp.Or(err, f.Close())
	}
}
