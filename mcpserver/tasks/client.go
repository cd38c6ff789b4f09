package tasks

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Extension is the name of the extension.
const Extension = "io.modelcontextprotocol/tasks"

// The protocol versions of the two forms.
const (
	extensionVersion  = "2026-07-28" // and later ones
	experimentVersion = "2025-11-25" // only this one
)

// Request is a request to a server.
type Request interface {
	mcp.Request
	ProtocolVersion() string
	ClientCapabilities() *mcp.ClientCapabilities
}

// Declared reports whether the sender of a request takes tasks of the extension. The SDK
// returns the capabilities of initialize for requests that have none of their own, but
// older versions do not know the extension.
func Declared(req Request) bool {
	if req.ProtocolVersion() < extensionVersion {
		return false
	}
	caps := req.ClientCapabilities()
	if caps == nil {
		return false
	}
	_, ok := caps.Extensions[Extension]
	return ok
}

// Asked reports whether a call asks for a task of the experiment.
func Asked(req *mcp.CallToolRequest) bool {
	return req != nil && req.Params.Meta[askedKey] != nil && req.ProtocolVersion() == experimentVersion
}

// askedKey is where Lift leaves params.task.
const askedKey = "understudy/task"

// Lift moves params.task of a call to its metadata, where the SDK keeps it. The message is
// one line or body; others are returned as they are.
func Lift(message []byte) []byte {
	if !bytes.Contains(message, []byte(`"task"`)) {
		return message
	}
	fields, params, meta := map[string]json.RawMessage{}, map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if json.Unmarshal(message, &fields) != nil || string(fields["method"]) != `"tools/call"` ||
		json.Unmarshal(fields["params"], &params) != nil || params["task"] == nil {
		return message
	}
	_ = json.Unmarshal(params["_meta"], &meta) // what is no object is refused later
	meta[askedKey] = params["task"]
	delete(params, "task")
	for _, put := range []struct {
		in    map[string]json.RawMessage
		key   string
		value map[string]json.RawMessage
	}{{params, "_meta", meta}, {fields, "params", params}} {
		raw, err := json.Marshal(put.value)
		if err != nil {
			return message
		}
		put.in[put.key] = raw
	}
	lifted, err := json.Marshal(fields)
	if err != nil {
		return message
	}
	return lifted
}
