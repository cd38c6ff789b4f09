package service

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/engine"
	"understudy/internal/remote"
	"understudy/internal/sandbox"
	"understudy/steps"
)

// HostOptions configure a Host.
type HostOptions struct {
	Dir     string
	Display string // that it drives
	Version string // of the program
	Setup   string // what it was started with, see Hello
	Engine  *engine.Engine
	// Close closes the desktop and the store, after the runs have ended.
	Close func(context.Context) error
	// Idle is after which time without work it ends; 0: never.
	Idle time.Duration
	// Scheduled reports whether runs will begin by themselves; nil: none will.
	Scheduled func() bool
	// Attach serves a client that has sent a request on a stream, until life or the stream
	// ends. A stream whose client has died ends with io.ErrUnexpectedEOF.
	Attach func(life context.Context, request json.RawMessage, in io.Reader, out io.Writer) error
	Log    *slog.Logger
}

// A Host serves the other processes that use the data folder of this one.
type Host struct {
	HostOptions
	server  *http.Server
	door    net.Listener
	token   string         // that clients on a loopback port must send; empty: the socket is a file
	serving sync.WaitGroup // of the server, and of its requests
	acts    sync.WaitGroup // one for each call that may change something, and for each stream
	born    time.Time
	life    context.Context // of the streams
	endLife context.CancelFunc
	over    chan struct{} // closed when it is to leave
	left    chan struct{} // closed when the store is closed

	mu      sync.Mutex
	leaving bool
	peers   map[*peer]bool // those that have said hello
}

// A peer is the other end of a connection.
type peer struct {
	net.Conn
	Hello
	host    *Host
	caller  engine.Caller // a person at the command line, who may do everything
	refused error         // why it is refused
}

// Serve makes this process, which has the store of a folder, the service of the folder.
func Serve(o HostOptions) (*Host, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{HostOptions: o, born: time.Now(), over: make(chan struct{}), left: make(chan struct{}), peers: map[*peer]bool{}}
	l, token, err := listen(o.Dir)
	if err != nil {
		return nil, err
	}
	h.door, h.token = l, token
	h.life, h.endLife = context.WithCancel(context.Background())
	h.server = &http.Server{
		Handler: h.routes(), ReadHeaderTimeout: helloTime, MaxHeaderBytes: 16 << 10, Protocols: protocols(),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, peerKey{}, c) },
		ErrorLog:    slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	h.serving.Go(func() { _ = h.server.Serve(peers{l, h}) }) // ends when the listener is closed
	if o.Idle > 0 {
		h.serving.Go(h.awaitIdle)
	}
	return h, nil
}

type peerKey struct{}

// peers is a listener whose connections are peers.
type peers struct {
	net.Listener
	host *Host
}

func (l peers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	p := &peer{Conn: c, host: l.host}
	if l.host.token == "" {
		p.refused = sandbox.CheckPeer(c)
	}
	return p, nil
}

// Close is called by the server when the connection has ended.
func (p *peer) Close() error {
	p.host.dismiss(p)
	return p.Conn.Close()
}

