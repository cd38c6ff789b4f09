//go:build linux

package attack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/testing/virtualtest"
)

const workflow = `name: note
steps:
  - {tool_name: write_file, arguments: {path: note.txt, content: mine}}
`

// TestAttackByAnotherUserOnFiles reads and writes what the program keeps, while
// a server runs and after.
func TestAttackByAnotherUserOnFiles(t *testing.T) {
	s := newTwoUsers(t)
	path := filepath.Join(s.home, "note.yaml")
	s.must(os.WriteFile(path, []byte(workflow), 0o644))
	s.understudy("token", "add", "laptop", "--mode", "act")
	site := s.serve("--auth", "user")
	if came := s.try(ownerUID, "call "+site+"/mcp"); came["call "+site+"/mcp"] != "done" {
		t.Fatal(came) // from now on the server has the data folder
	}
	s.understudy("run", path)
	s.understudy("runs", "export", "last", filepath.Join(s.home, "exported"))
	s.understudy("runs", "backup", filepath.Join(s.home, "copy"))
	for _, dir := range []string{s.data, filepath.Join(s.home, "exported"), filepath.Join(s.home, "copy")} {
		s.closed(everything(t, dir)...)
	}
	found := strings.Join(everything(t, s.data), "\n")
	for _, want := range []string{"dial " + s.data, "read " + filepath.Join(s.data, "tokens.json"), "read " + filepath.Join(s.data, "runs.db")} {
		if !strings.Contains(found, want) {
			t.Errorf("the data folder lacks what %q would reach:\n%s", want, found)
		}
	}
}

// TestAttackByAnotherUserOnTheServer calls a server that asks nobody for a token.
func TestAttackByAnotherUserOnTheServer(t *testing.T) {
	s := newTwoUsers(t)
	site := s.serve("--toolsets", "core,files", "--root", s.home)
	s.closed("call "+site+"/mcp", "call "+site+"/mcp/ask", "get "+site+"/runs", "get "+site+"/metrics")
	if came := s.try(strangerUID, "get "+site+"/health"); came["get "+site+"/health"] != "done" {
		t.Errorf("a load balancer is answered %v", came)
	}
	came := s.try(strangerUID, "call "+site+"/mcp")["call "+site+"/mcp"]
	if !strings.Contains(came, "403") || !strings.Contains(came, "programs of the user who started it") || !strings.Contains(came, "understudy token add") {
		t.Errorf("a stranger is told %s", came)
	}
	if came := s.try(0, "call "+site+"/mcp")["call "+site+"/mcp"]; came != "done" {
		t.Errorf("root is told %s", came)
	}
	// Who closes the connection at once is not there to be asked about.
	address := strings.TrimPrefix(site, "http://")
	s.try(strangerUID, "fling "+address+" flung.txt")
	s.closed("stay " + address + " stayed.txt") // after all that came before
	s.appears("stayed.txt")
	if _, err := os.Stat(filepath.Join(s.home, "flung.txt")); err == nil {
		t.Error("a call counted whose sender was gone")
	}
}

// TestAttackByAnotherUserWithoutAToken calls a server that wants tokens: not even
// its own user is let in without one.
func TestAttackByAnotherUserWithoutAToken(t *testing.T) {
	s := newTwoUsers(t)
	s.understudy("token", "add", "laptop", "--mode", "act")
	site := s.serve()
	for _, uid := range []uint32{strangerUID, ownerUID} {
		for what, came := range s.try(uid, "call "+site+"/mcp", "get "+site+"/runs") {
			if !strings.Contains(came, "401") {
				t.Errorf("%d: %s: %s", uid, what, came)
			}
		}
	}
}

// TestAttackByAnotherUserOnTheDisplay looks for a virtual display, on which
// everything is seen and typed.
func TestAttackByAnotherUserOnTheDisplay(t *testing.T) {
	s := newTwoUsers(t)
	d := virtualtest.Start(t)
	socket := "/tmp/.X11-unix/X" + strings.TrimPrefix(d.Name(), ":")
	attempts := append(everything(t, filepath.Dir(d.Authority())), "show "+socket+" "+d.Authority())
	if len(attempts) < 5 {
		t.Errorf("the display has only %v", attempts)
	}
	for what, came := range s.try(0, attempts...) {
		if came != "done" {
			t.Errorf("who has the display: %s: %s", what, came)
		}
	}
	for what, came := range s.try(strangerUID, append(attempts, "show "+socket, "show @"+socket)...) {
		if came == "done" {
			t.Errorf("a stranger can: %s", what)
		}
	}
}
