package desktop

import (
	"context"
	"encoding/json"
)

// BrowserLister connects to browsers, whose pages are then reached without the screen. They are
// those that we started ourselves: no other program gives us its pages.
type BrowserLister interface {
	// Browsers lists the connected browsers, the latest first.
	Browsers(ctx context.Context) ([]BrowserProcess, error)
	// Browse connects to one by its process ID. It fails with ErrNotFound if that has ended.
	Browse(ctx context.Context, pid int) (Browser, error)
}

// BrowserProcess is a connected browser.
type BrowserProcess struct {
	PID  int    `json:"pid"`
	Name string `json:"name"` // of its program
	// App reports whether it is an application that shows its own pages, and no browser.
	App bool `json:"app,omitempty"`
}

// A Browser is a connection to one browser, by the protocol of Chromium's developer tools.
type Browser interface {
	// Call calls a method, in the session of a page unless that is empty, and decodes the
	// answer into result, unless that is nil.
	Call(ctx context.Context, session, method string, params, result any) error
	// Listen calls f for each event until stop is called. f must not call the browser.
	Listen(f func(BrowserEvent)) (stop func())
	Close() error
}

// BrowserEvent is what a browser reports by itself.
type BrowserEvent struct {
	Session, Method string
	Params          json.RawMessage
}
