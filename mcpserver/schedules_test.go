package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/schedules"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// newScheduleStage makes a server with schedules and two saved workflows.
func newScheduleStage(t *testing.T, adjust ...func(*Options)) (*secured, *schedules.Folder) {
	t.Helper()
	folder := schedules.NewFolder(t.TempDir())
	s := newSecured(t, append([]func(*Options){func(o *Options) { o.Policy, o.Schedules = everything, folder }}, adjust...)...)
	s.saved("greet", "name: greet\nvariables: {who: {type: string}}\nsteps: [{tool_name: log, arguments: {message: 'hello ${{ who }}'}}]")
	s.saved("shell", "steps: [{tool_name: run_command, arguments: {run: 'true'}}]")
	return s, folder
}

func (s *secured) saved(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.o.Folder, name+".yaml"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// scheduled waits until a schedule has begun a run and the run has ended.
func (s *secured) scheduled(name string) engine.Header {
	s.t.Helper()
	for after := uint64(0); ; {
		list, err := s.engine.List(s.t.Context(), engine.Query{Schedule: name})
		if err != nil {
			s.t.Fatal(err)
		}
		if len(list) > 0 {
			return s.rest(list[0].ID)
		}
		news, err := s.engine.Await(s.t.Context(), "", after)
		if err != nil {
			s.t.Fatal(err)
		}
		after = news.Seq
	}
}

// TestAClientHasASchedule uses each tool for schedules as a client does, and checks the
// replies.
func TestAClientHasASchedule(t *testing.T) {
	s, _ := newScheduleStage(t)
	s.RunSchedules()
	v := s.greet(modern, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	other := s.greet(modern, s.holder(auth.Token{Name: "other", Mode: auth.Act, Runs: auth.OwnRuns}))
	daily := byhand.Object{"name": "daily", "workflow": "greet", "cron": "30 6 * * 1-5", "zone": "Europe/Berlin", "input": byhand.Object{"who": "you"}}
	for _, step := range []struct {
		who  byhand.Visitor
		tool string
		args byhand.Object
		want string
	}{
		{v, "add_schedule", byhand.Object{"name": "daily", "workflow": "greet", "cron": "30 6 * * 1-5"}, "who: it is required"},
		{v, "add_schedule", byhand.Object{"name": "daily", "workflow": "gret", "cron": "30 6 * * 1-5"}, "did you mean greet"},
		{v, "add_schedule", byhand.Object{"name": "Daily", "workflow": "greet", "hook": true}, "cannot name a schedule"},
		{v, "add_schedule", byhand.Object{"name": "daily", "workflow": "greet"}, "one of cron, files and hook"},
		{v, "add_schedule", daily, "schedule daily: greet runs 30 6 * * 1-5 Europe/Berlin, next at 20"},
		{v, "add_schedule", daily, "the name daily is taken"},
		{v, "list_schedules", byhand.Object{}, "daily  greet     30 6 * * 1-5 Europe/Berlin  20"},
		{other, "list_schedules", byhand.Object{}, "NAME  WORKFLOW  WHEN  NEXT  OVERLAP  PENDING"},
		{other, "show_schedule", byhand.Object{"name": "daily"}, "there is no schedule daily"},
		{other, "remove_schedule", byhand.Object{"name": "daily"}, "there is no schedule daily"},
		{v, "pause_schedule", byhand.Object{"name": "daily"}, "paused daily"},
		{v, "run_schedule", byhand.Object{"name": "daily"}, "resume it first"},
		{v, "list_schedules", byhand.Object{}, "paused"},
		{v, "resume_schedule", byhand.Object{"name": "daily"}, "resumed daily, next at 20"},
		{v, "run_schedule", byhand.Object{"name": "daily"}, "01"},
	} {
		if _, res := step.who.Call(t, step.tool, step.args); !strings.Contains(byhand.Said(res), step.want) {
			t.Errorf("%s %v: %s, want %q", step.tool, step.args, byhand.Said(res), step.want)
		}
	}
	h := s.scheduled("daily")
	if h.Status != engine.Succeeded || h.Owner != "laptop" || h.Workflow != "greet" {
		t.Errorf("it began %+v", h)
	}
	if _, res := v.Call(t, "show_schedule", byhand.Object{"name": "daily"}); !strings.Contains(byhand.Said(res), "run "+h.ID+" succeeded") {
		t.Errorf("its history: %s", byhand.Said(res))
	}
	if _, res := v.Call(t, "remove_schedule", byhand.Object{"name": "daily"}); !strings.Contains(byhand.Said(res), "removed daily") {
		t.Errorf("removed: %s", byhand.Said(res))
	}
	acts, err := s.o.Audit.Acts("", func(a audit.Act) bool { return a.Verb == audit.ChangedSchedule })
	var kept []string
	for _, a := range acts {
		if a.Owner != "laptop" || a.Thing != "daily" || !strings.HasPrefix(a.By, "laptop") {
			t.Errorf("%+v", a)
		}
		kept = append(kept, a.Detail)
	}
	want := []string{"added: greet runs 30 6 * * 1-5 Europe/Berlin", "paused", "resumed", "run now", "removed"}
	if diff := cmp.Diff(want, kept); diff != "" || err != nil {
		t.Errorf("%v; the trail: -want +got\n%s", err, diff)
	}
}

// TestThePageOfSchedules shows one that waits for its time and has missed one, and one that is
// paused.
func TestThePageOfSchedules(t *testing.T) {
	s, folder := newScheduleStage(t)
	holder := s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	v := s.greet(modern, holder)
	for _, args := range []byhand.Object{
		{"name": "daily", "workflow": "greet", "cron": "30 6 * * 1-5", "zone": "Europe/Berlin", "input": byhand.Object{"who": "you"}},
		{"name": "orders", "workflow": "greet", "hook": true, "input": byhand.Object{"who": "you"}},
	} {
		if _, res := v.Call(t, "add_schedule", args); byhand.IsError(res) {
			t.Fatal(byhand.Said(res))
		}
	}
	v.Call(t, "pause_schedule", byhand.Object{"name": "orders"})
	err := folder.Change(t.Context(), "daily", func(e *schedules.Entry) (*schedules.Entry, error) {
		e.State.Notes = []schedules.Note{{At: time.Now(), Text: "an older note"}, {At: time.Now(), Text: "missed <b>it</b>"}}
		e.State.Pending = []schedules.Firing{{Run: engine.NewKey()}}
		return e, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, page := s.readerWith(holder).open("/schedules")
	for _, want := range []string{"30 6 * * 1-5 Europe/Berlin", `<time datetime="20`, "missed &lt;b&gt;it&lt;/b&gt;", "1 wait", "paused"} {
		if !strings.Contains(page, want) {
			t.Errorf("it lacks %s:\n%s", want, page)
		}
	}
	if strings.Contains(page, "older") {
		t.Errorf("it has more than the last note:\n%s", page)
	}
}

// TestAttackFoldersThatAreWatched has clients watch folders outside the roots, whose files
// they could learn from the errors and the runs.
func TestAttackFoldersThatAreWatched(t *testing.T) {
	outside, in := t.TempDir(), t.TempDir()
	s, folder := newScheduleStage(t, func(o *Options) { o.Roots, o.Private = []string{in, outside + "/data"}, []string{outside + "/data"} })
	s.saved("scan", "variables: {file: {type: string}}\nsteps: [{tool_name: log, arguments: {message: '${{ file }}'}}]")
	if err := errors.Join(os.Symlink(outside, filepath.Join(in, "link")), os.Mkdir(filepath.Join(outside, "data"), 0o700)); err != nil {
		t.Fatal(err)
	}
	v := s.greet(modern, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	for path, want := range map[string]string{
		outside: "out of bounds", outside + "/missing": "out of bounds", in + "/link": "out of bounds", in + "/../" + filepath.Base(outside): "out of bounds",
		outside + "/data": "out of bounds", in: "runs files",
	} {
		_, res := v.Call(t, "add_schedule", byhand.Object{"name": "scan", "workflow": "scan", "files": path + "/*.csv"})
		if !strings.Contains(byhand.Said(res), want) {
			t.Errorf("%s: %s, want %q", path, byhand.Said(res), want)
		}
	}
	if all, err := folder.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestAttackAFolderThatIsExchanged lets a client watch a folder in the roots, and then puts
// a link to another folder in its place, or restarts the server with other roots.
func TestAttackAFolderThatIsExchanged(t *testing.T) {
	outside, in, data := t.TempDir(), t.TempDir(), ""
	folder := schedules.NewFolder(t.TempDir())
	s, _ := newScheduleStage(t, func(o *Options) {
		data = filepath.Join(in, "data")
		o.Roots, o.Private, o.Schedules = []string{in}, []string{data}, folder
	})
	s.saved("scan", "variables: {file: {type: string}}\nsteps: [{tool_name: log, arguments: {message: '${{ file }}'}}]")
	v := s.greet(modern, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	for _, dir := range []string{"away", "private", "part", "stays", "data", "data/runs"} {
		if err := os.Mkdir(filepath.Join(in, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(dir, "data") {
			continue
		}
		if _, res := v.Call(t, "add_schedule", byhand.Object{"name": dir, "workflow": "scan", "files": filepath.Join(in, dir, "*.csv")}); byhand.IsError(res) {
			t.Fatal(byhand.Said(res))
		}
	}
	for link, to := range map[string]string{"away": outside, "private": data, "part": filepath.Join(data, "runs")} {
		if err := errors.Join(os.Remove(filepath.Join(in, link)), os.Symlink(to, filepath.Join(in, link))); err != nil {
			t.Skip("this system makes no links:", err)
		}
	}
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{outside, data, filepath.Join(data, "runs"), filepath.Join(in, "stays")} {
		path := filepath.Join(dir, "secret-name.csv")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	s.RunSchedules()
	s.scheduled("stays")
	noted := func(name, want string) {
		t.Helper()
		for said, end := "", scratch.Deadline(t); !strings.Contains(said, want); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %s, want %q", name, said, want)
			}
			_, res := v.Call(t, "show_schedule", byhand.Object{"name": name})
			if said = byhand.Said(res); strings.Contains(said, "secret-name") {
				t.Fatal(said)
			}
		}
	}
	for _, name := range []string{"away", "private", "part"} {
		noted(name, "out of bounds")
		if list, err := s.engine.List(t.Context(), engine.Query{Schedule: name}); err != nil || len(list) != 0 {
			t.Errorf("%s began %v, %v", name, list, err)
		}
		_, _ = v.Call(t, "pause_schedule", byhand.Object{"name": name})
		if _, res := v.Call(t, "resume_schedule", byhand.Object{"name": name}); !strings.Contains(byhand.Said(res), "out of bounds") {
			t.Errorf("%s is resumed: %s", name, byhand.Said(res))
		}
	}

	other, _ := newScheduleStage(t, func(o *Options) { o.Roots, o.Schedules = []string{outside}, folder })
	all, err := folder.List(t.Context())
	if err != nil || len(all) != 4 {
		t.Fatal(all, err)
	}
	for _, e := range all {
		if root, err := other.scheduler.openFolder(e.Schedule); (err == nil) != (e.Name == "away") {
			t.Errorf("with another root %s: %v, %v", e.Name, root, err)
		}
	}
	all[3].Owner, all[3].Rights = "", nil
	if _, err := other.scheduler.openFolder(all[3].Schedule); err != nil {
		t.Error("the person's folder:", err)
	}
}

// TestAScheduleHasTheRightsOfWhoMadeIt fires schedules whose makers have lost rights, or
// their credential.
func TestAScheduleHasTheRightsOfWhoMadeIt(t *testing.T) {
	s, folder := newScheduleStage(t)
	add := func(who, schedule, workflow string, x auth.Token) string {
		t.Helper()
		x.Name = who
		v := s.greet(modern, s.holder(x))
		_, res := v.Call(t, "add_schedule", byhand.Object{"name": schedule, "workflow": workflow, "cron": "@daily"})
		return byhand.Said(res)
	}
	s.saved("look", "steps: [{tool_name: log, arguments: {message: x}}]")
	for _, c := range []struct {
		who, schedule, workflow string
		x                       auth.Token
		want                    string
	}{
		{"watcher", "a", "look", auth.Token{Mode: auth.Ask}, "ask mode"},
		{"core", "b", "shell", auth.Token{Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core, steps.Schedules}}, "the toolset shell is off"},
		{"gone", "c", "shell", auth.Token{Mode: auth.Act}, "schedule c"},
		{"less", "d", "shell", auth.Token{Mode: auth.Act}, "schedule d"},
		{"stays", "e", "shell", auth.Token{Mode: auth.Act}, "schedule e"},
	} {
		if said := add(c.who, c.schedule, c.workflow, c.x); !strings.Contains(said, c.want) {
			t.Fatalf("%s: %s, want %q", c.schedule, said, c.want)
		}
	}
	if err := s.tokens.Remove("gone"); err != nil {
		t.Fatal(err)
	}
	s.clients.modes.Set("less", access.Limits{Mode: access.Ask})
	all, err := folder.List(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for i, want := range []string{"gone, whose token is no longer valid", "ask mode", ""} {
		f := schedules.Firing{Run: engine.NewKey(), At: time.Now()}
		err := s.scheduler.start(t.Context(), all[i].Schedule, f)
		if want == "" && err == nil && s.rest(f.Run).Status == engine.Succeeded {
			continue
		}
		if want == "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", all[i].Name, err, want)
		}
		if _, err := s.engine.Get(t.Context(), f.Run); want != "" && err == nil {
			t.Errorf("%s began a run", all[i].Name)
		}
	}
}

// TestAMessageBeginsARun calls a webhook of a server that otherwise requires credentials.
func TestAMessageBeginsARun(t *testing.T) {
	s, _ := newScheduleStage(t)
	s.RunSchedules()
	code, body := s.post("/api/schedules/add", `{"name": "greeting", "workflow": "greet", "hook": true}`, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || code != http.StatusOK || made.Secret == "" {
		t.Fatalf("%d, %s", code, body)
	}
	send := func(name, id, body, secret string) (int, string) {
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		return s.post("/hooks/"+name, body, http.Header{
			"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {schedules.Sign(secret, id, stamp, []byte(body))},
		})
	}
	const who = `{"who": "world"}`
	for _, c := range []struct {
		say, name, id, body, secret string
		want                        int
	}{
		{"not signed", "greeting", "1", who, "whsec_AAAA", http.StatusForbidden},
		{"for no webhook", "other", "1", who, made.Secret, http.StatusForbidden},
		{"with an input that the workflow does not have", "greeting", "2", `{"who": "x", "what": 1}`, made.Secret, http.StatusBadRequest},
		{"without what the workflow needs", "greeting", "3", `{}`, made.Secret, http.StatusBadRequest},
		{"too large", "greeting", "4", fmt.Sprintf(`{"who": %q}`, strings.Repeat("x", 70_000)), made.Secret, http.StatusRequestEntityTooLarge},
		{"good", "greeting", "5", who, made.Secret, http.StatusAccepted},
		{"sent again", "greeting", "5", who, made.Secret, http.StatusOK},
	} {
		if code, body := send(c.name, c.id, c.body, c.secret); code != c.want {
			t.Errorf("a message %s: %d %s, want %d", c.say, code, body, c.want)
		}
	}
	if h := s.scheduled("greeting"); h.Status != engine.Succeeded || h.Owner != "laptop" {
		t.Errorf("it began %+v", h)
	}
	if list, _ := s.engine.List(t.Context(), engine.Query{}); len(list) != 1 {
		t.Errorf("%d runs began", len(list))
	}
	if strings.Contains(s.log.String(), made.Secret) {
		t.Error("the secret stands in the log")
	}
}

// TestUnsignedMessagesAreBounded floods webhooks without their secrets.
func TestUnsignedMessagesAreBounded(t *testing.T) {
	dir := t.TempDir()
	s, _ := newScheduleStage(t, func(o *Options) { o.Schedules = schedules.NewFolder(dir) })
	_, body := s.post("/api/schedules/add", `{"name": "greeting", "workflow": "greet", "hook": true}`, s.holder(auth.Token{Name: "laptop", Mode: auth.Act}))
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(body), &made); err != nil {
		t.Fatal(body, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "damaged.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for i := range 30 {
		name := []string{"greeting", "missing", "damaged"}[i%3]
		code, body := s.post("/hooks/"+name, "{}", http.Header{"Webhook-Id": {"x"}})
		if i < 9 {
			answers[body]++
		}
		if want := http.StatusForbidden; i < 9 && code != want || i > 20 && code != http.StatusTooManyRequests {
			t.Errorf("message %d, to %s: %d %s", i, name, code, body)
		}
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
	const message = `{"who": "world"}`
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	code, body := s.post("/hooks/greeting", message, http.Header{
		"Webhook-Id": {"1"}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {schedules.Sign(made.Secret, "1", stamp, []byte(message))},
	})
	if code != http.StatusAccepted {
		t.Errorf("a signed message from there: %d %s", code, body)
	}
}

// post sends JSON to an address.
func (s *secured) post(path, body string, h http.Header) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header = h.Clone()
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, text.String()
}
