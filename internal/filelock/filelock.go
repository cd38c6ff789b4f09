// Package filelock locks files between processes. The system ends a lock with the
// process that has it, however that ends.
package filelock

import (
	"context"
	"fmt"
	"os"
	"time"
)

// again is how soon a lock that another has is tried once more.
const again = 5 * time.Millisecond

// Wait waits for the lock of a file, which it makes where there is none, and gives
// the function that ends it.
func Wait(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = Try(f); err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !Held(err) {
			break
		}
		select {
		case <-time.After(again):
			continue
		case <-ctx.Done():
			err = fmt.Errorf("waiting for the lock %s: %w", path, context.Cause(ctx))
		}
		break
	}
	_ = f.Close()
	return nil, err
}
