package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// visit is a client over HTTP.
type visit struct {
	*testing.T
	byhand.Visitor
}

// visiting initializes a client as the version requires.
func visiting(t *testing.T, site, version, path string) visit {
	t.Helper()
	return visit{t, byhand.Visit(t, version, site+path)}
}

func (v visit) Call(tool string, args object) object {
	v.Helper()
	_, answer := v.Visitor.Call(v, tool, args)
	return answer
}

// late is the id of the first call that takes long. Each has its own, because the server
// may still hold that of a client that went away.
const late = 7

// begin sends a call that takes long. The channel receives its reply; drop disconnects
// before that.
func (v visit) begin(id int, args object) (answer chan object, drop func()) {
	ctx, cancel := context.WithCancel(v.Context())
	answer = make(chan object, 1)
	go func() {
		defer close(answer)
		res, err := v.Send(ctx, id, "tools/call", object{"name": "execute_sequence", "arguments": args})
		if err == nil {
			defer res.Body.Close()
			answer <- byhand.Read(res.Body)
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
	eachVersion(t, byhand.Versions, func(t *testing.T, version string) {
		home := t.TempDir()
		p, site := serving(t, home)
		v := visiting(t, site, version, "/mcp")
		if _, res := v.Ask(t, "tools/list", object{}); byhand.Dig(res, "result", "tools") == nil {
			t.Errorf("tools/list: %v", res)
		}
		if res := v.Call("delay", object{"duration": "1ms"}); byhand.IsError(res) || res["error"] != nil {
			t.Errorf("a call: %v", res)
		}

		answer, _ := v.begin(late, longAndActs())
		stopped := running(t, v)
		if code, body := status(t, site); code != http.StatusServiceUnavailable || body["activeRequests"] != 1.0 || body["busy"] != true {
			t.Errorf("/status while a run acts: %d %v", code, body)
		}
		if code, res := v.Ask(t, "tools/call", object{"name": "execute_sequence", "arguments": longAndActs()}); code != http.StatusServiceUnavailable {
			t.Errorf("a call at the limit: %d %v", code, res)
		}
		if code, _ := v.Ask(t, "tools/list", object{}); code != http.StatusOK {
			t.Errorf("a list at the limit: %d", code)
		}
		if res := v.Call("stop_execution", object{"run_id": stopped}); byhand.IsError(res) {
			t.Errorf("stop: %v", res)
		}
		if res := <-answer; !byhand.IsError(res) {
			t.Errorf("the stopped call: %v", res)
		}
		scratch.Until(t, "the place is free", func() bool { code, _ := status(t, site); return code == http.StatusOK })

		_, drop := v.begin(late+1, longAndActs())
		dropped := running(t, v, stopped)
		drop()
		if at, from := atRest(t, v, dropped); at != "cancelled" || from != "one" {
			t.Errorf("dropped: %v, resumable from %v", at, from)
		}
		scratch.Until(t, "the place is free again", func() bool { code, _ := status(t, site); return code == http.StatusOK })

		answer, _ = v.begin(late+2, longAndActs())
		last := running(t, v, stopped, dropped)
		p.signal(syscall.SIGTERM)
		if res := <-answer; !byhand.IsError(res) {
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
		v.begin(late, long())
		run := running(t, v)
		res, err := v.Send(t.Context(), 0, "notifications/cancelled", object{"requestId": late, "reason": "enough"})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if at, from := atRest(t, v, run); at != "cancelled" || from != "one" {
			t.Errorf("cancelled: %v, resumable from %v", at, from)
		}
	})
}

// TestRawModeOverHTTP checks that the path selects the mode, in each version.
func TestRawModeOverHTTP(t *testing.T) {
	_, site := serving(t, t.TempDir())
	for _, version := range byhand.Versions {
		asking := visiting(t, site, version, "/mcp/ask")
		_, res := asking.Ask(t, "tools/call", object{"name": "press_key", "arguments": object{"key": "a"}})
		if byhand.Dig(res, "error", "code") != blockedCode(version) {
			t.Errorf("%s: a key at /mcp/ask: %v", version, res)
		}
	}
}

// TestRawOrigins checks every address and method.
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
					refused = !c.want // pages may not change modes
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
