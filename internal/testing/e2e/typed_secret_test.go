//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/virtualtest"
)

// TestAPasswordThatACallTypesIsFoundNowhere types passwords by plain calls, in each way
// there is, and looks for them in every file of the data folder.
func TestAPasswordThatACallTypesIsFoundNowhere(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(s *stage) (process string, sent func() string)

		blind bool // its password fields tell nothing of their text, so what was set cannot be checked
	}{
		{"GTK 3", login("gtk"), false},
		{"Qt 6", login("qt"), true},
		{"Chromium", signIn, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !itself.InChild(t, nil) {
				return
			}
			s := newStage(t, desktop.Size{})
			process, sent := c.open(s)
			secret := func(way string) string { return way + "-Tr0ub4dor&3" }
			field := fmt.Sprintf(`"process": %q, "selector": "role:password && name:Secret"`, process)
			enter := func(user, way string) {
				t.Helper()
				want := sent() + user + " " + secret(way) + "\n"
				s.call("press_key", fmt.Sprintf(`{%s, "key": "enter"}`, field))
				if err := eventually(t, func() error {
					if got := sent(); got != want {
						return fmt.Errorf("%s: sent %q, wanted %q", way, got, want)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			user := fmt.Sprintf(`{"process": %q, "selector": "role:entry && name:User", "text_to_type": "Somebody"}`, process)
			s.call("type_into_element", user)
			s.call("type_into_element", fmt.Sprintf(`{%s, "text_to_type": %q}`, field, secret("typed")))
			enter("Somebody", "typed")
			if status, out, errOut := s.command("call", "set_value", fmt.Sprintf(`{%s, "value": %q}`, field, secret("set"))); status != 0 && !c.blind {
				t.Errorf("set_value: status %d: %s%s", status, out, errOut)
			}
			enter("", "set")
			s.call("type_text", fmt.Sprintf(`{"text": %q}`, secret("text")))
			enter("", "text")
			s.call("press_key", fmt.Sprintf(`{%s, "key": %q}`, field, strings.Join(strings.Split(secret("keys"), ""), " ")))
			enter("", "keys")
			status, _, errOut := s.command("call", "type_into_element", fmt.Sprintf(`{"process": %q, "selector": "name:Nothing", "timeout_ms": 100, "text_to_type": %q}`, process, secret("missed")))
			if status == 0 || strings.Contains(errOut, secret("missed")) {
				t.Errorf("a field that there is not: status %d: %s", status, errOut)
			}
			for _, way := range []string{"typed", "set", "text", "missed"} {
				if err := s.untold(secret(way), "Somebody"); err != nil {
					t.Errorf("%s: %v", way, err)
				}
			}
			if err := s.untold(strings.Join(strings.Split(secret("keys"), ""), " "), "Somebody"); err != nil {
				t.Errorf("keys: %v", err)
			}
		})
	}
}

// login opens the window of a toolkit, and gives what was sent with it.
func login(toolkit string) func(s *stage) (string, func() string) {
	return func(s *stage) (string, func() string) {
		virtualtest.Need(s.t, "/usr/bin/python3")
		path := filepath.Join(s.dir, "sent.txt")
		s.script("login", fmt.Sprintf("exec /usr/bin/python3 %q %s %q", s.testdata("login.py"), toolkit, path))
		s.call("open_application", `{"app_name": "login", "title": "Login", "timeout_ms": 25000}`)
		python, err := filepath.EvalSymlinks("/usr/bin/python3")
		if err != nil {
			s.t.Fatal(err)
		}
		return filepath.Base(python), func() string {
			raw, _ := os.ReadFile(path) // nothing before the first
			return string(raw)
		}
	}
}

// signIn opens the page of a form in Chromium, and gives what was sent with it.
func signIn(s *stage) (string, func() string) {
	virtualtest.Need(s.t, "chromium")
	p := &site{page: "login.html"}
	p.serve(s)
	address := os.Getenv("UNDERSTUDY_INPUT_ADDRESS")
	s.call("open_application", fmt.Sprintf(`{"app_name": "chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu %s", "title": "Login", "timeout_ms": 60000}`, address))
	return "chromium", func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		var all strings.Builder
		for _, line := range p.said {
			all.WriteString(line + "\n")
		}
		return all.String()
	}
}
