package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"

	"github.com/google/go-cmp/cmp"
)

const twoClicks = `name: two clicks
variables: {who: {type: string}}
steps: [{tool_name: delay, arguments: {delay_ms: 1}}]`

// content returns the text of a resource and its type, or the error.
func (w *wire) content(uri string) (text, mime string, res byhand.Object) {
	w.t.Helper()
	res = w.Ask("resources/read", byhand.Object{"uri": uri})
	contents, _ := byhand.Dig(res, "result", "contents").([]any)
	if len(contents) != 1 {
		return "", "", res
	}
	text, _ = byhand.Dig(contents[0], "text").(string)
	if blob, ok := byhand.Dig(contents[0], "blob").(string); ok {
		text = blob
	}
	mime, _ = byhand.Dig(contents[0], "mimeType").(string)
	return text, mime, res
}

// filled saves a workflow and makes a run with a picture.
func filled(t *testing.T, w *wire) (run, picture string) {
	t.Helper()
	if res := w.Call("save_workflow", byhand.Object{"name": "clicks", "text": twoClicks}); byhand.IsError(res) {
		t.Fatal(byhand.Said(res))
	}
	ran := w.Call("execute_sequence", document("delay", byhand.Object{"delay_ms": 1}))
	run, _ = byhand.Dig(ran, "result", "structuredContent", "run_id").(string)
	shot := w.Call("capture_screenshot", byhand.Object{"include_image": false})
	picture, _ = byhand.Dig(contents(shot, "resource_link")[0], "uri").(string)
	return run, picture
}

// TestResources reads every resource, in a version with sessions and in one without.
func TestResources(t *testing.T) {
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			w := newStage(t).connect(version, byhand.Object{})
			run, picture := filled(t, w)
			for uri, want := range map[string]struct{ mime, text string }{
				runsURI:                  {jsonType, run},
				runURI + run:             {jsonType, `"succeeded"`},
				runURI + run + "/events": {jsonType, `"finished"`},
				workflowsURI:             {jsonType, `"clicks"`},
				workflowURI + "clicks":   {yamlType, twoClicks},
				kindsURI:                 {jsonType, `"click_element"`},
				schemaURI:                {jsonType, `"$schema"`},
				treeURI:                  {textType, "Monday"},
				picture:                  {pngType, "iVBORw0KGgo"},
			} {
				text, mime, res := w.content(uri)
				if mime != want.mime || !strings.Contains(text, want.text) {
					t.Errorf("%s is %s without %q: %.300v", uri, mime, want.text, res)
				}
				if mime == jsonType && !json.Valid([]byte(text)) {
					t.Errorf("%s is no JSON: %s", uri, text)
				}
			}
			for _, uri := range []string{
				runURI + "nope", runURI + "nope/events", runURI + run + "/other", captureURI + "nope", captureURI + "../../x", workflowURI + "nope",
				workflowURI + "..%2Fx", "understudy://other", "file:///etc/passwd",
			} {
				if _, _, res := w.content(uri); byhand.Dig(res, "error", "code") != -32602.0 {
					t.Errorf("%s: %v", uri, res)
				}
			}
		})
	}
}

// TestResourcesAreListed checks which resources and templates a client finds in the lists.
func TestResourcesAreListed(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	filled(t, w)
	listed := func(method, list, key string) (all []string) {
		cursor := ""
		for {
			params := byhand.Object{}
			if cursor != "" {
				params["cursor"] = cursor
			}
			res := w.Ask(method, params)
			items, _ := byhand.Dig(res, "result", list).([]any)
			for _, r := range items {
				all = append(all, fmt.Sprint(byhand.Dig(r, key)))
			}
			if cursor, _ = byhand.Dig(res, "result", "nextCursor").(string); cursor == "" {
				return all
			}
		}
	}
	want := []string{skillURI, runAppURI, treeURI, guideURI, kindsURI, runsURI, schemaURI, workflowsURI, workflowURI + "clicks"}
	if diff := cmp.Diff(want, listed("resources/list", "resources", "uri")); diff != "" {
		t.Error(diff)
	}
	want = []string{captureURI + "{hash}", kindURI + "{kind}", runURI + "{id}", runURI + "{id}/events", workflowURI + "{name}"}
	if diff := cmp.Diff(want, listed("resources/templates/list", "resourceTemplates", "uriTemplate")); diff != "" {
		t.Error(diff)
	}
	want = []string{"author_workflow", "diagnose_run", "fill_form_from_table", "record_workflow", "run_workflow", "workflow_of_calls"}
	if diff := cmp.Diff(want, listed("prompts/list", "prompts", "name")); diff != "" {
		t.Error(diff)
	}
	for i := range pageSize {
		st.recorder.resources.addWorkflow(fmt.Sprintf("w%d", i))
	}
	if all := listed("resources/list", "resources", "uri"); len(all) != pageSize+9 {
		t.Errorf("%d resources are listed over several pages, want %d", len(all), pageSize+9)
	}
}

