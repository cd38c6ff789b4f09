package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/fileio"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
)

// TestPagesAskLikeTheirTools opens the pages of workflows and desktops with each of
// twelve credentials, also where a tool is excluded: each is refused exactly when the
// tool that discloses the same is.
func TestPagesAskLikeTheirTools(t *testing.T) {
	w := newWorld(t)
	w.save("nightly", "steps: [{tool_name: delay, arguments: {delay_ms: 1}}]")
	for path, tool := range map[string]string{
		"/workflows": "list_workflows", "/workflows/nightly": "get_workflow", "/workflows/nightly/versions": "workflow_versions",
		"/inbox": "inbox", "/schedules": "list_schedules", "/audit": "audit_trail", "/desktops": "list_desktops", "/desktops/main": "list_desktops", "/desktops/main/live": "list_desktops",
	} {
		for who := range w.headers {
			_, page := w.reader(who).open(path)
			want := slices.Contains(whoMay[classOf(w.tools.named[tool].Tool)], who)
			if got := !strings.Contains(page, "is not allowed"); got != want {
				t.Errorf("%s for %s: allowed: %t, want %t\n%s", path, who, got, want, page)
			}
		}
		w.clients.policy.Exclude = []string{tool}
		if _, page := w.reader("act").open(path); !strings.Contains(page, "it is excluded") {
			t.Errorf("%s without %s:\n%s", path, tool, page)
		}
		w.clients.policy.Exclude = nil
	}
}

// save saves a workflow of the person at the machine.
func (st *stage) save(name, text string) (path string) {
	st.t.Helper()
	path = filepath.Join(st.o.Folder, name+".yaml")
	if err := fileio.SaveVersion(path, []byte(text)); err != nil {
		st.t.Fatal(err)
	}
	return path
}

// login is a workflow that types a secret and an input into the window of the stage.
const loginWorkflow = `name: login
variables:
  who: {type: string, label: "Who"}
  times: {type: number, default: 2}
  pin: {type: string, secret: true}
steps:
  - {id: name, tool_name: type_into_element, arguments: {process: notes, selector: "role:entry", clear_before_typing: true, text_to_type: "${{ inputs.who }}-${{ inputs.times + 1 }}"}}
  - {id: secret, tool_name: type_into_element, arguments: {process: notes, selector: "role:entry", clear_before_typing: true, text_to_type: "${{ inputs.pin }}"}}
  - {id: press, tool_name: click_element, arguments: {selector: "name:Nowhere", timeout_ms: 1}}
`

