package local

import (
	"context"
	"errors"
	"slices"

	"understudy/internal/desktop"
)

// eitherBrowsers are the browsers of several listers. One that two of them have is that of the
// first, which can do more.
type eitherBrowsers []desktop.BrowserLister

func (e eitherBrowsers) Browsers(ctx context.Context) (all []desktop.BrowserProcess, err error) {
	for _, l := range e {
		some, failed := l.Browsers(ctx)
		err = errors.Join(err, failed)
		for _, b := range some {
			if !slices.ContainsFunc(all, func(x desktop.BrowserProcess) bool { return x.PID == b.PID }) {
				all = append(all, b)
			}
		}
	}
	return all, err
}

func (e eitherBrowsers) Browse(ctx context.Context, pid int) (b desktop.Browser, err error) {
	for _, l := range e {
		if b, err = l.Browse(ctx, pid); !errors.Is(err, desktop.ErrNotFound) {
			return b, err
		}
	}
	return b, err
}
