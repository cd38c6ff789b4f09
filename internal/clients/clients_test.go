package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFiles(t *testing.T) {
	env := map[string]string{"APPDATA": "A"}
	for _, c := range []struct{ client, system, want string }{
		{"claude", "linux", "H/.config/Claude/claude_desktop_config.json"},
		{"claude", "darwin", "H/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude", "windows", "A/Claude/claude_desktop_config.json"},
		{"claude-code", "windows", "H/.claude.json"},
		{"cursor", "darwin", "H/.cursor/mcp.json"},
		{"vscode", "linux", "H/.config/Code/User/mcp.json"},
		{"vscode", "darwin", "H/Library/Application Support/Code/User/mcp.json"},
		{"vscode", "windows", "A/Code/User/mcp.json"},
		{"windsurf", "windows", "H/.codeium/windsurf/mcp_config.json"},
		{"codex", "linux", "H/.codex/config.toml"},
		{"copilot", "darwin", "H/.copilot/mcp-config.json"},
		{"gemini", "linux", "H/.gemini/settings.json"},
		{"goose", "darwin", "H/.config/goose/config.yaml"},
		{"goose", "windows", "A/Block/goose/config/config.yaml"},
		{"lmstudio", "linux", "H/.lmstudio/mcp.json"},
		{"opencode", "linux", "H/.config/opencode/opencode.jsonc"},
		{"zed", "darwin", "H/.config/zed/settings.json"},
		{"zed", "windows", "A/Zed/settings.json"},
	} {
		client, ok := Find(c.client)
		if !ok {
			t.Fatalf("no client %s", c.client)
		}
		got := client.File(System{OS: c.system, Home: "H", Getenv: func(name string) string { return env[name] }})
		if filepath.ToSlash(got) != c.want {
			t.Errorf("%s on %s: %s, want %s", c.client, c.system, got, c.want)
		}
	}
}

func TestServers(t *testing.T) {
	code, _ := Find("claude-code")
	got, err := code.Servers([]byte(`{
		// Claude Code keeps servers of a folder apart.
		"mcpServers": {"b": {"command": "b", "disabled": true}, "understudy": {"type": "http", "url": "http://u"}},
		"projects": {"/p": {"mcpServers": {"here": {"command": "C:\\bin\\Understudy.exe"}}}, "/q": {"mcpServers": {"there": {}}}},
	}`), "/p")
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Name: "b", Server: Server{Command: "b"}, Disabled: true},
		{Name: "here", Server: Server{Command: `C:\bin\Understudy.exe`}},
		{Name: "understudy", Server: Server{URL: "http://u"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for i, ours := range []bool{false, true, true} {
		if got[i].Ours() != ours {
			t.Errorf("%s is ours: %t", got[i].Name, got[i].Ours())
		}
	}
	if _, err := code.Servers([]byte(`{"mcpServers": 3}`), ""); err == nil {
		t.Error("a number was read as servers")
	}
}

func TestCommand(t *testing.T) {
	secured := Server{URL: "https://u/mcp", Headers: map[string]string{"Authorization": "Bearer secret"}}
	for _, c := range []struct {
		client string
		server Server
		want   string
	}{
		{"claude-code", local, "claude mcp add --scope user understudy -- /opt/understudy mcp --display virtual"},
		{"claude-code", remote, "claude mcp add --scope user --transport http understudy http://127.0.0.1:8765/mcp"},
		{"codex", local, "codex mcp add understudy -- /opt/understudy mcp --display virtual"},
		{"codex", secured, "codex mcp add understudy --url https://u/mcp --bearer-token-env-var UNDERSTUDY_TOKEN"},
		{"copilot", remote, "copilot mcp add --transport http understudy http://127.0.0.1:8765/mcp"},
		{"gemini", local, "gemini mcp add --scope user understudy /opt/understudy mcp --display virtual"},
		{"opencode", local, "opencode mcp add understudy -- /opt/understudy mcp --display virtual"},
		{"opencode", remote, "opencode mcp add understudy --url http://127.0.0.1:8765/mcp"},
		{"vscode", local, `code --add-mcp {"name":"understudy","command":"/opt/understudy","args":["mcp","--display","virtual"]}`},
		{"vscode", secured, ""},
		{"cursor", local, ""},
		{"goose", local, ""},
	} {
		client, _ := Find(c.client)
		if got := strings.Join(client.Command(c.server), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.client, got, c.want)
		}
	}
	for _, client := range All {
		if strings.Contains(strings.Join(client.Command(secured), " "), "secret") {
			t.Errorf("%s: a token is an argument, which every user of the machine can read", client.Name)
		}
	}
}

