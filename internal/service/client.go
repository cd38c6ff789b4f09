package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"understudy/engine"
	"understudy/internal/remote"
	"understudy/steps"
)

// Hello describes a client to the service.
type Hello struct {
	Protocol int    `json:"protocol"` // set by Connect
	Version  string `json:"version,omitempty"`
	Client   string `json:"client,omitempty"` // its name
	// Display is the display that the client wants to use; "" and "auto" accept any.
	Display string `json:"display,omitempty"`
	// Setup is what the client wants the service to be started with; empty: anything will do.
	Setup string `json:"setup,omitempty"`
	// Alone means that the process does not want to be a client, but to have the folder.
	Alone bool `json:"alone,omitempty"`
}

// ClientOptions configure a Client.
type ClientOptions struct {
	Dir   string
	Hello Hello
	// Start starts the service, if there is none, and waits for it.
	Start func(context.Context) error
	// Patience bounds the wait for a service that is leaving; 0: ten seconds.
	Patience time.Duration
}

// A Client has the runs of the service of a data folder. It may be used concurrently.
type Client struct {
	remote.Runs
	o     ClientOptions
	mutex chan struct{} // a mutex for the fields below that can be waited for with a context
	conn  *connection
	left  bool
}

// Connect connects this process to the service of a data folder, which is started if there is
// none.
func Connect(ctx context.Context, o ClientOptions) (*Client, error) {
	o.Patience, o.Hello.Protocol = cmp.Or(o.Patience, 10*time.Second), cmp.Or(o.Hello.Protocol, protocol)
	c := &Client{o: o, mutex: make(chan struct{}, 1)}
	c.Call = c.call
	_, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Leave ends the connection.
func (c *Client) Leave(ctx context.Context) error {
	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.release()
	if c.left = true; c.conn != nil {
		return c.conn.Close()
	}
	return nil
}

func (c *Client) lock(ctx context.Context) error {
	select {
	case c.mutex <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *Client) release() { <-c.mutex }

// connect returns the connection to the service. If that has gone, it finds the next one.
func (c *Client) connect(ctx context.Context) (*connection, error) {
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	defer c.release()
	if c.left {
		return nil, ErrLeft
	}
	if c.conn != nil && c.conn.Err() == nil {
		return c.conn, nil
	}
	conn, err := c.find(ctx)
	c.conn = conn
	return conn, err
}

// find connects to the service, which it has started if there is none. While a service is
// leaving, neither is possible for a moment.
func (c *Client) find(ctx context.Context) (*connection, error) {
	for deadline, pause := time.Now().Add(c.o.Patience), 10*time.Millisecond; ; pause = min(2*pause, time.Second/4) {
		conn, err := greet(ctx, c.o.Dir, c.o.Hello)
		if err == nil || !isLost(err) && !errors.Is(err, ErrNone) {
			return conn, err
		}
		if errors.Is(err, ErrNone) {
			if err := c.o.Start(ctx); err != nil && !errors.Is(err, engine.ErrLocked) {
				return nil, err
			}
			if conn, err := greet(ctx, c.o.Dir, c.o.Hello); err == nil {
				return conn, nil
			}
		}
		if time.Now().After(deadline) {
			return nil, noAnswer(c.o.Dir, err)
		}
		if err := steps.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

func noAnswer(dir string, err error) error {
	return steps.Errorf(steps.Unavailable, "the service of the data folder %s does not answer: %w", dir, err).
		WithNext("see which process it is in its file runs.lock, and end it")
}

// call calls a method of the service. If the service goes away meanwhile, the call is repeated
// with the next one, unless that could execute it twice. A call that waits for news of any run
// has none from the next one.
func (c *Client) call(ctx context.Context, method string, args []byte) ([]byte, error) {
	if len(args) > requestLimit {
		return nil, tooLarge(method, len(args))
	}
	for {
		conn, err := c.connect(ctx)
		if err != nil {
			return nil, err
		}
		raw, err := conn.ask(ctx, http.MethodPost, callPath+method, bytes.NewReader(args))
		switch {
		case !isLost(err):
			return raw, err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errLost) && !remote.Repeats(method):
			return nil, unsure(method)
		case method == "Await" && bytes.HasPrefix(args, []byte(`["",`)):
			return []byte("{}"), nil
		}
		_ = conn.Close()
	}
}

// Attach attaches a client of this process to the service: what comes from in goes there, after
// a request that says what for, and what the service answers goes to out. It returns when the
// service has answered everything. Once ctx has ended, the service may still answer for a
// moment.
func (c *Client) Attach(ctx context.Context, request any, in io.Reader, out io.Writer) error {
	line, err := json.Marshal(request)
	if err != nil {
		return remote.Malformed(attachPath, err)
	}
	line = append(line, '\n')
	for {
		conn, err := c.connect(ctx)
		if err != nil {
			return err
		}
		err = conn.attach(ctx, line, in, out)
		if !errors.Is(err, errMoved) {
			return err
		}
		_ = conn.Close()
	}
}

// attach is Attach to one service. It reads nothing from in before the service has accepted
// the request, so the next one can be asked if this one is leaving.
func (c *connection) attach(ctx context.Context, line []byte, in io.Reader, out io.Writer) error {
	there, stream := io.Pipe()
	body := struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(line), there), there}
	limited, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		_ = stream.Close()
		time.AfterFunc(partTime, cancel)
	})
	defer stop()
	r, err := c.do(limited, http.MethodPost, attachPath, body)
	if err == nil && r.StatusCode != http.StatusOK {
		_, err = readAnswer(r)
		return err
	}
	ended := make(chan struct{})
	if err == nil {
		defer r.Body.Close()
		go func() { // may wait for its input when this process ends
			_, _ = io.Copy(stream, in)
			close(ended)
			_ = stream.Close()
		}()
		_, err = io.Copy(out, r.Body)
	}
	if ctx.Err() != nil {
		return nil
	}
	select {
	case <-ended:
		return err
	default:
		return steps.Errorf(steps.Unavailable, "the service of the data folder has ended").WithNext("start this command again; it starts another one")
	}
}

