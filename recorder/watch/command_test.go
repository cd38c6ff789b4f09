//go:build unix

package watch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/recorder"
)

// TestMain has every command do its work in its own process, which tests watch and kill.
func TestMain(m *testing.M) {
	os.Setenv("UNDERSTUDY_SERVICE", "off")
	itself.Main(m)
}

// command is the command understudy in a process of its own.
type command struct {
	*exec.Cmd
	s     *scene
	said  scratch.Buffer
	ended chan struct{}
}

// prepares makes a command that is not started.
func (s *scene) prepares(args ...string) *command {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	args = append([]string{"--home", filepath.Join(s.root, "home")}, args...)
	c := &command{Cmd: itself.Command(virtualtest.Command(s.t, s.display, self, args...)), s: s, ended: make(chan struct{})}
	c.Dir, c.Stderr = s.dir, &c.said
	return c
}

// starts starts it, and has it end with the test.
func (c *command) starts() *command {
	c.s.t.Helper()
	if err := c.Start(); err != nil {
		c.s.t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		_ = c.Wait()
	}()
	c.s.t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.ended
	})
	return c
}

// records starts a recording into flow.yaml.
func (s *scene) records(more ...string) *command {
	s.t.Helper()
	c := s.prepares(append([]string{"record", "-o", "flow.yaml", "--display", s.display.Name(), "--patience", "20"}, more...)...).starts()
	c.says("recording; stop with")
	return c
}

// says waits until it has written something.
func (c *command) says(text string) {
	c.s.t.Helper()
	what := func() string { return fmt.Sprintf("the command to say %q; it said %q", text, c.said.String()) }
	c.s.waits(what, func() bool { return strings.Contains(c.said.String(), text) })
}

// ends waits for its end, and gives its status.
func (c *command) ends() int {
	c.s.t.Helper()
	c.s.wait("the end of the command", func() bool {
		select {
		case <-c.ended:
			return true
		default:
			return false
		}
	})
	return c.ProcessState.ExitCode()
}

// runs runs a command to its end, and gives what it wrote as its result.
func (s *scene) runs(args ...string) string {
	s.t.Helper()
	c := s.prepares(args...)
	out, err := c.Output()
	if err != nil {
		s.t.Fatalf("understudy %v: %v\n%s", args, err, c.said.String())
	}
	return string(out)
}

// letter is a window with a field for text and a box to check.
func letter(t *testing.T) *scene {
	s := newScene(t, "zenity")
	s.start("Letter", "zenity", "--text-info", "--editable", "--title=Letter", "--checkbox=I have read it")
	s.wait("its box", func() bool { return len(s.named("checkbox", "")) > 0 })
	return s
}

