//go:build linux

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/cli"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// besideTheUser are calls that act on, or look at, another window than the
// user's.
var besideTheUser = []struct{ kind, arguments string }{
	{"type_into_element", inWitness(`role:text && name:Name", "text_to_type": "typed"`)},
	{"set_value", inWitness(`role:text && name:Name", "value": "set"`)},
	{"set_value", inWitness(`role:slider", "value": 12`)},
	{"set_selected", inWitness(`role:checkbox", "state": true`)},
	{"select_option", inWitness(`role:combobox", "option_name": "green"`)},
	{"scroll_element", inWitness(`name:Canvas"`)},
	{"highlight_element", inWitness(`role:checkbox"`)},
	{"stop_highlighting", `{}`},
	{"get_window_tree", `{"title": "Witness"}`},
	{"capture_screenshot", `{"title": "Witness"}`},
	{"validate_element", inWitness(`role:checkbox"`)},
	{"wait_for_element", inWitness(`role:checkbox"`)},
	{"set_clipboard", `{"text": "clip"}`},
	{"get_clipboard", `{}`},
	{"scroll", `{"x": 5, "y": 5}`},
	{"get_applications_and_windows_list", `{}`},
	{"find_image", `{"image": "mark.png"}`},
	{"wait_for_image", `{"image": "mark.png"}`},
	{"wait_for_idle", `{"idle_ms": 50, "region": {"x": 0, "y": 1000, "w": 60, "h": 60}}`},
	{"get_pixel_color", `{"x": 5, "y": 5}`},
	{"read_text", inWitness(`role:button && name:Apply"`)},
	{"move_window", `{"title": "Witness", "x": 900, "y": 100}`},
}

// inPage are calls that act on, or look at, a page in a browser behind the user's window.
// The last one needs a second tab.
var inPage = []struct{ kind, arguments string }{
	{"list_tabs", `{}`},
	{"wait_for_page", `{"title": "Order"}`},
	{"read_page", `{"contains": "gift"}`},
	{"execute_browser_script", `{"script": "document.querySelector('#who').focus()"}`},
	{"close_tab", `{}`},
}

// All kinds that look at a desktop or act on it and keep the focus are called
// beside the user.
func TestEveryKindThatKeepsTheFocusIsCalledBesideTheUser(t *testing.T) {
	called := map[string]bool{}
	for _, row := range slices.Concat(besideTheUser, inPage) {
		called[row.kind] = true
	}
	for _, k := range kinds.All() {
		if k.Focus == steps.Keep && k.Touches != steps.None && !called[k.Name] {
			t.Errorf("%s keeps the focus, and is not called", k.Name)
		}
	}
}

func inWitness(rest string) string { return `{"selector": "window:Witness >> ` + rest + `}` }

// A person types in one window while single kinds are called that act on
// another: afterwards the person's window is active, and its caret stands
// where it stood.
func TestTheCaretStaysWhereItWas(t *testing.T) {
	if !itself.InChild(t, nil) {
		return
	}
	s, want := personTypes(t)
	for _, row := range besideTheUser {
		t.Run(row.kind, func(t *testing.T) {
			if keeps(row.kind) != steps.Keep {
				t.Fatalf("%s takes the focus, by its declaration", row.kind)
			}
			status, out, errOut := s.command("call", row.kind, row.arguments)
			if status != 0 {
				t.Errorf("status %d\n%s%s", status, out, errOut)
			}
			if err := s.stands("user", want); err != nil {
				t.Error(err)
			}
		})
	}
	if err := s.holdsLog("witness", "entry set", "check True", "combo green", "scale 12"); err != nil {
		t.Error(err)
	}
}

// calls is how often a client calls each tool: a caret that moves once in many
// times would be noticed by no single call.
var calls = flag.Int("calls", 10, "how often TestTheCaretStaysAfterManyCalls calls each tool")

// TestTheCaretStaysAfterManyCalls is the same over MCP, where one process keeps
// the desktop open: every tool that acts and keeps the focus, many times over.
func TestTheCaretStaysAfterManyCalls(t *testing.T) {
	if !itself.InChild(t, nil) {
		return
	}
	s, want := personTypes(t)
	c := s.overMCP()
	for _, row := range besideTheUser {
		t.Run(row.kind, func(t *testing.T) {
			worked := 0
			for i := range *calls {
				var args byhand.Object
				if err := json.Unmarshal([]byte(row.arguments), &args); err != nil {
					t.Fatal(err)
				}
				res := c.Call(row.kind, args)
				if res["error"] == nil && !byhand.IsError(res) {
					worked++
					continue
				}
				t.Logf("call %d: %s", i, byhand.Said(res)) // it has to leave the caret all the same
			}
			if 2*worked < *calls {
				t.Errorf("%d of %d calls worked", worked, *calls)
			}
			if err := s.stands("user", want); err != nil {
				t.Error(err)
			}
		})
	}
}

