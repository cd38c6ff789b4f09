package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// visit is a client over HTTP.
type visit struct {
	t                      *testing.T
	site, version, session string
	path                   string
}

// visiting greets a server as the version wants it.
func visiting(t *testing.T, site, version, path string) *visit {
	t.Helper()
	v := &visit{t: t, site: site, version: version, path: path}
	if version >= newest {
		return v
	}
	res := v.post(t.Context(), "initialize", 1, greeting(version))
	defer res.Body.Close()
	if v.session = res.Header.Get("Mcp-Session-Id"); v.session == "" {
		t.Fatalf("initialize: %s", res.Status)
	}
	done := v.post(t.Context(), "notifications/initialized", 0, object{})
	done.Body.Close()
	return v
}

func (v *visit) post(ctx context.Context, method string, id int, params object) *http.Response {
	v.t.Helper()
	res, err := v.try(ctx, method, id, params)
	if err != nil {
		v.t.Fatal(err)
	}
	return res
}

func (v *visit) try(ctx context.Context, method string, id int, params object) (*http.Response, error) {
	name, _ := params["name"].(string)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.site+v.path, bytes.NewReader(pack(v.version, id, method, params)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if v.session != "" {
		req.Header.Set("Mcp-Session-Id", v.session)
	}
	if method != "initialize" && v.version > "2025-03-26" { // older ones have no such header
		req.Header.Set("Mcp-Protocol-Version", v.version)
	}
	if v.version >= newest {
		req.Header.Set("Mcp-Method", method)
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	return http.DefaultClient.Do(req)
}

// read is the answer in a response, which may be a stream.
func read(body io.Reader) (m object) {
	raw, _ := io.ReadAll(body)
	for line := range strings.Lines(string(raw)) {
		var x object
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &x) == nil && (x["id"] != nil || x["error"] != nil) {
			m = x
		}
	}
	return m
}

func (v *visit) ask(method string, params object) (int, object) {
	v.t.Helper()
	res := v.post(v.t.Context(), method, 2, params)
	defer res.Body.Close()
	return res.StatusCode, read(res.Body)
}

func (v *visit) call(tool string, args object) object {
	v.t.Helper()
	_, m := v.ask("tools/call", object{"name": tool, "arguments": args})
	return m
}

// begin sends a call that takes long. Its answer comes when it ends; drop goes
// away without it.
func (v *visit) begin(args object) (answer chan object, drop func()) {
	ctx, cancel := context.WithCancel(v.t.Context())
	answer = make(chan object, 1)
	go func() {
		defer close(answer)
		res, err := v.try(ctx, "tools/call", 7, object{"name": "execute_sequence", "arguments": args})
		if err == nil {
			defer res.Body.Close()
			answer <- read(res.Body)
		}
	}()
	return answer, cancel
}

func status(t *testing.T, site string) (code int, body object) {
	t.Helper()
	res, err := http.Get(site + "/status")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}

func TestRawHTTP(t *testing.T) {
	eachVersion(t, versions, func(t *testing.T, version string) {
		home := t.TempDir()
		p, site := serving(t, home)
		v := visiting(t, site, version, "/mcp")
		if _, res := v.ask("tools/list", object{}); dig(res, "result", "tools") == nil {
			t.Errorf("tools/list: %v", res)
		}
		if res := v.call("delay", object{"duration": "1ms"}); isError(res) || res["error"] != nil {
			t.Errorf("a call: %v", res)
		}

		answer, _ := v.begin(long())
		stopped := running(t, v)
		if code, body := status(t, site); code != http.StatusServiceUnavailable || body["activeRequests"] != 1.0 || body["busy"] != true {
			t.Errorf("/status while a run acts: %d %v", code, body)
		}
		if code, res := v.ask("tools/call", object{"name": "execute_sequence", "arguments": long()}); code != http.StatusServiceUnavailable {
			t.Errorf("a call at the limit: %d %v", code, res)
		}
		if code, _ := v.ask("tools/list", object{}); code != http.StatusOK {
			t.Errorf("a list at the limit: %d", code)
		}
		if res := v.call("stop_execution", object{"run_id": stopped}); isError(res) {
			t.Errorf("stop: %v", res)
		}
		if res := <-answer; !isError(res) {
			t.Errorf("the stopped call: %v", res)
		}
		eventually(t, "the place is free", func() bool { code, _ := status(t, site); return code == http.StatusOK })

		_, drop := v.begin(long())
		dropped := running(t, v, stopped)
		drop()
		if at, from := atRest(t, v, dropped); at != "cancelled" || from != "one" {
			t.Errorf("dropped: %v, resumable from %v", at, from)
		}
		eventually(t, "the place is free again", func() bool { code, _ := status(t, site); return code == http.StatusOK })

		answer, _ = v.begin(long())
		last := running(t, v, stopped, dropped)
		p.signal(syscall.SIGTERM)
		if res := <-answer; !isError(res) {
			t.Errorf("the answer at the end: %v", res)
		}
		p.ended()
		if at, from := atRest(t, talking(t, home, version), last); at != "interrupted" || from != "one" {
			t.Errorf("at the end: %v, resumable from %v", at, from)
		}
	})
}

// TestRawCancelOverHTTP cancels by a notification, in the versions with sessions.
func TestRawCancelOverHTTP(t *testing.T) {
	eachVersion(t, []string{"2025-03-26", "2025-11-25"}, func(t *testing.T, version string) {
		_, site := serving(t, t.TempDir())
		v := visiting(t, site, version, "/mcp")
		v.begin(long())
		run := running(t, v)
		v.post(t.Context(), "notifications/cancelled", 0, object{"requestId": 7, "reason": "enough"}).Body.Close()
		if at, from := atRest(t, v, run); at != "cancelled" || from != "one" {
			t.Errorf("cancelled: %v, resumable from %v", at, from)
		}
	})
}

// TestRawModeOverHTTP blocks by the path, in each version.
func TestRawModeOverHTTP(t *testing.T) {
	_, site := serving(t, t.TempDir())
	for _, version := range versions {
		asking := visiting(t, site, version, "/mcp/ask")
		_, res := asking.ask("tools/call", object{"name": "press_key", "arguments": object{"key": "a"}})
		if dig(res, "error", "code") != blockedCode(version) {
			t.Errorf("%s: a key at /mcp/ask: %v", version, res)
		}
	}
}

// TestRawOrigins holds for every address and method.
func TestRawOrigins(t *testing.T) {
	_, site := serving(t, t.TempDir())
	for _, c := range []struct {
		say, host, origin string
		want              bool
	}{
		{"this machine", "", "", true},
		{"a page of this machine", "", "http://localhost:3000", true},
		{"a page of another", "", "https://evil.example", false},
		{"a page without an address", "", "null", false},
		{"a name that leads here", "evil.example", "", false},
		{"a name that leads here, with a good page", "evil.example", "http://localhost", false},
	} {
		for _, path := range []string{"/mcp", "/mcp/ask", "/health", "/status", "/runs", "/events", "/mode"} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions} {
				ctx, cancel := context.WithCancel(t.Context())
				req, err := http.NewRequestWithContext(ctx, method, site+path, strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				req.Host = c.host
				if c.origin != "" {
					req.Header.Set("Origin", c.origin)
				}
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				refused := res.StatusCode == http.StatusForbidden
				if path == "/mode" && c.origin != "" {
					refused = !c.want // modes are never changed from a page
				}
				if refused == c.want {
					t.Errorf("%s: %s %s: %s", c.say, method, path, res.Status)
				}
				res.Body.Close()
				cancel()
			}
		}
	}
}