func (h *Host) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+helloPath, h.admitting)
	mux.HandleFunc("POST "+callPath+"{method}", h.serveCall)
	mux.HandleFunc("POST "+attachPath, h.serveAttached)
	mux.HandleFunc("POST "+stopPath, h.serveStop)
	mux.HandleFunc("GET "+statusPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, h.status(), nil) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.serving.Add(1)
		defer h.serving.Done()
		if err := h.check(r); err != nil {
			h.Log.Warn("a process was refused access to the data folder", "error", err)
			reply(w, nil, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// check refuses confined commands, for which the service would do what they may not, and those
// who cannot read the data folder.
func (h *Host) check(r *http.Request) error {
	if err := peerOf(r).refused; err != nil {
		return steps.Errorf(steps.Denied, "the data folder %s: %w", h.Dir, err).
			WithNext("call the tools of the server instead; its operator can start it with --no-sandbox")
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(h.token)) == 0 {
		return steps.Errorf(steps.Denied, "the data folder %s belongs to another user", h.Dir)
	}
	return nil
}

func peerOf(r *http.Request) *peer {
	p, _ := r.Context().Value(peerKey{}).(*peer)
	return p
}

// admitting accepts or rejects a client.
func (h *Host) admitting(w http.ResponseWriter, r *http.Request) {
	var in Hello
	err := readRequest(w, r, &in)
	if err == nil {
		err = h.checkHello(in)
	}
	if err == nil {
		err = h.admit(peerOf(r), in)
	}
	reply(w, struct{}{}, err)
}

// checkHello returns why a process may not use this service. A service with which nobody works
// gives way to a process that wants another one.
func (h *Host) checkHello(in Hello) error {
	err := h.refuse(in)
	other := in.Version != h.Version || in.Setup != "" && in.Setup != h.Setup
	if (err != nil || other) && h.leaveIfIdle() {
		h.Log.Info("another process takes over, because nobody works with this one", "version", in.Version)
		return errMoved
	}
	return err
}

func (h *Host) refuse(in Hello) error {
	switch want := in.Display; {
	case in.Protocol != protocol:
		return steps.Errorf(steps.Unavailable, "the data folder %s has a service of version %s, which speaks version %d, this one speaks %d", h.Dir, h.Version, protocol, in.Protocol).
			WithNext("end it with `understudy service stop`, or use another data folder with --home")
	case in.Alone:
		return steps.Errorf(steps.Unavailable, "the data folder %s has a service already, process %d", h.Dir, os.Getpid()).
			WithNext("end it with `understudy service stop`, or use another data folder with --home")
	case want != "" && want != "auto" && want != h.Display:
		return steps.Errorf(steps.Unavailable, "the data folder %s drives the display %q, not %q", h.Dir, h.Display, want).
			WithNext("one data folder drives one display: use another with --home, or take this display with --display auto")
	}
	return nil
}

func (h *Host) admit(p *peer, in Hello) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving {
		return errMoved
	}
	p.Hello, h.peers[p] = in, true
	return nil
}

// dismiss ends what a client that has gone leaves behind.
func (h *Host) dismiss(p *peer) {
	h.mu.Lock()
	known := h.peers[p] && !h.leaving
	delete(h.peers, p)
	h.mu.Unlock()
	if known {
		h.Engine.Gone(&p.caller)
		h.Engine.Forget(p.Client)
	}
}

// begin reports whether a request of a peer may begin, whose end must be told to acts.
func (h *Host) begin(p *peer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving || !h.peers[p] {
		return false
	}
	h.acts.Add(1)
	return true
}

// serveCall executes a call. A call that changes something continues when its caller has gone,
// so that it is completed. The client repeats a call that reads with the next service, so the
// answer of one that is leaving, which might show the effects of leaving, is not sent.
func (h *Host) serveCall(w http.ResponseWriter, r *http.Request) {
	var args json.RawMessage
	if err := readRequest(w, r, &args); err != nil {
		reply(w, nil, err)
		return
	}
	p, method, ctx := peerOf(r), r.PathValue("method"), r.Context()
	if !h.begin(p) {
		reply(w, nil, errMoved)
		return
	}
	reads := remote.Reads(method)
	if reads {
		h.acts.Done() // nobody waits for it
	} else {
		defer h.acts.Done()
		ctx = context.WithoutCancel(ctx)
	}
	value, err := remote.Invoke(ctx, h.Engine.For(&p.caller), method, args)
	if reads && h.isLeaving() {
		value, err = nil, errMoved
	}
	reply(w, value, err)
}

// serveAttached hands the stream of a client to Attach. Its first line is the request.
func (h *Host) serveAttached(w http.ResponseWriter, r *http.Request) {
	if !h.begin(peerOf(r)) {
		reply(w, nil, errMoved)
		return
	}
	defer h.acts.Done()
	in := bufio.NewReader(dying{r.Body})
	request, err := in.ReadBytes('\n')
	if err == nil && h.Attach == nil {
		err = errors.New("nothing can be attached to this process")
	}
	if err != nil {
		reply(w, nil, remote.Malformed(r.URL.Path, err))
		return
	}
	out := flushing{w, http.NewResponseController(w)}
	if out.Flush() == nil {
		if err := h.Attach(h.life, request, in, out); err != nil {
			h.Log.Warn("an attached client ended with an error", "error", err)
		}
	}
}

// dying is a stream that ends with io.ErrUnexpectedEOF, unless its writer ends it.
type dying struct{ io.Reader }

func (d dying) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

type flushing struct {
	io.Writer
	*http.ResponseController
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	return n, errors.Join(err, f.Flush())
}

// Status tells what a service is and what keeps it alive.
type Status struct {
	PID     int       `json:"pid"`
	Version string    `json:"version"`
	Started time.Time `json:"started_at"`
	Clients []string  `json:"clients"` // that are connected
	Running []string  `json:"running"` // runs
	// Waiting are the runs at rest whose secrets or environment only the service has.
	Waiting   []string `json:"waiting"`
	Scheduled bool     `json:"scheduled"` // runs will begin by themselves
	// Idle is after how many seconds without work it ends; 0: never.
	Idle float64 `json:"idle_seconds"`
}

// Busy reports whether anybody works with the service.
func (s Status) Busy() bool { return len(s.Clients)+len(s.Running)+len(s.Waiting) > 0 }

func (h *Host) status() Status {
	h.mu.Lock()
	s := h.statusNow()
	h.mu.Unlock()
	s.Scheduled = h.Scheduled != nil && h.Scheduled() // reads files
	return s
}

// statusNow is status, without Scheduled. The mutex is held.
func (h *Host) statusNow() Status {
	s := Status{
		PID: os.Getpid(), Version: h.Version, Started: h.born, Clients: []string{}, Idle: h.Idle.Seconds(),
		Running: append([]string{}, h.Engine.Active()...), Waiting: append([]string{}, h.Engine.Kept()...),
	}
	for p := range maps.Keys(h.peers) {
		s.Clients = append(s.Clients, p.Client)
	}
	slices.Sort(s.Clients)
	return s
}

// leaveIfIdle has the service leave if nobody works with it and it may end by itself.
func (h *Host) leaveIfIdle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Idle > 0 && !h.statusNow().Busy() {
		h.toLeave()
	}
	return h.leaving
}

