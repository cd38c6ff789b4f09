//go:build linux

package atspi

import (
	"context"
	"errors"
	"time"

	"understudy/internal/desktop"
)

const (
	// registryWithin bounds the wait for the registry: Qt waits a tenth of a second
	// for it, for each key.
	registryWithin = 500 * time.Millisecond
	// handledWithin bounds how long an application may take to handle the keys that
	// it has read, and handledCharWithin the further time for each byte of a text.
	handledWithin     = 10 * time.Second
	handledCharWithin = 100 * time.Millisecond
)

// QueuesKeys reports whether an application of a process handles keys later than
// it reads them. Qt first reports each key to the registry, and its shortcuts
// overtake keys that wait for the reply.
func (c *Client) QueuesKeys(ctx context.Context, pid int) bool {
	_, a := c.queuing(ctx, pid)
	return a != nil
}

// queuing returns the application of a process that queues keys, or nil. One that
// cannot be asked in time counts as none.
func (c *Client) queuing(ctx context.Context, pid int) (*busConn, *application) {
	ctx, cancel := withTimeout(ctx, c.options.Timeout)
	defer cancel()
	q, err := c.query(ctx)
	if err != nil {
		return nil, nil
	}
	apps, err := q.ofProcess(pid)
	if err != nil {
		return nil, nil
	}
	for _, a := range apps {
		if a.toolkit().name == "" && a.greet(ctx, q.bus, c.options.Timeout, true) != nil {
			continue
		}
		if a.toolkit().isQt() {
			return q.bus, a
		}
	}
	return nil, nil
}

// AwaitKeys returns when the application of a process that queues keys has handled
// the keys that it has read, including a text of so many bytes. Its first reply
// comes after it has reported all of them to the registry, the registry's after it
// has replied to all, and the last after the application has handled them.
func (c *Client) AwaitKeys(ctx context.Context, pid, text int) error {
	bus, a := c.queuing(ctx, pid)
	if a == nil {
		return context.Cause(ctx)
	}
	ctx, cancel := withTimeout(ctx, handledWithin+time.Duration(text)*handledCharWithin)
	defer cancel()
	for _, o := range []object{a.object, registry, a.object, a.object} {
		err := bus.answers(ctx, o)
		if o != registry && err != nil && !errors.Is(err, desktop.ErrRefused) {
			if errors.Is(err, desktop.ErrNotFound) {
				return nil // it has ended
			}
			return namingProgram(a.process, err)
		}
	}
	return nil
}

// answers returns when the owner of an object has replied to a call, and so to all
// calls before it.
func (c *busConn) answers(ctx context.Context, o object) error {
	if o == registry {
		var cancel context.CancelFunc
		ctx, cancel = withTimeout(ctx, registryWithin)
		defer cancel()
	}
	return c.ping(ctx, o)
}
