//go:build linux

package lasting

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/byhand"
)

// client begins a session, which is a client of its own.
func (s *server) client() byhand.Visitor {
	s.Helper()
	return byhand.Visitor{Version: "2025-06-18", Address: listening.FindStringSubmatch(s.said.String())[1]}.Greet(s.TB)
}

// call calls a tool that must succeed, and gives what it said.
func (s *server) call(v byhand.Visitor, tool string, args byhand.Object) string {
	s.Helper()
	status, res := v.Call(s.TB, tool, args)
	if status != http.StatusOK || byhand.IsError(res) || res["error"] != nil {
		s.Fatalf("%s %v: %d %v", tool, args, status, res)
	}
	return fmt.Sprint(byhand.Said(res))
}

// TestEachClientHasADesktopOfItsOwn lets two clients work with the same
// application at once, and then a third where one of them worked.
func TestEachClientHasADesktopOfItsOwn(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	s := o.serves("--desktops", "2", "--warm", "1", "--screen", "800x600")
	o.until("one is ready", func() bool { return len(o.desktops()) == 1 })
	names := []string{"alpha", "beta"}
	clients := make([]byhand.Visitor, len(names))
	var both sync.WaitGroup
	for i, name := range names {
		clients[i] = s.client()
		both.Go(func() {
			s.call(clients[i], "execute_sequence", byhand.Object{"steps": []any{
				byhand.Object{"tool_name": "open_application", "arguments": byhand.Object{"app_name": "mousepad " + name + ".txt"}},
				byhand.Object{"tool_name": "type_into_element", "arguments": byhand.Object{"process": "mousepad", "selector": "role:text", "text_to_type": name}},
				byhand.Object{"tool_name": "set_clipboard", "arguments": byhand.Object{"text": name}},
				byhand.Object{"tool_name": "run_command", "arguments": byhand.Object{"run": "echo $HOME"}},
			}})
		})
	}
	both.Wait()
	if n := len(o.desktops()); n != 2 {
		t.Fatalf("two clients have %d desktops", n)
	}
	homes := map[string]bool{}
	for i, name := range names {
		other := names[1-i]
		windows := s.call(clients[i], "get_applications_and_windows_list", byhand.Object{})
		tree := s.call(clients[i], "get_window_tree", byhand.Object{"process": "mousepad"})
		clipboard := s.call(clients[i], "get_clipboard", byhand.Object{})
		for what, text := range map[string]string{"windows": windows, "tree": tree, "clipboard": clipboard} {
			if strings.Contains(text, other) || !strings.Contains(text, name) {
				t.Errorf("%s of the client that wrote %s: %s", what, name, text)
			}
		}
		home := s.call(clients[i], "run_command", byhand.Object{"run": "ls -A $HOME >/dev/null && echo home=$HOME"})
		homes[regexp.MustCompile(`home=\S+`).FindString(home)] = true
	}
	if len(homes) != 2 || homes[""] {
		t.Errorf("the homes are %v", homes)
	}
	before := o.desktops()
	third := s.client()
	if windows := s.call(third, "get_applications_and_windows_list", byhand.Object{}); strings.Contains(windows, "mousepad") {
		t.Errorf("a third client sees what one before it left: %s", windows)
	}
	if got := s.call(third, "get_clipboard", byhand.Object{}); strings.Contains(got, "alpha") || strings.Contains(got, "beta") {
		t.Errorf("the clipboard has %s", got)
	}
	left := 0
	for _, k := range o.desktops() {
		for _, b := range before {
			if b.Birth == k.Birth {
				left++
			}
		}
	}
	if left != 1 || len(o.desktops()) != 2 {
		t.Errorf("of two desktops, %d are as they were, and there are %d", left, len(o.desktops()))
	}
	before = o.desktops()
	s.ends(third)
	o.until("the desktop of the client that left has ended", func() bool {
		now := o.desktops()
		return slices.ContainsFunc(before, func(b virtual.Kept) bool {
			return !slices.ContainsFunc(now, func(k virtual.Kept) bool { return k.Birth == b.Birth })
		})
	})
}

// ends ends the session of a client.
func (s *server) ends(v byhand.Visitor) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodDelete, v.Address, nil)
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set(byhand.SessionHeader, v.Session)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		s.Fatalf("a session does not end: %s", res.Status)
	}
}

