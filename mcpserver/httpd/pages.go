package httpd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"understudy/mcpserver/auth"
	"understudy/mcpserver/viewer"
	"understudy/steps"
	"understudy/workflows"
)

// Pages act by calling tools, as any client does: through the same handler, with the
// credential of the person, under the same policy and limits.

// callTool returns a function that calls a tool on behalf of a page and returns its
// structured content. A refusal or failure of the tool is returned as an error.
func callTool(clients http.Handler) func(*http.Request, viewer.Call) (json.RawMessage, error) {
	return func(r *http.Request, c viewer.Call) (json.RawMessage, error) {
		body, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": c.Tool, "arguments": c.Args, "_meta": map[string]any{
				"io.modelcontextprotocol/protocolVersion":    Modern,
				"io.modelcontextprotocol/clientInfo":         map[string]string{"name": viewer.PageClient, "version": "1"},
				"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			}},
		})
		if err != nil {
			return nil, err
		}
		call, err := http.NewRequestWithContext(context.WithValue(r.Context(), typedKey{}, c.Typed), http.MethodPost, auth.ClientPath, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		call.RemoteAddr, call.Host = r.RemoteAddr, r.Host
		for key, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			versionHeader: Modern, "Mcp-Method": "tools/call", "Mcp-Name": c.Tool,
		} {
			call.Header.Set(key, value)
		}
		call.Header.Set("Authorization", "Bearer page") // required by the SDK; the grant is in the context
		kept := bufferedReply{header: http.Header{}}
		clients.ServeHTTP(&kept, call)
		return kept.answer()
	}
}

// bufferedReply is an http.ResponseWriter that keeps the reply in memory.
type bufferedReply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *bufferedReply) Header() http.Header         { return k.header }
func (k *bufferedReply) WriteHeader(status int)      { k.status = status }
func (k *bufferedReply) Write(b []byte) (int, error) { return k.body.Write(b) }
func (k *bufferedReply) Flush()                      {}

// answer returns the structured content of a reply, or its error, with the problems of
// a document if it lists any.
func (k *bufferedReply) answer() (json.RawMessage, error) {
	var m struct {
		Error  *struct{ Message string }
		Result *struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			Meta              struct {
				Failure struct {
					Code     steps.Code
					Problems []workflows.Problem
				} `json:"understudy/error"`
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal(k.message(), &m); err != nil {
		return nil, fmt.Errorf("the reply of the tool could not be read (status %d): %w", k.status, err)
	}
	switch {
	case m.Error != nil:
		return nil, steps.Errorf(steps.Denied, "%s", m.Error.Message)
	case m.Result == nil:
		return nil, fmt.Errorf("the tool gave no result (status %d)", k.status)
	case m.Result.IsError && len(m.Result.Meta.Failure.Problems) > 0:
		return nil, &workflows.InvalidError{Problems: m.Result.Meta.Failure.Problems}
	case m.Result.IsError && len(m.Result.Content) > 0:
		return nil, &steps.Error{Code: cmp.Or(m.Result.Meta.Failure.Code, steps.Invalid), Err: errors.New(m.Result.Content[0].Text)}
	}
	return m.Result.StructuredContent, nil
}

// message returns the reply itself, which is the whole body or the last event of a
// stream.
func (k *bufferedReply) message() []byte {
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
