//go:build linux

package atspi

import (
	"context"
	"errors"
	"strings"
	"time"

	"understudy/steps/desktop"
)

const (
	// registryWithin is how long the registry is waited for: Qt waits a tenth of
	// a second for it, for each key.
	registryWithin = 500 * time.Millisecond
	// handledWithin is how long an application may take to handle the keys that it
	// has read, and handledCharWithin how much longer for each character of a text.
	handledWithin     = 10 * time.Second
	handledCharWithin = 100 * time.Millisecond
)

// QueuesKeys reports whether an application of a process handles keys later than it
// reads them. Qt first tells the registry of each, and its shortcuts overtake those
// that wait.
func (c *Client) QueuesKeys(ctx context.Context, pid int) bool {
	_, queues := c.queuing(ctx, pid)
	return queues
}

// queuing returns the application of a process that queues keys. One that cannot be asked
// in time is none.
func (c *Client) queuing(ctx context.Context, pid int) (*application, bool) {
	ctx, cancel := withTimeout(ctx, c.options.Timeout)
	defer cancel()
	l, err := c.connect(ctx)
	if err != nil {
		return nil, false
	}
	apps, err := c.ofProcess(ctx, l, pid)
	if err != nil {
		return nil, false
	}
	for _, a := range apps {
		if a.toolkitName() == "" && a.greet(ctx, l, c.options.Timeout, true) != nil {
			continue
		}
		if strings.EqualFold(a.toolkitName(), "qt") {
			return a, true
		}
	}
	return nil, false
}

// AwaitKeys returns when the application of a process that queues keys has handled those
// that it has read, with a text of so many bytes among them. First it has told the registry of all of them, then it has the
// registry's replies, and last it has handled what these released.
func (c *Client) AwaitKeys(ctx context.Context, pid, text int) error {
	a, queues := c.queuing(ctx, pid)
	if !queues {
		return context.Cause(ctx)
	}
	l, err := c.connect(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, handledWithin+time.Duration(text)*handledCharWithin)
	defer cancel()
	for _, o := range []object{a.object, registry, a.object, a.object} {
		err := l.answers(ctx, o)
		if o != registry && err != nil && !errors.Is(err, desktop.ErrRefused) {
			if errors.Is(err, desktop.ErrNotFound) {
				return nil // it has ended
			}
			return namingProgram(a.process, err)
		}
	}
	return nil
}

// answers returns when the owner of an object has answered a call, and with it all before.
func (c *busConn) answers(ctx context.Context, o object) error {
	if o == registry {
		var cancel context.CancelFunc
		ctx, cancel = withTimeout(ctx, registryWithin)
		defer cancel()
	}
	return c.ping(ctx, o)
}
