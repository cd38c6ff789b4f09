package httpd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"understudy/mcpserver/auth"
	"understudy/mcpserver/viewer"
	"understudy/steps"
)

// A page does what a person asks of it by calling a tool, as any client does:
// through the same handler, with the credential of the person, under the same
// policy and limits.

// callTool calls a tool on behalf of a page. What the tool refused or failed with
// is the error.
func callTool(clients http.Handler, modern string) func(*http.Request, string, map[string]any) error {
	return func(r *http.Request, tool string, args map[string]any) error {
		body, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{
				"io.modelcontextprotocol/protocolVersion":    modern,
				"io.modelcontextprotocol/clientInfo":         map[string]string{"name": viewer.PageClient, "version": "1"},
				"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			}},
		})
		if err != nil {
			return err
		}
		call, err := http.NewRequestWithContext(r.Context(), http.MethodPost, auth.ClientPath, bytes.NewReader(body))
		if err != nil {
			return err
		}
		call.RemoteAddr, call.Host = r.RemoteAddr, r.Host
		for key, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			versionHeader: modern, "Mcp-Method": "tools/call", "Mcp-Name": tool,
		} {
			call.Header.Set(key, value)
		}
		call.Header.Set("Authorization", "Bearer page") // the SDK wants one; the grant is in the context
		kept := keptReply{header: http.Header{}}
		clients.ServeHTTP(&kept, call)
		return kept.toolError()
	}
}

// keptReply is a reply that stays in the process.
type keptReply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *keptReply) Header() http.Header         { return k.header }
func (k *keptReply) WriteHeader(status int)      { k.status = status }
func (k *keptReply) Write(b []byte) (int, error) { return k.body.Write(b) }
func (k *keptReply) Flush()                      {}

// toolError is what a reply to a call says went wrong.
func (k *keptReply) toolError() error {
	var m struct {
		Error  *struct{ Message string }
		Result *struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(k.message(), &m); err != nil {
		return fmt.Errorf("the reply of the tool could not be read (status %d): %w", k.status, err)
	}
	switch {
	case m.Error != nil:
		return steps.Errorf(steps.Denied, "%s", m.Error.Message)
	case m.Result == nil:
		return fmt.Errorf("the tool gave no result (status %d)", k.status)
	case m.Result.IsError && len(m.Result.Content) > 0:
		return &steps.Error{Code: steps.Invalid, Err: errors.New(m.Result.Content[0].Text)}
	}
	return nil
}

// message is the reply itself, which stands alone or at the end of a stream.
func (k *keptReply) message() []byte {
	last := k.body.Bytes()
	if strings.HasPrefix(k.header.Get("Content-Type"), "text/event-stream") {
		for line := range bytes.Lines(k.body.Bytes()) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				last = data
			}
		}
	}
	return last
}
