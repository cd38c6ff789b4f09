package owner

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"understudy/internal/access"
	"understudy/steps"
)

// hello is what a guest sends when it joins.
type hello struct {
	Version int    `json:"version"`
	Member  string `json:"member"`
	Hello   Hello  `json:"hello"`
	// Last is what the last owner sent when it left.
	Last farewell `json:"last,omitzero"`
}

// guest is a process that has joined, on the side of the owner.
type guest struct {
	Client
	calls atomic.Int32
	bye   chan farewell // sent when the owner leaves

	questions chan *question // fetched by the guest
	asked     atomic.Pointer[question]
	gone      chan struct{} // closed when the membership has ended
}

const mostCalls = 256

func (h *host) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+joinPath, h.serveMember)
	mux.HandleFunc("POST "+rightsPath, h.ofGuest(h.serveRights))
	mux.HandleFunc("POST "+questionsPath, h.ofGuest(h.serveQuestions))
	mux.HandleFunc("POST "+callPath+"{method}", h.ofGuest(h.serveCall))
	return mux
}

// serveMember accepts or rejects a guest. The response ends when the guest goes or
// the owner leaves.
func (h *host) serveMember(w http.ResponseWriter, r *http.Request) {
	var in hello
	err := readRequest(w, r, &in)
	if err == nil {
		err = h.checkHello(in)
	}
	if err != nil {
		h.o.Log.Info("a process was refused access to the data folder", "error", err)
		reply(w, nil, err)
		return
	}
	g := &guest{Client: Client{in.Member, in.Hello}, bye: make(chan farewell, 1), questions: make(chan *question), gone: make(chan struct{})}
	if !h.admit(g) {
		w.WriteHeader(statusMoved)
		return
	}
	defer h.dismiss(g)
	h.attribution.setRights(g.ID, in.Hello.Rights)
	h.proceed(g.ID, in.Last.Runs)
	h.acts.Done()
	c := http.NewResponseController(w)
	if err := c.Flush(); err != nil {
		return
	}
	select {
	case <-r.Context().Done():
		h.o.Log.Debug("a process has left the data folder", "client", g.Client.Client)
	case f := <-g.bye:
		_ = c.SetWriteDeadline(time.Now().Add(writeTime))
		if err := errors.Join(json.NewEncoder(w).Encode(f), c.Flush()); err != nil {
			h.o.Log.Warn("runs could not be handed over; they stay paused", "client", g.Client.Client, "error", err)
		}
	}
}

// ofGuest restricts a handler to guests. Other processes are told that nothing was
// begun: a guest whose membership has ended looks for the next owner.
func (h *host) ofGuest(serve func(http.ResponseWriter, *http.Request, *guest)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		g := h.guest(r.Header.Get(memberHeader))
		if g == nil {
			w.WriteHeader(statusMoved)
			return
		}
		defer g.calls.Add(-1)
		if g.calls.Add(1) > mostCalls {
			reply(w, nil, steps.Errorf(steps.Busy, "this process asks more than %d things at once", mostCalls))
			return
		}
		serve(w, r, g)
	}
}

func (h *host) serveRights(w http.ResponseWriter, r *http.Request, g *guest) {
	var rights access.Rights
	err := readRequest(w, r, &rights)
	if err == nil {
		h.attribution.setRights(g.ID, &rights)
	}
	reply(w, none{}, err)
}

// serveCall executes a call. A call that changes something continues when its caller
// has gone, so that it is completed. The guest repeats a call that reads with the
// next owner, so the answer of an owner that is leaving, which might show the effects
// of leaving, is not sent.
func (h *host) serveCall(w http.ResponseWriter, r *http.Request, g *guest) {
	m, ok := served[r.PathValue("method")]
	if !ok {
		reply(w, nil, malformed(r.URL.Path, errors.New("there is no such method")))
		return
	}
	var raw json.RawMessage
	if err := readRequest(w, r, &raw); err != nil {
		reply(w, nil, err)
		return
	}
	if !h.begin(m.repeat) {
		w.WriteHeader(statusMoved)
		return
	}
	ctx := r.Context()
	if m.repeat != reads {
		defer h.acts.Done()
		ctx = context.WithoutCancel(ctx)
	}
	value, err := m.do(ctx, h.forMember(g.ID), raw)
	if m.repeat == reads && h.isLeaving() {
		w.WriteHeader(statusMoved)
		return
	}
	reply(w, value, err)
}
