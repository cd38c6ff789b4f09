package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// secured is a server over HTTP that requires credentials.
type secured struct {
	*stage
	tokens *auth.Tokens
	url    string
	log    *scratch.Buffer
	made   int // number of tokens that failedRun made
}

func newSecured(t *testing.T, adjust ...func(*Options)) *secured {
	t.Helper()
	s := &secured{tokens: auth.NewTokens(filepath.Join(t.TempDir(), "tokens.json")), log: &scratch.Buffer{}}
	s.stage = newStage(t, append([]func(*Options){func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelInfo}))
		o.Gate = auth.New(auth.Options{Tokens: s.tokens, Log: o.Log})
	}}, adjust...)...)
	s.url = s.site().URL
	return s
}

// holder returns the header of a client with a new token.
func (s *secured) holder(x auth.Token) http.Header {
	s.t.Helper()
	token, err := s.tokens.Add(x)
	if err != nil {
		s.t.Fatal(err)
	}
	return http.Header{"Authorization": {"Bearer " + token}}
}

// greet begins a session of a version with a token.
func (s *secured) greet(version string, h http.Header) byhand.Visitor {
	s.t.Helper()
	return byhand.Visitor{Version: version, Address: s.url + "/mcp", Header: h}.Greet(s.t)
}

var save = byhand.Object{"selector": "role:button && name:Save"}

func TestEachClientHasItsOwnRights(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
			act := s.greet(version, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
			ask := s.greet(version, s.holder(auth.Token{Name: "watcher", Mode: auth.Ask}))
			narrow := s.greet(version, s.holder(auth.Token{Name: "clerk", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core}}))

			if _, res := ask.Call(t, "click_element", save); byhand.Dig(res, "error", "data", "mode") != "ask" || byhand.Dig(res, "error", "data", "client") != "watcher/by-hand" {
				t.Errorf("an ask-mode token clicks: %v", res)
			}
			if _, list := ask.Ask(t, "tools/list", byhand.Object{}); slices.Contains(toolNames(list), "click_element") || len(toolNames(list)) == 0 {
				t.Errorf("an ask-mode token sees %v", toolNames(list))
			}
			if _, res := ask.Call(t, "execute_sequence", document("click_element", save)); res["error"] == nil {
				t.Errorf("an ask-mode token clicks in a sequence: %v", res)
			}
			if _, list := narrow.Ask(t, "tools/list", byhand.Object{}); slices.Contains(toolNames(list), "run_command") || !slices.Contains(toolNames(list), "click_element") {
				t.Errorf("a token for the core sees %v", toolNames(list))
			}
			if _, res := narrow.Call(t, "run_command", byhand.Object{"run": "true"}); res["error"] == nil {
				t.Errorf("a token for the core runs a command: %v", res)
			}
			if len(s.desk.Journal()) > 0 {
				t.Fatalf("somebody acted: %v", s.desk.Journal())
			}
			_, res := act.Call(t, "execute_sequence", document("click_element", save))
			run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
			if byhand.IsError(res) || run == "" {
				t.Fatalf("an act-mode token clicks: %v", res)
			}
			r, err := s.engine.Get(t.Context(), run)
			if err != nil || !strings.HasPrefix(r.Client, "laptop/by-hand") {
				t.Errorf("the run is of %q, %v", r.Client, err)
			}
			if log := s.log.String(); !strings.Contains(log, "client=laptop/by-hand") || !strings.Contains(log, "client=watcher/by-hand") {
				t.Errorf("the log does not say who called: %s", log)
			}
		})
	}
}

// TestTokenCannotRaiseTheServer has a token that allows more than the flags.
func TestTokenCannotRaiseTheServer(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Mode: access.Ask} })
	p := s.greet(modern, s.holder(auth.Token{Name: "laptop", Mode: auth.Act, Toolsets: []steps.Toolset{access.All}}))
	if _, res := p.Call(t, "click_element", save); res["error"] == nil {
		t.Errorf("it acts: %v", res)
	}
	p.Header = p.Header.Clone()
	p.Header.Set("X-Understudy-Mode", "act")
	p.Header.Set("X-Understudy-Exchange", "forged")
	p.Address += "/ask"
	if _, res := p.Call(t, "click_element", save); res["error"] == nil {
		t.Errorf("it acts with a header of its own: %v", res)
	}
}

