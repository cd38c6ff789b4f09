package mcpserver

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
)

// reader is a person who has logged in with a browser.
type reader struct {
	t    *testing.T
	site string
	*http.Client
}

func (s *secured) reader(token auth.Token) *reader {
	s.t.Helper()
	return s.readerWith(s.holder(token))
}

// readerWith makes a reader with the credential of a client.
func (s *secured) readerWith(h http.Header) *reader {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r := &reader{s.t, s.url, &http.Client{Jar: jar}}
	secret := strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
	if status, text := r.send("/login", url.Values{"token": {secret}}, nil); status != 200 {
		s.t.Fatalf("login: %d %s", status, text)
	}
	return r
}

func (r *reader) send(path string, form url.Values, headers http.Header) (int, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.site+path, strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", r.site)
	maps.Copy(req.Header, headers)
	return r.done(r.Do(req))
}

func (r *reader) open(path string) (int, string) {
	r.t.Helper()
	return r.done(r.Get(r.site + path))
}

func (r *reader) done(res *http.Response, err error) (int, string) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

var formToken = regexp.MustCompile(`name="token" value="([0-9a-f]+)"`)

// token returns the token in the forms of a page.
func (r *reader) token(path string) string {
	r.t.Helper()
	_, page := r.open(path)
	m := formToken.FindStringSubmatch(page)
	if m == nil {
		r.t.Fatalf("%s has no form:\n%s", path, page)
	}
	return m[1]
}

// failedRun makes a run that acts, and fails each time that it is resumed.
func (s *secured) failedRun() string {
	s.t.Helper()
	s.made++
	maker := s.greet(modern, s.holder(auth.Token{Name: fmt.Sprint("maker", s.made), Mode: auth.Act}))
	_, res := maker.Call(s.t, "execute_sequence", document("click_element", byhand.Object{"selector": "name:Nowhere", "timeout_ms": 1}))
	id, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	if id == "" {
		s.t.Fatalf("no run: %v", res)
	}
	return id
}

// TestAPersonResumesARunOnItsPage goes through the plan to a second attempt.
func TestAPersonResumesARunOnItsPage(t *testing.T) {
	s := newSecured(t)
	run := s.failedRun()
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	if _, page := person.open("/runs/" + run); !strings.Contains(page, "/runs/"+run+"/resume") {
		t.Fatalf("the page offers no resume:\n%s", page)
	}
	status, page := person.send("/runs/"+run+"/resume", url.Values{"token": {person.token("/runs/" + run + "/resume")}}, nil)
	if status != 200 || !strings.Contains(page, run) {
		t.Fatalf("%d %s", status, page)
	}
	if h := s.rested(run); h.Attempt != 2 || h.Status != engine.Failed {
		t.Errorf("the run is %s in attempt %d, want failed in attempt 2", h.Status, h.Attempt)
	}
}

// TestAPersonGoesOnInANewRun forks a run, which stays as it is.
func TestAPersonGoesOnInANewRun(t *testing.T) {
	s := newSecured(t)
	run := s.failedRun()
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	path := "/runs/" + run + "/resume"
	status, page := person.send(path, url.Values{"token": {person.token(path)}, "fork": {"yes"}}, nil)
	if status != 200 || !strings.Contains(page, `forked from <a href="/runs/`+run) {
		t.Fatalf("%d %s", status, page)
	}
	made := s.lastRun()
	if made.ID == run || made.Parent != run || made.Owner != "person" {
		t.Errorf("the new run is %+v", made)
	}
	if h := s.rested(run); h.Attempt != 1 || h.Status != engine.Failed {
		t.Errorf("the old run is %s in attempt %d", h.Status, h.Attempt)
	}
}