// TestPromptsAndCompletion checks prompts and the completion of their arguments.
func TestPromptsAndCompletion(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	run, _ := filled(t, w)
	for name, c := range map[string]struct {
		args byhand.Object
		want string
	}{
		"author_workflow":      {byhand.Object{"task": "sort the mail"}, "sort the mail"},
		"record_workflow":      {byhand.Object{"task": "sort the mail"}, "record_workflow"},
		"run_workflow":         {byhand.Object{"name": "clicks"}, "who"},
		"diagnose_run":         {byhand.Object{"run_id": run}, "succeeded"},
		"fill_form_from_table": {byhand.Object{"table": "people.csv", "form": "the order page"}, "once for each row of people.csv"},
		"workflow_of_calls":    {byhand.Object{"name": "greet"}, `"action": "from_runs", "name": "greet"`},
	} {
		res := w.Ask("prompts/get", byhand.Object{"name": name, "arguments": c.args})
		messages, _ := byhand.Dig(res, "result", "messages").([]any)
		if len(messages) != 1 || !strings.Contains(fmt.Sprint(byhand.Dig(messages[0], "content", "text")), c.want) {
			t.Errorf("the prompt %s does not say %q: %v", name, c.want, res)
		}
	}
	form, _ := fillFormPrompt(t.Context(), caller{}, nil)
	_, example, _ := strings.Cut(string(form), `{"variables"`)
	example, _, _ = strings.Cut(example, "]}]}\n")
	example = `{"variables"` + example + "]}]}"
	if res := w.Call("validate_workflow", byhand.Object{"text": example}); byhand.Dig(res, "result", "structuredContent", "valid") != true {
		t.Errorf("the example of the prompt is no workflow: %s\n%s", byhand.Said(res), example)
	}
	for _, c := range []struct {
		ref             byhand.Object
		argument, value string
		want            []any
	}{
		{byhand.Object{"type": "ref/prompt", "name": "diagnose_run"}, "run_id", run[:8], []any{run}},
		{byhand.Object{"type": "ref/prompt", "name": "run_workflow"}, "name", "cl", []any{"clicks"}},
		{byhand.Object{"type": "ref/resource", "uri": workflowURI + "{name}"}, "name", "", []any{"clicks"}},
		{byhand.Object{"type": "ref/prompt", "name": "run_workflow"}, "name", "x", []any{}},
		{byhand.Object{"type": "ref/prompt", "name": "author_workflow"}, "task", "s", []any{}},
	} {
		res := w.Ask("completion/complete", byhand.Object{"ref": c.ref, "argument": byhand.Object{"name": c.argument, "value": c.value}})
		if diff := cmp.Diff(any(c.want), byhand.Dig(res, "result", "completion", "values")); diff != "" {
			t.Errorf("%s %q: %s", c.argument, c.value, diff)
		}
	}
}

