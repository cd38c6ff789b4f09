package owner

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/sandbox"
	"understudy/steps"
)

// host is the owner's side: it serves other processes.
type host struct {
	o        Options
	id       string
	local    Local
	runs     hidingHandover // the engine as members see it
	listener net.Listener
	server   *http.Server
	members  sync.WaitGroup // one for each guest
	calls    sync.WaitGroup // one for each request
	acts     sync.WaitGroup // one for each call that may change something

	expected    handedRuns
	attribution attribution

	mu      sync.Mutex
	leaving bool
	guests  map[*guest]bool
}

// newHost opens the socket of an owner, and continues the runs that were handed over
// to it.
func newHost(m *Member, l Local) (*host, error) {
	h := &host{o: m.o, id: m.id, local: l, guests: map[*guest]bool{}}
	h.attribution = attribution{owner: m.id, inUse: h.inUse, runs: map[string]attributed{}, rights: map[string]*access.Rights{}}
	h.runs = hidingHandover{l.Engine, &h.expected}
	l.Engine.Allow = h.allowByMember(l.Engine.Allow)
	listener, err := listen(m.o.Dir)
	if err != nil {
		return nil, err
	}
	h.listener = listener
	h.expected.add(m.handed.Paused, m.o.Patience)
	h.proceed(m.id, m.handed.Runs)
	h.server = &http.Server{
		Handler: h.counted(h.routes()), ReadHeaderTimeout: helloTime, MaxHeaderBytes: 16 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, confinedKey{}, sandbox.CheckPeer(c))
		},
		ErrorLog: slog.NewLogLogger(m.o.Log.Handler(), slog.LevelDebug),
	}
	h.calls.Go(func() { _ = h.server.Serve(listener) }) // ends when the listener is closed
	return h, nil
}

// confinedKey is the key of the reason why the process at the other end is refused.
type confinedKey struct{}

// counted counts requests, and refuses those of confined commands, for which the owner would
// do what they may not.
func (h *host) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.calls.Add(1)
		defer h.calls.Done()
		if err, _ := r.Context().Value(confinedKey{}).(error); err != nil {
			h.o.Log.Warn("a command in the sandbox was refused access to the data folder", "error", err)
			reply(w, nil, steps.Errorf(steps.Denied, "the data folder %s: %w", h.o.Dir, err).
				WithNext("call the tools of the server instead; its operator can start it with --no-sandbox"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit adds a guest, unless the owner is leaving.
func (h *host) admit(g *guest) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.leaving {
		h.guests[g] = true
		h.members.Add(1)
		h.acts.Add(1) // until its runs continue
	}
	return !h.leaving
}

// guest returns the guest with an id, or nil.
func (h *host) guest(member string) *guest {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.guests {
		if g.ID == member {
			return g
		}
	}
	return nil
}

// dismiss removes a guest whose membership has ended.
func (h *host) dismiss(g *guest) {
	defer h.members.Done()
	close(g.gone)
	h.mu.Lock()
	delete(h.guests, g)
	leaving := h.leaving
	h.mu.Unlock()
	if !leaving && h.o.Gone != nil {
		runs := h.attribution.runsOf(g.ID)
		h.o.Gone(g.Client, slices.DeleteFunc(h.local.Engine.Active(), func(run string) bool { return !slices.Contains(runs, run) }))
	}
	h.local.Engine.Forget(g.Client.Client)
}

func (h *host) inUse() (runs, members []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.guests {
		members = append(members, g.ID)
	}
	return h.local.Engine.Active(), members
}

func (h *host) forMember(member string) engine.Runs { return attributing{h.runs, h, member} }

// proceed takes over the runs of a member, and continues those that the last owner
// paused.
func (h *host) proceed(member string, runs handover) {
	for run, r := range runs {
		h.local.Engine.RestoreUnstored(run, r.Belongings)
		h.attribution.setMember(run, member)
		if r.Paused {
			h.continueRun(run)
		}
	}
}

func (h *host) continueRun(run string) {
	defer h.expected.arrived(run)
	if _, err := h.local.Engine.Continue(context.Background(), run); err != nil {
		h.o.Log.Warn("a run that was handed over could not be continued", "run", run, "error", err)
	}
}

// checkHello returns why a process may not join.
func (h *host) checkHello(in hello) error {
	if in.Version != version {
		return steps.Errorf(steps.Unavailable, "the data folder %s is owned by an understudy that speaks version %d, this one speaks %d", h.o.Dir, version, in.Version).
			WithNext("end the older one, or use another data folder with --home")
	}
	if want := in.Hello.Display; want != "" && want != "auto" && want != h.o.Drives {
		return steps.Errorf(steps.Unavailable, "the data folder %s drives the display %q, not %q", h.o.Dir, h.o.Drives, want).
			WithNext("one data folder drives one display: use another with --home, or take this display with --display auto")
	}
	return nil
}

// begin reports whether a call may begin.
func (h *host) begin(r repeat) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving {
		return false
	}
	if r != reads {
		h.acts.Add(1)
	}
	return true
}

func (h *host) isLeaving() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leaving
}
