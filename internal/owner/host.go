package owner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// host is the owner's side: it lets other processes in.
type host struct {
	o      Options
	id     string
	local  Local
	runs   patient // the engine, for members
	door   net.Listener
	serves map[string]served
	wg     sync.WaitGroup // of the door and the guests
	acts   sync.WaitGroup // of calls that may change something

	expected expected

	mu      sync.Mutex
	leaving bool
	conns   map[net.Conn]bool
	guests  map[*guest]bool
	began   map[string]string // run → the member that last began or continued it
	// policies are what the guests may do, in their own words.
	policies map[string]string
}

// newHost opens the socket of an owner. The runs that were handed over to it
// go on.
func newHost(m *Member, l Local) (*host, error) {
	h := &host{
		o: m.o, id: m.id, local: l, serves: methods(),
		conns: map[net.Conn]bool{}, guests: map[*guest]bool{}, began: map[string]string{},
		policies: map[string]string{},
	}
	h.runs = patient{l.Engine, &h.expected}
	l.Engine.Allow = h.guarded(l.Engine.Allow)
	door, err := listen(m.o.Dir)
	if err != nil {
		return nil, err
	}
	h.door = door
	h.expected.add(m.handed.Paused, m.o.Patience)
	h.proceed(m.id, m.handed.Runs)
	h.wg.Go(h.admit)
	return h, nil
}

// admit lets guests in until the door is closed.
func (h *host) admit() {
	for {
		conn, err := h.door.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			h.o.Log.Warn("a process could not be let into the data folder", "error", err)
			time.Sleep(50 * time.Millisecond) // out of files, it may be
			continue
		}
		h.wg.Go(func() { h.receive(conn) })
	}
}

// receive serves one connection until it ends.
func (h *host) receive(conn net.Conn) {
	defer h.close(conn)
	if !h.enter(conn) {
		return
	}
	g := &guest{h: h, pipe: pipe{conn: conn}, calls: map[uint64]context.CancelFunc{}}
	_ = conn.SetReadDeadline(time.Now().Add(helloTime))
	if err := g.greet(); err != nil {
		h.o.Log.Info("a process was not let into the data folder", "error", err)
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	err := g.listen()
	h.dismiss(g)
	h.o.Log.Debug("a process has left the data folder", "client", g.Client.Client, "reason", err)
}

// enter notes a connection, unless the owner is leaving.
func (h *host) enter(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.leaving {
		h.conns[conn] = true
	}
	return !h.leaving
}

func (h *host) close(conn net.Conn) {
	_ = conn.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, conn)
}

// seat makes a guest one whose runs are looked after, unless the owner is
// leaving.
func (h *host) seat(g *guest) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.leaving {
		h.guests[g] = true
	}
	return !h.leaving
}

// dismiss forgets a guest whose connection has ended.
func (h *host) dismiss(g *guest) {
	h.mu.Lock()
	delete(h.guests, g)
	leaving := h.leaving
	h.mu.Unlock()
	if !leaving && h.o.Gone != nil {
		h.o.Gone(g.Client, h.runsOf(g.ID))
	}
	h.local.Engine.Forget(g.Client.Client)
}

// runsOf are the runs under way that a member began or continued.
func (h *host) runsOf(member string) []string {
	active := h.local.Engine.Active()
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(active, func(run string) bool { return h.began[run] != member })
}

// forMember is the engine as one member uses it.
func (h *host) forMember(member string) engine.Runs { return noting{h.runs, h, member} }

// proceed takes over the runs of a member, and continues those that the last
// owner paused.
func (h *host) proceed(member string, runs handover) {
	for run, r := range runs {
		h.local.Engine.RestoreUnstored(run, r.Belongings)
		h.note(run, member)
		if r.Paused {
			h.goOn(run)
		}
	}
}

func (h *host) goOn(run string) {
	defer h.expected.came(run)
	if _, err := h.local.Engine.Continue(context.Background(), run); err != nil {
		h.o.Log.Warn("a run that was handed over cannot go on", "run", run, "error", err)
	}
}

// welcome says why a process may not come in.
func (h *host) welcome(in hello) error {
	if in.Version != version {
		return &steps.Error{
			Code: steps.Unavailable,
			Err:  fmt.Errorf("the data folder %s is owned by an understudy that speaks version %d, this one speaks %d", h.o.Dir, version, in.Version),
			Next: "end the older one, or use another data folder with --home",
		}
	}
	if want := in.Hello.Display; want != "" && want != "auto" && want != h.o.drives() {
		return &steps.Error{
			Code: steps.Unavailable,
			Err:  fmt.Errorf("the data folder %s drives the display %q, not %q", h.o.Dir, h.o.drives(), want),
			Next: "one data folder drives one display: use another with --home, or take this display with --display auto",
		}
	}
	return nil
}

// begin says whether a call may begin.
func (h *host) begin(s sort) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving {
		return false
	}
	if s != reads {
		h.acts.Add(1)
	}
	return true
}

func (h *host) isLeaving() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leaving
}
