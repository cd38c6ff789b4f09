package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrNoTask is the error of a Source that has no task of a name, or none that the sender
// of the request may see.
var ErrNoTask = errors.New("there is no such task")

// Source holds tasks. It checks what the sender of each request may see and do.
type Source interface {
	Task(ctx context.Context, from Request, id string) (Task, error)
	// Update gives answers to open questions. It ignores those that are not open.
	Update(ctx context.Context, from Request, id string, answers map[string]json.RawMessage) error
	// Cancel asks a task to end. It does nothing if the task has ended.
	Cancel(ctx context.Context, from Request, id string) error
	// Result waits for the end of a task of the experiment, and asks its questions
	// meanwhile.
	Result(ctx context.Context, from Request, id string) (*mcp.CallToolResult, error)
	// Lasts reports whether a call of a tool may become a task.
	Lasts(tool string) bool
}

// The methods of tasks.
const (
	methodGet    = "tasks/get"
	methodUpdate = "tasks/update"
	methodCancel = "tasks/cancel"
	methodResult = "tasks/result" // of the experiment only
)

// Names reports whether a method of the extension names a task.
func Names(method string) bool {
	return method == methodGet || method == methodUpdate || method == methodCancel
}

type params struct {
	mcp.ParamsBase
	TaskID string `json:"taskId"`
	// InputResponses are kept as they are: mcp.InputResponseMap refuses the request
	// because of one whose shape it does not know.
	InputResponses map[string]json.RawMessage `json:"inputResponses"`
}

// Add makes a server answer for the tasks of a source. Sources that are added later are
// asked first.
func Add(s *mcp.Server, source Source) error {
	for _, method := range []string{methodGet, methodUpdate, methodCancel, methodResult} {
		err := mcp.AddReceivingCustomMethod(s, method, func(context.Context, *mcp.ServerSession, *params) (*result, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: ErrNoTask.Error()}
		})
		if err != nil {
			return err
		}
	}
	s.AddReceivingMiddleware(layer{source}.wrap)
	return nil
}

// handleKey is the key under which a result carries the task that is sent instead of it.
const handleKey = "understudy/handle"

// Handle returns the result of a call that is answered with a task. With a task of the
// experiment, the call must have asked for one.
func Handle(t Task) *mcp.CallToolResult { return &mcp.CallToolResult{Meta: mcp.Meta{handleKey: t}} }

type layer struct{ source Source }

func (l layer) wrap(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		from, ok := req.(Request)
		if !ok {
			return next(ctx, method, req)
		}
		switch method {
		case methodGet, methodUpdate, methodCancel, methodResult:
			res, err := l.handle(ctx, method, from)
			if errors.Is(err, ErrNoTask) {
				return next(ctx, method, req)
			}
			return res, err
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		return l.shown(res, from)
	}
}

func (l layer) handle(ctx context.Context, method string, from Request) (mcp.Result, error) {
	p, _ := from.GetParams().(*params)
	version := from.ProtocolVersion()
	switch {
	case version >= extensionVersion && method != methodResult:
		if !Declared(from) {
			return nil, ErrUndeclared()
		}
	case version != experimentVersion || method == methodUpdate:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("%s is no method of version %s", method, version)}
	}
	if p == nil || p.TaskID == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: method + " needs a taskId"}
	}
	if version >= extensionVersion {
		return l.extension(ctx, method, from, p)
	}
	return l.experiment(ctx, method, from, p.TaskID)
}

// codeUndeclared is the code of the error for a client that lacks a capability.
const codeUndeclared = -32021

// ErrUndeclared returns the error for a client that does not take tasks.
func ErrUndeclared() error {
	return &jsonrpc.Error{
		Code: codeUndeclared, Message: "tasks need a client that declares the extension " + Extension,
		Data: json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + Extension + `":{}}}}`),
	}
}

func (l layer) extension(ctx context.Context, method string, from Request, p *params) (mcp.Result, error) {
	var err error
	switch method {
	case methodGet:
		t, err := l.source.Task(ctx, from, p.TaskID)
		if err != nil {
			return nil, err
		}
		return &result{ResultType: complete, sentTask: t.detailed()}, nil
	case methodUpdate:
		err = l.source.Update(ctx, from, p.TaskID, p.InputResponses)
	default:
		err = l.source.Cancel(ctx, from, p.TaskID)
	}
	return &result{ResultType: complete}, err
}

// relatedKey names the task of a message of the experiment.
const relatedKey = "io.modelcontextprotocol/related-task"

// Related returns the metadata by which a message of the experiment names its task.
func Related(id string) mcp.Meta { return mcp.Meta{relatedKey: map[string]any{"taskId": id}} }

func (l layer) experiment(ctx context.Context, method string, from Request, id string) (mcp.Result, error) {
	if method == methodResult {
		res, err := l.source.Result(ctx, from, id)
		if err != nil {
			return nil, err
		}
		o, err := objectOf(res)
		o.Meta = Related(id)
		return o, err
	}
	t, err := l.source.Task(ctx, from, id)
	if err != nil {
		return nil, err
	}
	if method == methodCancel {
		if t.Status.Ended() {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the task is %s already", t.Status)}
		}
		if err := l.source.Cancel(ctx, from, id); err != nil {
			return nil, err
		}
		if t, err = l.source.Task(ctx, from, id); err != nil {
			return nil, err
		}
	}
	return &object{fields: t.experimental()}, nil
}

// shown returns a result in the form of the sender's version: a task instead of the result
// of a call, and what the experiment adds to the results of initialize and tools/list.
func (l layer) shown(res mcp.Result, from Request) (mcp.Result, error) {
	experiment := from.ProtocolVersion() == experimentVersion
	switch r := res.(type) {
	case *mcp.CallToolResult:
		t, ok := r.Meta[handleKey].(Task)
		switch {
		case !ok:
			return res, nil
		case experiment:
			return &object{fields: map[string]any{"task": t.experimental()}}, nil
		}
		return &result{ResultType: asTask, sentTask: t.sent()}, nil
	case *mcp.InitializeResult:
		return greeting(r)
	case *mcp.ListToolsResult:
		if experiment {
			return l.listed(r)
		}
	}
	return res, nil
}

// greeting removes the extension, which no version with initialize knows, and declares the
// experiment.
func greeting(r *mcp.InitializeResult) (mcp.Result, error) {
	if r.Capabilities == nil {
		return r, nil
	}
	caps := *r.Capabilities
	caps.Extensions = nil
	out := *r
	out.Capabilities = &caps
	if r.ProtocolVersion != experimentVersion {
		return &out, nil
	}
	o, err := objectOf(&out)
	if all, ok := o.fields["capabilities"].(map[string]any); ok {
		all["tasks"] = map[string]any{"cancel": struct{}{}, "requests": map[string]any{"tools": map[string]any{"call": struct{}{}}}}
	}
	return o, err
}

// listed says of each tool whose calls may last that it may be called as a task.
func (l layer) listed(r *mcp.ListToolsResult) (mcp.Result, error) {
	o, err := objectOf(r)
	tools, _ := o.fields["tools"].([]any)
	for _, t := range tools {
		t, _ := t.(map[string]any)
		if name, _ := t["name"].(string); l.source.Lasts(name) {
			t["execution"] = map[string]any{"taskSupport": "optional"}
		}
	}
	return o, err
}
