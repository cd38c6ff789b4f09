package mcpserver

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/bulk"
	"understudy/internal/schedules"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/storetest"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// formCause matches the cause that a form of the inbox is about.
var formCause = regexp.MustCompile(`name="cause" value="([0-9a-f]+)"`)

// dismissal matches the token of the forms that dismiss.
var dismissal = regexp.MustCompile(`action="/inbox/dismiss"><input type="hidden" name="token" value="([0-9a-f]+)"`)

// withPlans has a server that keeps plans and schedules.
func withPlans(t *testing.T) *secured {
	t.Helper()
	return newSecured(t, func(o *Options) {
		o.Plans, o.Schedules = bulk.Folder(t.TempDir()), schedules.NewFolder(t.TempDir())
		o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}}
	})
}

// plansToken returns the token of the forms that make plans.
func (r *reader) plansToken() string {
	r.t.Helper()
	return r.token("/runs") // the list of runs has no other form
}

// TestAPlanThatIsRefusedSaysSo presses the button of a plan whose steps the person may not
// do: the run stays as it is, and the page says why.
func TestAPlanThatIsRefusedSaysSo(t *testing.T) {
	s := withPlans(t)
	maker := s.greet(modern, s.holder(auth.Token{Name: "maker", Mode: auth.Act}))
	_, res := maker.Call(t, "execute_sequence", document("read_file", byhand.Object{"path": "/nowhere"}))
	run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true, Toolsets: []steps.Toolset{steps.Core, steps.Runs}})
	status, page := person.send("/plans", url.Values{"token": {person.plansToken()}, "act": {"resume"}, "where": {"true"}}, nil)
	if status != http.StatusOK || strings.Contains(page, "not allowed") {
		t.Fatalf("%d %s", status, page)
	}
	status, page = person.send("/plans/"+s.o.Plans.List()[0]+"/do", url.Values{"token": {formTokenIn(t, page)}}, nil)
	if status != http.StatusOK || !strings.Contains(page, "read_file is not allowed") {
		t.Errorf("%d %s", status, page)
	}
	if h, err := s.engine.Get(t.Context(), run); err != nil || h.Attempt != 1 {
		t.Errorf("attempt %d, %v", h.Attempt, err)
	}
}

// TestAPersonResumesACauseOnItsPage goes from the inbox over the plan to second attempts.
func TestAPersonResumesACauseOnItsPage(t *testing.T) {
	s := withPlans(t)
	runs := []string{s.failedRun(), s.failedRun()}
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	_, page := person.open("/inbox")
	cause := formCause.FindStringSubmatch(page)
	if cause == nil || !strings.Contains(page, "Plan to resume all 2…") {
		t.Fatalf("the inbox offers no plan:\n%s", page)
	}
	status, page := person.send("/plans", url.Values{"token": {person.plansToken()}, "cause": {cause[1]}, "act": {"resume"}}, nil)
	if status != http.StatusOK || !strings.Contains(page, "Resume 2 runs") {
		t.Fatalf("%d %s", status, page)
	}
	for _, id := range runs {
		if h, err := s.engine.Get(t.Context(), id); err != nil || h.Attempt != 1 {
			t.Errorf("the plan acted: attempt %d, %v", h.Attempt, err)
		}
	}
	plan := "/plans/" + s.o.Plans.List()[0]
	for range 2 { // the second press of the button does nothing
		if status, page := person.send(plan+"/do", url.Values{"token": {formTokenIn(t, page)}}, nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, page)
		}
		for _, id := range runs {
			for h, err := s.engine.Get(t.Context(), id); ; h, err = s.engine.Await(t.Context(), id, h.Seq) {
				if err != nil {
					t.Fatal(err)
				}
				if h.Attempt == 2 && h.Status == engine.Failed {
					break
				}
				if h.Attempt > 2 {
					t.Fatalf("attempt %d", h.Attempt)
				}
			}
		}
	}
	if _, page := person.open(plan); !strings.Contains(page, "<b>2</b> done") || strings.Contains(page, "Resume 2 runs") {
		t.Errorf("the plan says:\n%s", page)
	}
	_, page = person.open("/inbox")
	cause = formCause.FindStringSubmatch(page)
	if cause == nil {
		t.Fatal(page)
	}
	if status, page := person.send("/inbox/dismiss", url.Values{"token": {dismissal.FindStringSubmatch(page)[1]}, "cause": {cause[1]}, "reason": {"of no use"}}, nil); status != http.StatusOK || !strings.Contains(page, "Nothing needs you") {
		t.Errorf("%d %s", status, page)
	}
	_, page = person.open("/audit")
	by := regexp.MustCompile(`href="(/audit\?by=[^"]+)"><bdi>person`).FindStringSubmatch(page)
	if by == nil || strings.Count(page, "of no use") != 2 {
		t.Fatalf("who did what:\n%s", page)
	}
	if _, page := person.open(html.UnescapeString(by[1])); strings.Count(page, "of no use") != 2 {
		t.Errorf("the acts of the person:\n%s", page)
	}
}

