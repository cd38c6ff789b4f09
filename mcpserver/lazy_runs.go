package mcpserver

import (
	"context"
	"sync"

	"understudy/engine"
)

// lazyRuns opens the runs when they are first needed.
type lazyRuns struct {
	open func(context.Context) (engine.Runs, error)

	mu   sync.Mutex
	runs engine.Runs
}

// get opens the runs, unless they are open.
func (l *lazyRuns) get(ctx context.Context) (engine.Runs, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs != nil {
		return l.runs, nil
	}
	runs, err := l.open(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	l.runs = runs
	return runs, nil
}

// opened are the runs if they are open; nil: they are not.
func (l *lazyRuns) opened() engine.Runs {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs
}
