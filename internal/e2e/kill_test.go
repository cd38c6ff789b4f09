//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual/virtualtest"
)

// journal is an application that writes down what is done to it.
type journal struct {
	workflow string
	setup    func(*stage)
	clicks   func(*stage) []string
	beats    func(*stage) int // grows while it lives, after what was done to it
}

func journals() map[string]journal {
	page := &clickPage{}
	return map[string]journal{
		"a window of GTK": {
			workflow: "witness_clicks", setup: witness(""),
			clicks: func(s *stage) []string { return s.log("clicked") },
			beats: func(s *stage) int {
				info, err := os.Stat(filepath.Join(s.dir, "witness.log.state"))
				if err != nil {
					return 0
				}
				return int(info.ModTime().UnixMicro())
			},
		},
		"a page in a browser": {
			workflow: "chromium_clicks", setup: page.serve,
			clicks: func(*stage) []string { return page.done() }, beats: func(*stage) int { return page.beats() },
		},
	}
}

// clickPage is a page with two buttons that tells its server of each click, one
// after the other, and now and then that it lives.
type clickPage struct {
	mu     sync.Mutex
	clicks []string
	alive  int
}

const clickPageText = `<!doctype html><title>Two buttons</title><script>
function tell(what) { const r = new XMLHttpRequest(); r.open("POST", what, false); r.send() }
setInterval(() => tell("/alive"), 100)
</script><button onclick="tell('/OK')">OK</button> <button onclick="tell('/Apply')">Apply</button>`

func (p *clickPage) serve(s *stage) {
	virtualtest.Need(s.t, "chromium")
	p.mu.Lock()
	p.clicks = nil
	p.mu.Unlock()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case r.Method != http.MethodPost:
			_, _ = io.WriteString(w, clickPageText)
		case r.URL.Path == "/alive":
			p.alive++
		default:
			p.clicks = append(p.clicks, "clicked "+r.URL.Path[1:])
		}
	}))
	s.t.Cleanup(server.Close)
	s.setenv("UNDERSTUDY_INPUT_ADDRESS=" + server.URL)
}

func (p *clickPage) done() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.clicks)
}

func (p *clickPage) beats() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alive
}

// A run whose process is killed between or during its clicks is resumed, and
// the application's own log says that each button was clicked once, in order.
func TestAKilledRunClicksNothingTwice(t *testing.T) {
	for name, app := range journals() {
		for _, after := range []int{1, 7, 16} {
			t.Run(fmt.Sprintf("%s, killed after %d clicks", name, after), func(t *testing.T) { app.killed(t, after) })
		}
	}
}

func (j journal) killed(t *testing.T, after int) {
	s := newStage(t, desktop.Size{})
	j.setup(s)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "run", s.testdata(j.workflow+".yaml"))
	cmd.Env = append(os.Environ(), commandVariable+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(j.clicks(s)) < after {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before it was killed, after %d clicks: %v\n%s", len(j.clicks(s)), err, &out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the run ended before it was killed: %v\n%s", err, &out)
	}
	j.settle(s)
	j.finish(s)
	var want []string
	for range 20 {
		want = append(want, "clicked OK", "clicked Apply")
	}
	j.settle(s)
	if got := j.clicks(s); !slices.Equal(got, want) {
		t.Errorf("killed after %d clicks and resumed: wanted %d clicks in turn, found %q", after, len(want), got)
	}
}

// settle waits until the application has seen all that was done to it: it says
// twice that it lives.
func (j journal) settle(s *stage) {
	s.t.Helper()
	for range 2 {
		seen := j.beats(s)
		if err := eventually(s.t.Context(), func() error {
			if j.beats(s) == seen {
				return errors.New("the application does not say that it lives")
			}
			return nil
		}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// finish resumes the last run as an operator does who sees the application's
// log: a click in doubt is done again only when the application does not know
// of it.
func (j journal) finish(s *stage) {
	s.t.Helper()
	status, out, errOut := s.command("resume", "last", "--json")
	if status == 5 { // in doubt
		_, list, _ := s.command("runs", "show", "last", "--json")
		var r engine.Report
		if err := json.Unmarshal([]byte(list), &r); err != nil {
			s.t.Fatalf("the report of the run: %v\n%s", err, list)
		}
		done := 0
		for _, st := range r.Steps {
			if st.Kind == "click_element" && st.Status == "success" {
				done++
			}
		}
		choice := "--redo"
		if len(j.clicks(s)) > done {
			choice = "--skip"
		}
		status, out, errOut = s.command("resume", "last", choice, "--json")
	}
	if status != 0 {
		s.t.Fatalf("the resumed run ended with status %d\n%s%s", status, out, errOut)
	}
}
