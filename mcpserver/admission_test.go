package mcpserver

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
)

// TestNoSpellingGetsPastTheLimit fills the only slot, and sends calls that act but claim
// not to, by a key in another case or by the answer to a question that was not asked.
func TestNoSpellingGetsPastTheLimit(t *testing.T) {
	st := newStage(t, func(o *Options) { o.MaxConcurrent = 1 })
	site := st.site().URL
	go func() {
		v := byhand.Visitor{Version: byhand.Modern, Address: site + "/mcp"}
		if res, err := v.Send(t.Context(), 1, "tools/call", byhand.Object{"name": "hang", "arguments": byhand.Object{}}); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}()
	run := st.hanging()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	click := `"name":"click_element","arguments":{"selector":"role:button && name:Save"},` + meta
	for _, body := range []string{
		`"method":"tools/call","params":{` + click + `}`,
		`"method":"tools/call","params":{` + click + `},"METHOD":"ping"`,
		`"METHOD":"ping","method":"tools/call","params":{` + click + `}`,
		`"method":"tools/call","params":{` + click + `},"PARAMS":{"name":"list_runs"}`,
		`"method":"tools/call","params":{` + click + `,"NAME":"list_runs"}`,
		`"method":"tools/call","params":{` + click + `,"requestState":"x"}`,
		`"method":"tools/call","params":{` + click + `,"REQUESTSTATE":"x"}`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,`+body+`}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": byhand.Modern, "Mcp-Method": "tools/call", "Mcp-Name": "click_element",
		} {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer := byhand.Read(res.Body)
		if res.Body.Close(); res.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: %s %v", body, res.Status, answer)
		}
		if did := fmt.Sprint(st.desk.Journal()); strings.Contains(did, "click") || strings.Contains(did, "press") {
			t.Fatalf("%s acted: %s", body, did)
		}
	}
	_, res := byhand.Visitor{Version: byhand.Modern, Address: site + "/mcp"}.Call(t, "stop_execution", byhand.Object{"run_id": run})
	if byhand.IsError(res) {
		t.Error(res)
	}
}

// TestRefusedCallTakesNoSlot fills the only slot. A client in ask mode that tries to
// act is refused by its mode, and does not wait for the slot.
func TestRefusedCallTakesNoSlot(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.MaxConcurrent = 1 })
	act := byhand.Visitor{Version: byhand.Modern, Address: s.url + "/mcp", Header: s.holder(auth.Token{Name: "laptop", Mode: auth.Act})}
	act.Call(t, "execute_sequence", byhand.Object{"wait": false, "steps": []any{byhand.Object{"tool_name": "hang"}}})
	s.hanging()
	byPath := act
	byPath.Address += "/ask"
	byToken := act
	byToken.Header = s.holder(auth.Token{Name: "watcher", Mode: auth.Ask})
	for say, v := range map[string]byhand.Visitor{"by its path": byPath, "by its token": byToken} {
		for tool, args := range map[string]byhand.Object{"click_element": save, "execute_sequence": document("click_element", save)} {
			if status, res := v.Call(t, tool, args); status != http.StatusOK || byhand.Dig(res, "error", "data", "mode") != "ask" {
				t.Errorf("%s, in ask mode %s: %d %v", tool, say, status, res)
			}
		}
	}
	if status, _ := act.Call(t, "click_element", save); status != http.StatusServiceUnavailable {
		t.Errorf("who may act: %d", status)
	}
}
