package owner

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"understudy/steps"
)

// hello is the first message of a guest.
type hello struct {
	Version int    `json:"version"`
	Member  string `json:"member"`
	Hello   Hello  `json:"hello"`
	// Last is what the last owner said when it left.
	Last farewell `json:"last,omitzero"`
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
	m, err := g.receive(requestLimit)
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
	g.h.setPolicy(g.ID, in.Hello.Policy)
	g.h.proceed(g.ID, in.Last.Runs)
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
	if m.Method == policyMethod {
		g.hear(m)
		return
	}
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

// hear notes what the guest may do from now on.
func (g *guest) hear(m message) {
	var policy string
	if err := json.Unmarshal(m.With, &policy); err != nil {
		g.reply(m.ID, nil, malformed(m.Method, err))
		return
	}
	g.h.setPolicy(g.ID, policy)
	g.reply(m.ID, none{}, nil)
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
	r, err := t.do(ctx, g.h.forMember(g.ID), m.With)
	if t.sort == reads && g.h.isLeaving() {
		_ = g.send(message{ID: m.ID, Moved: true}, answerLimit)
		return
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
