package viewer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/recorder/compile"
)

// tape is a recording of a click on an element with a hostile name, and of typed text.
type tape struct {
	events    []recorder.Event
	commanded []recorder.Command
	changed   chan struct{}
	done      chan struct{}
}

func newTape() *tape {
	w := desktop.Window{ID: 1, Title: "Ledger", Process: "ledger", PID: 7, Active: true}
	button := &recorder.Seen{Element: desktop.Element{Role: "button", Name: "<script>alert(1)</script>", Window: 1, PID: 7}}
	field := &recorder.Seen{Element: desktop.Element{Role: "entry", Name: "Name", Window: 1, PID: 7}}
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	return &tape{changed: make(chan struct{}), done: make(chan struct{}), events: []recorder.Event{
		{Type: recorder.Begun, Time: at, Windows: []desktop.Window{w}},
		{Type: recorder.Pressed, Time: at, Button: desktop.Left, Element: button, Picture: "1.png"},
		{Type: recorder.Released, Time: at, Button: desktop.Left},
		{Type: recorder.Focused, Time: at, Field: 1, Element: field},
		{Type: recorder.Typed, Time: at, Field: 1, Key: "a", Text: "a"},
	}}
}

func (t *tape) Status() recorder.Status {
	select {
	case <-t.done:
		return recorder.Status{Ended: true}
	default:
		return recorder.Status{}
	}
}
func (t *tape) Changed() <-chan struct{} { return t.changed }
func (t *tape) Done() <-chan struct{}    { return t.done }
func (t *tape) Events() []recorder.Event { return t.events }

func (t *tape) Command(command recorder.Command, _ desktop.Point) {
	t.commanded = append(t.commanded, command)
	if command == recorder.Stop {
		close(t.done)
	}
}

func (t *tape) Edit(e recorder.Edit) error {
	c := compile.New()
	for _, ev := range t.events {
		c.Add(ev)
	}
	if _, err := c.Fit(e); err != nil {
		return err
	}
	t.events = append(t.events, recorder.Event{Type: recorder.Edited, Edit: &e})
	return nil
}

// person is a browser that was given the address of a page.
type person struct {
	t    *testing.T
	http *http.Client
	site string
	tape *tape
	file string // the text that was written
}

func recordingFor(t *testing.T) *person {
	p := &person{t: t, tape: newTape()}
	dir := t.TempDir()
	pictures := filepath.Join(dir, "pictures")
	if err := os.MkdirAll(pictures, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{filepath.Join(pictures, "1.png"): "picture", filepath.Join(dir, "secret"): "secret"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page := NewRecording(p.tape, RecordingOptions{
		Name: "order", Pictures: pictures,
		Make: func(seen []recorder.Event) (compile.Made, error) {
			return compile.Recording(seen, compile.Options{Name: "order"})
		},
		Write: func(w compile.Made) error { p.file = string(w.Text); return nil },
		Play: func(_ context.Context, from string, secrets map[string]string) string {
			return fmt.Sprint("played from ", from, secrets)
		},
	})
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.http, p.site = &http.Client{Jar: jar}, server.URL
	if status, text := p.gets(strings.TrimPrefix(page.Address(""), "http://")); status != http.StatusOK || !strings.Contains(text, "recording") {
		t.Fatalf("the address gives %d %s", status, text)
	}
	return p
}

func (p *person) gets(path string) (int, string) { return p.sends(http.MethodGet, path, nil, "") }

func (p *person) posts(path string, form url.Values) (int, string) {
	return p.sends(http.MethodPost, path, form, p.site)
}

func (p *person) sends(method, path string, form url.Values, origin string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.site+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", origin)
	}
	answer, err := p.http.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestARecordingIsChangedOnItsPage(t *testing.T) {
	p := recordingFor(t)
	if _, text := p.gets("/recording"); strings.Contains(text, "<script>alert") || !strings.Contains(text, "&lt;script&gt;alert(1)") {
		t.Errorf("the name of a button is no text:\n%s", text)
	}
	for _, form := range []url.Values{
		{"action": {"rename"}, "step": {"2"}, "text": {"Send it"}},
		{"action": {"note"}, "step": {"3"}, "text": {"his first name"}},
		{"action": {"constant"}, "step": {"3"}},
	} {
		if status, text := p.posts("/recording/edit", form); status != http.StatusOK {
			t.Errorf("%v gave %d: %s", form, status, text)
		}
	}
	if status, text := p.posts("/recording/edit", url.Values{"action": {"secret"}, "step": {"2"}}); status != http.StatusConflict || !strings.Contains(text, "nothing was typed") {
		t.Errorf("a click became a secret: %d %s", status, text)
	}
	if status, _ := p.posts("/recording/play", nil); status != http.StatusConflict || p.file != "" {
		t.Errorf("it was played while it is recorded, with %d, or written: %s", status, p.file)
	}
	_, text := p.posts("/recording/command", url.Values{"command": {"stop"}})
	for _, want := range []string{"id: send_it", "# his first name", "text_to_type: a"} {
		if !strings.Contains(p.file, want) {
			t.Errorf("wanted %q in the file:\n%s", want, p.file)
		}
	}
	if !strings.Contains(text, "written") {
		t.Errorf("the page does not say that it is written:\n%s", text)
	}
	if _, text := p.posts("/recording/play", url.Values{"from": {"send_it"}, "secret.word": {"x"}}); !strings.Contains(text, "played from send_itmap[word:x]") {
		t.Errorf("the page does not say how playing went:\n%s", text)
	}
	if !strings.Contains(p.file, "# uncertain") || !strings.Contains(text, "Will this find it again?") {
		t.Errorf("it is not asked what is uncertain:\n%s", text)
	}
	p.posts("/recording/edit", url.Values{"action": {"confirm"}, "step": {"2"}})
	if before, _, _ := strings.Cut(p.file, "id: send_it"); strings.Contains(before, "# uncertain") {
		t.Errorf("what the person said is right is uncertain still:\n%s", p.file)
	}
	p.posts("/recording/edit", url.Values{"action": {"remove"}, "step": {"2"}})
	if strings.Contains(p.file, "send_it") {
		t.Errorf("what was taken away later is in the file:\n%s", p.file)
	}
}

func TestThePageOfARecordingIsForThePersonAlone(t *testing.T) {
	p := recordingFor(t)
	if status, text := p.sends(http.MethodPost, "/recording/command", url.Values{"command": {"stop"}}, "http://evil.example"); status != http.StatusForbidden || len(p.tape.commanded) > 0 {
		t.Errorf("another site stopped it: %d %s", status, text)
	}
	for path, want := range map[string]int{"/recording/pictures/1.png": http.StatusOK, "/recording/pictures/..%2Fsecret": http.StatusNotFound, "/recording/pictures/2.png": http.StatusNotFound} {
		if status, text := p.gets(path); status != want || strings.Contains(text, "secret") {
			t.Errorf("%s gives %d %s, wanted %d", path, status, text, want)
		}
	}
	stranger := &person{t: t, http: &http.Client{}, site: p.site}
	for _, path := range []string{"/recording", "/recording/events", "/recording/pictures/1.png", "/?key=wrong"} {
		if status, text := stranger.gets(path); status != http.StatusForbidden || strings.Contains(text, "script") {
			t.Errorf("a stranger got %s: %d %s", path, status, text)
		}
	}
}
