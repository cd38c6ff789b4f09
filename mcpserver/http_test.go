package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
)

// site is a server over HTTP.
func (st *stage) site() *httptest.Server {
	h := httptest.NewServer(st.Handler())
	st.t.Cleanup(h.Close)
	return h
}

// post is one message of a client, by hand.
type post struct {
	version, session, path string
	header                 http.Header
	ctx                    context.Context
}

func (p post) send(t *testing.T, site, method string, params jsonObject) (*http.Response, error) {
	t.Helper()
	body := jsonObject{"jsonrpc": "2.0", "method": method, "params": params}
	if !strings.HasPrefix(method, "notifications/") {
		body["id"] = 1
	}
	if p.version >= modern {
		body["params"] = (&wire{version: p.version, caps: jsonObject{}}).meta(params)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if p.ctx == nil {
		p.ctx = t.Context()
	}
	req, err := http.NewRequestWithContext(p.ctx, http.MethodPost, site+"/mcp"+p.path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method != "initialize" {
		req.Header.Set("MCP-Protocol-Version", p.version)
	}
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	if p.version >= modern {
		req.Header.Set("Mcp-Method", method)
		if name, ok := params["name"].(string); ok {
			req.Header.Set("Mcp-Name", name)
		}
	}
	maps.Copy(req.Header, p.header)
	return http.DefaultClient.Do(req)
}

// ask sends a request and reads its answer.
func (p post) ask(t *testing.T, site, method string, params jsonObject) (int, jsonObject) {
	t.Helper()
	res, err := p.send(t, site, method, params)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var m jsonObject
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimPrefix(line, "data: ")
		var x jsonObject
		if json.Unmarshal([]byte(line), &x) == nil && (x["id"] != nil || x["error"] != nil) {
			m = x
		}
	}
	return res.StatusCode, m
}

// client is a client of a version, greeted when the version wants that.
func client(t *testing.T, site, version, path string) post {
	t.Helper()
	p := post{version: version, path: path}
	if version >= modern {
		return p
	}
	res, err := p.send(t, site, "initialize", jsonObject{"protocolVersion": version, "capabilities": jsonObject{}, "clientInfo": jsonObject{"name": "by-hand", "version": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if p.session = res.Header.Get("Mcp-Session-Id"); p.session == "" || res.StatusCode != http.StatusOK {
		t.Fatalf("initialize: %s, session %q", res.Status, p.session)
	}
	done, err := p.send(t, site, "notifications/initialized", jsonObject{})
	if err != nil {
		t.Fatal(err)
	}
	done.Body.Close()
	return p
}

func callOf(tool string, args jsonObject) jsonObject {
	return jsonObject{"name": tool, "arguments": args}
}

var httpVersions = []string{"2025-03-26", "2025-06-18", "2025-11-25", modern}

func TestHTTPEveryVersion(t *testing.T) {
	for _, version := range httpVersions {
		t.Run(version, func(t *testing.T) {
			site := newStage(t).site().URL
			p := client(t, site, version, "")
			if _, res := p.ask(t, site, "tools/call", callOf("click_element", jsonObject{"selector": "role:button && name:Save"})); isError(res) || res["error"] != nil {
				t.Errorf("click: %v", res)
			}
			asking := client(t, site, version, "/ask")
			_, list := asking.ask(t, site, "tools/list", jsonObject{})
			if names := toolNames(list); slices.Contains(names, "click_element") || len(names) == 0 {
				t.Errorf("/mcp/ask lists %v", names)
			}
			_, res := asking.ask(t, site, "tools/call", callOf("click_element", jsonObject{"selector": "role:button"}))
			want := -32002.0
			if version == modern {
				want = -31002
			}
			if dig(res, "error", "code") != want {
				t.Errorf("a click at /mcp/ask: %v", res)
			}
		})
	}
}

func TestHTTPBusy(t *testing.T) {
	for _, version := range httpVersions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			site := st.site().URL
			p := client(t, site, version, "")
			args := document("hang", jsonObject{})
			args["wait"] = false
			p.ask(t, site, "tools/call", callOf("execute_sequence", args))
			run := st.hanging()

			for say, want := range map[string]int{"click_element": 503, "get_run": 200, "list_runs": 200, "get_window_tree": 200} {
				args := jsonObject{}
				if say == "get_run" {
					args["run_id"] = run
				}
				if status, res := p.ask(t, site, "tools/call", callOf(say, args)); status != want {
					t.Errorf("%s while a run acts: %d, want %d: %v", say, status, want, res)
				}
			}
			if status := get(t, site+"/status"); status != http.StatusServiceUnavailable {
				t.Errorf("/status says %d while a run acts", status)
			}
			if status, res := p.ask(t, site, "tools/call", callOf("stop_execution", jsonObject{"run_id": run})); status != 200 || isError(res) {
				t.Errorf("stop: %d %v", status, res)
			}
			st.rest(run)
			eventually(t, "the place is given back", func() bool { return get(t, site+"/status") == http.StatusOK })
		})
	}
}

func get(t *testing.T, address string) int {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// eventually waits for something that nothing tells of.
func eventually(t *testing.T, say string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came about: %s", say)
		}
	}
}