// notStored checks that nothing stored of a run contains a secret.
func (s *secured) notStored(run, secret string) {
	s.t.Helper()
	events, err := s.engine.Events(s.t.Context(), run, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, ev := range events {
		if strings.Contains(string(ev.Data), secret) {
			s.t.Errorf("the secret is stored: %s", ev.Data)
		}
	}
}

// lastRun waits for the newest run to come to rest.
func (s *secured) lastRun() engine.Header {
	s.t.Helper()
	list, err := s.engine.List(s.t.Context(), engine.Query{Limit: 1})
	if err != nil || len(list) == 0 {
		s.t.Fatalf("%v, %v", list, err)
	}
	return s.rested(list[0].ID)
}

func TestPagesSayWhetherAWorkflowIsFitToRunAlone(t *testing.T) {
	s := newSecured(t)
	s.save("login", loginWorkflow)
	s.save("plain", "steps: [{tool_name: log, arguments: {message: x}}]")
	s.save("closer", "steps: [{tool_name: close_window, arguments: {process: notes}}]")
	s.save("outer", "steps: [{workflow: closer}]")
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	for path, want := range map[string]string{
		"/workflows":       `<a href="/workflows/login#alone">no, for 1 reason</a>`,
		"/workflows/login": "the secret pin has to be typed by a person",
		"/workflows/plain": "fit to run alone",
		"/workflows/outer": "closer, which is called, is not fit to run alone",
	} {
		status, page := ann.open(path)
		if status != http.StatusOK || !strings.Contains(page, want) || strings.Contains(page, "not fit") != (path == "/workflows/login" || path == "/workflows/outer") {
			t.Errorf("%s: %d, without %s:\n%s", path, status, want, page)
		}
	}
}

// TestAPersonRunsASavedWorkflowOnItsPage fills in the form, mends the document at the
// line with the problem, and resumes the run: the secret is typed and stored nowhere.
func TestAPersonRunsASavedWorkflowOnItsPage(t *testing.T) {
	s := newSecured(t)
	s.save("login", loginWorkflow)
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	looker := s.reader(auth.Token{Name: "looker", Mode: auth.Ask, Operator: true})
	form := func(r *reader) url.Values {
		return url.Values{"token": {r.token("/workflows/login")}, "input.who": {"12"}, "secret.pin": {"s3cret!"}}
	}
	if status, page := looker.send("/workflows/login/run", form(looker), nil); status != http.StatusConflict || len(s.desk.Journal()) > 0 {
		t.Fatalf("who may only look began it: %d\n%s", status, page)
	}
	without := form(ann)
	without.Del("input.who")
	if status, page := ann.send("/workflows/login/run", without, nil); status != http.StatusConflict || !strings.Contains(page, "needs inputs") || strings.Contains(page, "s3cret!") {
		t.Fatalf("without an input: %d\n%s", status, page)
	}
	if status, page := ann.send("/workflows/login/run", form(ann), nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	h := s.lastRun()
	if journal := strings.Join(s.desk.Journal(), "\n"); h.Status != engine.Failed || h.Owner != "ann" || !strings.Contains(journal, `"12-3"`) || !strings.Contains(journal, "s3cret!") {
		t.Fatalf("%s of %q: %s", h.Status, h.Owner, journal)
	}
	s.notStored(h.ID, "s3cret!")

	path := "/runs/" + h.ID + "/resume"
	wrong := strings.ReplaceAll(loginWorkflow, "click_element", "click_elemen")
	if _, page := ann.open(path); !strings.Contains(page, `name="of" value="login"`) || !strings.Contains(page, `name="open" value="execute_sequence"`) {
		t.Errorf("the document that has the steps is not in the editor:\n%s", page)
	}
	for button, status := range map[string]int{"check": http.StatusOK, "": http.StatusConflict} {
		form := url.Values{"token": {ann.token(path)}, "of": {"login"}, "document": {strings.ReplaceAll(wrong, "\n", "\r\n")}, button: {"yes"}}
		got, page := ann.send(path, form, nil)
		if got != status || !strings.Contains(page, `data-line="9"`) || !strings.Contains(page, "click_element?") || strings.Count(page, `<li class="bad">`) != 1 {
			t.Errorf("%q: %d\n%s", button, got, page)
		}
	}
	right := strings.Replace(loginWorkflow, "name:Nowhere", "role:button && name:Save", 1)
	resume := func(r *reader) url.Values {
		return url.Values{"token": {r.token(path)}, "of": {"login"}, "document": {right}, "secret.pin": {"0ther!"}}
	}
	if status, page := looker.send(path, resume(looker), nil); status != http.StatusConflict || s.rested(h.ID).Attempt != 1 {
		t.Errorf("who may only look resumed it: %d\n%s", status, page)
	}
	if status, page := ann.send(path, resume(ann), nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	if now := s.rested(h.ID); now.Status != engine.Succeeded || now.Attempt != 2 {
		t.Errorf("it is %s in attempt %d: %+v", now.Status, now.Attempt, now.Error)
	}
	s.notStored(h.ID, "0ther!")
	if strings.Contains(s.log.String(), "s3cret!") || strings.Contains(s.log.String(), "0ther!") {
		t.Error("a secret is in the log")
	}
}

// TestAPersonGivesASecretOnThePageOfItsRun is about a run that asks for a secret.
func TestAPersonGivesASecretOnThePageOfItsRun(t *testing.T) {
	s := newSecured(t)
	s.save("login", loginWorkflow)
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	form := url.Values{"token": {ann.token("/workflows/login")}, "input.who": {"Ann"}}
	if status, page := ann.send("/workflows/login/run", form, nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	h := s.lastRun()
	if _, page := ann.open("/runs/" + h.ID); h.Status != engine.Waiting || !strings.Contains(page, `type="password" name="secret.pin"`) {
		t.Fatalf("it is %s\n%s", h.Status, page)
	}
	if status, page := ann.send("/runs/"+h.ID+"/answer", ann.answer(h.ID, "secret.pin", "s3cret!"), nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	if h = s.rested(h.ID); h.Executed < 2 || !strings.Contains(strings.Join(s.desk.Journal(), "\n"), "s3cret!") {
		t.Errorf("%d steps: %v", h.Executed, s.desk.Journal())
	}
	s.notStored(h.ID, "s3cret!")
}

// TestAPersonAnswersAFormOnThePageOfItsRun gives several values, each of its type.
func TestAPersonAnswersAFormOnThePageOfItsRun(t *testing.T) {
	s := newSecured(t)
	s.save("order", `steps:
  - id: q
    tool_name: ask_user
    arguments: {question: "What?", fields: {name: {type: string}, size: {type: string, enum: [S, M]}, count: {type: number}, gift: {type: boolean}}}
output: steps.q.result.fields
`)
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if status, page := ann.send("/workflows/order/run", url.Values{"token": {ann.token("/workflows/order")}}, nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	h := s.lastRun()
	form := ann.answer(h.ID, "input.name", "kept by the page")
	form.Set("input.count", "many")
	form.Set("question", "another")
	if status, page := ann.send("/runs/"+h.ID+"/answer", form, nil); status != http.StatusConflict || !strings.Contains(page, "kept by the page") {
		t.Errorf("an answer that is refused: %d\n%s", status, page)
	}
	form = ann.answer(h.ID, "input.name", "7")
	maps.Copy(form, url.Values{"input.size": {"M"}, "input.count": {"3"}, "input.gift": {"true"}})
	if status, page := ann.send("/runs/"+h.ID+"/answer", form, nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	s.rested(h.ID)
	r, err := s.engine.Report(t.Context(), h.ID, engine.Page{})
	got, _ := json.Marshal(r.Output)
	if want := `{"count":3,"gift":true,"name":"7","size":"M"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestNamesOnPagesAreText gives hostile names to everything that the pages of workflows
// and desktops show.
func TestNamesOnPagesAreText(t *testing.T) {
	s, memory := newDesktopStage(t, everything)
	const harm = `<img src=x onerror=alert(1)>`
	document := strings.ReplaceAll(`name: HARM
description: HARM
variables: {x: {type: enum, label: HARM, description: HARM, options: [HARM], default: HARM}, y: {type: array, default: [HARM]}, z: {type: string, default: HARM}}
steps: [{id: HARM, tool_name: click_element, arguments: {selector: "name:Nowhere", timeout_ms: 1}}]
`, "HARM", "'"+harm+"'")
	s.save("nightly", document+"# "+harm+"\n")
	s.save("nightly", document)
	s.save("broken", "steps: [{tool_name: '"+harm+"'}]\n")
	memory.all = []virtual.Kept{{Name: harm, Birth: "1", Display: harm, Owner: "ann", Client: harm, Programs: []string{harm}, Run: harm, Screen: desktop.Size{W: 8, H: 6}, Started: time.Now()}}
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if status, page := ann.send("/workflows/nightly/run", url.Values{"token": {ann.token("/workflows/nightly")}}, nil); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	run := s.lastRun().ID
	for _, path := range []string{
		"/workflows", "/workflows/nightly", "/workflows/broken", "/workflows/nightly/versions",
		"/workflows/nightly/versions?version=" + fileio.HashOf([]byte(document+"# "+harm+"\n")),
		"/desktops", "/desktops/" + url.PathEscape(harm), "/runs", "/runs/" + run, "/runs/" + run + "/resume",
		"/workflows/" + url.PathEscape(harm), "/workflows/nightly/versions?version=" + url.QueryEscape(harm),
	} {
		status, page := ann.open(path)
		if strings.Contains(page, "<img src=x") && strings.HasPrefix(page, "<!doctype html>") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: %d: a name is part of the page:\n%s", path, status, page)
		}
		if status == http.StatusOK && !strings.Contains(page, "&lt;img src=x") && !strings.HasSuffix(path, "versions") {
			t.Errorf("%s does not show the name:\n%s", path, page)
		}
	}
}

// TestAWorkflowAndADesktopOfAnother checks that pages and forms show and do nothing for
// other clients, or when sent from other sites.
func TestAWorkflowAndADesktopOfAnother(t *testing.T) {
	s, memory := newDesktopStage(t, everything)
	annToken := s.holder(auth.Token{Name: "ann", Mode: auth.Act, Runs: auth.OwnRuns})
	maker := s.greet(modern, annToken)
	const one, two = "steps: [{id: a, tool_name: delay, arguments: {delay_ms: 1}}]\n", "steps: [{id: b, tool_name: delay, arguments: {delay_ms: 1}}]\n"
	maker.Call(t, "save_workflow", byhand.Object{"name": "hers", "text": one})
	maker.Call(t, "save_workflow", byhand.Object{"name": "hers", "text": two, "replace": true})
	maker.Call(t, "start_desktop", byhand.Object{"name": "hers"})
	ann := s.readerWith(annToken)
	boss := s.reader(auth.Token{Name: "boss", Mode: auth.Act, Operator: true})
	looker := s.reader(auth.Token{Name: "looker", Mode: auth.Ask, Operator: true})
	bob := s.reader(auth.Token{Name: "bob", Mode: auth.Act, Runs: auth.OwnRuns})
	for _, path := range []string{"/workflows/hers", "/workflows/hers/versions", "/desktops/hers", "/desktops/hers/live"} {
		if status, page := bob.open(path); status != http.StatusNotFound {
			t.Errorf("%s for another: %d\n%s", path, status, page)
		}
		if status, page := ann.open(path); status != http.StatusOK && !strings.HasSuffix(path, "/live") {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
	}
	for _, path := range []string{"/workflows", "/desktops"} {
		if _, page := bob.open(path); strings.Contains(page, "hers") {
			t.Errorf("%s tells another:\n%s", path, page)
		}
	}
	file := filepath.Join(s.Server.library.folder, "hers.yaml")
	for _, x := range []struct {
		say, path, act string
		who            *reader
		token          string
		header         http.Header
		status         int
	}{
		{"another runs it", "/workflows/hers", "run", bob, ann.token("/workflows/hers"), nil, 404},
		{"another restores it", "/workflows/hers", "restore", bob, ann.token("/workflows/hers"), nil, 403},
		{"another stops it", "/desktops/hers", "stop", bob, ann.token("/desktops/hers"), nil, 403},
		{"who may only look restores it", "/workflows/hers", "restore", looker, looker.token("/workflows/hers"), nil, 409},
		{"who may only look stops it", "/desktops/hers", "stop", looker, looker.token("/desktops/hers"), nil, 409},
		{"no token", "/desktops/hers", "stop", ann, "", nil, 403},
		{"the token of another page", "/desktops/hers", "stop", ann, ann.token("/workflows/hers"), nil, 403},
		{"the token of another person", "/workflows/hers", "run", boss, ann.token("/workflows/hers"), nil, 403},
		{"a page of another origin", "/workflows/hers", "run", ann, ann.token("/workflows/hers"), http.Header{"Origin": {"http://evil.example"}}, 403},
		{"a page of another port", "/desktops/hers", "stop", ann, ann.token("/desktops/hers"), http.Header{"Origin": {"http://127.0.0.1:1"}}, 401},
		{"no origin", "/workflows/hers", "restore", ann, ann.token("/workflows/hers"), http.Header{"Origin": {}}, 401},
		{"nobody", "/desktops/hers", "stop", &reader{t, s.url, &http.Client{}}, ann.token("/desktops/hers"), nil, 401},
	} {
		form := url.Values{"token": {x.token}, "version": {fileio.HashOf([]byte(one))}}
		if status, page := x.who.send(x.path+"/"+x.act, form, x.header); status != x.status {
			t.Errorf("%s: %d, want %d: %s", x.say, status, x.status, page)
		}
	}
	runs, err := s.engine.List(t.Context(), engine.Query{})
	text, failed := os.ReadFile(file)
	if err != nil || failed != nil || len(runs) > 0 || string(text) != two || len(memory.List()) != 1 {
		t.Fatalf("something was done: %v, %q, %v, %v, %v", runs, text, memory.List(), err, failed)
	}
	restore := url.Values{"token": {ann.token("/workflows/hers/versions")}, "version": {fileio.HashOf([]byte(one))}}
	if status, page := ann.send("/workflows/hers/restore", restore, nil); status != http.StatusOK || !strings.Contains(page, "current") {
		t.Errorf("%d\n%s", status, page)
	}
	if text, err = os.ReadFile(file); err != nil || string(text) != one {
		t.Errorf("%q, %v", text, err)
	}
	if status, page := ann.send("/desktops/hers/stop", url.Values{"token": {ann.token("/desktops/hers")}}, nil); status != http.StatusOK || len(memory.List()) > 0 {
		t.Errorf("%d, %s\n%s", status, fmt.Sprint(memory.List()), page)
	}
}

// TestAPageOmitsDocumentsThatAreOnlyCalled has a client call a file in a root: its person
// can mend the document that was sent, but not read the file.
func TestAPageOmitsDocumentsThatAreOnlyCalled(t *testing.T) {
	s := newSecured(t)
	file := filepath.Join(s.o.Dir, "called.yaml")
	if err := os.WriteFile(file, []byte("steps: [{id: a, tool_name: click_element, arguments: {selector: \"name:Nowhere\", timeout_ms: 1}}] # not for him\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bob := s.holder(auth.Token{Name: "bob", Mode: auth.Act, Runs: auth.OwnRuns})
	_, res := s.greet(modern, bob).Call(t, "execute_sequence", byhand.Object{"url": "file://" + file})
	run := textOfRun(res)
	reader := s.readerWith(bob)
	path := "/runs/" + run + "/resume"
	for _, form := range []url.Values{{"check": {"yes"}}, {"open": {file}}, {"check": {"yes"}, "of": {file}, "document": {"steps: [{id: a, tool_name: nothing}]"}}} {
		form.Set("token", reader.token(path))
		status, page := reader.send(path, form, nil)
		if strings.Contains(page, "not for him") || strings.Contains(page, "nothing") || !strings.Contains(page, "data-editor") {
			t.Errorf("%v: %d\n%s", form, status, page)
		}
	}
}