// clicksOn clicks the first element of a role through another program, when it
// has come to rest: the window may just have been put in its place.
func (s *scene) clicksOn(role desktop.Role) {
	s.t.Helper()
	at := s.finds(role, "", 0)
	s.tool("xdotool", "mousemove", strconv.Itoa(at.X-3), strconv.Itoa(at.Y), "mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y), "click", "1")
}

func TestARecordingEndsHoweverItIsEnded(t *testing.T) {
	for _, c := range []struct {
		say  string
		args []string
		end  func(*command)
	}{
		{"by Ctrl-C", nil, func(c *command) { _ = c.Process.Signal(os.Interrupt) }},
		{"by the system", nil, func(c *command) { _ = c.Process.Signal(syscall.SIGTERM) }},
		{"by the stop key", nil, func(c *command) { c.s.tool("xdotool", "key", "ctrl+shift+F12") }},
		{"by another stop key", []string{"--stop-key", "super+escape"}, func(c *command) { c.s.tool("xdotool", "key", "super+Escape") }},
	} {
		t.Run(c.say, func(t *testing.T) {
			if !inChild(t) {
				return
			}
			s := letter(t)
			r := s.records(c.args...)
			s.clicksOn("checkbox")
			r.says("  2  ") // whatever an application that has much to do says of it
			c.end(r)
			if status := r.ends(); status != 0 {
				t.Errorf("it ended with status %d: %s", status, r.said.String())
			}
			text := s.file("flow.yaml")
			if strings.Count(text, "tool_name:") != 2 || strings.Contains(text, "press_key") {
				t.Errorf("the workflow is:\n%s\nit was told:\n%s", text, r.said.String())
			}
			if !strings.Contains(r.said.String(), "understudy run flow.yaml") {
				t.Errorf("it does not say how to play it: %s", r.said.String())
			}
		})
	}
}

func TestARecordingEndsAfterItsDuration(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := letter(t)
	r := s.prepares("record", "-o", "flow.yaml", "--display", s.display.Name(), "--duration", "2s").starts()
	if status := r.ends(); status != 0 || !strings.Contains(s.file("flow.yaml"), "steps:") {
		t.Errorf("it ended with status %d: %s", status, r.said.String())
	}
}

// TestTheKeysThatSteerAreRealKeys uses them through another program, and looks
// for them in what was kept.
func TestTheKeysThatSteerAreRealKeys(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := letter(t)
	r := s.records()
	s.clicksOn("checkbox")
	r.says("turn on checkbox")
	s.tool("xdotool", "key", "ctrl+shift+F9")
	r.says("check that there is checkbox")
	s.tool("xdotool", "key", "ctrl+shift+F11")
	r.says("paused")
	s.clicksOn("text")
	s.tool("xdotool", "type", "--delay", "15", "nobody")
	s.wait("what was typed", func() bool { return s.text("text") == "nobody" })
	s.tool("xdotool", "key", "ctrl+shift+F11")
	r.says("recording again")
	s.clicksOn("button")
	r.says("  4  click") // its window is gone with it, maybe before anyone looked
	s.tool("xdotool", "key", "ctrl+shift+F12")
	if status := r.ends(); status != 0 {
		t.Fatalf("it ended with status %d: %s", status, r.said.String())
	}
	text, events := s.file("flow.yaml"), s.file("flow.events.jsonl")
	if !strings.Contains(text, "tool_name: validate_element") || !strings.Contains(text, "expect: exists(") {
		t.Errorf("nothing is checked:\n%s", text)
	}
	seen, err := recorder.ReadEvents(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range seen {
		if ev.Type == recorder.Typed {
			t.Errorf("a key was kept that steers, or one of the pause: %+v", ev)
		}
	}
	if strings.Contains(text+events, "nobody") || strings.Contains(text, "press_key") || strings.Contains(text, "type_") {
		t.Errorf("what was typed in the pause was kept, or a key that steers:\n%s", text)
	}
}

// TestASecretThatWasTypedInTheOpenIsForgotten makes a secret of what was typed into
// an ordinary field, and takes the step before it back.
func TestASecretThatWasTypedInTheOpenIsForgotten(t *testing.T) {
	if !inChild(t) {
		return
	}
	const word = "Rumpelstilz"
	s := letter(t)
	r := s.records()
	s.clicksOn("checkbox")
	r.says("turn on checkbox")
	s.tool("xdotool", "key", "ctrl+shift+F8")
	s.clicksOn("text")
	s.tool("xdotool", "type", "--delay", "15", word)
	s.wait("the text in the log", func() bool {
		return strings.Contains(s.file("flow.events.jsonl"), `"value":`+strconv.Quote(word))
	})
	s.tool("xdotool", "key", "ctrl+shift+F7")
	r.says("type a secret into text")
	s.tool("xdotool", "type", "--delay", "15", " and more")
	s.wait("what was typed", func() bool { return s.text("text") == word+" and more" })
	s.tool("xdotool", "key", "ctrl+shift+F12")
	if status := r.ends(); status != 0 {
		t.Fatalf("it ended with status %d: %s", status, r.said.String())
	}
	text, events := s.file("flow.yaml"), s.file("flow.events.jsonl")
	if !strings.Contains(text, "secret: true") || strings.Contains(text, "set_selected") {
		t.Errorf("the secret is none, or what was taken back is there:\n%s", text)
	}
	if strings.Contains(text+events, "Rump") || strings.Contains(text+events, "more") || strings.Contains(events, `"text":"R"`) {
		t.Errorf("the secret is in what was kept:\n%s\n%s", text, events)
	}
}

// TestARecordingIsTriedAtOnce plays what was recorded on a display of its own.
func TestARecordingIsTriedAtOnce(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := newScene(t, "zenity")
	r := s.records("--try")
	asked := s.start("Asked", "zenity", "--question", "--title=Asked", "--text=Go on?")
	r.says("open zenity")
	at := s.finds("button", "Yes", 0)
	s.tool("xdotool", "mousemove", strconv.Itoa(at.X-3), strconv.Itoa(at.Y), "mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y), "click", "1")
	s.ends(asked)
	r.says("  2  click")
	s.tool("xdotool", "key", "ctrl+shift+F12")
	if status := r.ends(); status != 0 {
		t.Errorf("it ended with status %d: %s\n%s", status, r.said.String(), s.file("flow.yaml"))
	}
	said := r.said.String()
	if !strings.Contains(said, "succeeded after") {
		t.Errorf("it was not played:\n%s", said)
	}
	// The button was clicked as soon as it was there, maybe before it was looked at; its
	// picture is looked for then, and its place is the last resort.
	document := s.file("flow.yaml")
	byPlace, byPicture := strings.Contains(said, "so fallback_point was clicked"), strings.Contains(document, "image:")
	if unknown := strings.Contains(document, "fallback_point"); byPlace && !unknown || unknown && !byPlace && !byPicture {
		t.Errorf("unknown: %v, but it said:\n%s\n%s", unknown, said, document)
	}
}

// TestAKilledRecordingIsCompiledUpToThere kills it, and makes a workflow of what
// is on the disk then.
func TestAKilledRecordingIsCompiledUpToThere(t *testing.T) {
	const text = "one two three"
	s := letter(t)
	r := s.records()
	s.clicksOn("text")
	r.says("click text")
	s.tool("xdotool", "type", "--delay", "15", text)
	s.wait("the text in the log", func() bool {
		return strings.Contains(s.file("flow.events.jsonl"), `"value":`+strconv.Quote(text))
	})
	_ = r.Process.Kill()
	if status := r.ends(); status != -1 {
		t.Fatalf("it ended by itself with status %d: %s", status, r.said.String())
	}
	if s.file("flow.yaml") != "" {
		t.Error("the workflow is there already")
	}
	s.runs("compile", "flow.events.jsonl", "-o", "flow.yaml", "--force")
	s.quit()
	s.start("Letter", "zenity", "--text-info", "--editable", "--title=Letter", "--checkbox=I have read it")
	s.replay(s.file("flow.yaml"))
	s.wait("the text", func() bool { return s.text("text") == text })
}

// TestAPasswordIsInNothingThatACommandLeaves looks for it in what is said, and in
// every file, with a log that holds all that there is to say.
func TestAPasswordIsInNothingThatACommandLeaves(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := newScene(t, "zenity")
	s.start("Order", "zenity", "--forms", "--title=Order", "--text=Order", "--add-entry=Name", "--add-password=Code")
	s.wait("its field", func() bool { return len(s.named("password", "")) > 0 })
	r := s.records("-v")
	s.clicksOn("password")
	r.says("click password")
	s.tool("xdotool", "type", "--delay", "15", password)
	s.tool("xdotool", "key", "Return")
	r.says("type a secret into password")
	_ = r.Process.Signal(os.Interrupt)
	if status := r.ends(); status != 0 {
		t.Fatalf("it ended with status %d: %s", status, r.said.String())
	}
	if found := formsIn([]byte(r.said.String()), password); len(found) > 0 {
		t.Errorf("what was said holds it, %v:\n%s", found, r.said.String())
	}
	if text := s.file("flow.yaml"); !strings.Contains(text, "secret: true") {
		t.Errorf("the workflow has no secret:\n%s", text)
	}
	s.holdsNo(password)
}

// TestCallsOfACalculatorArePlayedAgain makes a workflow of single calls, as a
// model makes them, and plays it.
func TestCallsOfACalculatorArePlayedAgain(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := newScene(t, "galculator")
	s.start("galculator", "galculator")
	c := s.speaks()
	for _, key := range []string{"6", "*", "7", "="} {
		c.calls("get_window_tree", map[string]any{"process": "galculator"})
		c.calls("click_element", map[string]any{"process": "galculator", "selector": "role:togglebutton && name:" + key})
	}
	s.wait("the product", func() bool { return strings.Contains(calculator(s), "42") })
	var ids []any // the newest is the first of the list
	list, _ := c.calls("list_runs", map[string]any{"calls": true})["runs"].([]any)
	for _, run := range slices.Backward(list) {
		ids = append(ids, run.(map[string]any)["run_id"])
	}
	made := c.calls("record_workflow", map[string]any{"action": "from_runs", "runs": ids, "name": "product"})
	if text, _ := made["text"].(string); strings.Count(text, "tool_name: click_element") != 4 || strings.Contains(text, "get_window_tree") {
		t.Errorf("the workflow is:\n%v", made)
	}
	again := func(play func()) {
		s.quit()
		s.start("galculator", "galculator")
		s.elsewhere("galculator")
		play()
		s.wait("the product", func() bool { return strings.Contains(calculator(s), "42") })
	}
	again(func() { c.calls("execute_sequence", map[string]any{"url": "product"}) })
	c.leaves() // one process at a time has the data folder
	args := []string{"runs", "to-workflow", "-o", "again.yaml"}
	for _, id := range ids {
		args = append(args, fmt.Sprint(id))
	}
	s.runs(args...)
	again(func() { s.replay(s.file("again.yaml")) })
}

// TestAModelHasThePersonWatched records through the tool of the MCP server.
func TestAModelHasThePersonWatched(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := letter(t)
	c := s.speaks()
	c.calls("record_workflow", map[string]any{"action": "start"})
	s.clicksOn("checkbox")
	s.wait("the click to be seen", func() bool {
		seen, _ := json.Marshal(c.calls("record_workflow", map[string]any{"action": "status"})["seen"])
		return strings.Contains(string(seen), "checkbox") || strings.Contains(string(seen), "click at")
	})
	out := c.calls("record_workflow", map[string]any{"action": "stop", "name": "letter"})
	file, _ := out["file"].(string)
	if content, err := os.ReadFile(file); err != nil || !bytes.Contains(content, []byte(`"pressed"`)) {
		t.Errorf("what was seen is not in %q: %v", file, err)
	}
	if text, _ := out["text"].(string); !strings.Contains(text, "steps:\n") {
		t.Errorf("there is no workflow: %v", out)
	}
}

// client speaks with the MCP server of a command, over its standard input and
// output.
type client struct {
	*command
	in   io.WriteCloser
	out  *json.Decoder
	last int
}

func (s *scene) speaks() *client {
	s.t.Helper()
	c := s.prepares("mcp", "--structured", "--display", s.display.Name(), "--toolsets", "all")
	in, err := c.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, write := io.Pipe()
	c.Stdout = write
	s.t.Cleanup(func() { _ = write.Close() })
	m := &client{command: c.starts(), in: in, out: json.NewDecoder(out)}
	m.asks("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	m.tells(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return m
}

// leaves ends the server as a client does.
func (m *client) leaves() {
	m.s.t.Helper()
	_ = m.in.Close()
	m.ends()
}

func (m *client) tells(message map[string]any) {
	m.s.t.Helper()
	if err := json.NewEncoder(m.in).Encode(message); err != nil {
		m.s.t.Fatalf("%v; it said %s", err, m.said.String())
	}
}

// asks sends a request and waits for its answer.
func (m *client) asks(method string, params map[string]any) map[string]any {
	m.s.t.Helper()
	m.last++
	m.tells(map[string]any{"jsonrpc": "2.0", "id": m.last, "method": method, "params": params})
	for {
		var answer struct {
			ID     *int           `json:"id"`
			Result map[string]any `json:"result"`
			Error  any            `json:"error"`
		}
		if err := m.out.Decode(&answer); err != nil {
			m.s.t.Fatalf("%v; it said %s", err, m.said.String())
		}
		if answer.ID == nil || *answer.ID != m.last {
			continue
		}
		if answer.Error != nil {
			m.s.t.Fatalf("%s: %v", method, answer.Error)
		}
		return answer.Result
	}
}

// calls calls a tool, and gives its structured result.
func (m *client) calls(name string, args map[string]any) map[string]any {
	m.s.t.Helper()
	result := m.asks("tools/call", map[string]any{"name": name, "arguments": args})
	if failed, _ := result["isError"].(bool); failed {
		m.s.t.Fatalf("%s: %v", name, result["content"])
	}
	structured, _ := result["structuredContent"].(map[string]any)
	return structured
}
