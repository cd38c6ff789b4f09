package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/sandbox"
	"understudy/internal/service"
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
		return answered(t, c, stdin)
	}
	line := "echo x > in; echo x > $TMPDIR/temp; echo x > " + outside + "/NAME"
	call := func(name string) string { return commandCall(strings.Replace(line, "NAME", name, 1), "sh") }
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

// commandCall returns the messages of a client that runs a command.
func commandCall(line, shell string) string {
	args, _ := json.Marshal(map[string]any{"name": "run_command", "arguments": map[string]any{"run": line, "shell": shell}})
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + string(args) + "}\n"
}

// answered starts a command and returns what it says to its standard input, up to the second
// answer.
func answered(t *testing.T, c *exec.Cmd, stdin string) (said string) {
	t.Helper()
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
	for answers := bufio.NewScanner(out); !strings.Contains(said, `"id":2`) && answers.Scan(); {
		said += answers.Text()
	}
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	_ = c.Wait() // a command that fails is an answer too
	return said
}

// stopService stops the service that a test starts, once the test has ended.
func stopService(t *testing.T, self string, environ []string) {
	t.Cleanup(func() {
		stop := exec.CommandContext(context.WithoutCancel(t.Context()), self, "service", "stop")
		stop.Args[0], stop.Env = "understudy", environ
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestAttackDoorsOfTheSandbox has a command of a client ask for what runs outside its sandbox.
func TestAttackDoorsOfTheSandbox(t *testing.T) {
	if _, mend := sandbox.Report(); mend != "" {
		t.Skip("needs a kernel with Landlock: " + mend)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inside, outside, data := t.TempDir(), t.TempDir(), t.TempDir()
	document := "steps:\n- tool_name: run_command\n  arguments: {run: 'echo x > " + filepath.Join(outside, "new") + "'}\n"
	if err := os.WriteFile(filepath.Join(inside, "x.yaml"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := append(os.Environ(), "SELF="+self, "DATA="+data, "UNDERSTUDY_HOME="+data, "DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=unix:path=/bus", "AT_SPI_BUS_ADDRESS=unix:path=/a11y", service.Variable+"=")
	stopService(t, self, environ)
	serve := exec.CommandContext(t.Context(), self, "--home", t.TempDir(), "serve", "--addr", "127.0.0.1:0", "--auth", "user")
	serve.Args[0], serve.Env = "understudy", environ
	said, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = serve.Process.Signal(os.Interrupt); _ = serve.Wait() }()
	address := ""
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		_, rest, _ := strings.Cut(lines.Text(), "http://")
		address, _, _ = strings.Cut(rest, "/mcp")
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	host, port, _ := strings.Cut(address, ":")
	get := "exec 3<>/dev/tcp/" + host + "/" + port + "; printf 'GET /runs HTTP/1.1\\r\\nHost: " + address + "\\r\\n\\r\\n' >&3; head -1 <&3"
	if out, err := exec.CommandContext(t.Context(), "bash", "-c", get).Output(); err != nil || !strings.Contains(string(out), "200") {
		t.Fatalf("a program of the user: %s, %v", out, err)
	}
	for _, c := range []struct {
		say, line, want string
		flags           []string
	}{
		{"the owner of the data folder", `(exec -a understudy "$SELF" --home "$DATA" run x.yaml) 2>&1; true`, "may not use what runs outside", nil},
		{"a server on this machine", get, "403", nil},
		{"the environment", `echo "<$UNDERSTUDY_HOME|$DBUS_SESSION_BUS_ADDRESS|$AT_SPI_BUS_ADDRESS>"`, "<|disabled:|>", nil},
		{"the environment, as the operator wants it", `echo "<$DBUS_SESSION_BUS_ADDRESS|$AT_SPI_BUS_ADDRESS>"`, "<unix:path=/bus|unix:path=/a11y>", []string{"--no-sandbox"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			m := exec.CommandContext(t.Context(), self, append([]string{"mcp", "--toolsets", "core,shell", "--root", inside}, c.flags...)...)
			m.Args[0], m.Env = "understudy", environ
			_, said, _ := strings.Cut(answered(t, m, commandCall(c.line, "bash")), `"id":2`)
			if !strings.Contains(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(said), c.want) {
				t.Errorf("%s: wanted %q", said, c.want)
			}
		})
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}