func TestSessionCountsOnlyForWhoBeganIt(t *testing.T) {
	s := newSecured(t)
	owner := s.greet("2025-11-25", s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	thief := owner
	thief.Header = s.holder(auth.Token{Name: "watcher", Mode: auth.Ask})
	if status, res := thief.Ask(t, "tools/list", byhand.Object{}); status != http.StatusForbidden {
		t.Errorf("the session of another: %d %v", status, res)
	}
	thief.Header = nil
	if status, _ := thief.Ask(t, "tools/list", byhand.Object{}); status != http.StatusUnauthorized {
		t.Errorf("the session alone: %d", status)
	}
	if status, res := owner.Ask(t, "tools/list", byhand.Object{}); status != 200 || len(toolNames(res)) == 0 {
		t.Errorf("its owner: %d", status)
	}
}

// waitsThenClicks is a sequence whose first step waits while its rights change.
func waitsThenClicks() byhand.Object {
	return byhand.Object{"wait": false, "steps": []any{
		byhand.Object{"tool_name": "pause", "id": "first"},
		byhand.Object{"tool_name": "click_element", "id": "second", "arguments": save},
	}}
}

func TestTokenIsTakenBackUnderWay(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			s := newSecured(t)
			p := s.greet(version, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
			p.Call(t, "execute_sequence", waitsThenClicks())
			run := s.hanging()
			if err := s.tokens.Remove("laptop"); err != nil {
				t.Fatal(err)
			}
			close(s.goOn)
			h := s.rest(run)
			if h.Status != engine.Failed || h.Error == nil || h.Error.Code != steps.Denied || len(s.desk.Journal()) > 0 {
				t.Errorf("the run is %s, %+v; it did %v", h.Status, h.Error, s.desk.Journal())
			}
			if status, _ := p.Ask(t, "tools/list", byhand.Object{}); status != http.StatusUnauthorized {
				t.Errorf("its next request: %d", status)
			}
		})
	}
}

// TestTokenIsTakenBackAfterItsClientLeft drops the connection of a run that outlives its
// client, and revokes the token before the next step.
func TestTokenIsTakenBackAfterItsClientLeft(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			s := newSecured(t)
			p := s.greet(version, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
			stays := waitsThenClicks()
			stays["wait"], stays["on_disconnect"] = true, "continue"
			ctx, drop := context.WithCancel(t.Context())
			go func() {
				if res, err := p.Send(ctx, 1, "tools/call", byhand.Object{"name": "execute_sequence", "arguments": stays}); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			}()
			run := s.hanging()
			drop()
			scratch.Until(t, "the call ends", func() bool { return s.inflight.counts().Calls == 0 })
			if err := s.tokens.Remove("laptop"); err != nil {
				t.Fatal(err)
			}
			close(s.goOn)
			h := s.rest(run)
			if h.Status != engine.Failed || h.Error == nil || h.Error.Code != steps.Denied || len(s.desk.Journal()) > 0 {
				t.Errorf("the run is %s, %+v; it did %v", h.Status, h.Error, s.desk.Journal())
			}
			scratch.Until(t, "the run is forgotten", func() bool { return s.inflight.counts().Runs == 0 })
		})
	}
}

