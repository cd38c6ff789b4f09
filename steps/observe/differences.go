package observe

import (
	"context"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

const (
	// settlePause is the pause between two reads of the tree.
	settlePause = 50 * time.Millisecond
	// settleTimeout bounds the wait for changes that do not come.
	settleTimeout = 500 * time.Millisecond
)

// waitForChanges waits until the tree differs from before and then is equal twice.
// Without any change it gives up after settleTimeout.
func waitForChanges(ctx context.Context, env *steps.Env, before *desktop.Tree, scope desktop.Scope, o TreeOptions) ([]desktop.Change, *desktop.Tree, error) {
	var last *desktop.Tree
	for start := time.Now(); ; {
		now, err := readTree(ctx, env.Desktop, scope, o)
		if err != nil {
			return nil, nil, err
		}
		diff := desktop.DiffTrees(before, now)
		still := last != nil && len(desktop.DiffTrees(last, now)) == 0
		if late := time.Since(start) >= settleTimeout; len(diff) > 0 && still || late {
			if env.Trees != nil {
				env.Trees.Keep(now)
			}
			return diff, now, nil
		}
		last = now
		if err := steps.Sleep(ctx, settlePause); err != nil {
			return nil, nil, err
		}
	}
}
