package notify

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/internal/schedules"
	"understudy/internal/testing/mailbox"
	"understudy/steps"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func failedRun(workflow string, i int) engine.Header {
	return engine.Header{
		ID: fmt.Sprintf("run-%d", i), Workflow: workflow, Status: engine.Failed, Tally: &engine.Tally{Done: []string{"open"}},
		Error: &engine.ErrorRecord{Code: steps.NotFound, Step: "save", Message: "no such element", Blocker: "Update available"},
	}
}

func message() Message { return of(Failed, failedRun("invoice", 1)) }

// TestWebhook posts a message to a real receiver, which verifies its signature.
func TestWebhook(t *testing.T) {
	var header http.Header
	var body []byte
	answer := http.StatusOK
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Location", "http://127.0.0.1/elsewhere")
		w.WriteHeader(answer)
	}))
	defer receiver.Close()
	r := &Receiver{Webhook: receiver.URL, Secret: secret, Local: true}
	m := message()
	m.Picture = []byte("a picture")
	if err := Send(t.Context(), r, m); err != nil {
		t.Fatal(err)
	}
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if want := schedules.Sign(secret, id, at, body); header.Get("webhook-signature") != want || id == "" || strings.Contains(id, ".") {
		t.Errorf("id %q, signature %q, wanted %q", id, header.Get("webhook-signature"), want)
	}
	var got struct {
		Type string
		Data Message
	}
	if err := json.Unmarshal(body, &got); err != nil || got.Type != "run.failed" || got.Data.Step != "save" || string(got.Data.Picture) != "a picture" || got.Data.Outcome.Outcome != engine.StoppedPartly {
		t.Errorf("%v: %s", err, body)
	}
	for _, answer = range []int{http.StatusInternalServerError, http.StatusFound} {
		if err := Send(t.Context(), r, message()); err == nil {
			t.Errorf("an answer of %d was taken for a success", answer)
		}
	}
}

// TestAWebhookOfThisMachine tests that a webhook reaches this machine only if that is
// allowed, by whatever name.
func TestAWebhookOfThisMachine(t *testing.T) {
	asked := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer receiver.Close()
	at, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]"} {
		err := Send(t.Context(), &Receiver{Webhook: "http://" + host + ":" + at.Port(), Secret: secret}, message())
		if err == nil {
			t.Errorf("%s was reached", host)
		}
	}
	if asked > 0 {
		t.Errorf("the service was asked %d times", asked)
	}
}