// TestAFormActsOnlyWithItsTokenAndRight is about forged forms, and people who may only
// look.
func TestAFormActsOnlyWithItsTokenAndRight(t *testing.T) {
	s := newSecured(t)
	run, other := s.failedRun(), s.failedRun()
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	looker := s.reader(auth.Token{Name: "looker", Mode: auth.Ask})
	path := "/runs/" + run + "/resume"
	for _, x := range []struct {
		say    string
		who    *reader
		token  string
		header http.Header
		status int
	}{
		{"no token", person, "", nil, 403},
		{"the token of another run", person, person.token("/runs/" + other + "/resume"), nil, 403},
		{"the token of another person", person, looker.token(path), nil, 403},
		{"a page of another port", person, person.token(path), http.Header{"Origin": {"http://127.0.0.1:1"}}, 401},
		{"a page of another origin", person, person.token(path), http.Header{"Origin": {"http://evil.example"}}, 403},
		{"no origin", person, person.token(path), http.Header{"Origin": {}}, 401},
		{"a person who may only look", looker, looker.token(path), nil, 409},
		{"a form that there is not", person, person.token(path), http.Header{"X-Act": {"remove"}}, 404},
	} {
		where := path
		if act := x.header.Get("X-Act"); act != "" {
			where = "/runs/" + run + "/" + act
		}
		if status, page := x.who.send(where, url.Values{"token": {x.token}}, x.header); status != x.status {
			t.Errorf("%s: %d, want %d: %s", x.say, status, x.status, page)
		}
	}
	if h := s.rested(run); h.Attempt != 1 {
		t.Errorf("the run was resumed: attempt %d", h.Attempt)
	}
}

