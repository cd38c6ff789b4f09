package owner

import (
	"context"
	"encoding/json"
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
	door   net.Listener
	serves map[string]served
	wg     sync.WaitGroup // of the door and the guests
	acts   sync.WaitGroup // of calls that may change something

	mu      sync.Mutex
	leaving bool
	conns   map[net.Conn]bool
	guests  map[*guest]bool
	began   map[string]string   // run → the member that last began or continued it
	handed  map[string][]string // member → its runs that the last owner paused
}

// newHost opens the socket of an owner. The runs that were handed over to it
// go on.
func newHost(m *Member, l Local) (*host, error) {
	h := &host{
		o: m.o, id: m.id, local: l, serves: methods(),
		conns: map[net.Conn]bool{}, guests: map[*guest]bool{}, began: map[string]string{}, handed: takeHandover(m.o.Dir),
	}
	door, err := listen(m.o.Dir)
	if err != nil {
		return nil, err
	}
	h.door = door
	h.proceed(m.id)
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
	for run := range h.began {
		if !slices.Contains(active, run) {
			delete(h.began, run)
		}
	}
	return slices.DeleteFunc(active, func(run string) bool { return h.began[run] != member })
}

func (h *host) note(run, member string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.began[run] = member
}

// proceed continues the runs of a member that the last owner paused.
func (h *host) proceed(member string) {
	h.mu.Lock()
	runs := h.handed[member]
	delete(h.handed, member)
	h.mu.Unlock()
	for _, run := range runs {
		if _, err := h.local.Engine.Continue(context.Background(), run); err != nil {
			h.o.Log.Warn("a run that was handed over cannot go on", "run", run, "error", err)
			continue
		}
		h.note(run, member)
	}
}

// welcome says why a process may not come in.
func (h *host) welcome(in hello) error {
	if in.Version != version {
		return &steps.Error{Code: steps.Unavailable,
			Err:  fmt.Errorf("the data folder %s is owned by an understudy that speaks version %d, this one speaks %d", h.o.Dir, version, in.Version),
			Next: "end the older one, or use another data folder with --home"}
	}
	if want := in.Hello.Display; want != "" && want != "auto" && want != h.o.Hello.Display {
		return &steps.Error{Code: steps.Unavailable,
			Err:  fmt.Errorf("the data folder %s drives the display %q, not %q", h.o.Dir, h.o.Hello.Display, want),
			Next: "one data folder drives one display: use another with --home, or take this display with --display auto"}
	}
	return nil
}

// hello is the first message of a guest.
type hello struct {
	Version int    `json:"version"`
	Member  string `json:"member"`
	Hello   Hello  `json:"hello"`
}

// guest is the owner's end of a connection.
type guest struct {
	pipe
	Client
	h     *host
	tasks sync.WaitGroup

	mu    sync.Mutex
	calls map[uint64]context.CancelFunc
}

// mostCalls is how many calls of one guest are under way at most.
const mostCalls = 256

// greet reads the hello, and lets the guest in or says why not.
func (g *guest) greet() error {
	m, err := g.receive(helloLimit)
	if err != nil {
		return err
	}
	var in hello
	err = json.Unmarshal(m.With, &in)
	if m.Method != helloMethod || err != nil {
		return malformed(helloMethod, err)
	}
	if err := g.h.welcome(in); err != nil {
		return errors.Join(err, g.send(message{Error: failureOf(err)}, answerLimit))
	}
	g.Client = Client{in.Member, in.Hello}
	if !g.h.seat(g) {
		return errMoved
	}
	g.h.proceed(g.ID)
	if g.h.o.Came != nil {
		g.h.o.Came(g.Client)
	}
	if err := g.send(message{With: json.RawMessage(`{}`)}, answerLimit); err != nil {
		g.h.dismiss(g)
		return err
	}
	return nil
}

// listen takes calls until the connection ends; then it cancels those that
// only read, and waits for all.
func (g *guest) listen() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer g.tasks.Wait()
	defer cancel()
	for {
		m, err := g.receive(requestLimit)
		if err != nil {
			return err
		}
		if m.Method == cancelMethod {
			g.cancel(m.ID)
			continue
		}
		g.take(ctx, m)
	}
}

func (g *guest) cancel(id uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if cancel := g.calls[id]; cancel != nil {
		cancel()
	}
}

// take begins a call in a goroutine of its own.
func (g *guest) take(ctx context.Context, m message) {
	t, ok := g.h.serves[m.Method]
	if !ok {
		g.reply(m.ID, nil, malformed(m.Method, errors.New("there is no such method")))
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	g.mu.Lock()
	full := len(g.calls) >= mostCalls
	if !full {
		g.calls[m.ID] = cancel
	}
	g.mu.Unlock()
	if full {
		cancel()
		g.reply(m.ID, nil, steps.Errorf(steps.Busy, "this process asks more than %d things at once", mostCalls))
		return
	}
	g.tasks.Go(func() {
		defer g.finish(m.ID, cancel)
		g.do(ctx, m, t)
	})
}

func (g *guest) finish(id uint64, cancel context.CancelFunc) {
	cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.calls, id)
}

// do does a call. What changes something goes on when its caller is gone, so
// that it is done whole; what reads is asked again of the next owner when this
// one leaves, so its answer, which could tell of the leaving, is kept back.
func (g *guest) do(ctx context.Context, m message, t served) {
	if !g.h.begin(t.sort) {
		_ = g.send(message{ID: m.ID, Moved: true}, answerLimit)
		return
	}
	if t.sort != reads {
		defer g.h.acts.Done()
		ctx = context.WithoutCancel(ctx)
	}
	r, err := t.do(ctx, g.h.local.Engine, m.With)
	if t.sort == reads && g.h.isLeaving() {
		_ = g.send(message{ID: m.ID, Moved: true}, answerLimit)
		return
	}
	if run, ok := r.(engine.Header); ok && err == nil && t.sort != reads {
		g.h.note(run.ID, g.ID)
	}
	g.reply(m.ID, r, err)
}

func (g *guest) reply(id uint64, r any, err error) {
	out := message{ID: id, Error: failureOf(err)}
	if err == nil {
		if out.With, err = json.Marshal(r); err != nil {
			out.Error = failureOf(err)
		}
	}
	if err := g.send(out, answerLimit); errors.Is(err, errTooLarge) {
		_ = g.send(message{ID: id, Error: failureOf(tooLarge("the answer", err))}, answerLimit)
	}
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
