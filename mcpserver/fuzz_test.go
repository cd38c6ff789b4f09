package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/storetest"
	"understudy/steps/kinds"
)

// fuzzed is a server over a desktop in memory, shared by all inputs.
func fuzzed(f *testing.F) http.Handler {
	f.Helper()
	desktop, store := fake.New(fake.MustParse(notes)...), storetest.NewMemory()
	e := &engine.Engine{Store: store, Files: store, Kinds: kinds.All(), Desk: desk{desktop}}
	s := New(Options{
		Open: func(context.Context) (Backend, error) { return backendOf(e), nil }, Kinds: kinds.All(), Folder: f.TempDir(), Dir: f.TempDir(),
		Policy: access.Policy{Exclude: []string{"run_command", "open_application", "open_url", "navigate_browser"}}, // which reach beyond the desktop in memory
	})
	e.Allow = s.Allow
	f.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = s.Close(ctx)
		_ = e.Shutdown(ctx)
	})
	return s.http.Handler()
}

// posted sends a body, and fails if the server fails.
func posted(t *testing.T, h http.Handler, path, version, name string, body []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", version)
	r.Header.Set("Mcp-Method", "tools/call")
	r.Header.Set("Mcp-Name", name)
	r.Header.Set(timeoutHeader, "100")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code == http.StatusInternalServerError || bytes.Contains(w.Body.Bytes(), []byte(`"code":"internal"`)) {
		t.Errorf("%s %d: %s\n%s", path, w.Code, body, w.Body)
	}
}

// FuzzHTTPBody sends bodies that are no valid messages, or nearly so.
//
//ci:fuzz 60s
func FuzzHTTPBody(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_window_tree","arguments":{}}}`,
		`{"client":"a","mode":"ask"}`, "{", "", "\xff",
	} {
		f.Add(body, uint8(0))
		f.Add(body, uint8(3))
	}
	h := fuzzed(f)
	paths := []string{"/mcp", "/mcp/ask", "/mode"}
	f.Fuzz(func(t *testing.T, body string, which uint8) {
		version := "2025-11-25"
		if which/3%2 == 1 {
			version = modern
		}
		posted(t, h, paths[which%3], version, "get_window_tree", []byte(body))
	})
}

// FuzzArguments calls every kind with random arguments.
//
//ci:fuzz 60s
func FuzzArguments(f *testing.F) {
	kinds := kinds.All()
	for i, k := range kinds {
		f.Add(uint8(i), `{}`)
		f.Add(uint8(i), `{"selector": "role:button && name:Save", "timeout": "1ms", "text": "a", "count": -1}`)
		f.Add(uint8(i), `{"path": "../a", "pattern": "**", "duration": "1ms", "key": "Ctrl+", "x": 1e9, "`+k.Name+`": null}`)
	}
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, which uint8, args string) {
		k := kinds[int(which)%len(kinds)]
		var parsed map[string]any
		if json.Unmarshal([]byte(args), &parsed) == nil && parsed != nil {
			k.Check(parsed, nil)
		}
		if !json.Valid([]byte(args)) {
			args = "{}"
		}
		posted(t, h, "/mcp", modern, k.Name, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+k.Name+`","arguments":`+args+`,"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"fuzz","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`))
	})
}

// FuzzLine checks that each line is either refused, or holds messages that can be written
// again.
func FuzzLine(f *testing.F) {
	plain := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,"x"]}}`
	for _, line := range []string{
		plain, plain + "\r\n", `{"jsonrpc":"2.0","method":"x","method":1}`, `{"jsonrpc":"2.0","id":{},"id":"1","method":"x"}`, `{"JSONRPC":"2.0","method":"x"}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"x"}`, `{"jsonrpc":"2.0","id":true,"method":"x"}`, `{"jsonrpc":"2.0","method":"\\ud800"}`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
		`{"jsonrpc":"2.0","id":1}`, `[` + plain + `]`, `null`, `{"jsonrpc":"2.0","method":"x","params":null}`, `{"jsonrpc":"2.0","method":"x","params":[]}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		all, refused := newLines(nil, io.Discard, &outstanding{}).accept(line)
		if (len(all) == 0) != (refused != nil) {
			t.Errorf("%q: %d messages, refused for %v", line, len(all), refused)
		}
		for _, m := range all {
			if _, err := jsonrpc.EncodeMessage(m); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
}
