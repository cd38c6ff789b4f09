//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"understudy/engine"
)

func otherScenarios() []scenario {
	calculator := []string{"galculator", "xclip"}
	factory := []string{"gtk3-widget-factory"}
	return []scenario{
		{name: "galculator: multiply by clicks", workflow: "galculator", needs: calculator, check: copied("408")},
		{name: "galculator: add without the mouse", workflow: "galculator_invoke", needs: calculator, check: copied("17")},
		{name: "gtk3-widget-factory: controls", workflow: "factory", needs: factory, check: seen("checkbox checkbutton 1 checked", "spinbutton 33", "slider 20")},
		{name: "gtk3-widget-factory: pages", workflow: "factory_pages", needs: factory, check: seen("radiobutton Page 2 checked")},
		{name: "xterm: a command", workflow: "xterm", needs: []string{"xterm"}, check: func(s *stage) error { return s.holds("said.txt", "typed: ä") }},
		{name: "galculator: opened by a command", workflow: "open_named", needs: calculator, flags: []string{"-i", "app=/usr/bin/galculator"}, check: copied("7")},
		{name: "galculator: opened by a desktop file", workflow: "open_named", needs: calculator, flags: []string{"-i", "app=galculator.desktop"}, check: copied("7")},
		{name: "galculator: opened by its name", workflow: "open_named", needs: calculator, flags: []string{"-i", "app=Galculator"}, check: copied("7")},
		{name: "zenity: read text off the screen", workflow: "read_text", needs: []string{"/usr/bin/zenity", "tesseract"}, check: noWindowOf("Words"), inspect: read("Gentle breeze tomorrow")},
		page(), choice(), hush(), visit(),
		{name: "writer: type and save", workflow: "writer", needs: []string{"soffice"}, setup: note("old"), check: noted("written")},
	}
}

// copied says what is on the clipboard.
func copied(want string) func(*stage) error {
	return func(s *stage) error {
		return eventually(s.t.Context(), func() error {
			if got := s.tool("xclip", "-o", "-selection", "clipboard"); got != want {
				return fmt.Errorf("the clipboard: wanted %q, found %q", want, got)
			}
			return nil
		})
	}
}

// seen asks a reader of the screen of its own, testdata/reader.py, whether
// the controls are like this.
func seen(lines ...string) func(*stage) error {
	return func(s *stage) error {
		out := s.tool("/usr/bin/python3", append([]string{"-Wignore", s.testdata("reader.py")}, lines...)...)
		if out != "as wanted" {
			return fmt.Errorf("the controls: %s", out)
		}
		return nil
	}
}

// noWindowOf says that a window is gone.
func noWindowOf(title string) func(*stage) error {
	return func(s *stage) error { return s.noWindow(title) }
}

// read says that a text was read.
func read(want string) func(*stage, engine.Report) error {
	return func(_ *stage, r engine.Report) error {
		if got := fmt.Sprint(r.Output); !strings.Contains(got, want) {
			return fmt.Errorf("the text on the screen: wanted %q, found %q", want, got)
		}
		return nil
	}
}

// site is a page that we serve, and what came to it.
type site struct {
	mu     sync.Mutex
	visits int
	sent   []url.Values
}

// serve serves the form of testdata under the input address.
func (p *site) serve(s *stage) {
	form, err := os.ReadFile(s.testdata("form.html"))
	if err != nil {
		s.t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case r.URL.Path != "/":
			http.NotFound(w, r)
		case r.Method == http.MethodPost:
			_ = r.ParseForm()
			p.sent = append(p.sent, r.PostForm)
			fmt.Fprint(w, "<title>Order form</title><h1>Thank you</h1>")
		default:
			p.visits++
			_, _ = w.Write(form)
		}
	}))
	s.t.Cleanup(server.Close)
	s.setenv("UNDERSTUDY_INPUT_ADDRESS=" + server.URL)
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

// page is a form in a browser that sends what it holds to us.
func page() scenario {
	p := &site{}
	return scenario{
		name: "chromium: fill in a form and send it", workflow: "chromium", needs: []string{"chromium"}, setup: p.serve,
		check: func(*stage) error {
			return p.received(url.Values{"who": {"Ada Lovelace"}, "gift": {"yes"}, "size": {"L"}, "secret": {""}})
		},
	}
}

// choice is a list of a page, after which a field and a button are used.
func choice() scenario {
	p := &site{}
	return scenario{
		name: "chromium: choose in a list and send", workflow: "chromium_choice", needs: []string{"chromium"}, setup: p.serve,
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
		filepath.Join(s.folder("config"), "mimeapps.list"): fmt.Sprintf("[Default Applications]\nx-scheme-handler/http=%s.desktop\n", name),
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
