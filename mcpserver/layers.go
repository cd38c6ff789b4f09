package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/mcpserver/ask"
	"understudy/mcpserver/httpd"
	"understudy/mcpserver/tasks"
	"understudy/steps"
	"understudy/workflows"
)

// Every call of a tool passes these layers, from the outside in:
//
//	permit       1. checks the policy; a refusal is a protocol error.
//	cancellable  2. lets the client, a timeout and an operator end the call.
//	withCaller   3. adds whose call it is, and where its paths start.
//	record       4. starts the run, so that everything that follows is stored.
//	             5. The engine saves the focus, unless the kind is meant to move it.
//	dispatch     6. waits until the run comes to rest, or the call ends.
//	show         7. builds the reply; the engine has restored the focus and
//	                released the lease.
//
// Tools for runs and workflows start no run: only 1 and 2 apply to them.

// runner executes calls through their layers.
type runner struct {
	o        *Options
	runs     *lazyRuns
	clients  *clients
	inflight *inflight
	http     *httpd.Server
	asker    *ask.Asker
	levels   levels
	changes  *subscriptions
	library  *library
	pictures shownPictures
	// taskAfter is how long a call waits for its run before it becomes a task.
	taskAfter time.Duration
}

// handle executes one call of a tool.
func (r *runner) handle(ctx context.Context, c *call) (out *reply, err error) {
	c.outlivesClient = r.o.KeepRunning
	defer r.recoverPanic(c, &out, &err)
	if err := r.permit(c); err != nil {
		return nil, err
	}
	ctx, done := r.cancellable(ctx, c)
	defer done()
	if c.args, c.since, err = c.tool.arguments(c.req.Params.Arguments); err != nil {
		return failed(err), nil
	}
	out, err = c.tool.run(ctx, c)
	if out, err = r.finish(ctx, c, out, err); err == nil && out.failure != nil && c.tool.lasts && tasks.Asked(c.req) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: contentOf(out.failure.text()).Text} // no run, so no task
	}
	return out, err
}

// finish completes the reply of a call, or makes one of its error.
func (r *runner) finish(ctx context.Context, c *call, out *reply, err error) (*reply, error) {
	if err == nil {
		r.showPictures(ctx, c, out)
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, wire
	}
	if err != nil {
		out = failed(err)
	}
	if out.failure != nil {
		out.failure.addAdvice(r.o.Kinds, c.Subject)
	}
	return out, nil
}

// recoverPanic logs a panic and turns it into an error of the call.
func (r *runner) recoverPanic(c *call, out **reply, err *error) {
	p := recover()
	if p == nil {
		return
	}
	r.o.Log.Error("tool panicked", "tool", c.tool.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	*out, *err = failed(steps.Errorf(steps.Internal, "%s: internal error (panic): %v", c.tool.Name, p)), nil
}

// Error codes of a blocked call. Versions from 2026-07-28 on reserve the range of
// JSON-RPC.
const (
	codeBlockedLegacy = -32002
	codeBlocked       = -31002
)

// permit is the first layer: it checks the policy.
func (r *runner) permit(c *call) error {
	why := c.May(c.tool.Tool)
	r.o.Log.Info("tool called", "client", c.id(), "tool", c.tool.Name, "allowed", why == nil)
	return c.blockedError(why)
}

// blockedError returns the protocol error for a tool that a client may not use, or nil.
func (c *caller) blockedError(why *access.Refusal) error {
	if why == nil {
		return nil
	}
	code := int64(codeBlockedLegacy)
	if c.modern() {
		code = codeBlocked
	}
	data, err := json.Marshal(map[string]any{"tool": why.Tool, "mode": c.Mode, "client": c.name, "reason": why.Why, "next": why.Next})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: code, Message: why.Error() + "; " + why.Next, Data: data}
}

// The causes for which the context of a call ends.
var (
	errPeerGone = errors.New("the client went away")
	errStopping = errors.New("the server is shutting down")
	errInputEnd = fmt.Errorf("the client closed its side: %w", errStopping)
)

// timeoutHeader is the header by which a client limits the duration of a call.
const timeoutHeader = "X-Request-Timeout-Ms"

