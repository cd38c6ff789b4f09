package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/extension"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/kinds"
)

// TestMain makes this program the host of the extension where a browser starts it.
func TestMain(m *testing.M) {
	if extension.Launched(os.Args[1:]) {
		if err := extension.Host(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// hostile makes the functions of a page lie, on which a careless script of ours could rely.
const hostile = `(() => { JSON.stringify = () => '"taken"'; JSON.parse = () => ({taken: 1}); Promise.prototype.then = () => "taken"
	Object.prototype.toJSON = () => "taken"; Array.prototype.map = () => ["taken"]; document.querySelectorAll = () => []
	window.chrome = {runtime: {sendMessage() {}}}; return typeof chrome.debugger + typeof browser })()`

// A browser that a person started is used by its extension, as one with a pipe.
func TestAtLengthABrowserOfAPersonIsConnected(t *testing.T) {
	s, at, home := startedBrowser(t), site(t), scratch.Dir(t)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, filepath.Join(home, strings.ToLower(name)))
	}
	if _, _, err := extension.SetUp(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, "xdg_data_home/understudy-extensions/chromium")
	// The folder of the user's settings, where the host is named, is that of an ordinary start.
	script := "#!/bin/sh\nexec /usr/bin/chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --load-extension=" + folder + " \"$@\"\n"
	program := filepath.Join(home, "start")
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Desktop = open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
	s.launch(program + " " + at + "/first")
	s.eventually("it is connected", func() bool {
		all, err := s.Browsers(t.Context())
		return err == nil && len(all) == 1 && all[0].Name == "chromium"
	})
	s.does(kinds.WaitForPage, map[string]any{"title": "First", "timeout_ms": 60_000.0})
	run := func(script, frame string) any {
		return s.does(kinds.ExecuteBrowserScript, map[string]any{"script": script, "frame": frame}).Result["result"]
	}
	if got := run("return document.title + await 1", ""); got != "First1" {
		t.Errorf("a script returned %v", got)
	}
	if got := run("document.title", "inner"); got != "Frame" {
		t.Errorf("in a frame it returned %v", got)
	}
	o := s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/cross", "timeout_ms": 60_000.0})
	if o.Result["title"] != "Cross" || o.Result["status"] != 200.0 || o.Result["tabs"] != 2.0 || o.Result["window"] == nil {
		t.Errorf("navigating: %v", o.Result)
	}
	if got := run("document.title + ' ' + location.hostname", "deep"); got != "Frame localhost" {
		t.Errorf("in a frame of another site it returned %v", got)
	}
	s.does(kinds.ActivateTab, map[string]any{"tab": "First"})
	if got := run(hostile, ""); got != "undefinedundefined" {
		t.Errorf("a page has the rights of an extension: %v", got)
	}
	if got := run("document.title", ""); got != "First" {
		t.Errorf("a page that lies changed a result: %v", got)
	}
	o = s.does(kinds.ListTabs, map[string]any{})
	if tabs := fmt.Sprint(o.Result["tabs"]); !strings.Contains(tabs, "Cross") || strings.Contains(tabs, "taken") {
		t.Errorf("the tabs: %s", tabs)
	}
	s.does(kinds.CloseTab, map[string]any{"tab": "Cross"})
	s.refused(kinds.NavigateBrowser, map[string]any{"url": "chrome://version", "timeout_ms": 60_000.0}, steps.Unexpected, "lets no extension into it")
}
