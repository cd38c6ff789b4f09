package owner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"understudy/steps"
)

// errNobody means that no process listens on the socket.
var errNobody = errors.New("no process owns the data folder")

// client is a guest's side of its membership.
type client struct {
	http   *http.Client
	member string
	life   context.Context    // of the membership
	end    context.CancelFunc // ends it
	gone   chan struct{}      // closed when the membership has ended

	// What the owner sent when it left; valid once gone is closed.
	left   bool
	handed farewell
}

// dial connects to the owner of a folder and joins it.
func dial(ctx context.Context, dir string, h hello) (*client, error) {
	path := findSocket(dir)
	c := &client{member: h.Member, gone: make(chan struct{}), http: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 16,
		DisableCompression:  true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}}
	life, end := context.WithCancel(context.Background())
	c.life, c.end = life, end
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, malformed(joinPath, err)
	}
	stop := context.AfterFunc(ctx, end)
	timeout := time.AfterFunc(helloTime*time.Duration(1+len(raw)>>20), end)
	r, err := c.post(life, joinPath, json.RawMessage(raw))
	if !stop() || !timeout.Stop() {
		end()
		return nil, noAnswer(dir, context.Cause(life))
	}
	if err != nil {
		end()
		if errors.Is(err, errTooLarge) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	if r.StatusCode != http.StatusOK {
		defer end()
		defer r.Body.Close()
		_, err := readAnswer(r)
		if isLost(err) {
			return nil, fmt.Errorf("%w: %w", errNobody, err)
		}
		return nil, err
	}
	go c.follow(r)
	return c, nil
}

// follow reads the response to the join request, which ends with the membership.
func (c *client) follow(r *http.Response) {
	defer close(c.gone)
	defer c.http.CloseIdleConnections()
	defer c.end()
	defer r.Body.Close()
	c.left = json.NewDecoder(r.Body).Decode(&c.handed) == nil
}

func noAnswer(dir string, err error) error {
	return steps.Errorf(steps.Unavailable, "the process that owns the data folder %s does not answer: %w", dir, err).
		WithNext("see who it is in its file runs.lock, and end it")
}

func (c *client) post(ctx context.Context, path string, with any) (*http.Response, error) {
	raw, err := json.Marshal(with)
	if err != nil {
		return nil, malformed(path, err)
	}
	if len(raw) > limitOf(path) {
		return nil, tooLarge(path, len(raw))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://owner"+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	r.Header.Set(memberHeader, c.member)
	return c.http.Do(r)
}

// call sends a request to the owner, and waits for the answer, the end of the
// context, or the end of the connection.
func (c *client) call(ctx context.Context, path string, with any) (json.RawMessage, error) {
	if c.ended() {
		return nil, errMoved
	}
	r, err := c.post(ctx, path, with)
	if err == nil {
		defer r.Body.Close()
		var raw json.RawMessage
		if raw, err = readAnswer(r); !isLost(err) {
			return raw, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case steps.CodeOf(err) == steps.Invalid:
		return nil, err
	case !errors.Is(err, errMoved):
		err = errLost
	}
	return nil, c.awaitEnd(ctx, err)
}

// awaitEnd waits until the membership has ended, because until then there is nobody
// else to ask. An owner that is leaving may take its time and sends a farewell; after
// a broken connection, the membership ends soon.
func (c *client) awaitEnd(ctx context.Context, err error) error {
	if errors.Is(err, errLost) {
		defer time.AfterFunc(time.Second, c.end).Stop()
	}
	select {
	case <-c.gone:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *client) ended() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}
