//go:build linux

package lasting

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// A page lives on with its tab, its variables and what was typed into it, when the engine is
// killed between two steps.
func TestAtLengthARunThatWasKilledGoesOnInTheSameTab(t *testing.T) {
	t.Parallel()
	virtualtest.Need(t, "chromium")
	o := newOperator(t)
	var visits atomic.Int32
	waits := make(chan struct{})
	goesOn := sync.OnceFunc(func() { close(waits) })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			visits.Add(1)
			_, _ = io.WriteString(w, `<!doctype html><title>Order</title><label>Name <input id="name"></label><p id="state">open</p>
				<script>fetch("/later").then(r => r.text()).then(text => { state.textContent = text })</script>`)
		case "/later":
			<-waits
			_, _ = io.WriteString(w, "confirmed")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() {
		goesOn()
		site.Close()
	})
	bin := scratch.Dir(t)
	wrapper := fmt.Sprintf("#!/bin/sh\nexec /usr/bin/chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --user-data-dir=%s/profile \"$@\"\n", o.dir)
	if err := os.WriteFile(filepath.Join(bin, "chromium"), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	o.env = append(o.env, "PATH="+bin+":"+os.Getenv("PATH"))
	document := `steps:
  - {id: open, tool_name: navigate_browser, arguments: {url: "` + site.URL + `/", process: chromium}}
  - {id: type, tool_name: type_into_element, arguments: {process: chromium, selector: "role:document >> role:entry", text_to_type: Amabelle}}
  - {id: mark, tool_name: execute_browser_script, arguments: {script: "window.mark = 'of the first engine'; 1"}}
  - {id: wait, tool_name: wait_for_page, arguments: {text: confirmed, idle: false, timeout_ms: 300000}}
  - {id: read, tool_name: execute_browser_script, arguments: {script: "document.getElementById('name').value + ' ' + window.mark"}}
output: "{{steps.read.result.result}}"
`
	if err := os.WriteFile(filepath.Join(o.dir, "page.yaml"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := o.command("run", "--display", "virtual", "page.yaml")
	said := &scratch.Buffer{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.until("it waits for the page", func() bool {
		text, _ := o.command("runs", "show", "last", "--json").Output()
		return strings.Contains(string(text), `"id": "wait"`)
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	goesOn()
	if said := o.does(0, "resume", "last"); !strings.Contains(said, "Amabelle of the first engine") {
		t.Errorf("the page is another one: %s", said)
	}
	if n := visits.Load(); n != 1 {
		t.Errorf("the page was loaded %d times", n)
	}
}
