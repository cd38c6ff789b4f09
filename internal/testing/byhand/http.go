package byhand

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/testing/scratch"
)

// SessionHeader carries the session in versions that have one.
const SessionHeader = "Mcp-Session-Id"

// HTTPVersions are the versions that have this transport.
var HTTPVersions = Versions[1:]

// Visitor is a client over HTTP.
type Visitor struct {
	Version, Session string
	Address          string // of the endpoint
	Header           http.Header
	Capabilities     Object // of a modern client
}

// Visit returns a client with a session, if the version has sessions.
func Visit(t testing.TB, version, address string) Visitor {
	t.Helper()
	return Visitor{Version: version, Address: address}.Greet(t)
}

// Greet initializes a session if the version has sessions.
func (v Visitor) Greet(t testing.TB) Visitor {
	t.Helper()
	if v.Version >= Modern {
		return v
	}
	res, err := v.Send(t.Context(), 1, "initialize", Greeting(v.Version, Object{}))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if v.Session = res.Header.Get(SessionHeader); v.Session == "" || res.StatusCode != http.StatusOK {
		t.Fatalf("initialize: %s, session %q", res.Status, v.Session)
	}
	done, err := v.Send(t.Context(), 0, "notifications/initialized", Object{})
	if err != nil {
		t.Fatal(err)
	}
	done.Body.Close()
	return v
}

func orEmpty(o Object) Object {
	if o == nil {
		return Object{}
	}
	return o
}

// Send posts a message; with the id 0 it is a notification.
func (v Visitor) Send(ctx context.Context, id int, method string, params Object) (*http.Response, error) {
	raw, err := json.Marshal(Message(v.Version, orEmpty(v.Capabilities), id, method, params))
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.Address, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if v.Session != "" {
		req.Header.Set(SessionHeader, v.Session)
	}
	if method != "initialize" && v.Version > "2025-03-26" { // older ones have no such header
		req.Header.Set("Mcp-Protocol-Version", v.Version)
	}
	if v.Version >= Modern {
		req.Header.Set("Mcp-Method", method)
		for _, key := range []string{"name", "uri", "taskId"} {
			if name, _ := params[key].(string); name != "" {
				req.Header.Set("Mcp-Name", name)
			}
		}
	}
	maps.Copy(req.Header, v.Header)
	return http.DefaultClient.Do(req)
}

func (v Visitor) Ask(t testing.TB, method string, params Object) (status int, answer Object) {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	res, err := v.Send(ctx, 1, method, params)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode, Read(res.Body)
}

func (v Visitor) Call(t testing.TB, tool string, args Object) (status int, answer Object) {
	t.Helper()
	method, params := Calling(tool, args)
	return v.Ask(t, method, params)
}

// Read returns the answer in a body, which may be an event stream.
func Read(body io.Reader) (m Object) {
	raw, _ := io.ReadAll(body)
	for line := range strings.Lines(string(raw)) {
		var x Object
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &x) == nil && (x["id"] != nil || x["error"] != nil) {
			m = x
		}
	}
	return m
}