// TestAFormComesThroughAProxy sends a form through a proxy that speaks TLS and names
// another host to the server than the browser named.
func TestAFormComesThroughAProxy(t *testing.T) {
	const public = "https://desk.example.com"
	tokens := auth.NewTokens(filepath.Join(t.TempDir(), "tokens.json"))
	s := newSecured(t, func(o *Options) { o.Gate = auth.New(auth.Options{Tokens: tokens, Public: public, Log: o.Log}) })
	s.tokens = tokens
	run := s.failedRun()
	secret := strings.TrimPrefix(s.holder(auth.Token{Name: "person", Mode: auth.Act, Operator: true}).Get("Authorization"), "Bearer ")
	browser := &reader{t, s.url, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	behind := func(method, path string, form url.Values, origin, cookie string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {origin}, "Cookie": {cookie}}
		res, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	login := behind(http.MethodPost, "/login", url.Values{"token": {secret}}, public, "")
	login.Body.Close()
	cookie, _, _ := strings.Cut(login.Header.Get("Set-Cookie"), ";")
	_, page := browser.done(behind(http.MethodGet, "/runs/"+run+"/resume", nil, public, cookie), nil)
	token := formToken.FindStringSubmatch(page)
	if token == nil {
		t.Fatal(page)
	}
	for origin, want := range map[string]int{public: http.StatusSeeOther, "https://desk.example.com.evil": http.StatusForbidden, "http://localhost": http.StatusUnauthorized} {
		if status, page := browser.done(behind(http.MethodPost, "/runs/"+run+"/resume", url.Values{"token": {token[1]}}, origin, cookie), nil); status != want {
			t.Errorf("from %s: %d, want %d: %s", origin, status, want, page)
		}
	}
}

// TestStaleFormKeepsItsEntries sends forms of pages from before the server was
// started again: each page is shown again, with what was entered.
func TestStaleFormKeepsItsEntries(t *testing.T) {
	s := newSecured(t)
	s.save("greet", "variables: {who: {type: string}}\nsteps: [{tool_name: delay, arguments: {duration: 1ms}}]\n")
	run := s.failedRun()
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	for path, form := range map[string]url.Values{
		"/runs/" + run + "/resume": {"inputs": {"who=entered by hand"}},
		"/workflows/greet/run":     {"input.who": {"entered by hand"}},
	} {
		form.Set("token", "of another process")
		status, page := person.send(path, form, nil)
		if status != http.StatusForbidden || !strings.Contains(page, "entered by hand") || !strings.Contains(page, "press the button again") || formToken.FindString(page) == "" {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
	}
}

// TestInputsOnPagesHaveTheTypesOfTheirVariables enters inputs that look like numbers for
// variables that are none, in a form that runs a workflow and in one that resumes a run.
func TestInputsOnPagesHaveTheTypesOfTheirVariables(t *testing.T) {
	s := newSecured(t)
	s.save("order", `variables: {code: {type: string}, size: {type: enum, options: ["1", "2"]}, count: {type: number}}
steps: [{id: end, tool_name: fail, arguments: {message: "${{ toJSON([inputs.code, inputs.size, inputs.count]) }}"}}]
`)
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	said := func(status int, page string) string {
		t.Helper()
		if status != http.StatusOK {
			t.Fatalf("%d\n%s", status, page)
		}
		if h := s.rested(s.lastRun().ID); h.Error != nil {
			return strings.Join(strings.Fields(h.Error.Message), "")
		}
		return ""
	}
	form := url.Values{"token": {person.token("/workflows/order")}, "input.code": {"0123"}, "input.size": {"2"}, "input.count": {"3"}}
	if got := said(person.send("/workflows/order/run", form, nil)); !strings.Contains(got, `["0123","2",3]`) {
		t.Errorf("run: %s", got)
	}
	path := "/runs/" + s.lastRun().ID + "/resume"
	form = url.Values{"token": {person.token(path)}, "inputs": {"code=456\r\n\r\nsize=1\r\ncount=7"}}
	if got := said(person.send(path, form, nil)); !strings.Contains(got, `["456","1",7]`) {
		t.Errorf("resumed: %s", got)
	}
	form["inputs"] = []string{"count=many"}
	if status, page := person.send(path, form, nil); status != http.StatusConflict || !strings.Contains(page, "wanted a number") {
		t.Errorf("an input of another type: %d\n%s", status, page)
	}
}

// rested waits for a run to come to rest.
func (s *secured) rested(run string) engine.Header {
	s.t.Helper()
	runs, err := s.runs.get(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	h, err := runs.Wait(s.t.Context(), run)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// TestFailedFormsReplyWithAPage is about an action that fails: the reply is the page
// again, which may not be cached.
func TestFailedFormsReplyWithAPage(t *testing.T) {
	s := newSecured(t)
	run := s.failedRun()
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	form := url.Values{"token": {person.token("/runs/" + run + "/resume")}, "from": {"nowhere"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/runs/"+run+"/resume", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", s.url)
	res, err := person.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got := []string{res.Status, res.Header.Get("Content-Type"), res.Header.Get("Cache-Control")}
	if diff := cmp.Diff([]string{"409 Conflict", "text/html; charset=utf-8", "no-store"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

var formQuestion = regexp.MustCompile(`name="question" value="([^"]+)"`)

// answer returns the form for the question on the page of a run, with a field of it.
func (r *reader) answer(run, field, value string) url.Values {
	r.t.Helper()
	_, page := r.open("/runs/" + run)
	token, question := formToken.FindStringSubmatch(page), formQuestion.FindStringSubmatch(page)
	if token == nil || question == nil {
		r.t.Fatalf("no question is asked:\n%s", page)
	}
	return url.Values{"token": {token[1]}, "question": {question[1]}, field: {value}}
}

// TestAButtonThatIsPressedTwiceAnswersOnce presses the button of a question twice: the
// next question, which is equal, is not answered.
func TestAButtonThatIsPressedTwiceAnswersOnce(t *testing.T) {
	s := newSecured(t)
	maker := s.greet(modern, s.holder(auth.Token{Name: "maker", Mode: auth.Act}))
	question := byhand.Object{"tool_name": "ask_user", "arguments": byhand.Object{"question": "Remove it?", "choices": []any{"yes", "no"}}}
	_, res := maker.Call(t, "execute_sequence", byhand.Object{"wait": false, "steps": []any{question, question}})
	run := textOfRun(res)
	s.rested(run)
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	form := person.answer(run, "value", "yes")
	for _, want := range []int{200, 409} {
		if status, page := person.send("/runs/"+run+"/answer", form, nil); status != want {
			t.Errorf("%d, want %d: %s", status, want, page)
		}
		if h := s.rested(run); h.Status != engine.Waiting || h.Question.Index != 1 {
			t.Errorf("the run is %s: %+v", h.Status, h.Question)
		}
	}
}

// TestAnAnswerOnAPageIsText is about an answer that looks like a number: the page passes
// it as text, as the command understudy answer does.
func TestAnAnswerOnAPageIsText(t *testing.T) {
	s := newSecured(t)
	maker := s.greet(modern, s.holder(auth.Token{Name: "maker", Mode: auth.Act}))
	_, res := maker.Call(t, "execute_sequence", byhand.Object{"wait": false, "output": "steps.q.result.answer", "steps": []any{
		byhand.Object{"id": "q", "tool_name": "ask_user", "arguments": byhand.Object{"question": "How many?"}},
	}})
	run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	if h := s.rested(run); h.Status != engine.Waiting {
		t.Fatalf("the run is %s: %v", h.Status, res)
	}
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	if status, page := person.send("/runs/"+run+"/answer", person.answer(run, "value", "1"), nil); status != 200 {
		t.Fatalf("%d %s", status, page)
	}
	s.rested(run)
	runs, err := s.runs.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := runs.Report(t.Context(), run, engine.Page{})
	if err != nil || r.Output != "1" {
		t.Errorf("the answer is %#v, %v", r.Output, err)
	}
}