func TestHTTPDropStopsTheRun(t *testing.T) {
	for _, version := range httpVersions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			site := st.site().URL
			p := client(t, site, version, "")
			ctx, drop := context.WithCancel(t.Context())
			p.ctx = ctx
			go func() {
				if res, err := p.send(t, site, "tools/call", callOf("execute_sequence", document("hang", jsonObject{}))); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			}()
			run := st.hanging()
			drop()
			if h := st.rest(run); h.Status != engine.Cancelled {
				t.Errorf("the run is %s, want cancelled", h.Status)
			}
		})
	}
}

func TestHTTPTimeoutByHeader(t *testing.T) {
	for _, version := range httpVersions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			site := st.site().URL
			p := client(t, site, version, "")
			p.header = http.Header{timeoutHeader: {"50"}}
			_, res := p.ask(t, site, "tools/call", callOf("execute_sequence", document("hang", jsonObject{})))
			if code(res) != "timeout" || dig(res, "result", "structuredContent", "resume_from") != "one" {
				t.Errorf("after its time: %v", res)
			}
		})
	}
}

func TestHostAndOrigin(t *testing.T) {
	site := newStage(t, func(o *Options) {
		o.Hosts, o.Origins = []string{"desk.example"}, []string{"https://good.example"}
	}).site().URL
	for _, c := range []struct {
		say, host, origin string
		want              bool
	}{
		{"no origin", "", "", true},
		{"another host", "evil.example", "", false},
		{"another host with a port", "evil.example:80", "", false},
		{"an allowed host", "desk.example:8765", "", true},
		{"localhost", "localhost:1", "http://localhost:3000", true},
		{"a number of this machine", "127.0.0.1", "http://127.0.0.1", true},
		{"another origin", "", "https://evil.example", false},
		{"an allowed origin", "", "https://good.example", true},
		{"a name that begins like this machine", "localhost.evil.example", "", false},
		{"no origin at all: null", "", "null", false},
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			for _, path := range []string{"/mcp", "/health", "/runs", "/events", "/mode"} {
				req, err := http.NewRequestWithContext(t.Context(), method, site+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if req.Host = c.host; c.origin != "" {
					req.Header.Set("Origin", c.origin)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				res, err := http.DefaultClient.Do(req.WithContext(ctx))
				if err != nil {
					t.Fatal(err)
				}
				refused := res.StatusCode == http.StatusForbidden && !(path == "/mode" && c.want)
				if res.Body.Close(); refused == c.want {
					t.Errorf("%s: %s %s is %s", c.say, method, path, res.Status)
				}
				cancel()
			}
		}
	}
}

func TestLargeBodyIsRefused(t *testing.T) {
	site := newStage(t).site().URL
	res, err := http.Post(site+"/mcp", "application/json", io.LimitReader(endless{}, 100<<20))
	if err == nil {
		defer res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("100 MiB: %s", res.Status)
		}
	}
	if get(t, site+"/health") != http.StatusOK {
		t.Error("the server does not live")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestModeOfAClientChanges(t *testing.T) {
	site := newStage(t).site().URL
	p := client(t, site, "2025-11-25", "")
	res, err := http.Post(site+"/mode", "application/json", strings.NewReader(`{"client": "by-hand", "mode": "ask"}`))
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("mode: %v %v", res, err)
	}
	res.Body.Close()
	if _, res := p.ask(t, site, "tools/call", callOf("click_element", jsonObject{})); dig(res, "error", "code") != -32002.0 {
		t.Errorf("a click after the change: %v", res)
	}
}

func TestEventsGoOnWhereAReaderLeft(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	p := client(t, site, modern, "")
	_, res := p.ask(t, site, "tools/call", callOf("execute_sequence", document("delay", jsonObject{"duration": 1})))
	run, _ := dig(res, "result", "structuredContent", "run_id").(string)
	h := st.rest(run)
	ids := readEvents(t, site+"/events?run="+run, "", int(h.Seq))
	if len(ids) != int(h.Seq) || ids[0] != "1" {
		t.Fatalf("events %v, the run has %d", ids, h.Seq)
	}
	if rest := readEvents(t, site+"/events?run="+run, "2", int(h.Seq)-2); rest[0] != "3" {
		t.Errorf("after event 2 came %v", rest)
	}
	if all := readEvents(t, site+"/events", "", 1); len(all) != 1 {
		t.Errorf("the runs: %v", all)
	}
}

// readEvents reads a number of events, and gives their ids.
func readEvents(t *testing.T, address, after string, n int) (ids []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h := http.Header{}
	if after != "" {
		h.Set("Last-Event-ID", after)
	}
	res := visit(ctx, t, address, h)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for len(ids) < n && lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestPagesShowARun(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	p := client(t, site, modern, "")
	_, res := p.ask(t, site, "tools/call", callOf("execute_sequence", document("fail", jsonObject{"message": "<b>no</b>"})))
	run, _ := dig(res, "result", "structuredContent", "run_id").(string)
	page, err := http.Get(site + "/runs/" + run)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Body.Close()
	raw, _ := io.ReadAll(page.Body)
	for _, want := range []string{run, "failed", "&lt;b&gt;no&lt;/b&gt;", "understudy resume"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the page has no %q:\n%s", want, raw)
		}
	}
	if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("policy %q", csp)
	}
	if get(t, site+"/runs") != 200 || get(t, site+"/runs/nope") != 404 {
		t.Error("the list, or a run that does not exist")
	}
}

// TestServerEnds ends a server with a stream and a run open.
func TestServerEnds(t *testing.T) {
	st := newStage(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- st.Server.ServeHTTP(ctx, l) }()
	site := "http://" + l.Addr().String()
	p := client(t, site, "2025-11-25", "")
	answered := make(chan jsonObject, 1)
	go func() {
		_, res := p.ask(t, site, "tools/call", callOf("execute_sequence", document("hang", jsonObject{})))
		answered <- res
	}()
	run := st.hanging()
	readEvents(t, site+"/events", "", 1)
	stop()
	select {
	case res := <-answered:
		if !isError(res) {
			t.Errorf("the answer: %v", res)
		}
	case <-time.After(10 * time.Second):
		t.Error("the answer was not let out")
	}
	if err := <-ended; err != nil && !strings.Contains(err.Error(), "closed") {
		t.Errorf("it ended with %v", err)
	}
	if h := st.rest(run); h.Status != engine.Interrupted {
		t.Errorf("the run is %s", h.Status)
	}
}
