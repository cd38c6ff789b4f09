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
