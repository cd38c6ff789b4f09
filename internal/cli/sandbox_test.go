package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/sandbox"
)

// TestAttackCommandsOfClientsWriteInTheirFolders has a client and a person run the
// same command: the client's may write in the folder of the server only.
func TestAttackCommandsOfClientsWriteInTheirFolders(t *testing.T) {
	if _, mend := sandbox.Report(); mend != "" {
		t.Skip("needs a kernel with Landlock: " + mend)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inside, outside, userHome := t.TempDir(), t.TempDir(), t.TempDir()
	run := func(stdin string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), self, args...)
		c.Args[0], c.Dir = "understudy", inside
		c.Env = append(os.Environ(), "UNDERSTUDY_HOME="+filepath.Join(outside, "home"), "HOME="+userHome, "DISPLAY=")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(in, stdin) // a command that reads nothing may have ended
		said, answers := "", bufio.NewScanner(out)
		for answers.Scan() {
			if said += answers.Text(); strings.Contains(said, `"id":2`) {
				break
			}
		}
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait() // a command that fails is an answer too
		return said
	}
	line := "echo x > in; echo x > $TMPDIR/temp; echo x > " + outside + "/NAME"
	call := func(name string) string {
		args, _ := json.Marshal(map[string]any{"name": "run_command", "arguments": map[string]any{"run": strings.Replace(line, "NAME", name, 1)}})
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + string(args) + "}\n"
	}
	person := `{"run": "echo x > in; echo x > ` + outside + `/person"}`
	for _, c := range []struct {
		name, stdin string
		args        []string
		want        bool
	}{
		{"client", call("client"), []string{"mcp", "--toolsets", "core,shell"}, false},
		{"free", call("free"), []string{"mcp", "--toolsets", "core,shell", "--no-sandbox"}, true},
		{"person", "", []string{"call", "run_command", person}, true},
	} {
		_ = os.Remove(filepath.Join(inside, "in"))
		said := run(c.stdin, c.args...)
		if _, err := os.Stat(filepath.Join(inside, "in")); err != nil {
			t.Errorf("%s: it could not write inside: %s", c.name, said)
		}
		if _, err := os.Stat(filepath.Join(outside, c.name)); (err == nil) != c.want {
			t.Errorf("%s: written outside: %v: %s", c.name, err == nil, said)
		}
	}
	userHome = inside // the server is started in the home folder, which is no root by itself
	_ = os.Remove(filepath.Join(inside, "in"))
	said := run(call("client"), "mcp", "--toolsets", "core,shell")
	if _, err := os.Stat(filepath.Join(inside, "in")); err == nil {
		t.Errorf("without a root it wrote in the home folder: %s", said)
	}
}
