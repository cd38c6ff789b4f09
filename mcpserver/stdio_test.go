package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// document returns a document with one step.
func document(tool string, args byhand.Object) byhand.Object {
	return byhand.Object{"steps": []any{byhand.Object{"tool_name": tool, "id": "one", "arguments": args}}}
}

func TestEveryVersion(t *testing.T) {
	for _, version := range byhand.Versions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, byhand.Object{})
			if names := toolNames(w.Ask("tools/list", byhand.Object{})); !slices.Contains(names, "click_element") || slices.Contains(names, "run_command") {
				t.Errorf("the list is not that of the core: %v", names)
			}
			res := w.Call("click_element", byhand.Object{"process": "notes", "selector": "role:button && name:Save"})
			if byhand.IsError(res) || byhand.Dig(res, "result", "structuredContent", "at") == nil {
				t.Fatalf("click: %v", res)
			}
			res = w.Call("execute_sequence", document("delay", byhand.Object{"duration": "1ms"}))
			if got := byhand.Dig(res, "result", "structuredContent", "status"); got != "succeeded" {
				t.Errorf("sequence: %v", res)
			}
			headers, err := st.engine.List(t.Context(), engine.Query{Calls: true})
			if err != nil || len(headers) != 2 {
				t.Errorf("stored runs: %v, %v; want each call to be one", headers, err)
			}
			if got := st.desk.Journal(); len(got) == 0 || !strings.HasPrefix(got[0], "click") {
				t.Errorf("the desktop was not clicked: %v", got)
			}
		})
	}
}

func TestBlockedCallIsAProtocolError(t *testing.T) {
	for _, version := range byhand.Versions {
		want := -32002.0
		if version == modern {
			want = -31002
		}
		t.Run(version, func(t *testing.T) {
			w := newStage(t, func(o *Options) { o.Policy.Mode = access.Ask }).connect(version, byhand.Object{})
			if names := toolNames(w.Ask("tools/list", byhand.Object{})); slices.Contains(names, "click_element") || !slices.Contains(names, "get_window_tree") {
				t.Errorf("ask mode lists %v", names)
			}
			alone := w.Call("click_element", byhand.Object{"selector": "role:button"})
			inside := w.Call("execute_sequence", document("click_element", byhand.Object{"selector": "role:button"}))
			for say, res := range map[string]byhand.Object{"alone": alone, "inside a sequence": inside} {
				if byhand.Dig(res, "error", "code") != want || byhand.Dig(res, "error", "data", "tool") != "click_element" || byhand.Dig(res, "error", "data", "mode") != "ask" {
					t.Errorf("%s: %v", say, res)
				}
			}
			if res := w.Call("execute_sequence", document("validate_element", byhand.Object{"selector": "role:button"})); byhand.IsError(res) || res["error"] != nil {
				t.Errorf("a sequence that only reads: %v", res)
			}
			if res := w.Call("stop_execution", byhand.Object{}); byhand.IsError(res) || res["error"] != nil {
				t.Errorf("stop_execution: %v", res)
			}
		})
	}
}

func TestCancelledCallStopsItsRunOnly(t *testing.T) {
	for _, version := range byhand.Versions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, byhand.Object{})
			id, answer := w.Begin(byhand.Calling("execute_sequence", document("hang", byhand.Object{})))
			run := st.hanging()
			w.Notify("notifications/cancelled", byhand.Object{"requestId": id, "reason": "enough"})
			h := st.rest(run)
			if h.Status != engine.Cancelled || h.ResumeFrom != "one" {
				t.Errorf("the run is %s, resumable from %q", h.Status, h.ResumeFrom)
			}
			_ = answer // a cancelled request needs no answer
			if res := w.Call("delay", byhand.Object{"duration": "1ms"}); byhand.IsError(res) {
				t.Errorf("a call after the stop: %v", res)
			}
		})
	}
}

func (st *stage) rest(run string) engine.Header {
	st.t.Helper()
	ctx, cancel := context.WithDeadline(st.t.Context(), scratch.Deadline(st.t))
	defer cancel()
	h, err := st.engine.Wait(ctx, run)
	if err != nil {
		st.t.Fatal(err)
	}
	return h
}

