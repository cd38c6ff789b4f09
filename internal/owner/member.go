package owner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/steps"
)

// Local is what a process has while it owns the data folder.
type Local struct {
	Engine *engine.Engine
	// Close closes the desktop and the store, after the runs have ended.
	Close func(context.Context) error
}

// Hello describes a process to the owner.
type Hello struct {
	// Display is the display that the process wants to use; "" and "auto" accept any.
	Display string `json:"display,omitempty"`
	Client  string `json:"client,omitempty"` // its name
	// Rights are what the clients of the process may do; nil: everything.
	Rights *access.Rights `json:"rights,omitempty"`
	// Answers means that the process answers the owner's questions about its runs.
	Answers bool `json:"answers,omitempty"`
	// KeepRunning means that its runs continue when the process has gone.
	KeepRunning bool `json:"keep_running,omitempty"`
}

// Client is a process that is connected to the owner.
type Client struct {
	ID string // of the Member; it stays the same when the owner changes
	Hello
}

// Options configure a Member.
type Options struct {
	Dir string
	// Open opens the store and the engine in this process. It fails with
	// engine.ErrLocked if another process has the store.
	Open  func(ctx context.Context) (Local, error)
	Hello Hello
	// Drives is the display that this process uses if it becomes the owner; empty:
	// that of its Hello.
	Drives string
	// Allow is asked before each step of the runs that this process began or
	// continued, while another process executes them; nil: only the Rights of Hello
	// count.
	Allow Allow
	// Gone, if set, is called in the owner after a process has gone, with the active
	// runs that the process began or continued last.
	Gone func(c Client, runs []string)
	Log  *slog.Logger
	// Patience bounds the wait for a folder whose owner is leaving, and for runs to
	// pause when this process leaves; 0: ten seconds.
	Patience time.Duration
}

// Member is the membership of a process in a data folder. Its methods may be called
// concurrently.
type Member struct {
	o     Options
	id    string
	mutex chan struct{} // a mutex for the fields below that can be waited for with a context
	now   runsAt
	left  bool
	// handed are the runs of this member that the last owner handed over, until the
	// next one has them.
	handed farewell
	views  views
}

// runsAt tells where the runs are: in this process, behind a connection, or nowhere
// yet.
type runsAt struct {
	host   *host
	client *client
}

// Join makes this process a member of a data folder, and its owner if there is none.
func Join(ctx context.Context, o Options) (*Member, error) {
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Hello.Answers = o.Allow != nil
	o.Drives = cmp.Or(o.Drives, o.Hello.Display)
	m := &Member{o: o, id: engine.NewKey(), mutex: make(chan struct{}, 1)}
	if _, err := m.connect(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Member) lock(ctx context.Context) error {
	select {
	case m.mutex <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *Member) release() { <-m.mutex }

// connect returns where the runs are. If the owner has gone, it finds the next one,
// which may be this process.
func (m *Member) connect(ctx context.Context) (runsAt, error) {
	if err := m.lock(ctx); err != nil {
		return runsAt{}, err
	}
	defer m.release()
	switch {
	case m.left:
		return runsAt{}, ErrLeft
	case m.now.host != nil, m.now.client != nil && !m.now.client.ended():
		return m.now, nil
	}
	if c := m.now.client; c != nil {
		m.handed, m.now = c.handed, runsAt{}
	}
	p, err := m.findOwner(ctx)
	if err == nil {
		m.now, m.handed = p, farewell{}
	}
	return p, err
}

// findOwner connects to the owner, or becomes the owner. While an owner is leaving,
// neither is possible for a moment.
func (m *Member) findOwner(ctx context.Context) (runsAt, error) {
	deadline := time.Now().Add(m.o.Patience)
	for {
		c, err := dial(ctx, m.o.Dir, hello{version, m.id, m.o.Hello, m.handed})
		if err == nil {
			go m.awaitNextOwner(c)
			if m.o.Allow != nil {
				go c.answerQuestions(m.o.Allow)
			}
			return runsAt{client: c}, nil
		}
		if !errors.Is(err, errNobody) {
			return runsAt{}, err
		}
		h, err := m.becomeOwner(ctx)
		if err == nil {
			return runsAt{host: h}, nil
		}
		if !errors.Is(err, engine.ErrLocked) || time.Now().After(deadline) {
			return runsAt{}, err
		}
		if err := steps.Sleep(ctx, 20*time.Millisecond); err != nil {
			return runsAt{}, err
		}
	}
}

// awaitNextOwner connects to the next owner when one has left, so that the paused
// runs of this member continue even if nobody asks about them.
func (m *Member) awaitNextOwner(c *client) {
	<-c.gone
	if !c.left {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.o.Patience)
	defer cancel()
	if _, err := m.connect(ctx); err != nil && !errors.Is(err, ErrLeft) {
		m.o.Log.Warn("the data folder was handed over, but its new owner cannot be reached", "dir", m.o.Dir, "error", err)
	}
}

func (m *Member) becomeOwner(ctx context.Context) (*host, error) {
	l, err := m.o.Open(ctx)
	if err != nil {
		return nil, err
	}
	h, err := newHost(m, l)
	if err != nil {
		return nil, errors.Join(err, l.Close(context.WithoutCancel(ctx)))
	}
	return h, nil
}

// Leave ends the membership. The owner's runs are handed to the remaining members, or
// stopped so that they can be resumed.
func (m *Member) Leave(ctx context.Context) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	p := m.now
	m.left, m.now = true, runsAt{}
	m.release() // Gone may call a method, which then fails with ErrLeft
	switch {
	case p.host != nil:
		return p.host.leave(ctx)
	case p.client != nil:
		p.client.end()
		<-p.client.gone
	}
	return nil
}

// call executes a method where the runs are. If the owner goes away meanwhile, the
// call is repeated with the next one, unless that could execute it twice.
func call[P, R any](ctx context.Context, m *Member, t method[P, R], p P) (R, error) {
	for {
		at, err := m.connect(ctx)
		if err != nil {
			var zero R
			return zero, err
		}
		r, err := callAt(ctx, at, t, p)
		switch {
		case !isLost(err):
			return r, err
		case ctx.Err() != nil:
			return r, context.Cause(ctx)
		case errors.Is(err, errLost) && t.repeat == acting:
			return r, unsure(t.name)
		}
	}
}

func callAt[P, R any](ctx context.Context, at runsAt, t method[P, R], p P) (r R, err error) {
	if at.host != nil {
		return t.do(ctx, at.host.forMember(at.host.id), p)
	}
	raw, err := at.client.call(ctx, callPath+t.name, p)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, malformed(t.name, err)
	}
	return r, nil
}