// cancellable is the second layer: a call ends when the client cancels it or goes away,
// when its time is up, and when the server shuts down. Each call has a context of its
// own, so that ending one affects no later one.
func (r *runner) cancellable(ctx context.Context, c *call) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	leave := r.inflight.enter(c, cancel)
	ends := []func(){leave, func() { cancel(nil) }}
	if c.connection = r.http.Connection(headers(c.req)); c.connection != nil {
		stop := context.AfterFunc(c.connection, func() { cancel(errPeerGone) })
		ends = append(ends, func() { stop() })
	}
	if limit := c.limit(r.o.Timeout); limit > 0 {
		timed, stop := context.WithTimeoutCause(ctx, limit, steps.Errorf(steps.Timeout, "the call did not end within %s", limit))
		ctx, ends = timed, append(ends, stop)
	}
	return ctx, func() {
		for _, end := range ends {
			end()
		}
	}
}

// limit returns how long a call may take; 0 means without limit.
func (c *call) limit(usual time.Duration) time.Duration {
	if ms, err := strconv.Atoi(headers(c.req).Get(timeoutHeader)); err == nil && ms > 0 {
		return time.Duration(ms) * time.Millisecond
	}
	return usual
}

// withCaller is the third layer: it adds to a request whose run it is, and where its
// paths start.
func (r *runner) withCaller(c *call, q engine.Request) engine.Request {
	q.Client, q.Dir, q.Environ, q.TraceParent = c.id(), r.o.Dir, r.o.Environ, c.traceParent()
	q.Roots, q.Private, q.Sandbox, q.Storage = r.o.Roots, r.o.Private, r.o.Sandbox, r.o.Storage
	q.Applications, q.NoTerminals = r.o.Applications, r.o.NoTerminals
	if r.o.Fleet { // the worker checks them
		q.Rights, q.Priority = c.rightsToStore(), defaultPriority
	}
	return q
}

// bounds returns the bounds for a caller that continues a run.
func (r *runner) bounds() *engine.Bounds {
	return &engine.Bounds{Roots: r.o.Roots, Private: r.o.Private, Storage: r.o.Storage}
}

// runsOf returns the runs that the caller may see and change.
func (r *runner) runsOf(ctx context.Context, c *call) (engine.Runs, error) {
	return r.clients.runsFor(ctx, c.Subject, c.tool.Tool)
}

// resumeRequest adds the caller to a request to continue a run.
func (r *runner) resumeRequest(c *call, q engine.ResumeRequest) engine.ResumeRequest {
	q.By, q.Environ, q.Within, q.Mandate = c.id(), r.o.Environ, r.bounds(), r.mandate(c)
	return q
}

// runOf returns a run that the caller may see, and the runs that hold it.
func (r *runner) runOf(ctx context.Context, c *call, id string) (runs engine.Runs, h engine.Header, err error) {
	if runs, err = r.runsOf(ctx, c); err == nil {
		h, err = runs.Get(ctx, id)
	}
	return runs, h, err
}

// begin starts or continues a run.
type begin func(context.Context, engine.Runs) (engine.Header, error)

// show is the last layer: it returns the reply for a run at rest.
type show func(context.Context, engine.Runs, engine.Header) (*reply, error)

// follow executes the layers that belong to the run of a call.
func (r *runner) follow(ctx context.Context, c *call, b begin, answer show) (*reply, error) {
	if c.takesTask() {
		return r.followAsTask(ctx, c, b, answer)
	}
	runs, h, err := r.record(ctx, c, b)
	if err != nil {
		return nil, err
	}
	for {
		if h, err = r.dispatch(ctx, c, runs, h); err != nil {
			return nil, err
		}
		out, answered, err := r.askQuestion(ctx, c, c.askCall(), runs, &h)
		if err != nil || out != nil {
			return out, err
		}
		if !answered {
			return answer(context.WithoutCancel(ctx), runs, h)
		}
	}
}

// askQuestion puts the question of a waiting run to a person, and answers the run. Without
// an answer and a pending reply, the run stays waiting.
func (r *runner) askQuestion(ctx context.Context, c *call, q ask.Call, runs engine.Runs, h *engine.Header) (out *reply, answered bool, err error) {
	if h.Status != engine.Waiting || h.Question == nil {
		return nil, false, nil
	}
	a, pending, err := r.asker.Run(ctx, q, *h)
	if pending != nil {
		return &reply{pending: pending}, false, err
	}
	if a == nil || err != nil {
		return nil, false, err
	}
	*h, err = r.answer(ctx, c, runs, h.ID, *a)
	return nil, err == nil, err
}

// answer answers a run on behalf of the caller.
func (r *runner) answer(ctx context.Context, c *call, runs engine.Runs, id string, a engine.Answer) (engine.Header, error) {
	a.By, a.Environ, a.Within, a.Mandate = c.id(), r.o.Environ, r.bounds(), r.mandate(c)
	h, err := runs.Answer(context.WithoutCancel(ctx), id, a)
	if err == nil {
		r.inflight.noteRun(id, c.caller)
	}
	return h, err
}

