package mcpserver

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/fileio"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
)

// closedDialog is the recording of a person who closed a dialog with hostile names.
const closedDialog = `{"type":"begun","time":"2026-03-04T09:00:00Z","windows":[{"id":7,"title":"Update <script>","process":"zenity","pid":20,"bounds":{"x":0,"y":0,"w":300,"h":200},"active":true}]}
{"type":"pressed","time":"2026-03-04T09:00:01Z","at":{"x":20,"y":20},"button":"left","element":{"role":"button","name":"<img src=x>","process":"zenity","pid":20,"window":7,"bounds":{"x":10,"y":10,"w":80,"h":20},"states":["enabled"],"selectors":[{"selector":"role:button && name:\"<img src=x>\"","matches":1}]}}
{"type":"released","time":"2026-03-04T09:00:01.1Z","at":{"x":20,"y":20},"button":"left"}
{"type":"closed","time":"2026-03-04T09:00:01.3Z","window":{"id":7,"title":"Update <script>","process":"zenity","pid":20}}
{"type":"ended","time":"2026-03-04T09:00:03Z"}
`

// handedBack makes a failed run of the saved workflow nightly, and the page that offers
// to keep what a person did.
func handedBack(t *testing.T) (s *secured, run string, ann *reader, credential http.Header) {
	t.Helper()
	s = newKept(t)
	s.engine.Watch = func(context.Context, desktop.Info) (engine.EndWatch, error) {
		return func([]string) ([]byte, error) { return []byte(closedDialog), nil }, nil
	}
	credential = s.holder(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	maker := s.greet(modern, credential)
	maker.Call(t, "save_workflow", byhand.Object{"name": "nightly", "text": "steps:\n  - {id: press, tool_name: click_element, arguments: {selector: \"name:Nowhere\", timeout_ms: 1}}\n"})
	_, res := maker.Call(t, "execute_sequence", byhand.Object{"url": "nightly"})
	run, _ = byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	ann = s.readerWith(credential)
	if status, page := ann.takeOver(run); status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	form := url.Values{"token": {ann.token("/runs/" + run + "/desktop")}, "keep": {"yes"}}
	status, page := ann.send("/runs/"+run+"/hand-back", form, nil)
	if status != http.StatusOK || !strings.Contains(page, "Keep it and resume") {
		t.Fatalf("%d\n%s", status, page)
	}
	return s, run, ann, credential
}

// TestRepairBecomesAStep follows a repair from the page that offers it to the
// second attempt, and back to the earlier version.
func TestRepairBecomesAStep(t *testing.T) {
	s, run, ann, credential := handedBack(t)
	_, page := ann.open("/runs/" + run + "/repair")
	for _, want := range []string{"fallback_id: mend_press", "exists(&#39;process:zenity", "<b><bdi>ann/page</bdi></b>", "Update &lt;script&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<script>") || strings.Contains(page, "<img src=x>") {
		t.Errorf("what a window is called is part of the page:\n%s", page)
	}
	if _, before := ann.open("/runs/" + run + "/repair?how=before"); strings.Contains(before, "fallback_id") || !strings.Contains(before, "<span class=\"added\">&#43;  - id: img_src_x") {
		t.Errorf("before the step:\n%s", before)
	}
	path := filepath.Join(s.Server.library.folder, "nightly.yaml")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	status, page := ann.send("/runs/"+run+"/repair", url.Values{"token": {ann.token("/runs/" + run + "/repair")}, "how": {"fallback"}, "resume": {"yes"}}, nil)
	if h := s.rested(run); status != http.StatusOK || h.Attempt != 2 {
		t.Errorf("%d, attempt %d\n%s", status, h.Attempt, page)
	}
	now, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(now), "troubleshooting:\n  - id: mend_press\n") {
		t.Errorf("%v\n%s", err, now)
	}
	if old, _, err := fileio.ReadVersion(path, fileio.HashOf(was)); err != nil || string(old) != string(was) {
		t.Errorf("the version before is %q, %v", old, err)
	}
	back := byhand.Object{"name": "nightly", "version": fileio.HashOf(was)}
	bob := s.holder(auth.Token{Name: "bob", Mode: auth.Act, Runs: auth.OwnRuns})
	for i, who := range []http.Header{bob, credential} { // the workflow is ann's
		want := i == 1
		_, res := s.greet(modern, who).Call(t, "restore_workflow", back)
		text, err := os.ReadFile(path)
		if restored := string(text) == string(was); err != nil || restored != want || byhand.IsError(res) == want {
			t.Errorf("the owner: %t, it went back: %t, %v: %v", want, restored, err, res)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != string(was) {
		t.Errorf("it is not as it was: %v\n%s", err, text)
	}
}

// TestRepairFormsOfOthersAreRefused checks that the forms of others, and of other sites, write
// nothing.
func TestRepairFormsOfOthersAreRefused(t *testing.T) {
	s, run, ann, _ := handedBack(t)
	path := filepath.Join(s.Server.library.folder, "nightly.yaml")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	looker := s.reader(auth.Token{Name: "looker", Mode: auth.Ask, Operator: true})
	bob := s.reader(auth.Token{Name: "bob", Mode: auth.Act, Runs: auth.OwnRuns}) // not his run
	keep := func(r *reader, token string, more http.Header) {
		t.Helper()
		status, page := r.send("/runs/"+run+"/repair", url.Values{"token": {token}, "how": {"fallback"}, "resume": {"yes"}}, more)
		if now, err := os.ReadFile(path); err != nil || string(now) != string(was) || status == http.StatusOK {
			t.Errorf("%d, %v: it wrote\n%s\n%s", status, err, now, page)
		}
	}
	keep(looker, looker.token("/runs/"+run+"/repair"), nil)
	keep(bob, ann.token("/runs/"+run+"/repair"), nil)
	keep(ann, ann.token("/runs/"+run+"/repair"), http.Header{"Origin": {"https://elsewhere.example"}})
	if h := s.rested(run); h.Attempt != 1 {
		t.Errorf("the run went on: attempt %d", h.Attempt)
	}
}
