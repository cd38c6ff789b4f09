//go:build linux

package lasting

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// starts starts a process that stays, and waits until it says that it is there.
func (o *operator) starts(says string, args ...string) *scratch.Buffer {
	o.Helper()
	said, cmd := &scratch.Buffer{}, o.command(args...)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			o.Errorf("understudy %s: %v\n%s", args[0], err, said)
		}
	})
	o.until(fmt.Sprintf("%s says %q", args[0], says), func() bool { return strings.Contains(said.String(), says) })
	return said
}

var (
	hubListens = regexp.MustCompile(`listens on (\S+);`)
	metricsAt  = regexp.MustCompile(`metrics are at (\S+)`)
	formToken  = regexp.MustCompile(`name="token" value="([^"]+)"`)
)

// page asks for a page of the server, or sends it a form.
func (s *server) page(path string, form url.Values) string {
	s.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
		form.Set("token", formToken.FindStringSubmatch(s.page(path[:strings.LastIndex(path, "/")]+"/resume", nil))[1])
	}
	r, err := http.NewRequestWithContext(s.Context(), method, s.site()+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {s.site()}}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.Fatalf("%s: %d, %v\n%s", path, res.StatusCode, err, text)
	}
	return string(text)
}

func (s *server) site() string {
	return strings.TrimSuffix(listening.FindStringSubmatch(s.said.String())[1], "/mcp")
}

// sees is the live view of the desktop of a run.
func (s *server) sees(run string) *byhand.Viewer {
	s.Helper()
	conn, _, err := websocket.Dial(s.Context(), s.site()+"/runs/"+run+"/live", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {s.site()}}, Subprotocols: []string{"binary"}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(-1)
	c, err := byhand.View(websocket.NetConn(s.Context(), conn, websocket.MessageBinary), byhand.ZRLE)
	if err == nil {
		_, err = c.Update(true)
	}
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// TestAtLengthARunThatFailedAtAWorkerIsRepairedRemotely is the day of an operator of a
// fleet: a run that fails at one of two workers is watched, taken over and resumed
// from the pages of a third process, in the programs in which it failed.
func TestAtLengthARunThatFailedAtAWorkerIsRepairedRemotely(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.writes(waits, "")
	hub := o.starts("listens on", "hub", "--listen", "127.0.0.1:-1")
	fleet, credentials := hubListens.FindStringSubmatch(hub.String())[1], filepath.Join(o.dir, "data", "hub", "credentials")
	var workers []*scratch.Buffer
	for _, name := range []string{"one", "two"} {
		o.Cleanup(func() {
			for _, k := range virtual.List(filepath.Join(o.dir, "data", "worker-"+name, "display")) {
				if err := virtual.End(k, "the test is over"); err != nil {
					t.Error(err)
				}
			}
		})
		workers = append(workers, o.starts("takes runs", "worker", "--name", name, "--metrics", "127.0.0.1:0", "--fleet", fleet, "--fleet-credential", filepath.Join(credentials, "default-worker.nk")))
	}
	o.env = append(o.env, "UNDERSTUDY_FLEET="+fleet, "UNDERSTUDY_FLEET_CREDENTIAL="+filepath.Join(credentials, "default-client.nk"))
	s := o.serves()
	run := s.begins()
	o.until("the run fails", func() bool {
		status, _ := o.status(run)
		return status == "failed"
	})
	if text := s.page("/runs/"+run, nil); !strings.Contains(text, "Watch or take over") {
		t.Errorf("the page of the run:\n%s", text)
	}
	watching := s.sees(run)
	if text := s.page("/runs/"+run+"/take-over", url.Values{}); !strings.Contains(text, "Hand back and resume") {
		t.Fatalf("the desktop:\n%s", text)
	}
	acting := s.sees(run)
	key := func(sym uint32, down bool) {
		if err := acting.Key(sym, down); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range "HAND " {
		key(uint32(c), true)
		key(uint32(c), false)
	}
	const ctrl = 0xffe3
	key(ctrl, true)
	key('s', true)
	key('s', false)
	key(ctrl, false)
	// Keys that were not pressed yet are lost when the desktop is handed back.
	o.until("the editor saves what was typed", func() bool { return strings.Contains(o.written(), "HAND") })
	if _, err := watching.Update(false); err != nil {
		t.Errorf("who watches does not see it: %v", err)
	}
	s.page("/runs/"+run+"/hand-back", url.Values{"resume": {"yes"}, "decision": {"done"}})
	o.until("the run succeeds", func() bool {
		status, _ := o.status(run)
		return status == "succeeded"
	})
	if saved := o.written(); saved != "alpha beta gamma HAND delta" {
		t.Errorf("the editor has %q", saved)
	}
	var metrics strings.Builder
	metrics.WriteString(s.page("/metrics", nil))
	for _, said := range workers {
		metrics.WriteString(o.gets(metricsAt.FindStringSubmatch(said.String())[1]))
	}
	board, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`understudy_\w+`).FindAllString(string(board), -1) {
		if !strings.Contains(metrics.String(), "# TYPE "+name+" ") {
			t.Errorf("the board asks for %s, which neither the server nor a worker tells", name)
		}
	}
	for _, want := range []string{`understudy_steps_total{kind="type_into_element"} 4`, `understudy_steps_failed_total{kind="wait_for_element"} 1`, "understudy_places_taken 0", `understudy_runs_ended_total{status="failed"} 1`} {
		if !strings.Contains(metrics.String(), want) {
			t.Errorf("wanted %s in\n%s", want, metrics.String())
		}
	}
}

// gets is the text at an address.
func (o *operator) gets(address string) string {
	o.Helper()
	res, err := http.Get(address)
	if err != nil {
		o.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		o.Fatal(err)
	}
	return string(text)
}
