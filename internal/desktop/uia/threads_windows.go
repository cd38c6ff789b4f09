package uia

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
)

// The limits of calls: of one element, and of all the elements of a window.
const (
	callTime = 2 * time.Second
	treeTime = 5 * time.Second
)

// mostThreads bounds the calls that are under way, of which those that hang keep a thread each.
const mostThreads = 32

// threads call COM objects, each on a thread of its own in the multithreaded apartment. A
// call that hangs in an application keeps its thread until it returns, and nobody waits for it.
type threads struct {
	started atomic.Int32
	idle    chan chan func()
}

func newThreads() *threads { return &threads{idle: make(chan chan func(), mostThreads)} }

// thread returns one that is idle, or starts one.
func (t *threads) thread() (chan func(), error) {
	select {
	case jobs := <-t.idle:
		return jobs, nil
	default:
	}
	if t.started.Add(1) > mostThreads {
		t.started.Add(-1)
		return nil, fmt.Errorf("%d calls of UI Automation hang: %w", mostThreads, desktop.ErrUnresponsive)
	}
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if windows.CoInitializeEx(0, windows.COINIT_MULTITHREADED) == nil {
			defer windows.CoUninitialize()
		}
		for job := range jobs {
			job()
		}
	}()
	return jobs, nil
}

// close ends the threads that are idle.
func (t *threads) close() {
	for {
		select {
		case jobs := <-t.idle:
			close(jobs)
		default:
			return
		}
	}
}

// within calls f on a thread, and returns what it returns, or fails after a time with
// desktop.ErrUnresponsive. What f returns later is dropped.
func within[T any](ctx context.Context, t *threads, long time.Duration, f func() (T, error)) (none T, err error) {
	if err := context.Cause(ctx); err != nil {
		return none, err
	}
	jobs, err := t.thread()
	if err != nil {
		return none, err
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	jobs <- func() {
		v, err := f()
		done <- result{v, err}
		select {
		case t.idle <- jobs:
		default:
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, long, fmt.Errorf("UI Automation did not answer within %v: %w", long, desktop.ErrUnresponsive))
	defer cancel()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