// toLeave has the service leave. The mutex is held.
func (h *Host) toLeave() {
	if !h.leaving {
		h.leaving = true
		close(h.over)
	}
}

func (h *Host) isLeaving() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leaving
}

// lookTime is how often a service looks whether it is idle, and still has its socket.
const lookTime = time.Second

// awaitIdle has the service leave once it was idle for long, or its socket was removed, so that
// nobody can reach it. If its folder was removed, it leaves at once: what it executes or keeps could
// neither be stopped nor be resumed by anyone.
func (h *Host) awaitIdle() {
	since := time.Now()
	for steps.Sleep(h.life, min(lookTime, h.Idle)) == nil {
		if _, err := os.Stat(h.Dir); errors.Is(err, fs.ErrNotExist) {
			h.Log.Warn("the service ends, because its data folder was removed", "folder", h.Dir)
			h.mu.Lock()
			h.toLeave()
			h.mu.Unlock()
			return
		}
		if s := h.status(); s.Busy() || s.Scheduled {
			since = time.Now()
		}
		if (time.Since(since) >= h.Idle || !reachable(h.Dir)) && h.leaveIfIdle() {
			return
		}
	}
}

// Ended returns a channel that is closed when the service is to leave: it was idle for long, was
// asked to, or makes room for another.
func (h *Host) Ended() <-chan struct{} { return h.over }

// serveStop has the service leave. The response, if there is one, comes when it has left.
func (h *Host) serveStop(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.toLeave()
	h.mu.Unlock()
	select {
	case <-h.left:
		reply(w, struct{}{}, nil)
	case <-r.Context().Done():
	}
}

// Leave stops accepting calls, stops the runs so that they can be resumed, and releases the
// folder. The clients are disconnected last, so that they find it free.
func (h *Host) Leave(ctx context.Context) error {
	h.mu.Lock()
	h.toLeave()
	h.mu.Unlock()
	err := h.door.Close() // removes the socket, which may be another's once the store is closed
	removeSocket(h.Dir)
	h.endLife()
	steps.WaitFor(ctx, &h.acts)
	err = errors.Join(err, h.Engine.Shutdown(ctx), h.Close(ctx))
	close(h.left)
	_ = h.server.Close() // ends the calls that read
	h.serving.Wait()
	return err
}