// TestARunThatSomebodyResumedIsLeftOutOfThePlan has a client resume one of the two runs of a
// plan before the plan is carried out on its page, or by the tool.
func TestARunThatSomebodyResumedIsLeftOutOfThePlan(t *testing.T) {
	for _, way := range []string{"page", "tool"} {
		t.Run(way, func(t *testing.T) {
			s := withPlans(t)
			changed, open := s.failedRun(), s.failedRun()
			person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
			_, page := person.send("/plans", url.Values{"token": {person.plansToken()}, "act": {"resume"}, "where": {"true"}}, nil)
			plan := s.o.Plans.List()[0]
			h, err := s.engine.Resume(t.Context(), changed, engine.ResumeRequest{Queue: true})
			if err == nil {
				_, err = s.engine.Wait(t.Context(), h.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
			if way == "page" {
				person.send("/plans/"+plan+"/do", url.Values{"token": {formTokenIn(t, page)}}, nil)
			} else {
				boss := s.greet(modern, s.holder(auth.Token{Name: "boss", Mode: auth.Act, Runs: auth.AllRuns}))
				boss.Call(t, "carry_out", byhand.Object{"plan": plan})
				s.inflight.detached.Wait()
				if _, res := boss.Call(t, "show_plan", byhand.Object{"plan": plan}); !strings.Contains(byhand.Said(res), "they changed since: "+changed) {
					t.Error(byhand.Said(res))
				}
			}
			s.inflight.detached.Wait()
			for _, id := range []string{changed, open} {
				if h, err := s.engine.Get(t.Context(), id); err != nil || h.Attempt != 2 {
					t.Errorf("attempt %d, %v", h.Attempt, err)
				}
			}
			_, page = person.open("/plans/" + plan)
			if row := between(t, page, `<a href="/runs/`+changed, "</tr>"); !strings.Contains(row, "changed since, left alone") {
				t.Errorf("the row of the run that changed: %s", row)
			}
			if row := between(t, page, `<a href="/runs/`+open, "</tr>"); !strings.Contains(row, "done") {
				t.Errorf("the row of the other: %s", row)
			}
		})
	}
}

// remover can only remove runs.
type remover struct {
	engine.Maintainer

	store *storetest.Memory
}

func (r remover) Remove(ctx context.Context, run string) error { return r.store.Remove(ctx, run) }

// TestWhoRemovedRunsByAPlanIsKept removes two runs of different clients.
func TestWhoRemovedRunsByAPlanIsKept(t *testing.T) {
	s := withPlans(t)
	s.engine.Maintainer = remover{store: s.engine.Store.(*storetest.Memory)}
	runs := []string{s.failedRun(), s.failedRun()}
	person := s.reader(auth.Token{Name: "person", Mode: auth.Act, Operator: true})
	_, page := person.send("/plans", url.Values{"token": {person.plansToken()}, "act": {"rm"}, "where": {"true"}}, nil)
	if status, page := person.send("/plans/"+s.o.Plans.List()[0]+"/do", url.Values{"token": {formTokenIn(t, page)}}, nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	s.inflight.detached.Wait()
	acts, err := s.o.Audit.Acts("", func(a audit.Act) bool { return a.Verb == audit.Removed })
	if err != nil || len(acts) != 2 {
		t.Fatalf("%+v, %v", acts, err)
	}
	for _, a := range acts {
		if !slices.Contains(runs, a.Run) || !strings.HasPrefix(a.By, "person") || !strings.HasPrefix(a.Owner, "maker") {
			t.Errorf("%+v", a)
		}
	}
	if _, page := person.open("/audit"); strings.Count(page, runs[0]) == 0 {
		t.Errorf("the page:\n%s", page)
	}
}

func formTokenIn(t *testing.T, page string) string {
	t.Helper()
	m := formToken.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("there is no form:\n%s", page)
	}
	return m[1]
}

// TestWhoMayOnlyLookChangesNothingByForms has somebody with a token for ask mode send each
// form of the pages for many runs.
func TestWhoMayOnlyLookChangesNothingByForms(t *testing.T) {
	s := withPlans(t)
	run := s.failedRun()
	boss := s.reader(auth.Token{Name: "boss", Mode: auth.Act, Operator: true})
	status, page := boss.send("/plans", url.Values{"token": {boss.plansToken()}, "act": {"rm"}, "where": {"true"}}, nil)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	plan := "/plans/" + s.o.Plans.List()[0]
	_, page = boss.open("/inbox")
	cause := formCause.FindStringSubmatch(page)
	if cause == nil {
		t.Fatal(page)
	}
	for _, runsOf := range []string{auth.AllRuns, auth.OwnRuns} {
		asks := s.reader(auth.Token{Name: "asks-" + runsOf, Mode: auth.Ask, Runs: runsOf})
		for path, form := range map[string]url.Values{
			"/inbox/dismiss": {"cause": {cause[1]}, "reason": {"mine now"}},
			"/plans":         {"act": {"resume"}, "where": {"true"}},
			plan + "/do":     {},
		} {
			var tokens []string
			for _, of := range []string{"/inbox", "/runs"} {
				_, page := asks.open(of)
				for _, m := range formToken.FindAllStringSubmatch(page, -1) {
					tokens = append(tokens, m[1])
				}
			}
			for _, token := range append(tokens, "") {
				form.Set("token", token)
				if status, page := asks.send(path, form, nil); status == http.StatusOK {
					t.Errorf("%s by %s: %d\n%s", path, runsOf, status, page)
				}
			}
		}
	}
	if h, err := s.engine.Get(t.Context(), run); err != nil || h.Attempt != 1 || h.Status != engine.Failed {
		t.Errorf("the run is %s in attempt %d, %v", h.Status, h.Attempt, err)
	}
	if _, page := boss.open("/inbox"); !strings.Contains(page, cause[1]) {
		t.Errorf("it was dismissed:\n%s", page)
	}
	if kept, err := os.ReadDir(string(s.o.Plans)); err != nil || len(kept) != 1 {
		t.Errorf("%d plans, %v", len(kept), err)
	}
}

// TestHostileNamesInPagesOfMany has names with markup in everything that the inbox, a plan,
// the schedules and the trail show.
func TestHostileNamesInPagesOfMany(t *testing.T) {
	s := withPlans(t)
	const evil = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)>` + "\u202e"
	maker := s.greet(modern, s.holder(auth.Token{Name: "maker", Mode: auth.Act}))
	args := document("fail", byhand.Object{"message": evil + "${{ inputs }}"})
	args["name"] = evil
	if _, res := maker.Call(t, "execute_sequence", args); textOfRun(res) == "" {
		t.Fatal(res)
	}
	boss := s.reader(auth.Token{Name: "boss", Mode: auth.Act, Operator: true})
	_, page := boss.open("/inbox")
	cause := formCause.FindStringSubmatch(page)
	if cause == nil {
		t.Fatal(page)
	}
	for _, form := range []url.Values{{"act": {"resume"}, "cause": {cause[1]}}, {"act": {"rm"}, "where": {`workflow != "` + strings.ReplaceAll(evil, `"`, `\"`) + `x"`}}} {
		form.Set("token", boss.plansToken())
		if status, page := boss.send("/plans", form, nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, page)
		}
	}
	if status, page := boss.send("/inbox/dismiss", url.Values{"token": {dismissal.FindStringSubmatch(page)[1]}, "cause": {cause[1]}, "reason": {evil}}, nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	paths := []string{"/inbox", "/runs?where=" + url.QueryEscape(evil), "/audit", "/audit?by=" + url.QueryEscape(evil), "/schedules"}
	for _, id := range s.o.Plans.List() {
		paths = append(paths, "/plans/"+id)
	}
	seen := false
	for _, path := range paths {
		_, page := boss.open(path)
		seen = seen || strings.Contains(page, html.EscapeString("<script>alert(1)"))
		page = strings.Replace(page, `<script src="/pages/page.js" defer></script>`, "", 1)
		if strings.Contains(page, "<script") && strings.Contains(page, "<html") || strings.Contains(page, "<img src=x") && strings.Contains(page, "<html") {
			t.Errorf("%s:\n%s", path, page)
		}
	}
	if !seen {
		t.Error("no page has the name")
	}
}
