//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"sync"
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
		page(),
		{name: "writer: type and save", workflow: "writer", needs: []string{"soffice"}, setup: note("old"), check: noted("\ufeffwrittenold")},
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
		out := s.tool("/usr/bin/python3", append([]string{s.testdata("reader.py")}, lines...)...)
		if out != "as wanted" {
			return fmt.Errorf("the controls: %s", out)
		}
		return nil
	}
}

// page is a form in a browser that sends what it holds to us.
func page() scenario {
	var mu sync.Mutex
	var sent []url.Values
	return scenario{
		name: "chromium: fill in a form and send it", workflow: "chromium", needs: []string{"chromium"},
		setup: func(s *stage) {
			form, err := os.ReadFile(s.testdata("form.html"))
			if err != nil {
				s.t.Fatal(err)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				if r.Method != http.MethodPost {
					_, _ = w.Write(form)
					return
				}
				_ = r.ParseForm()
				mu.Lock()
				sent = append(sent, r.PostForm)
				mu.Unlock()
				fmt.Fprint(w, "<title>Order form</title><h1>Thank you</h1>")
			}))
			s.t.Cleanup(server.Close)
			s.setenv("UNDERSTUDY_INPUT_ADDRESS=" + server.URL)
		},
		check: func(*stage) error {
			mu.Lock()
			defer mu.Unlock()
			want := []url.Values{{"who": {"Ada Lovelace"}, "gift": {"yes"}, "size": {"L"}, "secret": {""}}}
			if !reflect.DeepEqual(sent, want) {
				return fmt.Errorf("the page sent %v, wanted %v", sent, want)
			}
			return nil
		},
	}
}
