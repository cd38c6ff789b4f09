package mcpserver

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
)

// news tells those who subscribed to a resource that it changed. One goroutine
// watches the runs; it begins with the first run, and ends with the server.
type news struct {
	mu   sync.Mutex
	stop context.CancelFunc
	done chan struct{}
}

// watching begins to watch the runs.
func (s *Server) watching(runs engine.Runs) {
	n := &s.news
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.stop, n.done = cancel, make(chan struct{})
	go func() {
		defer close(n.done)
		s.watch(ctx, runs)
	}()
}

func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done == nil {
		n.done = make(chan struct{}) // nothing is to begin any more
		close(n.done)
		n.stop = func() {}
	}
	n.stop()
	<-n.done
}

// newsEvery is how often the news is told at most.
const newsEvery = 200 * time.Millisecond

// watch waits for news of any run, and tells it.
func (s *Server) watch(ctx context.Context, runs engine.Runs) {
	told := map[string]uint64{}
	for last := uint64(0); ; {
		_ = steps.Sleep(ctx, newsEvery)
		if h, err := runs.Await(ctx, "", last); err == nil {
			last = h.Seq
		}
		if ctx.Err() != nil {
			return
		}
		if !s.anyoneListens() {
			continue
		}
		list, err := runs.List(ctx, engine.Query{Calls: true, Limit: 20})
		if err != nil {
			return
		}
		now := map[string]uint64{}
		for _, h := range list {
			if now[h.ID] = h.Seq; told[h.ID] != h.Seq {
				s.changed(ctx, runURI+h.ID)
				s.changed(ctx, runURI+h.ID+"/events")
			}
		}
		if !maps.Equal(told, now) {
			s.changed(ctx, runsURI)
		}
		told = now
	}
}

func (s *Server) changed(ctx context.Context, uri string) {
	_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
}

// anyoneListens says whether a client is connected that could have subscribed.
func (s *Server) anyoneListens() bool {
	for range s.mcp.Sessions() {
		return true
	}
	return false
}

// subscribe takes subscriptions to what may be read; the SDK keeps them.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	r, ok := s.resourceAt(req.Params.URI)
	if !ok && strings.HasPrefix(req.Params.URI, scheme) { // others were added to the server
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err := s.barred(req, r.tool); err != nil {
		return err
	}
	runs, err := s.opened(ctx)
	if err != nil {
		return err
	}
	s.watching(runs)
	return nil
}

func (s *Server) unsubscribe(context.Context, *mcp.UnsubscribeRequest) error { return nil }

// greeted drops what was kept for a client when its session ends.
func (s *Server) greeted(_ context.Context, req *mcp.InitializedRequest) {
	session, id := req.Session, s.caller(req).id()
	go func() {
		_ = session.Wait()
		if f, ok := s.isOpen().(interface{ Forget(client string) }); ok {
			f.Forget(id)
		}
	}()
}

// savedNews tells that a workflow was saved.
func (s *Server) savedNews(ctx context.Context, name string, isNew bool) {
	if isNew {
		s.addWorkflow(name)
	}
	s.changed(ctx, workflowURI+name)
	s.changed(ctx, workflowsURI)
}