func TestOtherClientsKeepTheirRights(t *testing.T) {
	s := newSecured(t)
	p := s.greet(modern, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	s.holder(auth.Token{Name: "other", Mode: auth.Act})
	p.Call(t, "execute_sequence", waitsThenClicks())
	run := s.hanging()
	if err := s.tokens.Remove("other"); err != nil {
		t.Fatal(err)
	}
	close(s.goOn)
	if h := s.rest(run); h.Status != engine.Succeeded || len(s.desk.Journal()) == 0 {
		t.Errorf("the run is %s, %+v; it did %v", h.Status, h.Error, s.desk.Journal())
	}
}

// TestResumedRunHasTheRightsOfWhoResumesIt resumes a run that another client began, and
// revokes a right of the client that resumed it.
func TestResumedRunHasTheRightsOfWhoResumesIt(t *testing.T) {
	s := newSecured(t)
	first := s.greet(modern, s.holder(auth.Token{Name: "first", Mode: auth.Act}))
	second := s.greet(modern, s.holder(auth.Token{Name: "second", Mode: auth.Act}))
	operator := s.holder(auth.Token{Name: "boss", Mode: auth.Ask, Operator: true})
	first.Call(t, "execute_sequence", waitsThenClicks())
	run := s.hanging()
	first.Call(t, "stop_execution", byhand.Object{"run_id": run})
	s.rest(run)

	if _, res := second.Call(t, "resume_run", byhand.Object{"run_id": run, "from": "first", "wait": false}); byhand.IsError(res) || res["error"] != nil {
		t.Fatalf("resumed: %v", res)
	}
	s.hanging()
	if status := s.setMode(operator, "second", access.Ask); status != http.StatusOK {
		t.Fatalf("the mode: %d", status)
	}
	close(s.goOn)
	if h := s.rest(run); h.Status != engine.Failed || h.Error == nil || h.Error.Code != steps.Denied || len(s.desk.Journal()) > 0 {
		t.Errorf("the run is %s, %+v; it did %v", h.Status, h.Error, s.desk.Journal())
	}
}

func (s *secured) setMode(h http.Header, client string, m access.Mode) int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/mode", strings.NewReader(`{"client": "`+client+`", "mode": "`+string(m)+`"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(req.Header, h)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

func TestOnlyAnOperatorChangesModes(t *testing.T) {
	s := newSecured(t)
	client := s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	if status := s.setMode(client, "laptop", access.Act); status != http.StatusForbidden {
		t.Errorf("a client changes its own mode: %d", status)
	}
	if status := s.setMode(nil, "laptop", access.Act); status != http.StatusUnauthorized {
		t.Errorf("nobody changes a mode: %d", status)
	}
	boss := s.holder(auth.Token{Name: "boss", Mode: auth.Ask, Operator: true})
	if status := s.setMode(boss, "laptop", access.Ask); status != http.StatusOK {
		t.Errorf("an operator: %d", status)
	}
	p := s.greet(modern, client)
	if _, res := p.Call(t, "click_element", save); res["error"] == nil {
		t.Errorf("the client still acts: %v", res)
	}
}

func TestModesInTheWordsOfOtherServers(t *testing.T) {
	s := newSecured(t)
	boss := s.holder(auth.Token{Name: "boss", Mode: auth.Ask, Operator: true})
	client := s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	post := func(body string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mode", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(req.Header, boss)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	p := s.greet(modern, client)
	refused := func(tool string) bool {
		_, res := p.Call(t, tool, byhand.Object{})
		return byhand.Dig(res, "error", "data", "mode") == "ask"
	}
	if status := post(`{"client_name": "laptop", "mode": "ask", "blocked_tools": ["get_window_tree"]}`); status != http.StatusOK {
		t.Fatalf("ask mode: %d", status)
	}
	if !refused("get_window_tree") || refused("get_applications_and_windows_list") {
		t.Error("in ask mode only the tool that is blocked, of those that read, is refused")
	}
	if status := post(`{"client_name": "laptop", "mode": "act", "blocked_tools": ["get_window_tree"]}`); status != http.StatusOK {
		t.Fatalf("act mode: %d", status)
	}
	if refused("get_window_tree") {
		t.Error("a tool is blocked only in ask mode")
	}
	if status := post(`{"mode": "ask"}`); status != http.StatusBadRequest {
		t.Errorf("without a name: %d", status)
	}
}

func TestStrangersLearnNothing(t *testing.T) {
	s := newSecured(t)
	read := func(path string, h http.Header) (int, string) {
		res := visit(t.Context(), t, s.url+path, h)
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(raw)
	}
	for _, path := range []string{"/runs", "/runs/x", "/captures/x", "/events", "/metrics", "/ready", "/", "/api/runs"} {
		if status, text := read(path, nil); status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, text := read("/status", nil); status != 200 || strings.TrimSpace(text) != `{"busy":false}` {
		t.Errorf("/status: %d %s", status, text)
	}
	client := s.holder(auth.Token{Name: "watcher", Mode: auth.Ask})
	if status, text := read("/status", client); status != 200 || !strings.Contains(text, "maxConcurrent") {
		t.Errorf("/status for a client: %d %s", status, text)
	}
	if status, text := read("/runs", client); status != 200 || !strings.Contains(text, "<h1>Runs</h1>") {
		t.Errorf("/runs for a client: %d %s", status, text)
	}
	ids := readEventsAs(t, s.url+"/events", client)
	if ids != http.StatusOK {
		t.Errorf("/events for a client: %d", ids)
	}
}

func readEventsAs(t *testing.T, address string, h http.Header) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := visit(ctx, t, address, h)
	defer res.Body.Close()
	return res.StatusCode
}

// visit requests an address with headers.
func visit(ctx context.Context, t *testing.T, address string, h http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, h)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestBrowserSeesTheRuns logs in as a browser does, with redirects and a cookie.
func TestBrowserSeesTheRuns(t *testing.T) {
	s := newSecured(t)
	token := strings.TrimPrefix(s.holder(auth.Token{Name: "watcher", Mode: auth.Ask}).Get("Authorization"), "Bearer ")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	form := strings.NewReader("token=" + token)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/login", form)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", s.url)
	res, err := browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !strings.Contains(string(raw), "<h1>Runs</h1>") {
		t.Errorf("%s %v: %s", res.Status, err, raw)
	}
	for _, line := range []string{s.log.String(), string(raw)} {
		if strings.Contains(line, token) {
			t.Errorf("the token is written down: %s", line)
		}
	}
}