// TestExcludedToolsDiscloseNothingByOtherWays tries every other way to read what an excluded tool
// would disclose.
func TestExcludedToolsDiscloseNothingByOtherWays(t *testing.T) {
	excluded := []string{"get_window_tree", "get_run", "list_runs", "get_workflow", "list_workflows"}
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			st := newStage(t, func(o *Options) { o.Policy.Exclude = excluded })
			w := st.connect(version, byhand.Object{})
			run, picture := filled(t, w)
			before := st.desk.Calls("Tree")
			blocked := -32002.0
			if version == modern {
				blocked = codeBlocked
			}
			for _, uri := range []string{treeURI, runsURI, runURI + run, runURI + run + "/events", picture, workflowsURI, workflowURI + "clicks"} {
				if _, _, res := w.content(uri); byhand.Dig(res, "error", "code") != blocked || !strings.Contains(byhand.Said(res), "excluded") {
					t.Errorf("%s: %v", uri, res)
				}
				if version < modern {
					if res := w.Ask("resources/subscribe", byhand.Object{"uri": uri}); byhand.Dig(res, "error", "code") != blocked {
						t.Errorf("subscribed to %s: %v", uri, res)
					}
				}
			}
			for name, args := range map[string]byhand.Object{"run_workflow": {"name": "clicks"}, "diagnose_run": {"run_id": run}} {
				if res := w.Ask("prompts/get", byhand.Object{"name": name, "arguments": args}); byhand.Dig(res, "error", "code") != blocked {
					t.Errorf("the prompt %s: %v", name, res)
				}
			}
			for name, argument := range map[string]string{"run_workflow": "name", "diagnose_run": "run_id"} {
				res := w.Ask("completion/complete", byhand.Object{"ref": byhand.Object{"type": "ref/prompt", "name": name}, "argument": byhand.Object{"name": argument, "value": ""}})
				if values, _ := byhand.Dig(res, "result", "completion", "values").([]any); len(values) > 0 {
					t.Errorf("%s is completed with %v", argument, values)
				}
			}
			if n := st.desk.Calls("Tree") - before; n > 0 {
				t.Errorf("the desktop was read %d times", n)
			}
		})
	}
}

// TestSubscriptions checks that subscribers, and only they, are notified of changes until
// they unsubscribe.
func TestSubscriptions(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	_, answer := w.Begin(byhand.Calling("execute_sequence", document("pause", byhand.Object{})))
	run := st.hanging()
	for _, uri := range []string{runsURI, runURI + run, workflowsURI} {
		if res := w.Ask("resources/subscribe", byhand.Object{"uri": uri}); res["error"] != nil {
			t.Fatalf("%s: %v", uri, res)
		}
	}
	if res := w.Ask("resources/subscribe", byhand.Object{"uri": "understudy://other"}); res["error"] == nil {
		t.Error("subscribed to what is not there")
	}
	close(st.goOn)
	w.Await(answer)
	w.updated(runURI + run)
	w.updated(runsURI)
	w.Call("save_workflow", byhand.Object{"name": "clicks", "text": twoClicks})
	w.updated(workflowsURI)

	if res := w.Ask("resources/unsubscribe", byhand.Object{"uri": runsURI}); res["error"] != nil {
		t.Fatal(res)
	}
	before := w.updates(runsURI)
	other, _ := byhand.Dig(w.Call("execute_sequence", document("delay", byhand.Object{"delay_ms": 1})), "result", "structuredContent", "run_id").(string)
	w.Ask("resources/subscribe", byhand.Object{"uri": runURI + other})
	w.Call("execute_sequence", document("delay", byhand.Object{"delay_ms": 1}))
	if now := w.updates(runsURI); now != before {
		t.Errorf("%d times more news of what nobody wants", now-before)
	}
}

// flakyRuns are runs whose list fails a number of times.
type flakyRuns struct {
	engine.Runs
	failures atomic.Int32
}

func (r *flakyRuns) List(ctx context.Context, q engine.Query) ([]engine.Header, error) {
	if r.failures.Add(-1) >= 0 {
		return nil, errors.New("the runs cannot be reached")
	}
	return r.Runs.List(ctx, q)
}

// TestSubscriptionsOutliveAFailure has a list of runs fail: subscribers are notified all
// the same, once the runs can be listed again.
func TestSubscriptionsOutliveAFailure(t *testing.T) {
	runs := &flakyRuns{}
	st := newStage(t, func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (Backend, error) {
			b, err := open(ctx)
			runs.Runs, b.Runs = b.Runs, runs
			return b, err
		}
	})
	w := st.connect("2025-11-25", byhand.Object{})
	_, answer := w.Begin(byhand.Calling("execute_sequence", document("pause", byhand.Object{})))
	st.hanging()
	runs.failures.Store(1)
	if res := w.Ask("resources/subscribe", byhand.Object{"uri": runsURI}); res["error"] != nil {
		t.Fatal(res)
	}
	close(st.goOn)
	w.Await(answer)
	w.updated(runsURI)
}

// subscribe subscribes a client of any version to a resource, and returns the lines of the
// reply, which is a stream for the versions without sessions.
func subscribe(ctx context.Context, t *testing.T, v byhand.Visitor, uri string) *bufio.Scanner {
	t.Helper()
	method, params := "resources/subscribe", byhand.Object{"uri": uri}
	if v.Version >= modern {
		method, params = "subscriptions/listen", byhand.Object{"notifications": byhand.Object{"resourceSubscriptions": []any{uri}}}
	}
	res, err := v.Send(ctx, 1, method, params)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return bufio.NewScanner(res.Body)
}

