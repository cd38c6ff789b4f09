package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// read reads a page as a client.
func (s *secured) read(path string, h http.Header) (int, string) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	res := visit(ctx, s.t, s.url+path, h)
	defer res.Body.Close()
	if strings.HasPrefix(path, "/events") { // an endless stream
		b := make([]byte, 64<<10)
		n, _ := io.ReadAtLeast(res.Body, b, len(": here are the events\n\n"))
		return res.StatusCode, string(b[:n])
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

func textOfRun(res byhand.Object) string {
	id, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	return id
}

// TestRightsFollowTheData makes a run, pictures and a workflow with one token, and tries
// to access them with others in every way.
func TestRightsFollowTheData(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
			headers := map[string]http.Header{
				"owner":    s.holder(auth.Token{Name: "owner", Mode: auth.Act, Runs: auth.OwnRuns}),
				"another":  s.holder(auth.Token{Name: "another", Mode: auth.Act, Runs: auth.OwnRuns}),
				"all":      s.holder(auth.Token{Name: "all", Mode: auth.Act, Runs: auth.AllRuns}),
				"before":   s.holder(auth.Token{Name: "before", Mode: auth.Act}),
				"watcher":  s.holder(auth.Token{Name: "watcher", Mode: auth.Ask, Runs: auth.AllRuns}),
				"operator": s.holder(auth.Token{Name: "operator", Mode: auth.Act, Runs: auth.OwnRuns, Operator: true}),
			}
			clients := map[string]byhand.Visitor{}
			for name, h := range headers {
				clients[name] = s.greet(version, h)
			}
			_, made := clients["owner"].Call(t, "execute_sequence", byhand.Object{"steps": []any{
				byhand.Object{"tool_name": "capture_screenshot"}, byhand.Object{"tool_name": "ask_user", "arguments": byhand.Object{"question": "the question"}},
			}})
			run := textOfRun(made)
			_, res := clients["owner"].Call(t, "save_workflow", byhand.Object{"name": "mine", "text": "steps: [{tool_name: delay, arguments: {duration: 1ms}}]"})
			evs, err := s.engine.Events(t.Context(), run, 1)
			if err != nil || run == "" || byhand.IsError(res) || res["error"] != nil {
				t.Fatalf("run %q, %v, saved %v: %v", run, err, res, made)
			}
			var picture string
			for _, ev := range evs {
				for _, hash := range engine.PicturesOf(ev) {
					picture = hash
				}
			}
			resource := func(uri string) byhand.Object { return byhand.Object{"uri": uri} }
			prompt := func(name string, args byhand.Object) byhand.Object {
				return byhand.Object{"name": name, "arguments": args}
			}
			type look struct {
				shows string // part of the reply to those who may see it
				at    func(name string) string
			}
			looks := map[string]look{}
			ask := func(say, shows, method string, params byhand.Object) {
				looks[say] = look{shows, func(name string) string {
					_, res := clients[name].Ask(t, method, params)
					return fmt.Sprint(res)
				}}
			}
			ask("get_run", "ask_user", "tools/call", byhand.Object{"name": "get_run", "arguments": byhand.Object{"run_id": run}})
			ask("list_runs", run, "tools/call", byhand.Object{"name": "list_runs", "arguments": byhand.Object{"calls": true}})
			ask("a workflow of runs", "acted: wanted at least one", "tools/call", byhand.Object{"name": "record_workflow", "arguments": byhand.Object{"action": "from_runs", "runs": []any{run}}})
			ask("the runs", run, "resources/read", resource(runsURI))
			ask("the run", "ask_user", "resources/read", resource(runURI+run))
			ask("its events", "created", "resources/read", resource(runURI+run+"/events"))
			ask("its picture", "blob", "resources/read", resource(captureURI+picture))
			ask("what is wrong with it", "stands still", "prompts/get", prompt("diagnose_run", byhand.Object{"run_id": run}))
			ask("its id, completed", run, "completion/complete", byhand.Object{
				"ref": byhand.Object{"type": "ref/prompt", "name": "diagnose_run"}, "argument": byhand.Object{"name": "run_id", "value": ""},
			})
			ask("list_workflows", "mine", "tools/call", byhand.Object{"name": "list_workflows", "arguments": byhand.Object{}})
			ask("get_workflow", "delay", "tools/call", byhand.Object{"name": "get_workflow", "arguments": byhand.Object{"name": "mine"}})
			ask("validate_workflow", "valid:", "tools/call", byhand.Object{"name": "validate_workflow", "arguments": byhand.Object{"name": "mine"}})
			ask("the saved workflow", "delay", "resources/read", resource(workflowURI+"mine"))
			ask("the saved workflows", "mine", "resources/read", resource(workflowsURI))
			ask("the list of resources", "workflows/mine", "resources/list", byhand.Object{})
			ask("how to run it", "delay", "prompts/get", prompt("run_workflow", byhand.Object{"name": "mine"}))
			ask("running it", "succeeded", "tools/call", byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"url": "mine", "dry_run": true}})
			ask("running its file", "succeeded", "tools/call", byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"url": filepath.Join(s.o.Folder, "mine.yaml"), "dry_run": true}})
			for path, shows := range map[string]string{
				"/runs": run, "/runs/" + run: "ask_user", "/runs/" + run + "/document": "capture_screenshot", "/runs/" + run + "/page": "ask_user", "/runs/" + run + "/desktop": "Take over",
				"/captures/" + picture: "PNG", "/events": run, "/events?run=" + run: "created",
			} {
				looks[path] = look{shows, func(name string) string {
					_, text := s.read(path, headers[name])
					return text
				}}
			}
			for say, l := range looks {
				for _, name := range []string{"owner", "all", "before", "operator", "watcher", "another"} {
					if name == "watcher" && say == "a workflow of runs" {
						continue // the server has no recording
					}
					text := l.at(name)
					if got, want := strings.Contains(text, l.shows), name != "another"; got != want {
						t.Errorf("%s is shown to %s: %t, want %t: %.900s", say, name, got, want, text)
					}
				}
			}
			for _, name := range []string{"another", "watcher"} {
				for tool, args := range map[string]byhand.Object{
					"resume_run":     {"run_id": run, "from": "nothing"},
					"answer_run":     {"run_id": run, "value": "no"},
					"stop_execution": {"run_id": run},
					"take_over":      {"run_id": run},
					"hand_back":      {"run_id": run},
					"repair_run":     {"run_id": run, "keep": true},
					"save_workflow":  {"name": "mine", "text": "steps: [{tool_name: delay, arguments: {duration: 2ms}}]", "replace": true},
				} {
					_, res := clients[name].Call(t, tool, args)
					if !byhand.IsError(res) && res["error"] == nil {
						t.Errorf("%s of %s: %v", tool, name, res)
					}
				}
			}
			if h, err := s.engine.Get(t.Context(), run); err != nil || h.Status != engine.Waiting || h.Owner != "owner" {
				t.Errorf("the run is %s, of %q: %v", h.Status, h.Owner, err)
			}
			if _, res := clients["all"].Call(t, "answer_run", byhand.Object{"run_id": run, "value": "yes"}); byhand.IsError(res) || res["error"] != nil {
				t.Errorf("who sees all answers: %v", res)
			}
		})
	}
}