// TestDesktopsOverTheLimitAreQueued holds what a call is told when all desktops are in use, and
// that one which queues gets its turn.
func TestDesktopsOverTheLimitAreQueued(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	s := o.serves("--desktops", "1", "--screen", "640x480")
	waits := func(seconds int) byhand.Object {
		return byhand.Object{"wait": false, "steps": []any{
			byhand.Object{"tool_name": "mouse_move", "arguments": byhand.Object{"x": 5, "y": 5}},
			byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": fmt.Sprintf("%dms", max(1, 1000*seconds))}},
		}}
	}
	first, second, third := s.client(), s.client(), s.client()
	run := regexp.MustCompile(`run (\S+)`)
	a := run.FindStringSubmatch(s.call(first, "execute_sequence", waits(600)))[1]
	begun := regexp.MustCompile(`[12] of 2`) // the delay may be stored by now
	o.until("the first acts", func() bool {
		return begun.MatchString(s.call(first, "get_run", byhand.Object{"run_id": a}))
	})
	if status, res := second.Call(t, "execute_sequence", waits(0)); status != http.StatusServiceUnavailable {
		t.Errorf("over the limit: %d %v", status, res)
	}
	queues := waits(0)
	queues["queue"] = true
	var waiting []string
	for _, v := range []byhand.Visitor{second, third} {
		id := run.FindStringSubmatch(s.call(v, "execute_sequence", queues))[1]
		waiting = append(waiting, id)
		o.until("it is told its place", func() bool {
			return strings.Contains(s.call(v, "get_run", byhand.Object{"run_id": id}), fmt.Sprintf("number %d in the queue", len(waiting)))
		})
	}
	s.call(first, "stop_execution", byhand.Object{"run_id": a})
	var began []time.Time
	for i, v := range []byhand.Visitor{second, third} {
		o.until("it has its turn", func() bool {
			return strings.Contains(s.call(v, "get_run", byhand.Object{"run_id": waiting[i], "wait_ms": 1000}), "succeeded")
		})
		var report struct {
			Steps []struct {
				Began time.Time `json:"began"`
			}
		}
		if err := json.Unmarshal([]byte(o.does(0, "runs", "show", waiting[i], "--json")), &report); err != nil {
			t.Fatal(err)
		}
		began = append(began, report.Steps[0].Began)
	}
	if began[1].Before(began[0]) {
		t.Errorf("the second in the queue was before the first: %v", began)
	}
}

// TestAtLengthAKilledServerLeavesFourRunsWhereTheyWere kills a server with a run on each
// of its four desktops. All go on where they were, in the same program.
func TestAtLengthAKilledServerLeavesFourRunsWhereTheyWere(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	s := o.serves("--desktops", "4", "--screen", "800x600")
	const runs = 4
	for i := range runs {
		text := fmt.Sprintf(`name: part%[1]d
steps:
  - {id: open, tool_name: open_application, arguments: {app_name: "mousepad part%[1]d.txt"}}
  - {id: first, tool_name: type_into_element, arguments: {process: mousepad, selector: "role:text", text_to_type: "part %[1]d ", clear_before_typing: false}}
  - {id: held, tool_name: wait_for_element, timeout: 5m, arguments: {process: zenity, selector: "name:OK", timeout_ms: 300000}}
  - {id: second, tool_name: type_into_element, arguments: {process: mousepad, selector: "role:text", text_to_type: "is whole", clear_before_typing: false}}
  - {id: save, tool_name: press_key_global, arguments: {process: mousepad, key: ctrl+s}}
`, i)
		if err := os.WriteFile(filepath.Join(o.dir, fmt.Sprintf("part%d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var commands []*exec.Cmd
	for i := range runs {
		cmd := o.command("run", fmt.Sprintf("part%d.yaml", i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, cmd)
	}
	var list []struct {
		ID       string `json:"run_id"`
		Workflow string
		Executed int
		Desktop  struct{ Name, Birth string }
	}
	o.until("all four wait for what they need", func() bool {
		list = nil
		if err := json.Unmarshal([]byte(o.does(0, "runs", "ls", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		held := 0
		for _, r := range list {
			if r.Executed >= 3 {
				held++
			}
		}
		return held == runs
	})
	s.dies()
	for _, cmd := range commands {
		_ = cmd.Process.Kill() // or it would take the place of the server
		_ = cmd.Wait()
	}
	kept := map[string]string{}
	for _, k := range o.desktops() {
		kept[k.Name] = k.Birth
	}
	on := map[string]bool{}
	for _, r := range list {
		if kept[r.Desktop.Name] != r.Desktop.Birth || on[r.Desktop.Name] {
			t.Errorf("run %s was on %+v, kept are %v", r.ID, r.Desktop, kept)
		}
		on[r.Desktop.Name] = true
	}
	o.serves("--desktops", "4", "--screen", "800x600")
	var all sync.WaitGroup
	for _, r := range list {
		o.does(0, "desktop", "run", r.Desktop.Name, "--", "zenity", "--info", "--text", "go on")
		all.Go(func() {
			if out, err := o.command("resume", r.ID).CombinedOutput(); err != nil {
				t.Errorf("resume %s: %v\n%s", r.ID, err, out)
			}
		})
	}
	all.Wait()
	for i := range runs {
		var text []byte
		o.until("it is saved", func() bool {
			text, _ = os.ReadFile(filepath.Join(o.dir, fmt.Sprintf("part%d.txt", i)))
			return len(text) > 0
		})
		if got, want := strings.TrimSpace(string(text)), fmt.Sprintf("part %d is whole", i); got != want {
			t.Errorf("the editor of run %d has %q, wanted %q", i, got, want)
		}
	}
	for _, k := range o.desktops() {
		if k.Birth != kept[k.Name] {
			t.Errorf("%s is another than before", k.Name)
		}
	}
}