func TestStopOneRun(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	_, answer := w.Begin(byhand.Calling("hang", byhand.Object{}))
	run := st.hanging()
	if res := w.Call("stop_execution", byhand.Object{"run_id": run}); byhand.IsError(res) || !strings.Contains(byhand.Said(res), run) {
		t.Errorf("stop: %v", res)
	}
	if res := w.Await(answer); code(res) != "cancelled" || !strings.HasSuffix(byhand.Said(res), "hang may have acted in part before it was stopped") {
		t.Errorf("the stopped call: %v", res)
	}
	_, answer = w.Begin(byhand.Calling("hang_reading", byhand.Object{}))
	w.Call("stop_execution", byhand.Object{"run_id": st.hanging()})
	if res := w.Await(answer); code(res) != "cancelled" || strings.Contains(byhand.Said(res), "may have acted") {
		t.Errorf("the stopped call that only reads: %v", res)
	}
}

func TestDetachedRunIsPolledAndResumed(t *testing.T) {
	st := newStage(t)
	w := st.connect(modern, byhand.Object{})
	args := document("hang", byhand.Object{})
	args["wait"] = false
	run, _ := byhand.Dig(w.Call("execute_sequence", args), "result", "structuredContent", "run_id").(string)
	if st.hanging() != run {
		t.Fatal("another run hangs")
	}
	if got := byhand.Dig(w.Call("get_run", byhand.Object{"run_id": run}), "result", "structuredContent", "status"); got != "running" {
		t.Errorf("status %v, want running", got)
	}
	if res := w.Call("click_element", byhand.Object{"selector": "role:button"}); code(res) != "busy" {
		t.Errorf("a call while another run acts: %v", res)
	}
	_, answer := w.Begin(byhand.Calling("get_run", byhand.Object{"run_id": run, "wait_ms": 20000}))
	w.Call("stop_execution", byhand.Object{})
	if got := byhand.Dig(w.Await(answer), "result", "structuredContent", "status"); got != "cancelled" {
		t.Errorf("status %v, want cancelled", got)
	}
	resumed := w.Call("resume_run", byhand.Object{"run_id": run, "decision": "skip"})
	if got := byhand.Dig(resumed, "result", "structuredContent", "status"); got != "succeeded" {
		t.Errorf("resumed: %v", resumed)
	}
}

func TestEndOfInputStopsTheRun(t *testing.T) {
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, byhand.Object{})
			w.Begin(byhand.Calling("execute_sequence", document("hang", byhand.Object{})))
			run := st.hanging()
			_ = w.in.Close()
			select {
			case err := <-w.ended:
				if err != nil {
					t.Errorf("the server ended with %v", err)
				}
			case <-time.After(time.Until(scratch.Deadline(t))):
				t.Fatal("the server did not end")
			}
			if h := st.rest(run); !h.Status.Ended() || h.Status == engine.Succeeded || h.ResumeFrom != "one" {
				t.Errorf("the run is %s, resumable from %q", h.Status, h.ResumeFrom)
			}
		})
	}
}

func TestShutdownLetsTheAnswerOut(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	_, answer := w.Begin(byhand.Calling("hang", byhand.Object{}))
	run := st.hanging()
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := w.Await(answer); !byhand.IsError(res) {
		t.Errorf("the answer of the stopped call: %v", res)
	}
	if h := st.rest(run); h.Status != engine.Interrupted {
		t.Errorf("the run is %s, want interrupted", h.Status)
	}
}

func TestPanicIsAnErrorOfTheCall(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	if res := w.Call("boom", byhand.Object{}); code(res) != "internal" {
		t.Errorf("a panic: %v", res)
	}
	if res := w.Call("delay", byhand.Object{"duration": "1ms"}); byhand.IsError(res) {
		t.Errorf("the call after: %v", res)
	}
}

func TestProgressGrows(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	var list []any
	for range 5 {
		list = append(list, byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": "20ms"}})
	}
	w.Ask("tools/call", byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"steps": list}, "_meta": byhand.Object{"progressToken": "p"}})
	last := -1.0
	notes := w.Notices("notifications/progress")
	for _, n := range notes {
		value, _ := byhand.Dig(n, "params", "progress").(float64)
		if value <= last || byhand.Dig(n, "params", "progressToken") != "p" {
			t.Errorf("progress %v after %v", n, last)
		}
		last = value
	}
	if len(notes) < 2 {
		t.Errorf("%d notifications for five steps", len(notes))
	}
}

