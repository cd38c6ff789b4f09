package mcpserver

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/mcpserver/tasks"
)

// takesTasks are the capabilities of a client that takes tasks and can be asked.
var takesTasks = byhand.Object{
	"elicitation": byhand.Object{"form": byhand.Object{}, "url": byhand.Object{}}, "extensions": byhand.Object{tasks.Extension: byhand.Object{}},
}

// one is a document of one step.
func one(tool string, args byhand.Object) byhand.Object {
	return byhand.Object{"steps": []any{byhand.Object{"tool_name": tool, "id": "only", "arguments": args}}}
}

var asks = one("ask_user", byhand.Object{"question": "Which colour?"})

// task asks for the state of a task.
func (w *wire) task(id any) byhand.Object {
	w.t.Helper()
	return w.Ask("tasks/get", byhand.Object{"taskId": id})
}

// ended waits until a task has ended.
func (w *wire) end(id any) byhand.Object {
	w.t.Helper()
	for {
		res := w.task(id)
		if status, _ := byhand.Dig(res, "result", "status").(string); tasks.Status(status).Ended() || res["error"] != nil {
			return res
		}
	}
}

// answerTask answers all open questions of a task in the same way.
func (w *wire) answerTask(id any, how byhand.Object) byhand.Object {
	w.t.Helper()
	open, _ := byhand.Dig(w.task(id), "result", "inputRequests").(byhand.Object)
	answers := byhand.Object{"unknown": byhand.Object{"ignored": true}}
	for key := range open {
		answers[key] = how
	}
	return w.Ask("tasks/update", byhand.Object{"taskId": id, "inputResponses": answers})
}

func accept(answer string) byhand.Object {
	return byhand.Object{"action": "accept", "content": byhand.Object{"answer": answer}}
}

// TestRunBecomesATask has runs of each kind become tasks, and follows them to their ends.
func TestRunBecomesATask(t *testing.T) {
	for _, c := range []struct {
		say    string
		run    byhand.Object
		middle string                      // the status when the handle is sent
		do     func(*stage, *wire, string) // then
		status string
		text   string
	}{
		{
			"a run that asks waits for an answer, and completes with its result", asks, "input_required",
			func(_ *stage, w *wire, id string) { w.answerTask(id, accept("blue")) }, "completed", `"blue"`,
		},
		{
			"a run whose question is declined is stopped", asks, "input_required",
			func(_ *stage, w *wire, id string) { w.answerTask(id, byhand.Object{"action": "decline"}) }, "cancelled", "",
		},
		{
			"a run that takes long works until it ends", one("pause", byhand.Object{}), "working",
			func(st *stage, _ *wire, _ string) { close(st.goOn) }, "completed", "succeeded",
		},
		{
			"a run that is cancelled ends so", one("hang", byhand.Object{}), "working",
			func(_ *stage, w *wire, id string) { w.Ask("tasks/cancel", byhand.Object{"taskId": id}) }, "cancelled", "",
		},
		{
			"a run that fails after a question has completed with an error of the tool",
			byhand.Object{"steps": []any{asks["steps"].([]any)[0], byhand.Object{"tool_name": "click_element", "arguments": byhand.Object{"selector": "role:button && name:None", "timeout_ms": 1}}}},
			"input_required",
			func(_ *stage, w *wire, id string) { w.answerTask(id, accept("blue")) }, "completed", "not_found",
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			st := newStage(t)
			st.taskAfter = noLimit
			if c.middle == "working" {
				st.taskAfter = time.Nanosecond
			}
			w := st.connect(modern, takesTasks)
			res := w.Call("execute_sequence", c.run)
			id, _ := byhand.Dig(res, "result", "taskId").(string)
			if byhand.Dig(res, "result", "resultType") != "task" || byhand.Dig(res, "result", "status") != c.middle {
				t.Fatalf("the handle: %v", res)
			}
			if got := w.task(id); byhand.Dig(got, "result", "status") != c.middle || byhand.Dig(got, "result", "resultType") != "complete" {
				t.Errorf("in the middle: %v", got)
			}
			c.do(st, w, id)
			end := w.end(id)
			text := byhand.Said(byhand.Object{"result": byhand.Dig(end, "result", "result")})
			if byhand.Dig(end, "result", "status") != c.status || !strings.Contains(text, c.text) {
				t.Errorf("at the end: %v", end)
			}
			if again := w.Ask("tasks/cancel", byhand.Object{"taskId": id}); byhand.Dig(again, "result", "resultType") != "complete" {
				t.Errorf("cancelled again: %v", again)
			}
		})
	}
}

