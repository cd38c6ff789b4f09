//go:build linux

package realclients

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// users are the workers' where root tests: two that each system has, because a session
// bus wants one that the system knows.
var users = []string{"daemon", "games"}

// worker is the person at whose desktop a worker executes runs: where that is allowed,
// another user than who tests, with a home folder and a credential of his own.
func (s *stage) worker(name, credential string) *stage {
	s.t.Helper()
	w := &stage{t: s.t, modules: s.modules, program: s.program}
	w.settle()
	text, err := os.ReadFile(credential)
	if err == nil {
		err = os.WriteFile(filepath.Join(w.home, "worker.nk"), text, 0o600)
	}
	if err == nil && os.Geteuid() == 0 {
		w.user, err = as(name)
		err = errors.Join(err, os.Chmod(filepath.Dir(s.program), 0o711))
	} else if err == nil {
		s.t.Log("only root can be other users, so both workers are of who tests")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	w.own(filepath.Join(w.home, "worker.nk"), w.home)
	return w
}

// as makes processes those of a user.
func as(name string) (*syscall.SysProcAttr, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}, err
}

// own gives files to the person.
func (s *stage) own(paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		if s.user == nil {
			return
		}
		if err := os.Chown(path, int(s.user.Credential.Uid), int(s.user.Credential.Gid)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestAnOperatorRepairsARunOfAFleet has an operator watch a run in Chromium that failed at
// one of two workers, each another user's, take its desktop over, use mouse and keys
// there and resume the run, on the pages of a server that executes nothing. The pictures
// stay in dist/pages.
func TestAnOperatorRepairsARunOfAFleet(t *testing.T) {
	s := newStage(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("the pages want a browser: %v", err)
	}
	hub := s.starts("listens on ", "hub", "--dir", filepath.Join(s.home, "hub"), "--listen", "127.0.0.1:-1")
	credential := func(role string) string {
		return filepath.Join(s.home, "hub", "credentials", "default-"+role+".nk")
	}
	var second *stage
	for i, name := range []string{"one", "two"} {
		second = s.worker(users[i], credential("worker"))
		second.starts("takes runs", "worker", "--name", name, "--labels", "room="+name, "--fleet", hub, "--fleet-credential", "worker.nk")
	}
	program, due := filepath.Join(second.home, "report"), filepath.Join(second.home, "update-due")
	document := filepath.Join(s.home, "nightly.yaml")
	for path, text := range map[string]string{program: report, due: "", document: fmt.Sprintf(reportWorkflow, program)} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	second.own(program, due)
	s.environ = append(s.environ, "UNDERSTUDY_FLEET="+hub, "UNDERSTUDY_FLEET_CREDENTIAL="+credential("client"))
	out, err := s.run(s.program, "run", "--needs", "room=two", document)
	if err == nil || !strings.Contains(err.Error(), "not_found") {
		t.Fatalf("the first night: %v\n%s", err, out)
	}
	run := parsed[[]struct {
		ID      string       `json:"run_id"`
		Worker  string       `json:"worker"`
		Desktop desktop.Info `json:"desktop"`
	}](t, s.must(s.run(s.program, "runs", "ls", "--json")))[0]
	if run.Worker != "two" {
		t.Errorf("it was executed by worker %s", run.Worker)
	}
	button := parsed[struct {
		Element desktop.Element `json:"element"`
	}](t, second.must(second.run(s.program, "call", "--home", filepath.Join(second.home, "data", "worker-two"), "--display", "virtual:"+run.Desktop.Name, "validate_element", `{"process": "zenity", "selector": "role:button && name:Later"}`)))
	at, pictures := button.Element.Bounds.Center(), s.pictures("fleet.mjs")
	site := strings.TrimSuffix(s.serve("--toolsets", "all"), "/mcp")
	got := parsed[map[string]any](t, s.must(s.script("../fleet.mjs", chromium, site, run.ID, pictures, fmt.Sprint(at.X), fmt.Sprint(at.Y))))
	if diff := cmp.Diff(map[string]any{"said": []any{}, "watched": true}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	written := filepath.Join(second.home, "report.txt")
	if text, err := os.ReadFile(written); err != nil || string(text) != "By hand\n" {
		t.Errorf("after the run was mended the report is %q, %v", text, err)
	}
	if info, err := os.Stat(written); err == nil && second.user != nil && info.Sys().(*syscall.Stat_t).Uid != second.user.Credential.Uid {
		t.Errorf("the report was written by user %d", info.Sys().(*syscall.Stat_t).Uid)
	}
}
