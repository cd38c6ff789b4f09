// Package byhand has clients for tests that send and receive the bytes of a protocol
// themselves, with no library in between and no code of the server that they test: MCP as
// plain JSON, in every version, and a VNC viewer. It knows nothing of what a server offers.
package byhand

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
)

// Object is a JSON object.
type Object = map[string]any

// Modern is the first version without sessions: each message states its sender.
const Modern = "2026-07-28"

// Versions are all that a server answers to.
var Versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", Modern}

// identity is how a client introduces itself.
var identity = Object{"name": "by-hand", "version": "1"}

// Greeting returns the parameters of initialize, the first request in versions with
// sessions.
func Greeting(version string, capabilities Object) Object {
	return Object{"protocolVersion": version, "capabilities": capabilities, "clientInfo": identity}
}

// Message returns a message of a client; with the id 0 it is a notification.
func Message(version string, capabilities Object, id int, method string, params Object) Object {
	m := Object{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	if version >= Modern {
		meta, _ := params["_meta"].(Object)
		if meta == nil {
			meta = Object{}
			params["_meta"] = meta
		}
		meta["io.modelcontextprotocol/protocolVersion"] = version
		meta["io.modelcontextprotocol/clientInfo"] = identity
		meta["io.modelcontextprotocol/clientCapabilities"] = capabilities
	}
	return m
}

// Calling returns the method that calls a tool, and its parameters.
func Calling(tool string, args Object) (method string, params Object) {
	return "tools/call", Object{"name": tool, "arguments": args}
}

// Client is one end of a pair of pipes.
type Client struct {
	t            testing.TB
	version      string
	capabilities Object
	in           io.Writer

	mu      sync.Mutex
	last    int
	notices []Object
	waiting map[string]chan Object
	answer  func(Object) Object // answers requests of the server; nil: they are notices
}

// Talk connects to a server and initializes a session if the version has sessions.
func Talk(t testing.TB, version string, capabilities Object, in io.Writer, out io.Reader) *Client {
	t.Helper()
	c := &Client{t: t, version: version, capabilities: capabilities, in: in, waiting: map[string]chan Object{}}
	go c.read(out)
	if version >= Modern {
		return c
	}
	res := c.Ask("initialize", Greeting(version, capabilities))
	if got := Dig(res, "result", "protocolVersion"); got != version {
		t.Fatalf("initialize answered with version %v, want %s: %v", got, version, res)
	}
	c.Notify("notifications/initialized", Object{})
	return c
}

func (c *Client) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m Object
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
			c.t.Errorf("not JSON-RPC on the output: %s", lines.Bytes())
			continue
		}
		c.handle(m)
	}
}

func (c *Client) handle(m Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprint(m["id"])
	switch {
	case m["method"] != nil && m["id"] != nil && c.answer != nil:
		answer := c.answer(m)
		go c.send(Object{"jsonrpc": "2.0", "id": m["id"], "result": answer})
	case m["method"] != nil:
		c.notices = append(c.notices, m)
	case c.waiting[id] != nil:
		c.waiting[id] <- m
		delete(c.waiting, id)
	default:
		c.t.Errorf("an answer to nothing: %v", m)
	}
}

func (c *Client) send(m Object) {
	raw, err := json.Marshal(m)
	if err != nil {
		c.t.Error(err)
	}
	if _, err := c.in.Write(append(raw, '\n')); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		c.t.Error(err)
	}
}

// Answer sets how requests of the server are answered. Until then they count as
// notices.
func (c *Client) Answer(answer func(Object) Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

func (c *Client) Notify(method string, params Object) {
	c.send(Message(c.version, c.capabilities, 0, method, params))
}

// Begin sends a request and returns its id and the channel of its answer.
func (c *Client) Begin(method string, params Object) (int, chan Object) {
	c.mu.Lock()
	c.last++
	id, answer := c.last, make(chan Object, 1)
	c.waiting[fmt.Sprint(id)] = answer
	c.mu.Unlock()
	c.send(Message(c.version, c.capabilities, id, method, params))
	return id, answer
}

func (c *Client) Await(answer chan Object) Object {
	c.t.Helper()
	select {
	case m := <-answer:
		return m
	case <-time.After(time.Until(scratch.Deadline(c.t))):
		c.t.Fatal("no answer")
		return nil
	}
}

func (c *Client) Ask(method string, params Object) Object {
	c.t.Helper()
	_, answer := c.Begin(method, params)
	return c.Await(answer)
}

func (c *Client) Call(tool string, args Object) Object {
	c.t.Helper()
	return c.Ask(Calling(tool, args))
}

// Notices returns the messages that the server sent on its own so far: all, or those of
// one method.
func (c *Client) Notices(methods ...string) (out []Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.notices {
		if len(methods) == 0 || n["method"] == methods[0] {
			out = append(out, n)
		}
	}
	return out
}

// Dig returns the value at a path of keys in an object, or nil.
func Dig(v any, path ...string) any {
	for _, p := range path {
		m, _ := v.(Object)
		v = m[p]
	}
	return v
}

// Said returns the text of a result, or the message of an error.
func Said(res Object) string {
	if m, ok := Dig(res, "error", "message").(string); ok {
		return m
	}
	var lines []string
	content, _ := Dig(res, "result", "content").([]any)
	for _, c := range content {
		if text, ok := Dig(c, "text").(string); ok {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

// IsError reports whether a tool failed.
func IsError(res Object) bool { return Dig(res, "result", "isError") == true }