// TestShortRunIsNoTask holds that a call whose run is short is answered as always.
func TestShortRunIsNoTask(t *testing.T) {
	st := newStage(t)
	st.taskAfter = noLimit
	w := st.connect(modern, takesTasks)
	if res := w.Call("execute_sequence", one("delay", byhand.Object{"delay_ms": 1})); byhand.Dig(res, "result", "resultType") != "complete" || !strings.Contains(byhand.Said(res), "succeeded") {
		t.Errorf("answered with %v", res)
	}
}

// TestClientWithoutTasksGetsNone has clients that cannot follow a task call and ask for one.
func TestClientWithoutTasksGetsNone(t *testing.T) {
	extension := byhand.Object{tasks.Extension: byhand.Object{}}
	for say, c := range map[string]struct {
		version string
		caps    byhand.Object
	}{
		"it does not declare them":                  {modern, canAsk},
		"it declares only those of the older form":  {modern, byhand.Object{"elicitation": byhand.Object{}, "tasks": byhand.Object{}}},
		"its version does not know the extension":   {"2025-11-25", byhand.Object{"extensions": extension, "elicitation": byhand.Object{}}},
		"it takes tasks and cannot answer the runs": {modern, byhand.Object{"extensions": extension}},
	} {
		t.Run(say, func(t *testing.T) {
			w := newStage(t).connect(c.version, c.caps)
			w.Answer(func(byhand.Object) byhand.Object { return accept("blue") })
			if res := w.Call("execute_sequence", asks); byhand.Dig(res, "result", "taskId") != nil || byhand.Dig(res, "result", "task") != nil {
				t.Errorf("answered with %v", res)
			}
		})
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		w := newStage(t).connect(modern, canAsk)
		if res := w.Ask(method, byhand.Object{"taskId": "x.1"}); byhand.Dig(res, "error", "code") != -32021.0 || byhand.Dig(res, "error", "data", "requiredCapabilities", "extensions", tasks.Extension) == nil {
			t.Errorf("%s: %v", method, res)
		}
	}
}

func TestUnknownTask(t *testing.T) {
	w := newStage(t).connect(modern, takesTasks)
	for _, params := range []byhand.Object{{}, {"taskId": "x"}, {"taskId": "x.1"}, {"taskId": "01J.01"}, {"taskId": 3}} {
		if res := w.Ask("tasks/get", params); byhand.Dig(res, "error", "code") != -32602.0 {
			t.Errorf("%v: %v", params, res)
		}
	}
	for _, method := range []string{"tasks/list", "tasks/result"} {
		if res := w.Ask(method, byhand.Object{"taskId": "x.1"}); byhand.Dig(res, "error", "code") != -32601.0 {
			t.Errorf("%s: %v", method, res)
		}
	}
}

// TestResumedRunIsAnotherTask resumes a run whose task has ended: that task stays as it was.
func TestResumedRunIsAnotherTask(t *testing.T) {
	st := newStage(t)
	w := st.connect(modern, takesTasks)
	twice := byhand.Object{"steps": []any{
		byhand.Object{"tool_name": "ask_user", "id": "a", "arguments": byhand.Object{"question": "One?"}},
		byhand.Object{"tool_name": "click_element", "id": "b", "arguments": byhand.Object{"selector": "role:button && name:None", "timeout_ms": 1}},
	}}
	id := byhand.Dig(w.Call("execute_sequence", twice), "result", "taskId").(string)
	w.answerTask(id, accept("x"))
	before := w.end(id)
	run, _, _ := strings.Cut(id, ".")
	mended := byhand.Object{"steps": []any{twice["steps"].([]any)[0], byhand.Object{"tool_name": "ask_user", "id": "b", "arguments": byhand.Object{"question": "Two?"}}}}
	res := w.Call("resume_run", byhand.Object{"run_id": run, "workflow": mended})
	next := run + ".2"
	if byhand.Dig(res, "result", "taskId") != next {
		t.Fatalf("resumed: %v", res)
	}
	w.answerTask(next, accept("y"))
	if end := w.end(next); byhand.Dig(end, "result", "result", "isError") == true {
		t.Errorf("the second attempt: %v", end)
	}
	after := w.task(id)
	for _, path := range [][]string{{"status"}, {"createdAt"}, {"lastUpdatedAt"}} {
		if was, is := byhand.Dig(before, append([]string{"result"}, path...)...), byhand.Dig(after, append([]string{"result"}, path...)...); was != is {
			t.Errorf("%s was %v and is %v", path, was, is)
		}
	}
	fence := regexp.MustCompile(`untrusted-\w+`) // a new one for each answer
	said := func(m byhand.Object) string {
		return fence.ReplaceAllString(byhand.Said(byhand.Object{"result": byhand.Dig(m, "result", "result")}), "")
	}

	if said(before) != said(after) {
		t.Errorf("the first attempt said\n%s\nand says now\n%s", said(before), said(after))
	}
}