// TestStoppingEndsOnesOwnRuns stops without naming a run: those of others continue.
func TestStoppingEndsOnesOwnRuns(t *testing.T) {
	s := newSecured(t)
	first := s.greet(modern, s.holder(auth.Token{Name: "first", Mode: auth.Act}))
	second := s.greet(modern, s.holder(auth.Token{Name: "second", Mode: auth.Ask}))
	first.Call(t, "execute_sequence", waitsThenClicks())
	run := s.hanging()
	if _, res := second.Call(t, "stop_execution", byhand.Object{}); byhand.IsError(res) || strings.Contains(fmt.Sprint(res), run) {
		t.Errorf("stopped by another: %v", res)
	}
	if _, res := second.Call(t, "stop_execution", byhand.Object{"run_id": run}); !byhand.IsError(res) {
		t.Errorf("an ask-mode token stops the run of another: %v", res)
	}
	if h, err := s.engine.Get(t.Context(), run); err != nil || h.Status != engine.Running || h.Stopping {
		t.Errorf("the run is %s, %v", h.Status, err)
	}
	if _, res := first.Call(t, "stop_execution", byhand.Object{}); !strings.Contains(fmt.Sprint(res), run) {
		t.Errorf("stopped by who began it: %v", res)
	}
	s.rest(run)
}

// TestExcludedToolsCoverPages excludes the tools that disclose runs.
func TestExcludedToolsCoverPages(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Exclude: []string{"get_run", "list_runs"}} })
	h := s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	_, res := s.greet(modern, h).Call(t, "execute_sequence", document("capture_screenshot", byhand.Object{}))
	run := textOfRun(res)
	for _, path := range []string{"/runs", "/runs/" + run, "/runs/" + run + "/document", "/runs/" + run + "/page", "/captures/x", "/events", "/events?run=" + run} {
		if status, text := s.read(path, h); status != http.StatusForbidden || !strings.Contains(text, "excluded") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// TestModeOfANameHoldsForEveryVersion sets the mode of a client by the name that it gives
// itself, also for a version that states it with every request.
func TestModeOfANameHoldsForEveryVersion(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			s := newSecured(t, func(o *Options) { o.Modes = map[string]access.Mode{"by-hand": access.Ask} })
			v := s.greet(version, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
			for tool, args := range map[string]byhand.Object{
				"save_workflow":   {"name": "a", "text": "steps: [{tool_name: delay, arguments: {duration: 1ms}}]"},
				"record_workflow": {"action": "start"},
				"click_element":   save,
			} {
				if _, res := v.Call(t, tool, args); byhand.Dig(res, "error", "data", "mode") != "ask" {
					t.Errorf("%s: %v", tool, res)
				}
			}
		})
	}
}

