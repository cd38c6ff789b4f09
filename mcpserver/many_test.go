package mcpserver

import (
	"net/http"
	"runtime"
	"testing"
)

// TestSessionsLeaveNothing opens and ends many sessions.
func TestSessionsLeaveNothing(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	open := func(n int) {
		for range n {
			p := client(t, site, "2025-11-25", "")
			if _, res := p.ask(t, site, "tools/call", callOf("delay", jsonObject{"duration": "1ms"})); isError(res) {
				t.Fatal(res)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, site+"/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Mcp-Session-Id", p.session)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
		}
	}
	sessions := func() (n int) {
		for range st.mcp.Sessions() {
			n++
		}
		return n
	}
	open(5)
	before := runtime.NumGoroutine()
	open(100)
	eventually(t, "every session is gone", func() bool { return sessions() == 0 })
	eventually(t, "what served them is gone", func() bool { return runtime.NumGoroutine() < before+20 })
}