func TestRefuseLocal(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{
		"127.0.0.1:80": false, "127.9.9.9:80": false, "[::1]:80": false, "0.0.0.0:80": false, "[::]:80": false, "169.254.169.254:80": false, "[fe80::1%eth0]:80": false,
		"[::ffff:127.0.0.1]:80": false, "[64:ff9b::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "224.0.0.1:80": false,
		"203.0.113.7:443": true, "[2001:db8::7]:443": true,
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok {
			rows[net.JoinHostPort(n.IP.String(), "80")] = false
		}
	}
	for address, may := range rows {
		if err := refuseLocal("tcp", address, nil); (err == nil) != may {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestAnErrorHoldsNoAddress tests that a webhook whose address is a secret is not logged.
func TestAnErrorHoldsNoAddress(t *testing.T) {
	for _, local := range []bool{true, false} {
		err := Send(t.Context(), &Receiver{Webhook: "http://127.0.0.1:1/s3cret", Secret: secret, Local: local}, message())
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("local %t: %v", local, err)
		}
	}
}

// TestMail sends a mail to a real server. A hostile name adds no header and no line.
func TestMail(t *testing.T) {
	server := mailbox.Serve(t)
	m := of(Failed, failedRun("in\r\nBcc: eve@example.com\r\n\r\nvoice", 1))
	m.Address, m.Picture = "https://robot.example/", []byte("a picture")
	r := &Receiver{Mail: &Mail{Server: server.Address, From: "robot@example.com", To: []string{"ada@example.com", "bob@example.com"}, Plain: true}}
	if err := Send(t.Context(), r, m); err != nil {
		t.Fatal(err)
	}
	mails := server.Mails()
	if len(mails) != 1 || !slices.Equal(mails[0].To, r.Mail.To) {
		t.Fatalf("received: %+v", mails)
	}
	text := strings.ReplaceAll(mails[0].Text, "\r\n ", " ") // long headers are folded
	for _, want := range []string{"Subject: Understudy: failed: in", "at save", "not_found", "Update available", "stopped, and this much is done: open", "https://robot.example/runs/", "Content-Type: image/png", base64.StdEncoding.EncodeToString(m.Picture)} {
		if !strings.Contains(text, want) {
			t.Errorf("wanted %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\nBcc:") {
		t.Errorf("a name added a header:\n%s", text)
	}
}

// TestCommand gives a message to a command, as JSON and not in its arguments.
func TestCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "message")
	if err := Send(t.Context(), &Receiver{Command: []string{"sh", "-c", `cat >"$0"`, file}}, message()); err != nil {
		t.Fatal(err)
	}
	var got Message
	raw, err := os.ReadFile(file)
	if err := errors.Join(err, json.Unmarshal(raw, &got)); err != nil || got.Workflow != "invoice" {
		t.Errorf("%v: %s", err, raw)
	}
	if err := Send(t.Context(), &Receiver{Command: []string{"false"}}, message()); err == nil {
		t.Error("a command that failed was taken for a success")
	}
}

// stored are the runs of a store that holds what a test says.
type stored struct {
	engine.Runs
	list   func(engine.Query) []engine.Header
	report engine.Report
	files  map[string][]byte // hash → content
}

func (s stored) List(_ context.Context, q engine.Query) ([]engine.Header, error) {
	return s.list(q), nil
}

func (s stored) Report(context.Context, string, engine.Page) (engine.Report, error) {
	return s.report, nil
}

func (s stored) File(_ context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if raw, ok := s.files[hash]; ok && sort == engine.Captures {
		return raw, nil
	}
	return nil, steps.Errorf(steps.NotFound, "no file %s", hash)
}

// TestPictures tests who is sent the last picture of the run that a message tells of.
func TestPictures(t *testing.T) {
	step := func(hashes ...string) (s engine.StepReport) {
		for _, h := range hashes {
			s.Captures = append(s.Captures, engine.CaptureReport{Hash: h})
		}
		return s
	}
	files := map[string][]byte{"opened": []byte("opened"), "failed": []byte("failed"), "huge": make([]byte, mostPicture+1)}
	for says, row := range map[string]struct {
		r     Receiver
		steps []engine.StepReport
		want  string
	}{
		"the last picture of the last step":            {Receiver{Picture: true}, []engine.StepReport{step("opened"), step("opened", "failed")}, "failed"},
		"of the step before, if the last only looks":   {Receiver{Picture: true}, []engine.StepReport{step("opened"), step()}, "opened"},
		"nobody who does not ask for it":               {Receiver{}, []engine.StepReport{step("failed")}, ""},
		"none of a run without pictures":               {Receiver{Picture: true}, []engine.StepReport{step()}, ""},
		"a picture that is gone stops no message":      {Receiver{Picture: true}, []engine.StepReport{step("gone")}, ""},
		"a picture that is too large stops no message": {Receiver{Picture: true}, []engine.StepReport{step("huge")}, ""},
	} {
		t.Run(says, func(t *testing.T) {
			var got []Message
			n := start(config(row.r), stored{report: engine.Report{Steps: row.steps}, files: files}, nil, slog.New(slog.DiscardHandler), func(_ context.Context, _ *Receiver, m Message) error {
				got = append(got, m)
				return nil
			})
			n.Observe(failedRun("invoice", 1), engine.Event{Type: engine.EvFinished})
			n.Close()
			if len(got) != 1 || string(got[0].Picture) != row.want {
				t.Errorf("wanted one message with the picture %q, got %d: %v", row.want, len(got), got)
			}
		})
	}
}

// sent plays what runs do at minutes, and returns what a receiver is told, with the minute.
func sent(t *testing.T, c Config, fails int, runs map[int][]engine.Header, until time.Duration, last ...engine.Header) (got []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		send := func(_ context.Context, _ *Receiver, m Message) error {
			if fails > 0 {
				fails--
				return io.ErrUnexpectedEOF
			}
			got = append(got, fmt.Sprintf("%d: %s", int(time.Since(began).Minutes()), m.Subject()))
			return nil
		}
		earlier := stored{list: func(engine.Query) []engine.Header { return last }}
		n := start(c, earlier, nil, slog.New(slog.DiscardHandler), send)
		for at := range int(until.Minutes()) {
			for _, h := range runs[at] {
				n.Observe(h, engine.Event{Type: engine.EvFinished})
			}
			time.Sleep(time.Minute)
		}
		n.Close()
	})
	return got
}