// TestTaskOutlivesItsClient lets a client go, and another continue its task.
func TestTaskOutlivesItsClient(t *testing.T) {
	st := newStage(t)
	first := st.connect(modern, takesTasks)
	res := first.Call("execute_sequence", asks)
	id := byhand.Dig(res, "result", "taskId")
	_ = first.in.Close()
	if err := <-first.ended; err != nil {
		t.Error(err)
	}
	next := newStage(t)
	next.Server.runs.open, next.engine.Store, next.engine.Files = st.runs.open, st.engine.Store, st.engine.Files
	w := next.connect(modern, takesTasks)
	w.answerTask(id, accept("green"))
	if end := w.end(id); !strings.Contains(byhand.Said(byhand.Object{"result": byhand.Dig(end, "result", "result")}), "green") {
		t.Errorf("another client: %v", end)
	}
}

// TestTaskOfAnother holds that a client learns nothing about the tasks of others.
func TestTaskOfAnother(t *testing.T) {
	s := newSecured(t)
	client := func(x auth.Token) byhand.Visitor {
		v := s.greet(modern, s.holder(x))
		v.Capabilities = takesTasks
		return v
	}
	own, other := client(auth.Token{Name: "laptop", Mode: auth.Act, Runs: "own"}), client(auth.Token{Name: "clerk", Mode: auth.Act, Runs: "own"})
	watcher := client(auth.Token{Name: "watcher", Mode: auth.Ask, Runs: auth.AllRuns})
	_, res := own.Call(t, "execute_sequence", asks)
	id := byhand.Dig(res, "result", "taskId")
	answers := byhand.Object{}
	_, res = own.Ask(t, "tasks/get", byhand.Object{"taskId": id})
	for key := range byhand.Dig(res, "result", "inputRequests").(byhand.Object) {
		answers[key] = accept("mine")
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		params := byhand.Object{"taskId": id, "inputResponses": answers}
		status, res := other.Ask(t, method, params)
		_, unknown := other.Ask(t, method, byhand.Object{"taskId": "01JAAAAAAAAAAAAAAAAAAAAAAA.1"})
		if status != http.StatusBadRequest || byhand.Dig(res, "error", "code") != -32602.0 || byhand.Said(res) != byhand.Said(unknown) {
			t.Errorf("%s by another: %d %v, and of an unknown task: %v", method, status, res, unknown)
		}
		if _, res := watcher.Ask(t, method, params); (res["error"] == nil) != (method == "tasks/get") {
			t.Errorf("%s by a watcher: %v", method, res)
		}
	}
	if _, res := own.Ask(t, "tasks/get", byhand.Object{"taskId": id}); byhand.Dig(res, "result", "status") != "input_required" {
		t.Errorf("its own: %v", res)
	}
	own.Header = own.Header.Clone()
	own.Header.Set("Mcp-Name", "another")
	if status, res := own.Ask(t, "tasks/get", byhand.Object{"taskId": id}); status != http.StatusBadRequest || byhand.Dig(res, "error", "code") != -32020.0 {
		t.Errorf("with a header that names another: %d %v", status, res)
	}
}

