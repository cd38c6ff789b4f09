package mcpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
)

// Headers that the server writes itself, over whatever a client sent.
const (
	exchangeHeader = "X-Understudy-Exchange" // names the HTTP request that a call came in
	modeHeader     = "X-Understudy-Mode"     // the mode of the path
)

// bridge leads from a call to the HTTP request that it came in. The SDK keeps
// the two apart for versions with sessions, in which a client may drop a request
// and fetch the answer later; this server takes the drop for what it mostly is.
type bridge struct {
	mu   sync.Mutex
	open map[string]*exchange
}

// exchange is an HTTP request that is being answered.
type exchange struct {
	ctx  context.Context
	give func() // gives back the place that was taken for it; nil: none was
}

// begin notes a request and names it in a header.
func (b *bridge) begin(r *http.Request, give func()) (end func()) {
	id := rand.Text()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[string]*exchange{}
	}
	b.open[id] = &exchange{ctx: r.Context(), give: give}
	r.Header.Set(exchangeHeader, id)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if x := b.open[id]; x != nil && x.give != nil {
			x.give()
		}
		delete(b.open, id)
	}
}

// find is the request that a call came in; nil over other transports.
func (b *bridge) find(h http.Header) *exchange {
	if h == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[h.Get(exchangeHeader)]
}

// claim takes over the place of a request, for a run that outlasts it.
func (b *bridge) claim(h http.Header) (give func()) {
	x := b.find(h)
	b.mu.Lock()
	defer b.mu.Unlock()
	if x == nil || x.give == nil {
		return func() {}
	}
	give, x.give = x.give, nil
	return give
}