// resumeAsked continues a run for which a modern client brought the answer to a
// question, under the policy of the caller.
func (r *runner) resumeAsked(ctx context.Context, c *call, state ask.State) (*reply, error) {
	if err := r.permitRun(ctx, c, state.Run); err != nil {
		return nil, err
	}
	b := func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		h, err := runs.Get(ctx, state.Run)
		if err != nil || h.Status != engine.Waiting {
			return h, err
		}
		a := r.asker.Resumed(ctx, c.askCall(), h, state)
		if a == nil {
			return h, nil
		}
		return r.answer(ctx, c, runs, h.ID, *a)
	}
	return r.follow(ctx, c, b, r.showAny(c, workflows.Usual))
}

// showAny returns the last layer for a run of a document or of a single kind.
func (r *runner) showAny(c *call, v workflows.Verbosity) show {
	return func(ctx context.Context, runs engine.Runs, h engine.Header) (*reply, error) {
		if k, _, ok := workflows.FindKind(r.o.Kinds, h.Call, nil); ok {
			_, show := splitIncludeImage(k, c.args)
			return kindReply(ctx, runs, k, h, show)
		}
		return r.showRun(c, v)(ctx, runs, h)
	}
}

// showRun returns the last layer for a run of a document.
func (r *runner) showRun(c *call, v workflows.Verbosity) show {
	return func(ctx context.Context, runs engine.Runs, h engine.Header) (*reply, error) {
		image, _ := c.args[includeImage].(bool)
		out, err := runReply(ctx, r.o.Kinds, runs, h, v, image)
		if err == nil && r.o.SequenceJSON && c.tool.Name == sequenceName {
			err = out.asSequenceJSON(ctx, runs, h.ID)
		}
		return out, err
	}
}

// followOrDetach follows the run of a call, or only begins it if wait is false.
func (r *runner) followOrDetach(ctx context.Context, c *call, wait *bool, v workflows.Verbosity, b begin) (*reply, error) {
	if wait != nil && !*wait && !tasks.Asked(c.req) {
		return r.detach(ctx, c, b)
	}
	return r.follow(ctx, c, b, r.showRun(c, v))
}

// record is the fourth layer: the run begins, and with it its events.
func (r *runner) record(ctx context.Context, c *call, b begin) (engine.Runs, engine.Header, error) {
	runs, err := r.runsOf(ctx, c)
	if err != nil {
		return nil, engine.Header{}, err
	}
	if ctx.Err() != nil {
		return nil, engine.Header{}, endError(ctx)
	}
	h, err := b(context.WithoutCancel(ctx), runs)
	if err == nil {
		r.inflight.noteRun(h.ID, c.caller)
		r.changes.startWatching()
	}
	return runs, h, err
}

// startUnattended begins or continues a run for which no call waits, under the rights
// of its caller.
func (r *runner) startUnattended(ctx context.Context, runs engine.Runs, id string, who caller, b begin) (engine.Header, error) {
	r.inflight.noteRun(id, who)
	h, err := b(context.WithoutCancel(ctx), runs)
	if err != nil {
		r.inflight.forgetRun(id)
		return h, err
	}
	r.changes.startWatching()
	r.forgetWhenOver(runs, id, func() {})
	return h, nil
}

// forgetWhenOver forgets a run for which no call waits once it comes to rest, and
// releases its slot then, or when the server ends.
func (r *runner) forgetWhenOver(runs engine.Runs, id string, release func()) {
	r.inflight.detached.Go(func() {
		defer release()
		switch _, err := runs.Wait(r.inflight.life, id); {
		case err == nil:
			r.inflight.forgetRun(id)
		case !errors.Is(err, errStopping):
			r.o.Log.Warn("a run whose caller is gone is no longer watched", "run", id, "error", err)
		}
	})
}

// dispatch is the sixth layer: it follows the run until it comes to rest, and stops it
// if the call ends before.
func (r *runner) dispatch(ctx context.Context, c *call, runs engine.Runs, h engine.Header) (engine.Header, error) {
	p := r.startProgress(ctx, c, h)
	defer p.end()
	h, err := awaitRest(ctx, runs, h, p)
	if err == nil {
		r.inflight.forgetRun(h.ID)
		return h, nil
	}
	return r.abandon(ctx, c, runs, h, err)
}

