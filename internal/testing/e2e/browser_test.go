//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"understudy/engine"
)

// site is a page that we serve, and what came to it.
type site struct {
	page   string // a file of testdata; nothing: the form
	mu     sync.Mutex
	visits int
	sent   []url.Values
	said   []string // what a page told of what was done to it
	log    string   // a file that gets what the page told, too
}

// serve serves the page under the input address, which it returns.
func (p *site) serve(s *stage) (address string) {
	if p.page == "" {
		p.page = "form.html"
	}
	page, err := os.ReadFile(s.testdata(p.page))
	if err != nil {
		s.t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case r.URL.Path == "/said":
			p.tell(r)
		case r.URL.Path != "/":
			p.other(s, w, r)
		case r.Method == http.MethodPost:
			p.sent = append(p.sent, posted(r))
			fmt.Fprint(w, "<title>Order form</title><h1>Thank you</h1>")
		default:
			p.visits++
			shown := page
			if s.doubled.Load() {
				shown = bytes.Replace(page, []byte("<p>"), []byte("<p><label>Your name <input></label>\n<p>"), 1)
			}
			_, _ = w.Write(shown)
		}
	}))
	s.t.Cleanup(server.Close)
	s.setenv("UNDERSTUDY_INPUT_ADDRESS=" + server.URL)
	return server.URL
}

// serves is a setup that serves a page.
func serves(p *site) func(*stage) { return func(s *stage) { p.serve(s) } }

// tell takes all that a page tells, unless a later message came before.
func (p *site) tell(r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if lines := strings.Split(string(raw), "\n"); err == nil && len(lines) > len(p.said) {
		p.said = lines
		if p.log != "" {
			_ = os.WriteFile(p.log, raw, 0o600)
		}
	}
}

// received says which forms were sent.
func (p *site) received(want ...url.Values) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !reflect.DeepEqual(p.sent, want) {
		return fmt.Errorf("the page sent %v, wanted %v", p.sent, want)
	}
	return nil
}

// receivedOrNot says that this form was sent, or none.
func (p *site) receivedOrNot(want url.Values) error {
	if none := p.received(); none == nil {
		return nil
	}
	return p.received(want)
}

// saw says what the page saw being done to it.
func (p *site) saw(want ...string) func(*stage) error {
	return func(s *stage) error {
		return eventually(s.t, func() error {
			p.mu.Lock()
			defer p.mu.Unlock()
			if !slices.Equal(p.said, want) {
				return fmt.Errorf("the page saw %q, wanted %q", p.said, want)
			}
			return nil
		})
	}
}

// page is a form in a browser that sends what it holds to us.
func page() scenario {
	p, want := &site{}, url.Values{"who": {"Ada Lovelace"}, "gift": {"yes"}, "size": {"L"}, "secret": {""}}
	return scenario{
		name: "chromium: fill in a form and send it", workflow: "chromium", needs: []string{"chromium"}, setup: serves(p),
		check: func(*stage) error {
			return p.received(want)
		},
		stays: func(*stage) error { return p.receivedOrNot(want) },
	}
}

// choice is a list of a page, after which a field and a button are used.
func choice() scenario {
	p := &site{}
	return scenario{
		name: "chromium: choose in a list and send", workflow: "chromium_choice", needs: []string{"chromium"}, setup: serves(p),
		check: func(*stage) error {
			return p.received(url.Values{"who": {"Ada"}, "size": {"M"}, "secret": {""}})
		},
	}
}

// hush is a password that a page is given, and that is found nowhere.
func hush() scenario {
	p := &site{}
	return scenario{
		name: "chromium: a password, which is found nowhere", workflow: "chromium_password", needs: []string{"chromium", "import"},
		setup: func(s *stage) {
			p.serve(s)
			s.setenv("UNDERSTUDY_INPUT_PASSWORD=" + password)
		},
		check: func(*stage) error {
			return p.received(url.Values{"who": {""}, "size": {"S"}, "secret": {password}})
		},
		inspect: func(s *stage, r engine.Report) error {
			return errors.Join(s.untold(password, "chromium_password"), s.blanked(r, "1", "ok"))
		},
	}
}

// prefers makes a program what the user wants addresses to be opened with.
func (s *stage) prefers(name string) {
	applications := s.folder("share/applications")
	for path, text := range map[string]string{
		filepath.Join(applications, name+".desktop"):       fmt.Sprintf("[Desktop Entry]\nType=Application\nName=%s\nExec=%s %%U\n", name, filepath.Join(s.bin, name)),
		filepath.Join(s.folder("config"), "mimeapps.list"): fmt.Sprintf("[Default Applications]\nx-scheme-handler/http=%[1]s.desktop\nx-scheme-handler/https=%[1]s.desktop\n", name),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// visit opens a page with the browser that the user has chosen.
func visit() scenario {
	p := &site{}
	return scenario{
		name: "chromium: open an address", workflow: "open_url", needs: []string{"chromium", "xdg-open"},
		setup: func(s *stage) {
			p.serve(s)
			s.script("browser", `exec chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility "$@"`)
			s.prefers("browser")
		},
		check: func(*stage) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.visits != 1 {
				return fmt.Errorf("the page was asked for %d times, wanted once", p.visits)
			}
			return nil
		},
	}
}

// pad is a page that tells what pointer and keys do to it.
func pad() scenario {
	p := &site{page: "pad.html"}
	return scenario{
		name: "chromium: pointer, wheel and keys", workflow: "chromium_pad", needs: []string{"chromium"}, setup: serves(p),
		check: p.saw("rested", "key Shift", "key ArrowRight", "key-up ArrowRight", "key-up Shift",
			"button 0 dragged by 100,40", "button 0 dragged by 40,10", "wheel up", "list scrolled"),
	}
}

// chromium makes the program of that name one that root may start.
func (s *stage) chromium() {
	path, err := exec.LookPath("chromium")
	if err != nil {
		s.t.Fatal(err)
	}
	s.script("chromium", "exec "+path+` --no-sandbox --no-first-run --password-store=basic --disable-gpu "$@"`)
}

// scripted is a form that is filled in by scripts in the page, beside a second tab.
func scripted() scenario {
	p := &site{}
	return scenario{
		name: "chromium: navigate, scripts and tabs", workflow: "chromium_script", needs: []string{"chromium"},
		setup: func(s *stage) {
			s.chromium()
			p.serve(s)
		},
		check: func(*stage) error {
			return p.received(url.Values{"who": {"Ada of Order form"}, "size": {"M"}, "secret": {""}})
		},
		stays: func(*stage) error {
			return p.receivedOrNot(url.Values{"who": {"Ada of Order form"}, "size": {"M"}, "secret": {""}})
		},
	}
}
