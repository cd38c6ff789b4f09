package mcpserver

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"understudy/internal/access"
	"understudy/internal/testing/attack"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// TestAttackCrossSiteRequests sends the requests that a page of another site can make a
// browser send: forms, pictures, frames, scripts.
func TestAttackCrossSiteRequests(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"click_element","arguments":{"selector":"role:button && name:Save"}}}`
	for _, c := range []struct {
		say, method, path string
		headers           []string
	}{
		{"a form", "POST", "/mcp", []string{"Origin", "https://evil.example", "Content-Type", "text/plain"}},
		{"a form that hides its place", "POST", "/mcp", []string{"Origin", "null", "Content-Type", "application/x-www-form-urlencoded"}},
		{"a script", "POST", "/mcp", []string{"Origin", "https://evil.example", "Content-Type", "application/json", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}},
		{"a form without a place", "POST", "/mcp", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}},
		{"two origins", "POST", "/mcp", []string{"Origin", "http://localhost", "Origin", "https://evil.example"}},
		{"a picture", "GET", "/captures/00", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}},
		{"a frame", "GET", "/runs", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{"a stream", "GET", "/events", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}},
		{"a page of another port", "GET", "/runs", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}},
		{"a preflight", "OPTIONS", "/mcp", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}},
		{"the mode", "POST", "/mode", []string{"Origin", "http://localhost:3000", "Content-Type", "text/plain"}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, site+c.path, strings.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(c.headers); i += 2 {
			req.Header.Add(c.headers[i], c.headers[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != http.StatusForbidden || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s %v", c.say, res.Status, res.Header)
		}
	}
	if len(st.desk.Journal()) > 0 {
		t.Errorf("a page acted: %v", st.desk.Journal())
	}
	link, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site+"/runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	link.Header.Set("Sec-Fetch-Site", "cross-site")
	link.Header.Set("Sec-Fetch-Mode", "navigate")
	link.Header.Set("Sec-Fetch-Dest", "document")
	res, err := http.DefaultClient.Do(link)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusOK {
		t.Errorf("a link that a person follows: %s", res.Status)
	}
}

// TestAttackDNSRebinding has a name of the attacker resolve to this machine: the pages of
// the attacker then have the origin of the server, and the name is in Host.
func TestAttackDNSRebinding(t *testing.T) {
	s := newSecured(t)
	h := s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	for _, path := range []string{"/mcp", "/mcp/ask", "/runs", "/events", "/metrics", "/status", "/health", "/ready", "/mode", "/login", "/captures/x", "/.well-known/oauth-protected-resource", "/"} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", "HEAD"} {
			req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = h.Clone()
			req.Host = "rebound.evil.example:8765"
			if method != http.MethodGet {
				req.Header.Set("Origin", "http://rebound.evil.example:8765")
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != http.StatusForbidden {
				t.Errorf("%s %s: %s", method, path, res.Status)
			}
		}
	}
}

// TestAttackBatchThatBeginsASession sends initialize and calls in one request, whose
// sender need not wait for a reply.
func TestAttackBatchThatBeginsASession(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	for _, version := range append(slices.Clone(byhand.HTTPVersions), "", "2024-11-05", "none") {
		for _, body := range []string{
			`[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"a","version":"1"}}},
			{"jsonrpc":"2.0","method":"notifications/initialized"},
			{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"save_workflow","arguments":{"name":"mine","text":"steps: []"}}},
			{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"click_element","arguments":{"selector":"role:button && name:Save"}}}]`,
			` [{"jsonrpc":"2.0","METHOD":"ping","id":3,"method":"tools/call","params":{"name":"click_element","arguments":{"selector":"role:button && name:Save"}}}]`,
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			if version != "" {
				req.Header.Set("Mcp-Protocol-Version", version)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != http.StatusBadRequest {
				t.Errorf("version %q: %s", version, res.Status)
			}
		}
	}
	saved, err := os.ReadDir(st.o.Folder)
	if err != nil || len(saved) > 0 || len(st.desk.Journal()) > 0 {
		t.Errorf("it acted: %v %v %v", saved, st.desk.Journal(), err)
	}
}

func TestAttackPathsOfPages(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	secret := filepath.Join(st.o.Dir, "secret.txt")
	if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/captures/../../secret.txt", "/captures/..%2f..%2fsecret.txt", "/captures/%2e%2e%2fsecret.txt", "/captures/%2fetc%2fpasswd",
		"/captures" + secret, "/runs/..%2f..%2fetc%2fpasswd", "/runs/%00", "/captures/%00", "/runs/%2e%2e", "/captures/C:%5cwindows", "/runs/<script>", "/runs/%0d%0aSet-Cookie:a=b",
	} {
		res, err := http.Get(site + path)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode == http.StatusOK && res.Request.URL.Path != "/runs" || bytes.Contains(raw, []byte("the secret")) || bytes.Contains(raw, []byte("root:")) {
			t.Errorf("%s: %s %s", path, res.Status, raw)
		}
		if res.Header.Get("Set-Cookie") != "" || bytes.Contains(raw, []byte("<script>")) && strings.Contains(res.Header.Get("Content-Type"), "html") {
			t.Errorf("%s went into the answer: %v %s", path, res.Header, raw)
		}
	}
}

// TestAttackPathsOfWorkflows refers to documents outside of the folders that a run may
// read: by path, by links, and by the names of saved workflows.
func TestAttackPathsOfWorkflows(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Policy = access.Policy{Toolsets: access.Toolsets()} })
	w := st.connect("2025-11-25", byhand.Object{})
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(outside, []byte("password: the secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(st.o.Dir, "link.yaml")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(st.o.Dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{outside, "file://" + outside, "link.yaml", "./link.yaml", rel, "../../../../../../etc/passwd", "/proc/self/environ", "file:///dev/zero", "/dev/zero"} {
		for tool, args := range map[string]byhand.Object{
			"execute_sequence":  {"url": ref},
			"validate_workflow": {"text": "steps:\n  - workflow: " + strconv.Quote(ref)},
		} {
			res := w.Call(tool, args)
			if raw := fmt.Sprint(res); strings.Contains(raw, "the secret") || strings.Contains(raw, "root:") || strings.Contains(raw, "PATH=") {
				t.Errorf("%s of %s shows the file: %s", tool, ref, raw)
			}
			if raw := fmt.Sprint(res); !strings.Contains(raw, "there is no such document") {
				t.Errorf("%s of %s: %s", tool, ref, raw)
			}
		}
	}
	for _, name := range []string{"../evil", "/etc/evil", "a/b", ".hidden", "a\x00b", "..", "", "a\nb", strings.Repeat("a", 200), "con\u202e"} {
		for tool, args := range map[string]byhand.Object{
			"save_workflow": {"name": name, "text": "steps: [{tool_name: delay, arguments: {duration: 1ms}}]"},
			"get_workflow":  {"name": name},
		} {
			if res := w.Call(tool, args); !byhand.IsError(res) && res["error"] == nil {
				t.Errorf("%s of %q: %v", tool, name, res)
			}
		}
	}
	above, err := filepath.Glob(filepath.Join(st.o.Folder, "..", "evil*"))
	if err != nil || len(above) > 0 {
		t.Errorf("it wrote %v, %v", above, err)
	}
}

// TestAttackLinesOfCalledDocuments calls files that are no documents, also some with the
// extension of one: no reply shows a line of them, or discloses whether a file exists.
func TestAttackLinesOfCalledDocuments(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	for name, text := range map[string]string{
		".netrc":       "machine ex.com login foo password hunter2",
		".env":         "A=1 SECRET_KEY=hunter2",
		"conf.yaml":    "password: hunter2",
		"listed.yaml":  "steps: [{hunter2: 1}]",
		"takes.yaml":   "variables: {hunter2: {type: string}}\nsteps: [{tool_name: hunter2}]",
		"pairs.json":   `{"password": "hunter2"}`,
		"broken.json":  `{"password": "hunter2`,
		"deeper.yaml":  "steps: [{workflow: conf.yaml}]",
		"private.yaml": "password: hunter2",
	} {
		if err := os.WriteFile(filepath.Join(st.o.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(st.o.Dir, "private.yaml"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(st.o.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(st.o.Folder, "kept.yaml"), []byte("password: hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, ref := range []string{
		".netrc", ".env", "conf.yaml", "listed.yaml", "takes.yaml", "pairs.json", "broken.json", "deeper.yaml", "private.yaml", "kept",
		"/etc/shadow", "/etc/nope", "/etc/nope.yaml", "nope.yaml", "sub/nope.yaml", "/dev/zero",
	} {
		quoted := strconv.Quote(ref)
		for _, url := range []string{ref, "file://" + filepath.Join(st.o.Dir, ref)} {
			for tool, args := range map[string]byhand.Object{
				"execute_sequence":  {"steps": []any{byhand.Object{"workflow": url}}},
				"save_workflow":     {"name": "mine", "text": "url: " + strconv.Quote(url)},
				"validate_workflow": {"text": "steps:\n  - workflow: " + quoted},
			} {
				res := w.Call(tool, args)
				raw := fmt.Sprint(res)
				if strings.Contains(raw, "hunter2") {
					t.Errorf("%s of %s shows the file: %s", tool, url, raw)
				}
				if !strings.Contains(raw, "there is no such document") && !strings.Contains(raw, "which is called, is not valid") {
					t.Errorf("%s of %s: %s", tool, url, raw)
				}
				if _, said, found := strings.Cut(raw, "cannot be loaded: "); found && tool == "save_workflow" && url == ref {
					said, _, _ = strings.Cut(said, "\n")
					refused[said] = true
				}
			}
		}
	}
	if len(refused) != 1 {
		t.Errorf("what cannot be called is told apart: %v", slices.Collect(maps.Keys(refused)))
	}
	if raw := fmt.Sprint(w.Call("list_workflows", byhand.Object{})); strings.Contains(raw, "hunter2") || !strings.Contains(raw, "kept") {
		t.Errorf("the list shows the file: %s", raw)
	}
	if raw := fmt.Sprint(w.Call("validate_workflow", byhand.Object{"name": "kept"})); !strings.Contains(raw, "password") {
		t.Errorf("a saved workflow, which anyone may read, is not explained: %s", raw)
	}
}

// TestAttackProgramsWithoutTheShell starts programs that run commands, and opens URLs
// that start programs, with a token that may do neither.
func TestAttackProgramsWithoutTheShell(t *testing.T) {
	t.Parallel() // it waits
	s := newSecured(t, func(o *Options) {
		o.Policy, o.Applications = access.Policy{Toolsets: []steps.Toolset{access.All}}, []string{"editor"}
	})
	window := func() *fake.Node { return fake.Window("Text", "editor", fake.Button("Go")) }
	for _, name := range []string{"editor", "gview", "koi8rxterm", "emacs-gtk", "vim.tiny", "sh", "bash", "env", "xargs", "busybox", "python3", "find", "xterm", "/usr/bin/editor"} {
		s.desk.Install(name, window)
	}
	core := s.greet(modern, s.holder(auth.Token{Name: "core", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core, steps.Desktop}}))
	shell := s.greet(modern, s.holder(auth.Token{Name: "shell", Mode: auth.Act}))
	if _, res := core.Call(t, "open_application", byhand.Object{"app_name": "editor"}); byhand.IsError(res) || res["error"] != nil {
		t.Errorf("a program that the operator listed: %v", res)
	}
	before := len(s.desk.Journal())
	for _, app := range []string{
		"sh -c 'id > /tmp/x'", "sh", "bash", "env sh", "xargs", "busybox sh", "python3", "find / -exec id ;", "xterm -e id", "xterm", "gview", "koi8rxterm", "emacs-gtk", "vim.tiny", "editor /etc/passwd", "/usr/bin/editor",
	} {
		for say, call := range map[string]byhand.Object{
			"by name":       {"name": "open_application", "arguments": byhand.Object{"app_name": app}},
			"in a sequence": {"name": "execute_sequence", "arguments": document("open_application", byhand.Object{"app_name": app})},
			"by a template": {"name": "execute_sequence", "arguments": byhand.Object{
				"inputs": byhand.Object{"app": app}, "variables": byhand.Object{"app": byhand.Object{"type": "string"}},
				"steps": []any{byhand.Object{"tool_name": "open_application", "arguments": byhand.Object{"app_name": "${{ inputs.app }}"}}},
			}},
		} {
			if _, res := core.Ask(t, "tools/call", call); code(res) != "denied" || !strings.Contains(fmt.Sprint(res), "--toolsets core,shell") {
				t.Errorf("%s %s: %v", app, say, res)
			}
		}
	}
	for _, address := range []string{"file:///etc/passwd", "ssh://host", "x-run:id"} {
		if _, res := core.Call(t, "open_url", byhand.Object{"url": address}); code(res) != "denied" || !strings.Contains(fmt.Sprint(res), "--toolsets core,") {
			t.Errorf("%s: %v", address, res)
		}
	}
	if did := s.desk.Journal()[before:]; len(did) > 0 {
		t.Errorf("it did %v", did)
	}
	for _, call := range []byhand.Object{
		{"name": "open_application", "arguments": byhand.Object{"app_name": "sh -c 'exit 0'"}},
		{"name": "open_url", "arguments": byhand.Object{"url": "file:///etc/passwd"}},
	} {
		if _, res := shell.Ask(t, "tools/call", call); byhand.IsError(res) || res["error"] != nil {
			t.Errorf("with the shell: %v", res)
		}
	}
}

// TestAttackFileKindsStayInTheirFolder reads and writes outside of the folder.
func TestAttackFileKindsStayInTheirFolder(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Policy = access.Policy{Toolsets: access.Toolsets()} })
	w := st.connect("2025-11-25", byhand.Object{})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.txt"), []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(st.o.Dir, "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(outside, "a.txt"), "link/a.txt", "../" + filepath.Base(outside) + "/a.txt", "/etc/passwd", "/proc/self/environ", "a\x00b"} {
		for tool, args := range map[string]byhand.Object{
			"read_file":  {"path": path},
			"write_file": {"path": path, "content": "changed"},
			"edit_file":  {"path": path, "old_string": "the", "new_string": "a"},
			"grep_files": {"pattern": "secret", "working_directory": filepath.Dir(path)},
			"glob_files": {"pattern": filepath.Base(path), "working_directory": filepath.Dir(path)},
		} {
			if strings.Contains(path, "\x00") && strings.HasSuffix(tool, "files") {
				continue // not in the path of the folder
			}
			res := w.Call(tool, args)
			want := "denied"
			if strings.Contains(path, "\x00") {
				want = "invalid"
			}
			if raw := fmt.Sprint(res); code(res) != want || strings.Contains(raw, "the secret") {
				t.Errorf("%s of %q: %s", tool, path, raw)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(outside, "a.txt")); err != nil || string(text) != "the secret" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
}

// TestAttackNamesInPages gives documents and clients names that contain markup.
func TestAttackNamesInPages(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	evil := "\u202e" + `<script>alert(1)</script>{{.}}"'><img src=x onerror=alert(1)>`
	p := byhand.Visit(t, "2025-11-25", site+"/mcp")
	args := document("fail", byhand.Object{"message": strings.ReplaceAll(evil, "{{.}}", "") + "${{ inputs }}"})
	args["name"] = evil
	_, res := p.Call(t, "execute_sequence", args)
	run := textOfRun(res)
	if run == "" {
		t.Fatal(res)
	}
	for _, path := range []string{"/runs", "/runs/" + run, "/runs?status=" + "%3Cscript%3E", "/runs?before=%3Cscript%3E", "/runs/%3Cscript%3E"} {
		page, err := http.Get(site + path)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(page.Body)
		if err != nil {
			t.Fatal(err)
		}
		page.Body.Close()
		html := strings.Contains(page.Header.Get("Content-Type"), "html")
		raw = bytes.Replace(raw, []byte(`<script src="/pages/page.js" defer></script>`), nil, 1) // our own
		if html && (bytes.Contains(raw, []byte("<script")) || bytes.Contains(raw, []byte("<img src=x"))) {
			t.Errorf("%s: %s", path, raw)
		}
		_, title, _ := bytes.Cut(raw, []byte("<title>"))
		if title, _, titled := bytes.Cut(title, []byte("</title>")); html && (!titled || bytes.Contains(title, []byte("\u202e"))) {
			t.Errorf("%s turns its title, or has none: %.300s", path, title)
		}
		if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || page.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has the policy %q", path, csp)
		}
	}
}

// TestAttackNamesOfClients gives a client a name that would forge a line of the log or
// the id of another client, or control a terminal.
func TestAttackNamesOfClients(t *testing.T) {
	log := &scratch.Buffer{}
	st := newStage(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo}))
		o.Modes = map[string]access.Mode{"victim": access.Ask}
	})
	site := st.site().URL
	for _, name := range []string{"a\nlevel=ERROR msg=forged", "victim#session", "\x1b[31mred", "\u202egnirts", strings.Repeat("x", 100_000), "", "\x00"} {
		p := byhand.Visitor{Version: "2025-11-25", Address: site + "/mcp"}
		hello := byhand.Greeting(p.Version, byhand.Object{})
		hello["clientInfo"] = byhand.Object{"name": name, "version": "1"}
		res, err := p.Send(t.Context(), 1, "initialize", hello)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		p.Session = res.Header.Get("Mcp-Session-Id")
		_, got := p.Call(t, "execute_sequence", document("delay", byhand.Object{"duration": "1ms"}))
		run, _ := byhand.Dig(got, "result", "structuredContent", "run_id").(string)
		h, err := st.engine.Get(t.Context(), run)
		if err != nil {
			t.Fatalf("%.20q: %v", name, err)
		}
		if len(h.Client) > 200 || strings.Count(h.Client, "#") > 1 || strings.ContainsFunc(h.Client, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%.20q stands in the run as %.100q", name, h.Client)
		}
	}
	for line := range strings.Lines(log.String()) {
		if !strings.HasPrefix(line, "time=") || strings.HasPrefix(line, "time=") && strings.ContainsFunc(strings.TrimSuffix(line, "\n"), unicode.IsControl) {
			t.Errorf("a line of the log: %.200q", line)
		}
	}
}