// abandon decides what becomes of a run that is not at rest when its call ends: it stops
// it, unless it outlives the call.
func (r *runner) abandon(ctx context.Context, c *call, runs engine.Runs, h engine.Header, err error) (engine.Header, error) {
	rest := r.forgetAtRest(ctx, runs, h.ID)
	switch cause := context.Cause(ctx); {
	case c.outlivesClient && c.clientGone(ctx) && !r.o.Fleet:
		r.inflight.orphaned.Go(func() { <-rest })
		return engine.Header{}, endError(ctx)
	case r.o.Fleet && (c.outlivesClient && c.clientGone(ctx) || errors.Is(cause, errStopping) && !errors.Is(cause, errInputEnd)):
		return engine.Header{}, endError(ctx) // the worker continues the run
	case ctx.Err() != nil:
		return r.stopFor(ctx, runs, h.ID)
	}
	return h, err
}

// forgetAtRest forgets the caller of a run when the run comes to rest, and then closes
// the channel. A run may outlast its call for long, and each of its steps needs the
// rights of its caller.
func (r *runner) forgetAtRest(ctx context.Context, runs engine.Runs, id string) (rest chan struct{}) {
	rest = make(chan struct{})
	go func() {
		defer close(rest)
		if _, err := runs.Wait(context.WithoutCancel(ctx), id); err == nil {
			r.inflight.forgetRun(id)
		}
	}()
	return rest
}

// awaitRest waits until a run comes to rest, and reports progress if the client asked
// for it.
func awaitRest(ctx context.Context, runs engine.Runs, h engine.Header, p *progress) (engine.Header, error) {
	id := h.ID
	for p != nil && !atRest(h.Status) {
		next, err := runs.Await(ctx, id, h.Seq)
		if err != nil {
			return h, err
		}
		h = next
		p.report(ctx, runs, h)
	}
	next, err := runs.Wait(ctx, id)
	if err != nil {
		return h, err
	}
	return next, nil
}

func atRest(s engine.Status) bool { return s != engine.Running && s != engine.Queued }

// stopTime bounds the wait for a run to stop.
const stopTime = 10 * time.Second

// stopFor stops the run of a call that ended. The run can be resumed.
func (r *runner) stopFor(ctx context.Context, runs engine.Runs, id string) (engine.Header, error) {
	cause, message := causeOf(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	h, err := runs.Stop(last, id, cause, message)
	if steps.CodeOf(err) == steps.Invalid { // the run ended in the meantime
		return runs.Get(last, id)
	}
	if err != nil || atRest(h.Status) {
		return h, err
	}
	return runs.Wait(last, id)
}

// clientGone reports whether a call ended because its client went away, as opposed to a
// client that cancelled it.
func (c *call) clientGone(ctx context.Context) bool {
	cause := context.Cause(ctx)
	if errors.Is(cause, errStopping) {
		return errors.Is(cause, errInputEnd)
	}
	return errors.Is(cause, errPeerGone) || errors.Is(cause, io.EOF) || c.connection != nil && c.connection.Err() != nil
}

// causeOf returns why a call ended, as a cause for a run to stop.
func causeOf(ctx context.Context) (engine.Cause, string) {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errStopping):
		return engine.ByShutdown, errStopping.Error()
	case steps.CodeOf(cause) == steps.Timeout:
		return engine.ByTimeout, cause.Error()
	case errors.Is(cause, errPeerGone), errors.Is(cause, io.EOF):
		return engine.ByClient, errPeerGone.Error()
	}
	return engine.ByClient, "the client cancelled the call"
}

// endError returns the error of a call that ended before its run began.
func endError(ctx context.Context) error {
	cause, message := causeOf(ctx)
	codes := map[engine.Cause]steps.Code{engine.ByTimeout: steps.Timeout, engine.ByShutdown: steps.Interrupted}
	return steps.Errorf(cmp.Or(codes[cause], steps.Cancelled), "%s", message)
}

// failed returns the reply of a call that failed.
func failed(err error) *reply { return &reply{failure: failureOf(err)} }

// result returns the reply as it is sent. Structured content has to fit the tool's
// output schema, so a failure is put into the metadata.
func (r *reply) result() *mcp.CallToolResult {
	if r.pending != nil {
		return r.pending
	}
	res := &mcp.CallToolResult{StructuredContent: r.value}
	text := r.text
	if r.failure != nil {
		res.IsError, res.Meta, text = true, mcp.Meta{failureKey: r.failure}, r.failure.text()
	}
	res.Content = append([]mcp.Content{contentOf(text + r.captions)}, r.attachments...)
	return res
}

// contentOf returns an answer as it is sent. Nothing else makes text for a model.
func contentOf(a words.Marked) *mcp.TextContent {
	return &mcp.TextContent{Text: words.Visible(string(a))}
}