// TestWorkflowsAreSavedWithinTheRightsOfTheirSaver has a client without the shell save workflows
// that use it, which others could run.
func TestWorkflowsAreSavedWithinTheRightsOfTheirSaver(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_DIRS", data)
	if err := os.Mkdir(filepath.Join(data, "applications"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"org.example.Pad": "Pad\nExec=pad-program %F\nCategories=Utility;", "org.example.Term": "Term\nExec=term\nCategories=System;TerminalEmulator;"} {
		if err := os.WriteFile(filepath.Join(data, "applications", name+".desktop"), []byte("[Desktop Entry]\nType=Application\nName="+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
	core := s.greet(modern, s.holder(auth.Token{Name: "core", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core, access.Toolsets()[1]}}))
	shell := s.greet(modern, s.holder(auth.Token{Name: "shell", Mode: auth.Act}))
	for say, c := range map[string]struct {
		step string
		may  bool
	}{
		"a click":                     {"{tool_name: click_element, arguments: {selector: \"role:button\"}}", true},
		"an application":              {"{tool_name: open_application, arguments: {app_name: Pad}}", true},
		"a terminal by its file":      {"{tool_name: open_application, arguments: {app_name: org.example.Term.desktop}}", false},
		"a terminal by its name":      {"{tool_name: open_application, arguments: {app_name: Term}}", false},
		"a program":                   {"{tool_name: open_application, arguments: {app_name: gview}}", false},
		"a page":                      {"{tool_name: open_url, arguments: {url: \"https://example.org\"}}", true},
		"a command":                   {"{tool_name: run_command, arguments: {run: id}}", false},
		"a file":                      {"{tool_name: read_file, arguments: {path: a}}", false},
		"a command line":              {"{tool_name: open_application, arguments: {app_name: \"sh -c id\"}}", false},
		"a terminal":                  {"{tool_name: open_application, arguments: {app_name: xterm}}", false},
		"a program that is not known": {"{tool_name: open_application, arguments: {app_name: \"${{ inputs.app }}\"}}", false},
		"an address of another sort":  {"{tool_name: open_url, arguments: {url: \"file:///etc/passwd\"}}", false},
	} {
		args := byhand.Object{"name": "made", "replace": true, "text": "variables: {app: {type: string}}\nsteps:\n  - " + c.step}
		if _, res := core.Call(t, "save_workflow", args); (res["error"] == nil && !byhand.IsError(res)) != c.may {
			t.Errorf("%s, without the shell: %v", say, res)
		}
		args["name"] = "other"
		if _, res := shell.Call(t, "save_workflow", args); res["error"] != nil || byhand.IsError(res) {
			t.Errorf("%s, with the shell: %v", say, res)
		}
	}
}

// TestANewNameIsTakenOnce has two clients save workflows under the same new name at once:
// one is told that the name is taken, and the workflow is that of the other.
func TestANewNameIsTakenOnce(t *testing.T) {
	s := newSecured(t)
	var clients [2]byhand.Visitor
	for i := range clients {
		clients[i] = s.greet(modern, s.holder(auth.Token{Name: fmt.Sprint("client", i), Mode: auth.Act, Runs: auth.OwnRuns}))
	}
	for n := range 20 {
		name := fmt.Sprint("w", n)
		var saved [2]bool
		var both sync.WaitGroup
		for i, v := range clients {
			both.Go(func() {
				_, res := v.Call(t, "save_workflow", byhand.Object{"name": name, "text": fmt.Sprintf("steps: [{tool_name: log, arguments: {message: of client%d}}]", i)})
				saved[i] = !byhand.IsError(res) && res["error"] == nil
			})
		}
		both.Wait()
		if saved[0] == saved[1] {
			t.Fatalf("%s: both were saved, or none: %v", name, saved)
		}
		for i, v := range clients {
			_, res := v.Call(t, "get_workflow", byhand.Object{"name": name})
			if got := strings.Contains(byhand.Said(res), fmt.Sprint("of client", i)); got != saved[i] {
				t.Errorf("client%d saved %s: %t, and reads %v", i, name, saved[i], res)
			}
		}
	}
}

// TestToolsetsOfARequestOnlyNarrow requests all toolsets in a header.
func TestToolsetsOfARequestOnlyNarrow(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
	h := s.holder(auth.Token{Name: "core", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core}})
	h.Set("X-MCP-Toolsets", "all")
	if _, res := s.greet(modern, h).Call(t, "run_command", byhand.Object{"run": "true"}); res["error"] == nil {
		t.Errorf("a command with all toolsets: %v", res)
	}
}

// TestSessionsAreNotReported checks that data about runs discloses no session id.
func TestSessionsAreNotReported(t *testing.T) {
	s := newSecured(t)
	v := s.greet("2025-11-25", s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	_, res := v.Call(t, "execute_sequence", document("click_element", save))
	_, events := v.Ask(t, "resources/read", byhand.Object{"uri": runURI + textOfRun(res) + "/events"})
	for _, path := range []string{"/runs", "/runs/" + textOfRun(res), "/events"} {
		if _, text := s.read(path, v.Header); strings.Contains(text+fmt.Sprint(events), v.Session) || !strings.Contains(text, "laptop") && path != "/runs" {
			t.Errorf("%s tells the session: %s", path, text)
		}
	}
}