func config(r Receiver) Config {
	return Config{Wait: operations.Period(time.Minute), Again: operations.Period(12 * time.Hour), PerHour: 3, Receivers: map[string]*Receiver{"ops": &r}}
}

func TestGrouping(t *testing.T) {
	many := func(names ...string) (all []engine.Header) {
		for i, w := range names {
			all = append(all, failedRun(w, i))
		}
		return all
	}
	waits := engine.Header{ID: "w", Workflow: "pay", Status: engine.Waiting, Tally: &engine.Tally{}, Question: &engine.Question{Step: "sure", Sort: "ask_user", Text: "?"}}
	well := engine.Header{ID: "z", Workflow: "invoice", Status: engine.Succeeded, Tally: &engine.Tally{}}
	named := failedRun("other", 1)
	named.Notify = "ops"
	for _, row := range []struct {
		says  string
		r     Receiver
		fails int
		runs  map[int][]engine.Header
		until time.Duration
		last  []engine.Header
		want  []string
	}{
		{"runs with one cause are one message", Receiver{}, 0, map[int][]engine.Header{0: many("a", "a", "b", "a")}, time.Hour, nil, []string{"1: failed: a at save (3 runs)", "1: failed: b at save"}},
		{"a cause is told again only after long", Receiver{}, 0, map[int][]engine.Header{0: many("a"), 20: many("a"), 30: many("a")}, 13 * time.Hour, nil, []string{"1: failed: a at save", "721: failed: a at save (2 runs)"}},
		{"a message that is not delivered is tried again", Receiver{}, 2, map[int][]engine.Header{0: many("a")}, time.Hour, nil, []string{"7: failed: a at save"}},
		{"but not for ever", Receiver{}, 100, map[int][]engine.Header{0: many("a")}, 12 * time.Hour, nil, nil},
		{"messages are bounded by the hour", Receiver{}, 0, map[int][]engine.Header{0: many("a", "b", "c", "d")}, 90 * time.Minute, nil, []string{"1: failed: a at save", "1: failed: b at save", "1: failed: c at save", "61: failed: d at save"}},
		{"the end of the process delivers what waits", Receiver{}, 0, map[int][]engine.Header{0: many("a")}, time.Minute, nil, []string{"1: failed: a at save"}},
		{"a receiver hears only of its events", Receiver{On: []Occasion{Waiting}}, 0, map[int][]engine.Header{0: append(many("a"), waits)}, time.Hour, nil, []string{"1: waiting: pay at sure"}},
		{"and of its workflows", Receiver{Workflows: []string{"b"}}, 0, map[int][]engine.Header{0: many("a", "b")}, time.Hour, nil, []string{"1: failed: b at save"}},
		{"or of those that name it", Receiver{Named: true}, 0, map[int][]engine.Header{0: append(many("a"), named)}, time.Hour, nil, []string{"1: failed: other at save"}},
		{"a success after a success is no news", Receiver{}, 0, map[int][]engine.Header{0: {well}}, time.Hour, []engine.Header{well}, nil},
		{"a success after a failure is", Receiver{}, 0, map[int][]engine.Header{0: {well}}, time.Hour, many("invoice"), []string{"1: recovered: invoice"}},
		{"a single call is no news", Receiver{}, 0, map[int][]engine.Header{0: {{ID: "c", Call: "log", Status: engine.Failed, Tally: &engine.Tally{}}}}, time.Hour, nil, nil},
	} {
		t.Run(row.says, func(t *testing.T) {
			if diff := cmp.Diff(row.want, sent(t, config(row.r), row.fails, row.runs, row.until, row.last...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	for says, row := range map[string]struct{ text, want string }{
		"no file tells nobody":            {"", ""},
		"a webhook":                       {`{"receivers": {"ops": {"webhook": "https://example.com/x", "secret": "` + secret + `"}}, "wait": "1m"}`, ""},
		"a key that is misspelled":        {`{"recievers": {}}`, "recievers"},
		"two ways at once":                {`{"receivers": {"ops": {"desktop": true, "command": ["true"]}}}`, "found 2"},
		"no way":                          {`{"receivers": {"ops": {}}}`, "found 0"},
		"nothing under a name":            {`{"receivers": {"ops": null}}`, "empty"},
		"an event that does not exist":    {`{"receivers": {"ops": {"desktop": true, "on": ["never"]}}}`, "never"},
		"a mail to nobody":                {`{"receivers": {"ops": {"mail": {"server": "a:1", "from": "b@c.d"}}}}`, "from and to"},
		"a webhook that cannot be signed": {`{"receivers": {"ops": {"webhook": "https://example.com"}}}`, "secret"},
		"a picture for a desktop":         {`{"receivers": {"ops": {"desktop": true, "picture": true}}}`, "picture"},
		"a webhook that is no address":    {`{"receivers": {"ops": {"webhook": "file:///etc/passwd", "secret": "whsec_x"}}}`, "not an address"},
	} {
		t.Run(says, func(t *testing.T) {
			home := t.TempDir()
			if row.text != "" {
				if err := os.WriteFile(filepath.Join(home, FileName), []byte(row.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Load(home)
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSchedulesThatBeganNoRunAreTold has two schedules note why they began no run.
func TestSchedulesThatBeganNoRunAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		entry := func(name string, minutes ...int) schedules.Entry {
			e := schedules.Entry{Schedule: schedules.Schedule{Name: name, Workflow: "pay"}}
			for _, m := range minutes {
				e.State.Notes = append(e.State.Notes, schedules.Note{At: began.Add(time.Duration(m) * time.Minute).Truncate(time.Second), Text: "missed the tick"})
			}
			return e
		}
		list := func(context.Context) ([]schedules.Entry, error) {
			return []schedules.Entry{entry("nightly", -5, 3, 3, 90), entry("weekly", 10)}, nil
		}
		c := config(Receiver{Picture: true, Schedules: []string{"nightly"}})
		c.Address = "https://robot.example/"
		var got []string
		n := start(c, stored{}, list, slog.New(slog.DiscardHandler), func(_ context.Context, _ *Receiver, m Message) error {
			got = append(got, fmt.Sprintf("%d: %s: %s", int(time.Since(began).Minutes()), m.Subject(), m.Body()))
			return nil
		})
		time.Sleep(time.Hour)
		n.Close()
		want := []string{"5: missed: pay at nightly (2 times): missed the tick\nhttps://robot.example/inbox\n"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRunsThatAProcessLeftBehindAreTold has a process begin after another was killed, twice.
func TestRunsThatAProcessLeftBehindAreTold(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "notified")
	at := time.Now()
	left := []engine.Header{
		{ID: "cut", Workflow: "pay", Status: engine.Interrupted, UpdatedAt: at.Add(-time.Hour), ResumeFrom: "send", Tally: &engine.Tally{}},
		{ID: "of-last-month", Workflow: "old", Status: engine.Interrupted, UpdatedAt: at.Add(-31 * 24 * time.Hour), Tally: &engine.Tally{}},
		{ID: "looks", Workflow: "look", Status: engine.Interrupted, UpdatedAt: at},
	}
	begin := func() (told []string) {
		n := start(Config{PerHour: 30, Receivers: map[string]*Receiver{"ops": {}}, mark: mark}, stored{list: func(q engine.Query) []engine.Header {
			if len(q.Status) != 1 || q.Status[0] != engine.Interrupted {
				t.Errorf("listed %v", q.Status)
			}
			return left
		}}, nil, slog.New(slog.DiscardHandler), func(_ context.Context, _ *Receiver, m Message) error {
			told = append(told, m.Subject())
			return nil
		})
		n.Close()
		return told
	}
	for i, want := range [][]string{{"interrupted: pay at send"}, nil} {
		if diff := cmp.Diff(want, begin()); diff != "" {
			t.Errorf("process %d: %s", i, diff)
		}
	}
	left[0].UpdatedAt = time.Now().Add(time.Second) // it was resumed, and cut short again
	if diff := cmp.Diff([]string{"interrupted: pay at send"}, begin()); diff != "" {
		t.Error(diff)
	}
}