// TestSubscriptionsFollowTheRights subscribes to the run and the workflow of another
// client.
func TestSubscriptionsFollowTheRights(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			s := newSecured(t)
			owner := s.greet(version, s.holder(auth.Token{Name: "owner", Mode: auth.Act, Runs: auth.OwnRuns}))
			another := s.greet(version, s.holder(auth.Token{Name: "another", Mode: auth.Act, Runs: auth.OwnRuns}))
			_, res := owner.Call(t, "execute_sequence", document("delay", byhand.Object{"duration": "1ms"}))
			owner.Call(t, "save_workflow", byhand.Object{"name": "mine", "text": twoClicks})
			for _, uri := range []string{runURI + textOfRun(res), workflowURI + "mine"} {
				for say, v := range map[string]byhand.Visitor{"owner": owner, "another": another} {
					ctx, cancel := context.WithCancel(t.Context())
					said := subscribe(ctx, t, v, uri)
					// The list of resources may have changed since the owner's call.
					for said.Scan() && (!strings.Contains(said.Text(), "jsonrpc") || strings.Contains(said.Text(), "list_changed")) {
					}
					if got := !strings.Contains(said.Text(), `"error"`); got != (say == "owner") {
						t.Errorf("%s subscribes to %s: %t: %s", say, uri, got, said.Text())
					}
					cancel()
				}
			}
		})
	}
}

// TestEverySubscriberIsNotified subscribes after another client, which may see only its
// own runs, has begun the first run.
func TestEverySubscriberIsNotified(t *testing.T) {
	s := newSecured(t)
	first := s.greet(modern, s.holder(auth.Token{Name: "first", Mode: auth.Act, Runs: auth.OwnRuns}))
	second := s.greet(modern, s.holder(auth.Token{Name: "second", Mode: auth.Act, Runs: auth.OwnRuns}))
	first.Call(t, "delay", byhand.Object{"duration": "1ms"})
	held := document("pause", byhand.Object{})
	held["wait"] = false
	_, res := second.Call(t, "execute_sequence", held)
	s.hanging()
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	said := subscribe(ctx, t, second, runURI+textOfRun(res))
	for said.Scan() && !strings.Contains(said.Text(), "acknowledged") {
	}
	close(s.goOn)
	for said.Scan() && !strings.Contains(said.Text(), "resources/updated") {
	}
	if err := said.Err(); err != nil {
		t.Errorf("no news: %v", err)
	}
}

func (w *wire) updates(uri string) (n int) {
	for _, note := range w.Notices("notifications/resources/updated") {
		if byhand.Dig(note, "params", "uri") == uri {
			n++
		}
	}
	return n
}

// updated waits for the notification that a resource has changed.
func (w *wire) updated(uri string) {
	w.t.Helper()
	scratch.Until(w.t, "news of "+uri, func() bool { return w.updates(uri) > 0 })
}

// TestReadingTheTreeIsCancelled checks that the run that reads ends when its reader is
// gone.
func TestReadingTheTreeIsCancelled(t *testing.T) {
	st := newStage(t)
	st.desk.Delay("Tree", time.Hour)
	w := st.connect("2025-11-25", byhand.Object{})
	id, _ := w.Begin("resources/read", byhand.Object{"uri": treeURI})
	scratch.Until(t, "a run reads", func() bool { return len(st.engine.Active()) > 0 })
	w.Notify("notifications/cancelled", byhand.Object{"requestId": id})
	scratch.Until(t, "the run ends", func() bool { return len(st.engine.Active()) == 0 })
}

// TestFleetHasNoTree reads the windows of a server of a fleet, on which nothing acts.
func TestFleetHasNoTree(t *testing.T) {
	w := newStage(t, func(o *Options) { o.Fleet = true }).connect("2025-11-25", byhand.Object{})
	if list := fmt.Sprint(w.Ask("resources/list", byhand.Object{})); strings.Contains(list, treeURI) || !strings.Contains(list, runsURI) {
		t.Errorf("the list: %s", list)
	}
	for _, method := range []string{"resources/read", "resources/subscribe"} {
		if text := byhand.Said(w.Ask(method, byhand.Object{"uri": treeURI})); !strings.Contains(strings.ToLower(text), "not found") {
			t.Errorf("%s: %s", method, text)
		}
	}
}