// TestTaskOfTheExperiment follows a task of version 2025-11-25.
func TestTaskOfTheExperiment(t *testing.T) {
	st := newStage(t)
	st.taskAfter = noLimit
	w := st.connect("2025-11-25", canAsk)
	w.Answer(func(q byhand.Object) byhand.Object {
		if byhand.Dig(q, "params", "_meta", "io.modelcontextprotocol/related-task", "taskId") == nil {
			t.Errorf("the question does not name its task: %v", q)
		}
		return accept("red")
	})
	for _, x := range byhand.Dig(w.Ask("tools/list", byhand.Object{}), "result", "tools").([]any) {
		if name := byhand.Dig(x, "name"); (byhand.Dig(x, "execution", "taskSupport") == "optional") != (runTasks{st.Server}).Lasts(name.(string)) {
			t.Errorf("%v: %v", name, byhand.Dig(x, "execution"))
		}
	}
	call := func(doc byhand.Object) byhand.Object {
		return w.Ask("tools/call", byhand.Object{"name": "execute_sequence", "arguments": doc, "task": byhand.Object{"ttl": 60000}})
	}
	res := call(asks)
	id := byhand.Dig(res, "result", "task", "taskId")
	if byhand.Dig(res, "result", "task", "status") != "input_required" {
		t.Fatalf("the handle: %v", res)
	}
	end := w.Ask("tasks/result", byhand.Object{"taskId": id})
	if !strings.Contains(byhand.Said(end), "red") || byhand.Dig(end, "result", "_meta", "io.modelcontextprotocol/related-task", "taskId") != id {
		t.Errorf("the result: %v", end)
	}
	if got := w.task(id); byhand.Dig(got, "result", "status") != "completed" || byhand.Dig(got, "result", "ttl") != nil {
		t.Errorf("its state: %v", got)
	}
	if again := w.Ask("tasks/cancel", byhand.Object{"taskId": id}); byhand.Dig(again, "error", "code") != -32602.0 {
		t.Errorf("cancelled when it had ended: %v", again)
	}
	st.taskAfter = time.Nanosecond
	hanging := byhand.Dig(call(one("hang", byhand.Object{})), "result", "task", "taskId")
	if got := w.Ask("tasks/cancel", byhand.Object{"taskId": hanging}); byhand.Dig(got, "result", "status") != "cancelled" {
		t.Errorf("cancelled: %v", got)
	}
	if bad := call(byhand.Object{"steps": []any{byhand.Object{"tool_name": "clik"}}}); byhand.Dig(bad, "error", "code") != -32602.0 {
		t.Errorf("a document that does not fit: %v", bad)
	}
	st.taskAfter = noLimit
	if short := call(one("delay", byhand.Object{"delay_ms": 1})); byhand.Dig(short, "result", "task", "status") != "completed" {
		t.Errorf("a short run: %v", short)
	}
}

// TestTaskLastsWhileItsRunContinuesByItself interrupts a run that resumes by itself: its
// task works on.
func TestTaskLastsWhileItsRunContinuesByItself(t *testing.T) {
	st := newStage(t)
	run := st.cutShort(engine.Request{Terms: engine.Terms{Client: "by-hand"}}, fmt.Sprintf(clicksAfter, "Save"))
	w := st.connect(modern, takesTasks)
	id := run + ".1"
	if got := w.task(id); byhand.Dig(got, "result", "status") != "working" {
		t.Errorf("interrupted: %v", got)
	}
	close(st.goOn)
	if err := st.resumer.resumeInterrupted(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end := w.end(id); byhand.Dig(end, "result", "status") != "completed" || byhand.Dig(end, "result", "result", "isError") == true || byhand.Dig(end, "result", "taskId") != id {
		t.Errorf("resumed: %v", end)
	}
}

// TestSecretOfATaskGoesThroughAPage gives the secret that a task asks for on a page, after
// the client has said that its user opened the page.
func TestSecretOfATaskGoesThroughAPage(t *testing.T) {
	st := newStage(t)
	st.taskAfter = noLimit
	w := st.connect(modern, takesTasks)
	id := byhand.Dig(w.Call("execute_sequence", withSecret), "result", "taskId")
	address := ""
	for _, q := range byhand.Dig(w.task(id), "result", "inputRequests").(byhand.Object) {
		address, _ = byhand.Dig(q, "params", "url").(string)
	}
	w.answerTask(id, byhand.Object{"action": "accept"})
	res, err := http.PostForm(address, url.Values{"pin": {"s3cret!"}})
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("the page: %v %v", res, err)
	}
	if end := w.end(id); byhand.Dig(end, "result", "result", "isError") == true || !strings.Contains(strings.Join(st.desk.Journal(), "\n"), "s3cret!") {
		t.Errorf("at the end: %v", end)
	}
}
