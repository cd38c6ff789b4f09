package tasks

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Status is the status of a task. One that is completed, failed or cancelled never
// changes again.
type Status string

// The statuses of a task. A tool that reports an error has completed its task; the task
// fails only with an error of the protocol.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Ended reports whether a task never changes again.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// Task is the state of a task.
type Task struct {
	ID       string
	Status   Status
	Message  string
	Created  time.Time
	Updated  time.Time
	TTL      time.Duration       // how long it is kept from its creation on; 0: without limit
	Poll     time.Duration       // how long to wait before asking again; 0: not stated
	Requests mcp.InputRequestMap // the open questions
	Result   *mcp.CallToolResult // of a completed task
	Error    *jsonrpc.Error      // of a failed task
}

// sentTask is a task of the extension as it is sent.
type sentTask struct {
	TaskID         string              `json:"taskId"`
	Status         Status              `json:"status"`
	StatusMessage  string              `json:"statusMessage,omitempty"`
	CreatedAt      time.Time           `json:"createdAt"`
	LastUpdatedAt  time.Time           `json:"lastUpdatedAt"`
	TTL            *int64              `json:"ttlMs"`
	PollIntervalMS int64               `json:"pollIntervalMs,omitempty"`
	InputRequests  mcp.InputRequestMap `json:"inputRequests,omitempty"`
	Result         *mcp.CallToolResult `json:"result,omitempty"`
	Error          *jsonrpc.Error      `json:"error,omitempty"`
}

// sent returns the task as it is sent, without what follows from its status.
func (t Task) sent() *sentTask {
	s := &sentTask{
		TaskID: t.ID, Status: t.Status, StatusMessage: t.Message,
		CreatedAt: t.Created.UTC(), LastUpdatedAt: t.Updated.UTC(), PollIntervalMS: t.Poll.Milliseconds(),
	}
	if t.TTL > 0 {
		s.TTL = new(t.TTL.Milliseconds())
	}
	return s
}

// detailed returns the task as it is sent to who asks for its state.
func (t Task) detailed() *sentTask {
	s := t.sent()
	s.InputRequests, s.Result, s.Error = t.Requests, t.Result, t.Error
	return s
}

// result is a result of the extension. The SDK adds resultType to its own only.
type result struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
	*sentTask
}

// The values of resultType.
const (
	complete = "complete"
	asTask   = "task"
)

// object is a result of the experiment, whose fields the SDK does not know.
type object struct {
	mcp.ResultBase
	fields map[string]any
}

// MarshalJSON implements json.Marshaler.
func (o *object) MarshalJSON() ([]byte, error) {
	if len(o.Meta) > 0 {
		o.fields["_meta"] = o.Meta
	}
	return json.Marshal(o.fields)
}

// objectOf returns a result as an object, to which fields can be added.
func objectOf(v any) (*object, error) {
	o := &object{fields: map[string]any{}}
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &o.fields)
	}
	return o, err
}

// experimental returns the task as it is sent in the experiment.
func (t Task) experimental() map[string]any {
	s := t.sent()
	out := map[string]any{
		"taskId": s.TaskID, "status": s.Status, "createdAt": s.CreatedAt, "lastUpdatedAt": s.LastUpdatedAt, "ttl": s.TTL,
	}
	if s.StatusMessage != "" {
		out["statusMessage"] = s.StatusMessage
	}
	if s.PollIntervalMS > 0 {
		out["pollInterval"] = s.PollIntervalMS
	}
	return out
}
