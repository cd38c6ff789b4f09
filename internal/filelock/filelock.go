// Package filelock locks files between processes. The system releases a lock when
// the process that has it ends, however that happens.
package filelock

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"
)

// retryDelay is the time between two tries to get a lock that another process has.
const retryDelay = 5 * time.Millisecond

// Wait opens a file, which it creates if necessary, and waits for its lock. Closing
// the file releases the lock.
func Wait(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = Try(f); err == nil {
			return f, nil
		}
		if Held(err) {
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