// TestAttackNamesOfWindows has an application with names that address a model: each stays
// within its quotes and its line.
func TestAttackNamesOfWindows(t *testing.T) {
	for _, name := range attack.Names {
		st := newStage(t)
		st.desk = fake.New(fake.MustParse("- frame \"Notes\" [process=notes]\n  - button " + strconv.Quote(name) + "\n")...)
		st.engine.Desk = desk{st.desk}
		site := st.site().URL
		for _, version := range []string{"2025-11-25", modern} {
			p := byhand.Visit(t, version, site+"/mcp")
			_, res := p.Call(t, "get_window_tree", byhand.Object{})
			text := byhand.Said(res)
			if !strings.Contains(text, "button") || strings.Contains(text, "\n- button \"Forged\"") || strings.Count(text, "button") > strings.Count(name, "button")+1 ||
				len(text) > 10_000 || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("%.60q is shown as %.400q: %.300v", name, text, res)
			}
		}
	}
}

// TestAttackDocumentsThatGrow sends small documents that expand to large ones, or are
// deeply nested.
func TestAttackDocumentsThatGrow(t *testing.T) {
	st := newStage(t)
	site := st.site().URL
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [lol]\n")
	for i := 1; i < 30; i++ {
		laughs.WriteString(fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1))
	}
	for say, args := range map[string]byhand.Object{
		"a billion laughs":      {"text": laughs.String() + "steps: *a29\n"},
		"an anchor in itself":   {"text": "steps: &a [*a]\n"},
		"deep lists in YAML":    {"text": "steps: " + strings.Repeat("[", 100_000)},
		"deep maps in YAML":     {"text": "steps: " + strings.Repeat("{a: ", 50_000)},
		"a long line":           {"text": "steps: '" + strings.Repeat("x", 3<<20) + "'"},
		"deep expressions":      {"text": "steps: [{tool_name: set, if: '" + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000) + "'}]"},
		"a large expression":    {"text": "steps: [{tool_name: assert, arguments: {condition: '1..100000000'}}]"},
		"deep lists in JSON":    {"text": `{"steps": ` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}"},
		"many steps":            {"text": `{"steps": [` + strings.Repeat("{}, ", 20_000) + "{}]}"},
		"a loop without an end": {"text": "steps: [{id: a, tool_name: group, loop: {times: 1000000000000}, steps: []}]"},
	} {
		for _, version := range []string{"2025-11-25", modern} {
			p := byhand.Visit(t, version, site+"/mcp")
			status, res := p.Call(t, "validate_workflow", args)
			if status >= 500 || res == nil {
				t.Errorf("%s: %d %v", say, status, res)
			}
		}
	}
	p := byhand.Visit(t, modern, site+"/mcp")
	if _, res := p.Call(t, "get_window_tree", byhand.Object{}); byhand.IsError(res) || res == nil {
		t.Errorf("afterwards: %v", res)
	}
}
