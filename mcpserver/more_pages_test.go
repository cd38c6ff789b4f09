package mcpserver

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/recorder"
	"understudy/steps"
)

// TestThePageOfTheFleet shows this machine, a fleet without workers, and workers with a run
// that a reader may not see.
func TestThePageOfTheFleet(t *testing.T) {
	var workers []engine.Workplace
	fleet := false
	s := newSecured(t, func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (Backend, error) {
			b, err := open(ctx)
			if fleet {
				b.Workers = func(context.Context) ([]engine.Workplace, error) { return workers, nil }
			}
			return b, err
		}
	})
	boss := s.reader(auth.Token{Name: "boss", Mode: auth.Ask, Runs: auth.AllRuns})
	other := s.reader(auth.Token{Name: "other", Mode: auth.Act, Runs: auth.OwnRuns})
	s.saved("waits", "steps: [{tool_name: pause}]")
	run := s.failedRun()
	has := func(r *reader, want string, not ...string) {
		t.Helper()
		status, page := r.open("/fleet")
		if status != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("%d, without %q:\n%s", status, want, page)
		}
		for _, n := range not {
			if strings.Contains(page, n) {
				t.Errorf("the page has %q:\n%s", n, page)
			}
		}
	}
	has(boss, "understudy hub --dir hub", run)
	has(boss, "0 of 1")
	fleet = true
	s.runs.runs = Backend{} // opened again
	has(boss, "No worker is connected")
	workers = []engine.Workplace{{Worker: "<b>one</b>", Labels: []string{"app=<i>sap</i>"}, Places: engine.Places{Taken: []string{run}, Total: 4}}}
	has(boss, `<a href="/runs/`+run, "<b>one", "<i>sap")
	has(other, "1 of 4", run)
}