// partTime is how long the service may take for its last replies after this process was told
// to end.
const partTime = 3 * time.Second

// connection is one to a service.
type connection struct {
	*http.ClientConn
	token string
}

func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// dial connects to the service of a folder.
func dial(ctx context.Context, dir string) (*connection, error) {
	at := findSocket(dir)
	t := &http.Transport{
		Protocols: protocols(), DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, at.network, at.address)
		},
	}
	c, err := t.NewClientConn(ctx, "http", "service:80")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return &connection{c, at.token}, nil
}

// greet connects to the service of a folder, and says hello.
func greet(ctx context.Context, dir string, h Hello) (*connection, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, remote.Malformed(helloPath, err)
	}
	c, err := dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	_, err = c.ask(limited, http.MethodPost, helloPath, bytes.NewReader(raw))
	if limited.Err() != nil {
		err = noAnswer(dir, context.Cause(limited))
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

func (c *connection) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://service"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set(tokenHeader, c.token)
	answer, err := c.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLost, err)
	}
	return answer, nil
}

// ask sends a request and waits for the answer, the end of the context, or the end of the
// connection.
func (c *connection) ask(ctx context.Context, method, path string, body io.Reader) (json.RawMessage, error) {
	r, err := c.do(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	return readAnswer(r)
}

// StatusOf returns the status of the service of a folder, or ErrNone.
func StatusOf(ctx context.Context, dir string) (s Status, err error) {
	raw, err := once(ctx, http.MethodGet, dir, statusPath)
	if isLost(err) {
		err = ErrNone // it ended meanwhile
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	return s, err
}

// Stop has the service of a folder leave, and waits until it has, or returns ErrNone.
func Stop(ctx context.Context, dir string) error {
	_, err := once(ctx, http.MethodPost, dir, stopPath)
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// once asks the service of a folder as no client.
func once(ctx context.Context, method, dir, path string) (json.RawMessage, error) {
	c, err := dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	raw, err := c.ask(ctx, method, path, nil)
	if ctx.Err() != nil {
		return nil, noAnswer(dir, context.Cause(ctx))
	}
	return raw, err
}

// MakeRoom has the service of a folder leave if nobody works with it, for a process that wants
// to have the folder, and returns why it does not.
func MakeRoom(ctx context.Context, dir string) error {
	c, err := greet(ctx, dir, Hello{Protocol: protocol, Alone: true})
	if err == nil {
		return c.Close() // never: it is refused
	}
	if isLost(err) || errors.Is(err, ErrNone) {
		return nil
	}
	return err
}
