package local_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// site serves the pages that the tests of browsers open.
func site(t *testing.T) string {
	mux := http.NewServeMux()
	page := func(path, header, html string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if header != "" {
				w.Header().Set("Content-Security-Policy", header)
			}
			_, _ = io.WriteString(w, html)
		})
	}
	page("/first", "", `<!doctype html><title>First</title><h1>One</h1><iframe name="inner" src="/frame"></iframe><button onclick="alert('Sure?')">Ask</button>`)
	page("/second", "", `<!doctype html><title>Second</title><h1>Two</h1>`)
	page("/strict", "default-src 'none'; script-src 'none'; require-trusted-types-for 'script'", `<!doctype html><title>Strict</title><p>Nothing runs here`)
	page("/frame", "", `<!doctype html><title>Frame</title><p id="in">inside`)
	page("/late", "", `<!doctype html><title>Late</title><p id="p">wait<script>setTimeout(() => { p.textContent = "here now"; document.title = "Arrived" }, 700)</script>`)
	page("/app", "", `<!doctype html><title>App</title><div id="root"></div><script>setTimeout(() => { root.textContent = "Loading"; root.setAttribute("aria-busy", "true") }, 700); setTimeout(() => { root.textContent = "Ready"; root.setAttribute("aria-busy", "false") }, 1700)</script>`)
	page("/asks", "", `<!doctype html><title>Asks</title><input><script>addEventListener("beforeunload", e => e.preventDefault())</script>`)
	mux.HandleFunc("/cross", func(w http.ResponseWriter, r *http.Request) {
		other := "http://localhost" + r.Host[strings.LastIndex(r.Host, ":"):]
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Cross</title><iframe name="other" src="%s/around"></iframe><iframe name="same" src="/frame"></iframe>`, other)
	})
	page("/around", "", `<!doctype html><title>Around</title><iframe name="deep" src="/frame?deep"></iframe>`)
	over := make(chan struct{})
	mux.HandleFunc("/hangs", func(http.ResponseWriter, *http.Request) { <-over })
	page("/liar", "", `<!doctype html><title>Liar</title><p>Me<script>document.hasFocus = () => true; for (const [name, value] of [["visibilityState", "visible"], ["hidden", false]]) Object.defineProperty(document, name, {get: () => value})</script>`)
	page("/opens", "", `<!doctype html><title>Opener</title><button onclick="window.open('/second', 'w', 'width=500,height=400')">Open</button>`)
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		_, _ = io.WriteString(w, "a;b\n")
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/second", http.StatusFound) })
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		close(over) // a browser asks again when its connection is closed
		server.Close()
	})
	return server.URL
}

// startedBrowser starts a browser without a page on a display of its own, where its program
// has the flags that it needs here.
func startedBrowser(t *testing.T) *testDesktop {
	t.Helper()
	virtualtest.Need(t, "chromium")
	bin, home := scratch.Dir(t), scratch.Dir(t)
	script := fmt.Sprintf("#!/bin/sh\nexec /usr/bin/chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --user-data-dir=%s/profile \"$@\"\n", home)
	if err := os.WriteFile(filepath.Join(bin, "chromium"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", home) // where it puts downloads
	return &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}
}

func (s *testDesktop) refused(k steps.Kind, args map[string]any, code steps.Code, text string) {
	s.Helper()
	if o := s.tries(k, args); steps.CodeOf(o.Err) != code || !strings.Contains(fmt.Sprint(o.Err), text) {
		s.Errorf("%s %v: %v, want %s with %q", k.Name, args, o.Err, code, text)
	}
}

// Addresses are opened, and what comes of each is told.
func TestAtLengthABrowserOpensAddresses(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	go1 := func(path string, more ...any) map[string]any {
		args := map[string]any{"url": at + path, "process": "chromium", "timeout_ms": 60_000.0}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return args
	}
	for _, row := range []struct {
		say  string
		args map[string]any
		want map[string]any
	}{
		{"the browser is started", go1("/first"), map[string]any{"title": "First", "status": 200.0, "settled": true, "tabs": 1.0}},
		{"a new tab", go1("/second"), map[string]any{"title": "Second", "tabs": 2.0}},
		{"the tab in front", go1("/late", "new_tab", false), map[string]any{"tabs": 2.0}},
		{"a tab by its title", go1("/moved", "tab", "First"), map[string]any{"title": "Second", "url": at + "/second", "tabs": 2.0}},
		{"no page", go1("/nothing"), map[string]any{"status": 404.0, "tabs": 3.0}},
		{"a page is empty", map[string]any{"url": "about:blank", "process": "chromium", "new_tab": false}, map[string]any{"url": "about:blank"}},
		{"a file", go1("/file"), map[string]any{"complete": true}},
	} {
		o := s.does(kinds.NavigateBrowser, row.args)
		for name, want := range row.want {
			if o.Result[name] != want {
				t.Errorf("%s: %s is %v, want %v (%v)", row.say, name, o.Result[name], want, o.Result)
			}
		}
		if row.say == "a file" {
			saved, err := os.ReadFile(fmt.Sprint(o.Result["download"]))
			if string(saved) != "a;b\n" {
				t.Errorf("%s: %q, %v (%v)", row.say, saved, err, o.Result)
			}
		}
	}
	s.refused(kinds.NavigateBrowser, map[string]any{"url": "http://127.0.0.1:1/", "process": "chromium"}, steps.Unexpected, "")
	s.refused(kinds.NavigateBrowser, map[string]any{"url": "http://host.invalid/", "process": "chromium"}, steps.Unexpected, "there is no such host")
	s.refused(kinds.NavigateBrowser, go1("/first", "tab", "absent"), steps.NotFound, "no tab has")
	s.refused(kinds.NavigateBrowser, map[string]any{"url": "JavaScript:document.title='x'", "process": "chromium"}, steps.Invalid, "run it with execute_browser_script")
	s.refused(kinds.NavigateBrowser, map[string]any{"url": "http://x.org/", "process": "sh -c x"}, steps.Invalid, "wanted the name of a browser")
}

// Tabs are listed, shown and closed, and pages waited for.
func TestAtLengthABrowserOperatesTabs(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	for _, path := range []string{"/first", "/second", "/late"} {
		s.does(kinds.NavigateBrowser, map[string]any{"url": at + path, "process": "chromium", "timeout_ms": 60_000.0})
	}
	o := s.does(kinds.WaitForPage, map[string]any{"tab": "late", "text": "here  now", "title": "Arrived", "timeout_ms": 60_000.0})
	if o.Result["url"] != at+"/late" {
		t.Errorf("%v", o.Result)
	}
	s.refused(kinds.WaitForPage, map[string]any{"url": "/elsewhere", "timeout_ms": 500.0}, steps.Timeout, "wanted one with")
	front := func() string {
		tabs := s.does(kinds.ListTabs, map[string]any{}).Result["tabs"].([]any)
		var titles []string
		for _, tab := range tabs {
			tab := tab.(map[string]any)
			titles = append(titles, fmt.Sprint(tab["title"], tab["front"]))
		}
		return strings.Join(titles, " ")
	}
	if got := front(); !strings.HasPrefix(got, "Arrivedtrue ") || strings.Count(got, "true") != 1 {
		t.Errorf("the tabs: %s", got)
	}
	s.does(kinds.ActivateTab, map[string]any{"tab": "second"})
	s.eventually("the other tab is in front", func() bool { return strings.HasPrefix(front(), "Secondtrue") })
	s.does(kinds.CloseTab, map[string]any{"tab": "second"})
	if got := front(); strings.Contains(got, "Second") {
		t.Errorf("after closing: %s", got)
	}
	s.refused(kinds.CloseTab, map[string]any{"tab": "second"}, steps.NotFound, "no tab has")
	s.refused(kinds.ListTabs, map[string]any{"process": "firefox"}, steps.Unavailable, "no browser here is connected")
}

// The preferred browser is connected if it was started by an address, too.
func TestAtLengthAnAddressOpensInAConnectedBrowser(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	t.Setenv("BROWSER", "chromium")
	s.does(kinds.OpenURL, map[string]any{"url": at + "/first"})
	s.does(kinds.WaitForPage, map[string]any{"title": "First", "timeout_ms": 60_000.0})
	s.does(kinds.OpenURL, map[string]any{"url": at + "/second"}) // in the browser that runs
	s.eventually("both are its tabs", func() bool {
		return len(s.does(kinds.ListTabs, map[string]any{}).Result["tabs"].([]any)) == 2
	})
}

// A browser that was started on the seat stays connected when the program that started it ends.
func TestAtLengthABrowserOfTheSeatStaysConnected(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	x := virtualtest.Start(t)
	t.Setenv("DISPLAY", x.Name())
	t.Setenv("XAUTHORITY", x.Authority())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", x.Bus())
	seat := desktop.Options{Display: desktop.Seat, Dir: scratch.Dir(t)}
	s.Desktop = open(t, seat)
	o := s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/first", "process": "chromium", "timeout_ms": 60_000.0})
	if o.Result["status"] != 200.0 || o.Result["unconnected"] != nil {
		t.Errorf("%v", o.Result)
	}
	s.does(kinds.ExecuteBrowserScript, map[string]any{"script": "window.kept = 'still here'"})
	s.Desktop = open(t, seat)
	o = s.does(kinds.ExecuteBrowserScript, map[string]any{"script": "kept + document.title"})
	if o.Result["result"] != "still hereFirst" {
		t.Errorf("the next program found %v", o.Result)
	}
	all, err := s.Browsers(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("the browsers: %v, %v", all, err)
	}
	for _, row := range []struct {
		say, dir, want string
	}{
		{"one that is connected", seat.Dir, fmt.Sprintf("chromium (process %d) is connected", all[0].PID)},
		{"one that another started", scratch.Dir(t), fmt.Sprintf("chromium (process %d) is not connected", all[0].PID)},
	} {
		for _, f := range (local.Machine{}).Diagnose(t.Context(), desktop.Options{Display: desktop.Seat, Dir: row.dir}) {
			if f.Name == "browsers" && !strings.Contains(f.Detail, row.want) {
				t.Errorf("%s: the diagnosis is %q", row.say, f.Detail)
			}
		}
	}
	if err := syscall.Kill(all[0].PID, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	s.eventually("it is forgotten", func() bool {
		all, err := s.Browsers(t.Context())
		return err == nil && len(all) == 0
	})
}

// Where a browser is not connected, the address is typed, and that is told.
func TestAtLengthAnAddressIsTypedWhereNoBrowserIsConnected(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	s.launch(`sh -c "chromium about:blank"`)
	s.eventually("its window is there", func() bool {
		windows, err := s.Windows(t.Context())
		return err == nil && windows.Of(desktop.Scope{Process: "chromium"}).Foremost() != nil
	})
	o := s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/second", "process": "chromium"})
	if !strings.Contains(fmt.Sprint(o.Result["unconnected"]), "chromium is not connected") || o.Result["status"] != nil || o.Result["tab"] != nil {
		t.Errorf("%v", o.Result)
	}
	s.eventually("the page shows", func() bool {
		windows, err := s.Windows(t.Context())
		return err == nil && strings.HasPrefix(windows.Of(desktop.Scope{Process: "chromium"}).Foremost().Title, "Second")
	})
	s.refused(kinds.NavigateBrowser, map[string]any{"url": at + "/first", "process": "chromium", "tab": "Second"}, steps.Unavailable, "connect a running browser")
	s.refused(kinds.ExecuteBrowserScript, map[string]any{"script": "1"}, steps.Unavailable, "start Chromium with navigate_browser")
}

// Frames are those of the tab, whichever site they are of.
func TestAtLengthABrowserFindsFrames(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	for _, path := range []string{"/first", "/cross"} {
		s.does(kinds.NavigateBrowser, map[string]any{"url": at + path, "process": "chromium", "timeout_ms": 60_000.0})
	}
	title := func(frame string) map[string]any {
		return map[string]any{"script": "document.title + ' ' + location.hostname", "frame": frame, "process": "chromium"}
	}
	for _, row := range []struct{ say, frame, want string }{
		{"of another site, by its name", "other", "Around localhost"},
		{"of another site, by its address", "/around", "Around localhost"},
		{"inside one of another site", "deep", "Frame localhost"},
		{"of the same site", "same", "Frame 127.0.0.1"},
	} {
		if o := s.does(kinds.ExecuteBrowserScript, title(row.frame)); o.Result["result"] != row.want {
			t.Errorf("%s: %v, want %s", row.say, o.Result["result"], row.want)
		}
	}
	s.refused(kinds.ExecuteBrowserScript, title("/frame"), steps.Ambiguous, "2 frames")
	s.refused(kinds.ExecuteBrowserScript, title("inner"), steps.NotFound, "0 frames")
}

// A page that does not answer takes no time from the others, and of two windows that show the
// same, the one that is meant comes to the front.
func TestAtLengthABrowserHasManyWindows(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	open := func(path string) steps.Outcome {
		return s.does(kinds.NavigateBrowser, map[string]any{"url": at + path, "process": "chromium", "timeout_ms": 60_000.0})
	}
	first := open("/second")
	s.refused(kinds.NavigateBrowser, map[string]any{"url": at + "/hangs", "process": "chromium", "timeout_ms": 500.0}, steps.Timeout, "has not answered")
	opener := open("/opens")
	front := func() (titles []string) {
		for _, tab := range s.does(kinds.ListTabs, map[string]any{}).Result["tabs"].([]any) {
			if tab := tab.(map[string]any); tab["front"] == true {
				titles = append(titles, fmt.Sprint(tab["title"]))
			}
		}
		return titles
	}
	if got := front(); len(got) != 1 || got[0] != "Opener" {
		t.Errorf("in front: %q", got)
	}
	s.does(kinds.ClickElement, map[string]any{"selector": "role:button && name:Open"})
	s.eventually("its window is in front", func() bool { got := front(); return len(got) == 2 && got[0] == "Second" })
	s.does(kinds.ActivateTab, map[string]any{"tab": first.Result["tab"]})
	windows, err := s.Windows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := opener.Result["window"].(map[string]any)["id"]
	if w := windows.Active(); w == nil || fmt.Sprint(float64(w.ID)) != fmt.Sprint(want) || w.Title != "Second - Chromium" {
		t.Errorf("the active window is %+v, want %v", w, want)
	}
}

// A page that says that it is in front, and that it is another, gets nothing that was for another.
func TestAtLengthAHostilePageGetsOnlyWhatIsForIt(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	open := func(path string) string {
		o := s.does(kinds.NavigateBrowser, map[string]any{"url": at + path, "process": "chromium", "timeout_ms": 60_000.0})
		return fmt.Sprint(o.Result["tab"])
	}
	liar, second := open("/liar"), open("/second")
	where := func(tab string) any {
		return s.does(kinds.ExecuteBrowserScript, map[string]any{"script": "location.pathname", "tab": tab}).Result["result"]
	}
	if got := where(""); got != "/second" {
		t.Errorf("a script for the tab in front ran in %v", got)
	}
	tabs := s.does(kinds.ListTabs, map[string]any{}).Result["tabs"].([]any)
	if first := tabs[0].(map[string]any); first["id"] != second || tabs[1].(map[string]any)["front"] == true {
		t.Errorf("the tabs: %v", tabs)
	}
	s.does(kinds.ExecuteBrowserScript, map[string]any{"tab": liar, "script": "document.title = '" + second + "'; 1"})
	if got := where(second); got != "/second" {
		t.Errorf("a script for a tab by its id ran in %v", got)
	}
}

// An application that a script makes when the page is loaded has settled when it shows.
func TestAtLengthAPageThatIsMadeLaterSettlesThen(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	o := s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/app", "process": "chromium", "timeout_ms": 60_000.0})
	if got := s.does(kinds.ExecuteBrowserScript, map[string]any{"script": "document.body.innerText.trim()"}); o.Result["settled"] != true || got.Result["result"] != "Ready" {
		t.Errorf("settled: %v, and it shows %q", o.Result["settled"], got.Result["result"])
	}
}

// A page that asks whether to leave it is told, and answered as a person does.
func TestAtLengthABrowserAsksBeforeLeaving(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/asks", "process": "chromium", "timeout_ms": 60_000.0})
	s.does(kinds.TypeIntoElement, map[string]any{"selector": "role:document >> role:entry", "text_to_type": "abc"})
	away := map[string]any{"url": at + "/second", "new_tab": false, "timeout_ms": 60_000.0}
	s.refused(kinds.NavigateBrowser, away, steps.NotActionable, "the page shows a dialog (beforeunload)")
	s.does(kinds.PressKeyGlobal, map[string]any{"key": "escape"}) // stay
	s.does(kinds.WaitForPage, map[string]any{"url": "/asks", "timeout_ms": 60_000.0})
	s.refused(kinds.CloseTab, map[string]any{"tab": "Asks"}, steps.Unexpected, "its page may ask whether to leave it")
	s.does(kinds.PressKeyGlobal, map[string]any{"key": "enter"}) // leave
	s.eventually("it is closed, and the browser with it", func() bool {
		all, err := s.Browsers(t.Context())
		return err == nil && len(all) == 0
	})
}

// Scripts run in pages as their users wrote them.
func TestAtLengthABrowserRunsScripts(t *testing.T) {
	s, at := startedBrowser(t), site(t)
	s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/first", "process": "chromium", "timeout_ms": 60_000.0})
	file := filepath.Join(t.TempDir(), "script.js")
	if err := os.WriteFile(file, []byte("const who = document.title;\nreturn who + 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args map[string]any) steps.Outcome {
		return kinds.ExecuteBrowserScript.Run(t.Context(), &steps.Env{
			Desktop: s.Desktop, LastAct: &s.stirred, Folders: steps.Folders{Dir: t.TempDir()},
			Inputs: map[string]any{"customer": "Amabelle"}, Vars: map[string]any{"count": 3.0},
			Named: map[string]any{"customer": "Amabelle", "count": 3.0, "look_result": map[string]any{"place": "Fiji"}, "other_result": "private"},
		}, args)
	}
	text := func(script string) map[string]any { return map[string]any{"script": script} }
	for _, row := range []struct {
		say  string
		args map[string]any
		want string
	}{
		{"the last expression", text("const a = 1\ndocument.title + a"), `First1`},
		{"a return", text("if (document.title) {\n return document.title }\nreturn 0"), `First`},
		{"await, with a return inside", text("const a = await Promise.resolve([1]).then(x => { return x })\na"), `[1]`},
		{"await, and a return", text("const a = await 5; return a + 1"), `6`},
		{"a function that is called", text("(() => { return {a: {b: [1, null]}} })()"), `map[a:map[b:[1 <nil>]]]`},
		{"an async function that is called", text("(async () => { await 0; return 'x' })()"), `x`},
		{"nothing", text("void 0"), `<nil>`},
		{"an object as a block", text("({b: 1})"), `map[b:1]`},
		{"a value of the run", text("count + 1"), `4`},
		{"an input", text("inputs.customer + customer + variables.customer"), `AmabelleAmabelleAmabelle`},
		{"values of the argument", map[string]any{"script": "env.x + x + env.count", "env": map[string]any{"x": 2.0}}, `7`},
		{"an earlier result", text("look_result.place + env.look_result.place"), `FijiFiji`},
		{"no result that the script does not name", text("Object.keys(env).sort().join()"), `count`},
		{"an object in a text of JSON", map[string]any{"script": "x.a + env.x", "env": map[string]any{"x": `{"a": 1}`}}, `1{"a": 1}`},
		{"a value that is declared again", map[string]any{"script": "const x = 5\nreturn x", "env": map[string]any{"x": 2.0}}, `5`},
		{"a value that is asked for with a default", map[string]any{"script": "var x = x || 7; x", "env": map[string]any{"x": 2.0}}, `2`},
		{"nothing stays declared", text("const a = 9; typeof x"), `undefined`},
		{"a comment at the end", text("1 + 1 // two"), `2`},
		{"a file", map[string]any{"script_file": file}, `First1`},
		{"a frame by its name", map[string]any{"script": "document.getElementById('in').textContent", "frame": "inner"}, `inside`},
		{"a frame by its address", map[string]any{"script": "document.title", "frame": "/frame"}, `Frame`},
		{"no number", text("0/0"), `NaN`},
	} {
		if o := run(row.args); o.Err != nil || fmt.Sprint(o.Result["result"]) != row.want {
			t.Errorf("%s: %v, %v; want %s", row.say, o.Result["result"], o.Err, row.want)
		}
	}
	o := run(text("console.log('a', 1, {b: 2}); console.error('bad'); console.log('::set-env name=place::Fiji'); return {set_env: {n: 1}, other: 2, status: 'ok'}"))
	if got := fmt.Sprint(o.Result["logs"]); got != "[a 1 Object error: bad ::set-env name=place::Fiji]" {
		t.Errorf("the console: %s", got)
	}
	if got := fmt.Sprint(o.Sets); got != "map[n:1 other:2 place:Fiji]" {
		t.Errorf("set: %s", got)
	}
	// What the page itself prints sets nothing, whoever calls it.
	run(text("window.say = console.log; console.log = (...words) => say('::set-env name=stolen::1', ...words); window.timer = setInterval(() => console.info('::set-env name=stolen::2'), 1); 1"))
	o = run(text("console.log('::set-env name=place::Nauru'); await new Promise((r) => setTimeout(r, 50)); return 1"))
	if got := fmt.Sprint(o.Sets); o.Err != nil || got != "map[]" || len(o.Result["logs"].([]any)) < 2 {
		t.Errorf("what a page printed was set: %s, %v, %v", got, o.Result["logs"], o.Err)
	}
	run(text("console.log = say; clearInterval(timer); 1"))
	for _, row := range []struct {
		say, script string
		code        steps.Code
		wants       string
	}{
		{"an exception", "let a = 1\n\nnull.x", steps.Unexpected, "line 3: null.x"},
		{"an exception in a script with a return", "if (0) return\nabsent()", steps.Unexpected, "absent is not defined (script, line 2: absent())"},
		{"a syntax error", "let a = 1\nlet b = = 2", steps.Unexpected, "line 2: let b = = 2"},
		{"a rejection", "await Promise.reject(new Error('no luck'))", steps.Unexpected, "no luck"},
		{"a thrown text", "throw 'plain'", steps.Unexpected, "plain"},
		{"a failure that is returned", "({success: false, message: 'not today'})", steps.Unexpected, "not today"},
		{"a cycle", "let a = {}; a.a = a; a", steps.Invalid, "cannot be written as JSON"},
		{"a dialog", "alert('Really?')", steps.NotActionable, `the page shows a dialog (alert): "Really?"`},
	} {
		if o := run(text(row.script)); steps.CodeOf(o.Err) != row.code || !strings.Contains(fmt.Sprint(o.Err), row.wants) {
			t.Errorf("%s: %v, want %s", row.say, o.Err, row.wants)
		}
	}
	if o := run(text("1")); steps.CodeOf(o.Err) != steps.NotActionable || o.Acted != steps.ActedNo {
		t.Errorf("while a dialog is open: %v, acted %s", o.Err, o.Acted)
	}
	s.does(kinds.PressKeyGlobal, map[string]any{"key": "enter"})
	s.eventually("the dialog is closed", func() bool { return run(text("1")).Err == nil })
	for _, script := range []string{"while (true) {}", "await new Promise(() => {})"} {
		args := text(script)
		args["timeout_ms"] = 500.0
		if o := run(args); steps.CodeOf(o.Err) != steps.Timeout || o.Acted != steps.ActedMaybe {
			t.Errorf("%s: %v, acted %s", script, o.Err, o.Acted)
		}
	}
	s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/strict", "timeout_ms": 60_000.0})
	if o := run(text("eval; await 0; return document.title + count")); o.Err != nil || o.Result["result"] != "Strict3" {
		t.Errorf("under a strict policy: %v, %v", o.Result["result"], o.Err)
	}
}