// Kinds that work in a page leave the user's window and caret alone.
func TestTheCaretStaysWhilePagesAreUsed(t *testing.T) {
	if !itself.InChild(t, nil) {
		return
	}
	virtualtest.Need(t, "chromium")
	s, want := personTypes(t)
	s.chromium()
	address := (&site{}).serve(s)
	c := s.overMCP()
	for range 2 {
		must(t, c, "navigate_browser", byhand.Object{"url": address, "process": "chromium", "timeout_ms": 60_000})
	}
	must(t, c, "activate_window", byhand.Object{"title": "User"})
	for _, row := range inPage {
		var args byhand.Object
		if err := json.Unmarshal([]byte(row.arguments), &args); err != nil {
			t.Fatal(err)
		}
		must(t, c, row.kind, args)
		if err := s.stands("user", want); err != nil {
			t.Error(row.kind, err)
		}
	}
}

// must calls a tool that has to succeed.
func must(t *testing.T, c *byhand.Client, tool string, args byhand.Object) {
	t.Helper()
	if res := c.Call(tool, args); res["error"] != nil || byhand.IsError(res) {
		t.Fatalf("%s: %s", tool, byhand.Said(res))
	}
}

// overMCP starts the program as a server of everything, and greets it.
func (s *stage) overMCP() *byhand.Client {
	s.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- cli.Main(s.t.Context(), local.Machine{}, []string{"mcp", "--toolsets", "all"}, fromClient, toClient, io.Discard)
		_ = toClient.Close()
	}()
	s.t.Cleanup(func() {
		_ = in.Close()
		<-done
	})
	return byhand.Talk(s.t, "2025-11-25", byhand.Object{}, in, out)
}

// A workflow that clicks in another window takes the focus, and gives it back
// at its end when it is asked to, also when it fails.
func TestAWorkflowGivesTheFocusBack(t *testing.T) {
	for _, row := range []struct {
		button string
		status engine.Status
	}{{"Apply", engine.Succeeded}, {"Nowhere", engine.Failed}} {
		t.Run(row.button, func(t *testing.T) {
			if !itself.InChild(t, nil) {
				return
			}
			s, want := personTypes(t)
			if r := s.run(s.testdata("courteous.yaml"), "-i", "button="+row.button); r.Status != row.status {
				t.Errorf("wanted %s, found %v", row.status, failure(r))
			}
			if err := firstError(s.stands("user", want), s.holdsLog("witness", "tab 1", "entry Ada")); err != nil {
				t.Error(err)
			}
		})
	}
}

// personTypes is a stage on which a person types in one window, beside another,
// and how that person's window says that it stands.
func personTypes(t *testing.T) (s *stage, stands string) {
	s = newStage(t, desktop.Size{})
	s.show("user", "User")
	s.show("witness", "Witness", "picture="+s.mark())
	s.call("wait_for_element", inWitness(`role:checkbox", "timeout_ms": 25000`))
	s.call("set_value", `{"selector": "window:User >> role:text && name:Name", "value": "a person types", "timeout_ms": 30000}`)
	s.call("activate_element", `{"selector": "window:User >> role:text && name:Name"}`)
	s.tool("xdotool", "key", "Home", "Right", "Right", "Right")
	stands = "User active=True focus=Name caret=3"
	if err := s.stands("user", stands); err != nil {
		t.Fatal(err)
	}
	return s, stands
}

func keeps(kind string) steps.Focus {
	for _, k := range kinds.All() {
		if k.Name == kind {
			return k.Focus
		}
	}
	return steps.Take
}

// show starts a witness with a log of its own, and waits until it shows.
func (s *stage) show(log, title string, options ...string) {
	s.t.Helper()
	args := append([]string{s.testdata("witness.py"), filepath.Join(s.dir, log+".log"), title}, options...)
	cmd := exec.CommandContext(s.t.Context(), "/usr/bin/python3", args...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.shows("^" + title + "$")
}

// stands says whether a witness's state is this.
func (s *stage) stands(log, want string) error {
	return eventually(s.t, func() error {
		got, err := os.ReadFile(filepath.Join(s.dir, log+".log.state"))
		if err == nil && string(got) != want {
			err = fmt.Errorf("wanted %q, found %q", want, got)
		}
		return err
	})
}

// holdsLog says whether all these lines are in a log.
func (s *stage) holdsLog(log string, lines ...string) error {
	raw, err := os.ReadFile(filepath.Join(s.dir, log+".log"))
	for _, line := range lines {
		if err == nil && !strings.Contains(string(raw), line+"\n") {
			err = fmt.Errorf("%s.log has no line %q:\n%s", log, line, raw)
		}
	}
	return err
}
