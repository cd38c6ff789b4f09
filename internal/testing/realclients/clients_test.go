package realclients

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSDK lets the two TypeScript SDKs use the server, in each era that they
// speak, over each transport.
func TestSDK(t *testing.T) {
	for _, c := range []struct{ era, overStdio, overHTTP string }{
		{"v1", "", "2025-11-25"}, // this SDK does not say which it speaks over stdio
		{"legacy", "2025-11-25", "2025-11-25"},
		{"modern", "2026-07-28", "2026-07-28"},
	} {
		want := map[string]any{
			"server": "understudy", "execute": true, "questions": 3.0, "answers": "you blue large", "progress": true, "updated": true,
			"read": true, "refused": "aborted", "cancelled": "cancelled", "error": true, "after": true,
		}
		check := func(t *testing.T, s *stage, protocol string, server ...string) {
			text, err := os.ReadFile(filepath.Join("testdata", "sdk.mjs"))
			if err != nil {
				t.Fatal(err)
			}
			// Beside the SDKs, for that is where it looks for them.
			if err := os.WriteFile(filepath.Join(s.modules, "..", "sdk.mjs"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			got := parsed[map[string]any](t, s.must(s.script("../sdk.mjs", append([]string{c.era}, server...)...)))
			if got["tools"].(float64) < 20 {
				t.Errorf("%v tools", got["tools"])
			}
			if spoken, _ := got["protocol"].(string); spoken != protocol {
				t.Errorf("protocol %q, want %q", spoken, protocol)
			}
			delete(got, "tools")
			delete(got, "protocol")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		}
		t.Run(c.era+" stdio", func(t *testing.T) {
			s := newStage(t)
			check(t, s, c.overStdio, s.program, "mcp", "--structured")
		})
		t.Run(c.era+" http", func(t *testing.T) {
			s := newStage(t)
			check(t, s, c.overHTTP, s.serve())
		})
	}
}

// result is what the Inspector prints of a call.
type result struct {
	Result struct {
		Tools             []struct{ Name string }
		Resources         []struct{ URI string }
		Prompts           []struct{ Name string }
		StructuredContent map[string]any
	}
}

// inspector is the command line of the MCP Inspector.
const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

func TestInspector(t *testing.T) {
	s := newStage(t)
	site := s.serve("--toolsets", "all")
	overStdio := []string{s.program, "mcp", "--structured", "--toolsets", "all", "--home", filepath.Join(s.home, "other")}
	for name, server := range map[string][]string{
		"stdio":       overStdio,
		"http legacy": {site, "--transport", "http", "--protocol-era", "legacy"},
		"http modern": {site, "--transport", "http", "--protocol-era", "modern"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stage{t: t, modules: s.modules, home: s.home, environ: s.environ}
			ask := func(args ...string) (string, error) {
				return s.script(inspector, slices.Concat([]string{"--cli"}, server, []string{"--format", "json"}, args)...)
			}
			list := parsed[result](t, s.must(ask("--method", "tools/list"))).Result.Tools
			if !slices.ContainsFunc(list, func(tool struct{ Name string }) bool { return tool.Name == "execute_sequence" }) || len(list) < 20 {
				t.Errorf("tools %v", list)
			}
			done := parsed[result](t, s.must(ask("--method", "tools/call", "--tool-name", "delay", "--tool-args-json", `{"duration": "1ms"}`)))
			if done.Result.StructuredContent["delayed_ms"] == nil {
				t.Errorf("a delay gave %v", done.Result.StructuredContent)
			}
			_, err := ask("--method", "tools/call", "--tool-name", "delay", "--tool-args-json", `{"duration": "soon"}`)
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 5 {
				t.Errorf("a delay that cannot be: %v, want the status of a tool's error", err)
			}
			resources := parsed[result](t, s.must(ask("--method", "resources/list"))).Result.Resources
			if !slices.ContainsFunc(resources, func(r struct{ URI string }) bool { return r.URI == "understudy://runs" }) {
				t.Errorf("resources %v", resources)
			}
			if prompts := parsed[result](t, s.must(ask("--method", "prompts/list"))).Result.Prompts; !slices.ContainsFunc(prompts, func(p struct{ Name string }) bool { return p.Name == "run_workflow" }) {
				t.Errorf("prompts %v", prompts)
			}
		})
	}
	t.Run("schemas are portable", func(t *testing.T) {
		// With --strict an error of a schema, unlike a warning, is an exit status.
		s.must(s.script(inspector, slices.Concat([]string{"--cli"}, overStdio, []string{"--method", "tools/list", "--strict"})...))
	})
}

func TestMcporter(t *testing.T) {
	s := newStage(t)
	site := s.serve()
	call := func(args ...string) (string, error) { return s.script("mcporter/dist/cli.js", args...) }
	overStdio := s.program + " mcp --structured --home " + filepath.Join(s.home, "other")
	list := parsed[struct {
		Status string
		Tools  []struct{ Name string }
	}](t, s.must(call("list", "--stdio", overStdio, "--json")))
	if list.Status != "ok" || len(list.Tools) < 20 {
		t.Errorf("listed %+v", list)
	}
	for name, args := range map[string][]string{
		"stdio": {"call", "--stdio", overStdio, "delay", "duration=1ms", "--output", "json"},
		"http":  {"call", site + ".delay", "duration=1ms", "--allow-http", "--output", "json"},
	} {
		if got := parsed[map[string]any](t, s.must(call(args...))); got["delayed_ms"] == nil {
			t.Errorf("%s: a delay gave %v", name, got)
		}
	}
	if out, err := call("call", "--stdio", overStdio, "delay", "duration=soon"); err == nil {
		t.Errorf("a delay that cannot be was no error: %s", out)
	}
}

// claude is Claude Code's own command.
func (s *stage) claude(args ...string) string {
	s.t.Helper()
	return s.must(s.run(filepath.Join(s.modules, "@anthropic-ai", "claude-code-"+nodeTarget(), "claude"), args...))
}

// connected holds that Claude Code says of each server whether it is connected,
// and that our own doctor, which reads the same files, finds the same.
func (s *stage) connected(want map[string]bool) {
	s.t.Helper()
	out := s.claude("mcp", "list")
	for name, connected := range want {
		line := ""
		for l := range strings.Lines(out) {
			if strings.HasPrefix(l, name+":") {
				line = l
			}
		}
		if strings.Contains(line, "Connected") != connected || line == "" {
			s.t.Errorf("%s is connected: want %t in\n%s", name, connected, out)
		}
	}
	diagnosis, _ := s.run(s.program, "doctor", "--all-servers", "--json") // the machine may lack a display
	found := parsed[struct {
		Clients []struct {
			Server string
			OK     bool
			Tools  int
		}
	}](s.t, diagnosis)
	if len(found.Clients) != len(want) {
		s.t.Errorf("doctor found %+v, want %v", found.Clients, want)
	}
	for _, c := range found.Clients {
		if c.OK != want[c.Server] || c.OK && c.Tools < 20 {
			s.t.Errorf("doctor says %+v", c)
		}
	}
}

// TestClaudeCode adds servers by its own command and by ours; it then says
// itself whether each is connected.
func TestClaudeCode(t *testing.T) {
	s := newStage(t)
	site := s.serve()
	s.claude("mcp", "add", "by-claude", "--", s.program, "mcp", "--home", filepath.Join(s.home, "other"))
	s.claude("mcp", "add", "--transport", "http", "by-claude-http", site)
	s.claude("mcp", "add", "broken", "--", s.program, "no-such-command")
	s.must(s.run(s.program, "init", "--client", "claude-code", "--write"))
	s.connected(map[string]bool{"by-claude": true, "by-claude-http": true, "understudy": true, "broken": false})
}

// token makes a token for a client, and the file that holds it.
func (s *stage) token(name string) (token, path string) {
	s.t.Helper()
	token = strings.TrimSpace(s.must(s.run(s.program, "token", "add", name, "--mode", "act")))
	path = filepath.Join(s.home, name+".token")
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return token, path
}

// TestClaudeCodeWithToken is the same over HTTP, where each client has to bring a
// token.
func TestClaudeCodeWithToken(t *testing.T) {
	s := newStage(t)
	token, path := s.token("laptop")
	site := s.serve()
	s.claude("mcp", "add", "--transport", "http", "by-claude", site, "--header", "Authorization: Bearer "+token)
	s.claude("mcp", "add", "--transport", "http", "guesses", site, "--header", "Authorization: Bearer understudy_guess")
	s.must(s.run(s.program, "init", "--client", "claude-code", "--http="+site, "--token", path, "--write"))
	s.connected(map[string]bool{"by-claude": true, "guesses": false, "understudy": true})
}

// TestClaudeCodeHasThePlugin lets Claude Code judge the marketplace of this repository and
// its plugin, and install that. The server of the plugin is the program on PATH.
func TestClaudeCodeHasThePlugin(t *testing.T) {
	s := newStage(t)
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	s.environ = append(s.environ, "PATH="+filepath.Dir(s.program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	s.claude("plugin", "validate", "--strict", root)
	s.claude("plugin", "validate", "--strict", filepath.Join(root, ".claude-plugin", "understudy"))
	s.claude("plugin", "marketplace", "add", root)
	s.claude("plugin", "install", "understudy@understudy")
	if out := s.claude("mcp", "list"); !strings.Contains(out, "plugin:understudy:understudy: understudy mcp - ✔ Connected") {
		t.Errorf("the server of the plugin:\n%s", out)
	}
}

// TestInspectorWithToken calls with a token, and learns without one that it needs
// one.
func TestInspectorWithToken(t *testing.T) {
	s := newStage(t)
	token, _ := s.token("laptop")
	site := s.serve()
	for _, era := range []string{"legacy", "modern"} {
		ask := func(headers ...string) (string, error) {
			return s.script(inspector, slices.Concat([]string{"--cli", site, "--transport", "http", "--protocol-era", era, "--format", "json", "--method", "tools/list"}, headers)...)
		}
		if list := parsed[result](t, s.must(ask("--header", "Authorization: Bearer "+token))).Result.Tools; len(list) < 20 {
			t.Errorf("%s: %d tools", era, len(list))
		}
		if out, err := ask(); err == nil {
			t.Errorf("%s without a token: %s", era, out)
		}
	}
}

// TestBundle lets the bundle's own tool judge and unpack what `make package`
// makes; the program in it must start.
func TestBundle(t *testing.T) {
	s := newStage(t)
	out := filepath.Join(s.home, "packages")
	cmd := exec.CommandContext(t.Context(), "go", "run", "./internal/packaging", "-targets", runtime.GOOS+"/"+runtime.GOARCH, "-out", out)
	cmd.Dir = filepath.Join("..", "..", "..")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	bundles, err := filepath.Glob(filepath.Join(out, "*.mcpb"))
	if err != nil || len(bundles) != 1 {
		t.Fatalf("bundles %v, %v", bundles, err)
	}
	manifest := filepath.Join(s.home, "manifest.json")
	if err := os.WriteFile(manifest, inZip(t, bundles[0], "manifest.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must(s.script("@anthropic-ai/mcpb/dist/cli/cli.js", "validate", manifest))
	dir := filepath.Join(s.home, "unpacked")
	s.must(s.script("@anthropic-ai/mcpb/dist/cli/cli.js", "unpack", bundles[0], dir))
	if out := s.must(s.run(filepath.Join(dir, "server", "understudy"), "version")); !strings.HasPrefix(out, "understudy ") {
		t.Errorf("it says %q", out)
	}
	if err := os.WriteFile(manifest, []byte(`{"manifest_version": "0.3", "name": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := s.script("@anthropic-ai/mcpb/dist/cli/cli.js", "validate", manifest); err == nil {
		t.Errorf("half a manifest was found valid: %s", out)
	}
}

// inZip is a file of an archive.
func inZip(t *testing.T, path, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