func TestSnippetIsRead(t *testing.T) {
	goose, _ := Find("goose")
	for _, s := range []Server{local, remote} {
		text, err := goose.Snippet(Name, s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := goose.Servers(text, "")
		if diff := cmp.Diff([]Entry{{Name: Name, Server: s}}, got); err != nil || diff != "" {
			t.Errorf("%v, -want +got\n%s\n%s", err, diff, text)
		}
	}
}

func TestServersOfOtherFormats(t *testing.T) {
	for _, c := range []struct {
		client, text string
		want         Entry
	}{
		{"codex", "model = \"x\" # mine\n[mcp_servers.a]\ncommand = \"a\"\nargs = [\"b\"]\nenabled = false\n[mcp_servers.a.env]\nK = \"v\"\n", Entry{Name: "a", Server: Server{Command: "a", Args: []string{"b"}, Env: map[string]string{"K": "v"}}, Disabled: true}},
		{"goose", "extensions:\n  a: # mine\n    type: stdio\n    cmd: a\n    args: [b]\n    envs: {K: v}\n    enabled: true\n", Entry{Name: "a", Server: Server{Command: "a", Args: []string{"b"}, Env: map[string]string{"K": "v"}}}},
		{"goose", "extensions:\n  a: {type: streamable_http, uri: 'http://u'}\n", Entry{Name: "a", Server: Server{URL: "http://u"}}},
		{"opencode", `{"mcp": {"a": {"type": "local", "command": ["a", "b"], "environment": {"K": "v"}}}}`, Entry{Name: "a", Server: Server{Command: "a", Args: []string{"b"}, Env: map[string]string{"K": "v"}}}},
		{"gemini", `{"mcpServers": {"a": {"httpUrl": "http://u"}}}`, Entry{Name: "a", Server: Server{URL: "http://u"}}},
	} {
		client, _ := Find(c.client)
		got, err := client.Servers([]byte(c.text), "")
		if diff := cmp.Diff([]Entry{c.want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got\n%s", c.client, err, diff)
		}
	}
	for _, name := range []string{"codex", "goose"} {
		client, _ := Find(name)
		if _, err := client.Servers([]byte("a: [}"), ""); err == nil || !strings.Contains(err.Error(), "it is not ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExpanded(t *testing.T) {
	env := map[string]string{"X": "7"}
	e := Entry{Server: Server{Command: "${env:X}/run", Args: []string{"${X}", "${Y:-2}"}, Env: map[string]string{"k": "a${X}"}}}
	got, err := e.Expanded(func(name string) string { return env[name] })
	want := Server{Command: "7/run", Args: []string{"7", "2"}, Env: map[string]string{"k": "a7"}}
	if diff := cmp.Diff(want, got.Server); err != nil || diff != "" {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
	for _, text := range []string{"${input:key}", "${workspaceFolder}/x", "${open"} {
		if _, err := (Entry{Server: Server{Command: text}}).Expanded(os.Getenv); err == nil || !strings.Contains(err.Error(), "only the client knows") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "mcp.json")
	if backup, err := Replace(path, []byte("one"), false); err != nil || backup != "" {
		t.Fatalf("a new file: backup %q, %v", backup, err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	backup, err := Replace(link, []byte("two"), false)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{path: "two", backup: "one"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", file, got, err, want)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions are %v, %v", info.Mode(), err)
	}
	if backup, err := Replace(path, []byte("two"), false); err != nil || backup != "" {
		t.Errorf("the same again: backup %q, %v", backup, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "deep", ".writing-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestReplaceBySecret(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a system that heeds the permissions of files")
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	for _, old := range []string{"", "other", "secret"} {
		if old != "" {
			if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		backup, err := Replace(path, []byte("secret"), true)
		if err != nil || (backup != "") != (old == "other") {
			t.Errorf("over %q: backup %q, %v", old, backup, err)
		}
		for _, name := range []string{path, backup} {
			if info, err := os.Stat(name); name != "" && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("over %q: %s is %v, %v", old, name, info.Mode(), err)
			}
		}
	}
}
