package mcpserver

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/access"
)

// subscriptions notifies subscribers when a resource changes. One goroutine polls the
// runs; it starts with the first run and ends with the server.
type subscriptions struct {
	mcp     *mcp.Server
	runs    *lazyRuns
	tools   *toolbox
	library *library

	mu   sync.Mutex
	stop context.CancelFunc
	done chan struct{}
}

// startWatching starts the goroutine, unless it runs already. The runs are open by then.
func (n *subscriptions) startWatching() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done != nil {
		return
	}
	runs := n.runs.opened().Runs // all of them, as they are watched for every client
	ctx, cancel := context.WithCancel(context.Background())
	n.stop, n.done = cancel, make(chan struct{})
	h, err := runs.Await(ctx, "", 0) // now, so that no later change is missed
	go func() {
		defer close(n.done)
		n.watch(ctx, runs, h, err)
	}()
}

func (n *subscriptions) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done == nil {
		n.done = make(chan struct{}) // so that startWatching does nothing any more
		close(n.done)
		n.stop = func() {}
	}
	n.stop()
	<-n.done
}

// updateInterval is the shortest time between two updates.
const updateInterval = 200 * time.Millisecond

// watch notifies subscribers of each change of a run, beginning with a first one.
func (n *subscriptions) watch(ctx context.Context, runs engine.Runs, h engine.Header, err error) {
	changed := map[string]bool{} // runs; "" may be any
	for last := uint64(0); ctx.Err() == nil; h, err = runs.Await(ctx, "", last) {
		pass, cancel := context.WithTimeout(ctx, updateInterval)
		for err == nil {
			changed[h.ID], last = true, h.Seq
			h, err = runs.Await(pass, "", last)
		}
		<-pass.Done()
		cancel()
		if n.hasSessions() && n.update(ctx, runs, changed) != nil {
			last = 0 // Await then returns at once, and the update is tried again
			continue
		}
		clear(changed)
	}
}

// update notifies the subscribers of runs that have changed. If any may have, those are
// the newest.
func (n *subscriptions) update(ctx context.Context, runs engine.Runs, changed map[string]bool) error {
	if changed[""] {
		list, err := runs.List(ctx, engine.Query{Calls: true, Limit: 100})
		if err != nil {
			return err
		}
		for _, h := range list {
			changed[h.ID] = true
		}
	}
	for id := range changed {
		n.changed(ctx, runURI+id)
		n.changed(ctx, runURI+id+"/events")
	}
	if len(changed) > 0 {
		n.changed(ctx, runsURI)
	}
	return nil
}

func (n *subscriptions) changed(ctx context.Context, uri string) {
	_ = n.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
}

// hasSessions reports whether a client is connected that could have subscribed.
func (n *subscriptions) hasSessions() bool {
	for range n.mcp.Sessions() {
		return true
	}
	return false
}

// subscriptionsIn returns the URIs to which a request subscribes.
func subscriptionsIn(req mcp.Request) []string {
	switch r := req.(type) {
	case *mcp.SubscribeRequest:
		return []string{r.Params.URI}
	case *mcp.SubscriptionsListenRequest:
		if r.Params.Notifications != nil {
			return r.Params.Notifications.ResourceSubscriptions
		}
	}
	return nil
}

// permit checks that the sender of a request may read a resource to which it subscribes.
// The SDK passes the credential of a request only to the middleware.
func (n *subscriptions) permit(ctx context.Context, from serverRequest, uri string) error {
	r, ok := resourceAt(uri)
	if !(ok && n.tools.discloses(r.tool)) && strings.HasPrefix(uri, scheme) { // Options.Extend may have added other schemes
		return mcp.ResourceNotFoundError(uri)
	}
	c, err := n.tools.authorize(from, r.tool)
	if err != nil {
		return err
	}
	if !c.All && !n.canSee(ctx, c.Subject, uri, r) {
		return mcp.ResourceNotFoundError(uri)
	}
	return nil
}

// subscribe begins to watch the runs; the SDK keeps the subscription.
func (n *subscriptions) subscribe(ctx context.Context, _ *mcp.SubscribeRequest) error {
	_, err := n.runs.get(ctx)
	if err == nil {
		n.startWatching()
	}
	return err
}

// canSee reports whether a subject may see the run or workflow at a URI.
func (n *subscriptions) canSee(ctx context.Context, who access.Subject, uri string, r resource) bool {
	if name, ok := strings.CutPrefix(uri, workflowURI); ok {
		return n.library.viewFor(who).canSee(name)
	}
	id, ok := strings.CutPrefix(uri, runURI)
	if !ok {
		return true
	}
	id, _, _ = strings.Cut(id, "/")
	runs, err := n.tools.runsFor(ctx, who, r.tool)
	if err == nil {
		_, err = runs.Get(ctx, id)
	}
	return err == nil
}

func (n *subscriptions) unsubscribe(context.Context, *mcp.UnsubscribeRequest) error { return nil }