// TestThePageOfRecordings begins a recording, ends it under a name, and reads one that was
// written. A token that sees its own runs sees no recording of others.
func TestThePageOfRecordings(t *testing.T) {
	watch, _ := watched()
	folder := t.TempDir()
	s := newSecured(t, func(o *Options) { o.Record, o.Recordings = watch, folder })
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Runs: auth.AllRuns})
	looker := s.reader(auth.Token{Name: "looker", Mode: auth.Ask, Runs: auth.AllRuns})
	bob := s.reader(auth.Token{Name: "bob", Mode: auth.Act, Runs: auth.OwnRuns})
	if _, page := ann.open("/recordings"); !strings.Contains(page, "Nothing was recorded") || !strings.Contains(page, "<button>Record") {
		t.Errorf("the empty page:\n%s", page)
	}
	if _, page := looker.open("/recordings"); strings.Contains(page, "<button>Record") {
		t.Errorf("who may only look is offered to record:\n%s", page)
	}
	form := func(r *reader, action, name string) (int, string) {
		return r.send("/recordings", url.Values{"token": {r.token("/recordings")}, "action": {action}, "name": {name}}, nil)
	}
	if status, page := form(ann, "start", ""); status != http.StatusOK || !strings.Contains(page, "clicked the button Save") || !strings.Contains(page, "by <bdi>ann") {
		t.Fatalf("started: %d\n%s", status, page)
	}
	if _, page := bob.open("/recordings"); strings.Contains(page, "clicked the button") {
		t.Errorf("another sees it:\n%s", page)
	}
	if status, page := form(ann, "stop", "no good name"); status != http.StatusConflict || !strings.Contains(page, "invalid workflow name") {
		t.Errorf("a bad name: %d\n%s", status, page)
	}
	if status, page := form(ann, "stop", "clicks"); status != http.StatusOK || !strings.Contains(page, "fit to run alone") {
		t.Errorf("stopped: %d\n%s", status, page)
	}

	record, _ := watched()
	r, _, err := record(t.Context(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	seen, _ := r.Stop()
	text, err := recorder.Text(seen)
	if err != nil {
		t.Fatal(err)
	}
	name := recorder.NameAt(seen[0].Time)
	for file, text := range map[string]string{name + recorder.Ending: string(text), "notes.txt": "s3cret", "x.events.jsonl": "s3cret"} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(folder, name+recorder.Ending), time.Time{}, seen[0].Time.Add(3*time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, page := looker.open("/recordings"); !strings.Contains(page, `href="/recordings/`+name+`"`) || !strings.Contains(page, ">3s<") {
		t.Errorf("the list:\n%s", page)
	}
	if status, page := looker.open("/recordings/" + name); status != http.StatusOK || !strings.Contains(page, "click_element") {
		t.Errorf("what was written: %d\n%s", status, page)
	}
	for _, path := range []string{"/recordings/" + name, "/recordings/x", "/recordings/notes", "/recordings/..%2f" + filepath.Base(folder) + "%2fx"} {
		if status, page := bob.open(path); status != http.StatusNotFound || strings.Contains(page, "click_element") || strings.Contains(page, "s3cret") {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
	}
}

// TestWhoEditedAndWhoseRightsChanged looks for edits and changed rights in the audit trail,
// each with its tenant.
func TestWhoEditedAndWhoseRightsChanged(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
	holder := s.holder(auth.Token{Name: "ann", Mode: auth.Act, Runs: auth.OwnRuns})
	ann := s.greet(modern, holder)
	for i, text := range []string{"steps: [{tool_name: log, arguments: {message: one}}]", "steps: [{tool_name: log, arguments: {message: two}}]"} {
		if _, res := ann.Call(t, "save_workflow", byhand.Object{"name": "mine", "text": text, "replace": i > 0}); byhand.IsError(res) {
			t.Fatal(byhand.Said(res))
		}
	}
	page := s.readerWith(holder)
	_, text := page.open("/workflows/mine/versions")
	version := between(t, text, `name="version" value="`, `"`)
	if status, text := page.send("/workflows/mine/restore", url.Values{"token": {formTokenIn(t, text)}, "version": {version}}, nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	boss := s.holder(auth.Token{Name: "boss", Mode: auth.Act, Operator: true})
	if status := s.setMode(boss, "ann", access.Ask); status != http.StatusOK {
		t.Fatal(status)
	}
	acts, err := s.o.Audit.Acts("", func(a audit.Act) bool { return a.Verb == audit.Edited || a.Verb == audit.ChangedRights })
	if err != nil || len(acts) != 4 {
		t.Fatalf("%d acts, %v: %+v", len(acts), err, acts)
	}
	for i, a := range acts[:3] {
		if a.Verb != audit.Edited || a.Workflow != "mine" || a.Owner != "ann" || !strings.HasPrefix(a.By, "ann/") || strings.HasPrefix(a.Detail, "new, ") != (i == 0) || !strings.Contains(a.Detail, "version ") {
			t.Errorf("act %d: %+v", i, a)
		}
	}
	if acts[0].Detail != "new, "+acts[2].Detail {
		t.Errorf("the restored version is %q, and the first was %q", acts[2].Detail, acts[0].Detail)
	}
	if a := acts[3]; a.By != "boss" || a.Thing != "ann" || a.Owner != "ann" || a.Detail != "ask mode" {
		t.Errorf("%+v", a)
	}
	if _, text := page.open("/audit"); !strings.Contains(text, `href="/workflows/mine/versions"`) || !strings.Contains(text, "changed the rights of") {
		t.Errorf("her page:\n%s", text)
	}
	other := s.reader(auth.Token{Name: "other", Mode: auth.Ask, Runs: auth.OwnRuns})
	if _, text := other.open("/audit"); strings.Contains(text, "mine") || strings.Contains(text, "ann") {
		t.Errorf("the page of another:\n%s", text)
	}
}

// TestTheOutcomeIsInAnswersAndOnThePage looks for the outcome of a run wherever it is told,
// and for its labels on its page.
func TestTheOutcomeIsInAnswersAndOnThePage(t *testing.T) {
	s := newSecured(t, func(*Options) {})
	maker := s.greet(modern, s.holder(auth.Token{Name: "maker", Mode: auth.Act}))
	args := document("fail", byhand.Object{"message": "no"})
	args["labels"] = []string{"night"}
	_, res := maker.Call(t, "execute_sequence", args)
	run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	const want = string(engine.StoppedBefore)
	if got := byhand.Dig(res, "result", "structuredContent", "outcome"); got != want {
		t.Errorf("execute_sequence: %v", got)
	}
	_, res = maker.Call(t, "get_run", byhand.Object{"run_id": run})
	if got := byhand.Dig(res, "result", "structuredContent", "outcome"); got != want {
		t.Errorf("get_run: %v", got)
	}
	_, res = maker.Call(t, "list_runs", byhand.Object{})
	lines, _ := byhand.Dig(res, "result", "structuredContent", "runs").([]any)
	if len(lines) != 1 || byhand.Dig(lines[0], "outcome") != want || !strings.Contains(byhand.Said(res), want) {
		t.Errorf("list_runs: %v %s", lines, byhand.Said(res))
	}
	if _, page := s.reader(auth.Token{Name: "person", Mode: auth.Ask, Runs: auth.AllRuns}).open("/runs/" + run); !strings.Contains(page, "Outcome: <b>"+want) || !strings.Contains(page, "<bdi>night</bdi>") {
		t.Errorf("the page:\n%s", page)
	}
}

// between returns the text between two others.
func between(t *testing.T, text, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, before)
	got, _, ended := strings.Cut(rest, after)
	if !ok || !ended {
		t.Fatalf("nothing between %q and %q in\n%s", before, after, text)
	}
	return got
}