func TestServerSendsNothingUnsolicited(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	w.Ask("ping", byhand.Object{})
	if said := w.Notices(); len(said) > 0 {
		t.Errorf("said unasked: %v", said)
	}
}

func TestGreetingOpensNothing(t *testing.T) {
	st := newStage(t, func(o *Options) {
		o.Open = func(context.Context) (Backend, error) { return Backend{}, fmt.Errorf("opened too early") }
	})
	w := st.connect("2025-11-25", byhand.Object{})
	w.Ask("tools/list", byhand.Object{})
	if res := w.Call("delay", byhand.Object{"duration": 1}); !strings.Contains(byhand.Said(res), "opened too early") {
		t.Errorf("the first call: %v", res)
	}
}

// TestAPatchedStepContinues is about a model that wrote a step wrongly: the error says how to
// continue, the model mends the step, and nothing is done twice.
func TestAPatchedStepContinues(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	document := func(name string, wait int) byhand.Object {
		return byhand.Object{"steps": []any{
			byhand.Object{"tool_name": "click_element", "id": "save", "arguments": byhand.Object{"selector": "role:button && name:Save"}},
			byhand.Object{"tool_name": "click_element", "id": "close", "arguments": byhand.Object{"selector": "role:button && name:" + name, "timeout_ms": wait}},
		}}
	}
	failed := w.Call("execute_sequence", document("Cloze", 300))
	run, _ := byhand.Dig(failed, "result", "structuredContent", "run_id").(string)
	for _, want := range []string{"step close", "resume_run", run, `"workflow"`} {
		if !strings.Contains(byhand.Said(failed), want) {
			t.Errorf("the answer says nothing of %q:\n%s", want, byhand.Said(failed))
		}
	}
	if res := w.Call("resume_run", byhand.Object{"run_id": run, "workflow": document("Close", 30000)}); byhand.IsError(res) {
		t.Fatalf("with the step mended: %s", byhand.Said(res))
	}
	clicks := 0
	for _, line := range st.desk.Journal() {
		if strings.HasPrefix(line, "click") {
			clicks++
		}
	}
	if clicks != 2 {
		t.Errorf("%d clicks, want one of each step: %v", clicks, st.desk.Journal())
	}
}

// TestLinesThatAreOddAreAnswered writes batches, and lines that are no messages. Each is
// answered as it should be, and the session goes on.
func TestLinesThatAreOddAreAnswered(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	const notice = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	const pong, none = `{"jsonrpc":"2.0","id":7,"result":{}}`, ""
	in, out := newStage(t).raw()
	say := func(line string) string {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !out.Scan() {
			t.Fatalf("the session is over after %s: %v", line, out.Err())
		}
		return out.Text()
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	for _, c := range []struct{ line, want string }{
		{ping, pong},
		{"[" + ping + "]", "[" + pong + "]"},
		{"[" + ping + "," + notice + "," + strings.Replace(ping, "7", "8", 1) + "]", "[" + pong + "," + strings.Replace(pong, "7", "8", 1) + "]"},
		{"[" + notice + "," + notice + "]", none},
		{"[" + ping + "," + ping + "]", `"code":-32600`},
		{"[]", `"code":-32600`},
		{"[" + ping + ",1]", `"code":-32600`},
		{`{"jsonrpc":"2.0","id":7}`, `"code":-32600`},
		{"1", `"code":-32600`},
		{`{"jsonrpc":`, `"code":-32700`},
		{ping + ping, `"code":-32700`},
		{"  ", none},
	} {
		line := c.line
		if c.want == none { // so the next line is answered next
			line, c.want = line+"\n"+ping, pong
		}
		if got := say(line); !strings.Contains(got, c.want) {
			t.Errorf("%s is answered by %s, want %s", c.line, got, c.want)
		}
	}
}

// raw connects a client that reads and writes lines.
func (st *stage) raw() (io.Writer, *bufio.Scanner) {
	st.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	st.t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	go func() {
		_ = st.ServeStdio(context.Background(), fromClient, toClient)
		_ = toClient.Close()
	}()
	return in, bufio.NewScanner(out)
}
