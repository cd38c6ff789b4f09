package mcpserver

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/mcpserver/access"
	"understudy/steps"
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

// startWatching starts the goroutine, unless it runs already.
func (n *subscriptions) startWatching(runs engine.Runs) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.stop, n.done = cancel, make(chan struct{})
	go func() {
		defer close(n.done)
		n.watch(ctx, runs)
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

// watch notifies subscribers of each change of a run.
func (n *subscriptions) watch(ctx context.Context, runs engine.Runs) {
	sent := map[string]uint64{}
	for last := uint64(0); ; {
		_ = steps.Sleep(ctx, updateInterval)
		if h, err := runs.Await(ctx, "", last); err == nil {
			last = h.Seq
		}
		if ctx.Err() != nil {
			return
		}
		if !n.hasSessions() {
			continue
		}
		list, err := runs.List(ctx, engine.Query{Calls: true, Limit: 20})
		if err != nil {
			last = 0 // Await then returns at once, and the list is tried again
			continue
		}
		now := map[string]uint64{}
		for _, h := range list {
			if now[h.ID] = h.Seq; sent[h.ID] != h.Seq {
				n.changed(ctx, runURI+h.ID)
				n.changed(ctx, runURI+h.ID+"/events")
			}
		}
		if !maps.Equal(sent, now) {
			n.changed(ctx, runsURI)
		}
		sent = now
	}
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

// subscribe checks that the client may read the resource; the SDK keeps the
// subscription.
func (n *subscriptions) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	r, ok := resourceAt(req.Params.URI)
	if !(ok && n.tools.discloses(r.tool)) && strings.HasPrefix(req.Params.URI, scheme) { // Options.Extend may have added other schemes
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	c, err := n.tools.authorize(req, r.tool)
	if err != nil {
		return err
	}
	runs, err := n.runs.get(ctx)
	if err != nil {
		return err
	}
	if !c.All && !n.canSee(ctx, c.Subject, req.Params.URI, r) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	n.startWatching(runs)
	return nil
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
