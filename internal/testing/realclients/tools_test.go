package realclients

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
)

// clientsVariable makes these tests run: they fetch some hundred megabytes.
const clientsVariable = "UNDERSTUDY_CLIENTS"

var tools = flag.String("tools", os.Getenv("UNDERSTUDY_CLIENTS_TOOLS"), "a folder in which npm keeps the clients between runs")

// stage is a person's machine with the clients on it.
type stage struct {
	t       testing.TB
	modules string               // where npm put the clients
	program string               // ours, as it is shipped
	home    string               // the person's
	environ []string             // of every process
	user    *syscall.SysProcAttr // whose processes they are; nil: who tests
}

func newStage(t testing.TB) *stage {
	t.Helper()
	if os.Getenv(clientsVariable) == "" {
		t.Skip("`make clients` lets real clients use the program")
	}
	s := &stage{t: t, modules: installed(t), program: built(t)}
	s.settle()
	return s
}

// settle gives a person a home folder, and processes an environment that has it.
func (s *stage) settle() {
	s.home, s.environ = scratch.Dir(s.t), nil
	for _, pair := range os.Environ() {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "DISPLAY", "UNDERSTUDY_HOME":
		default:
			s.environ = append(s.environ, pair)
		}
	}
	s.environ = append(s.environ, "HOME="+s.home, "UNDERSTUDY_HOME="+filepath.Join(s.home, "data"),
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "PATH="+filepath.Dir(s.node())+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// node is the runtime that the newest of the clients want.
func (s *stage) node() string { return filepath.Join(s.modules, "node-"+nodeTarget(), "bin", "node") }

// nodeTarget is Node's name of this machine.
func nodeTarget() string {
	return runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
}

// script runs a program that is written in JavaScript.
func (s *stage) script(path string, args ...string) (string, error) {
	return s.run(s.node(), append([]string{filepath.Join(s.modules, filepath.FromSlash(path))}, args...)...)
}

// run gives the standard output of a command; its error holds the rest.
func (s *stage) run(program string, args ...string) (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithDeadline(s.t.Context(), scratch.Deadline(s.t))
	defer cancel()
	var said strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr, cmd.Stderr, cmd.WaitDelay = s.home, s.environ, s.user, &said, 5*time.Second
	out, err := cmd.Output()
	if err != nil {
		err = errors.Join(err, errors.New(said.String()))
	}
	return string(out), err
}

// must is run for a command that has to succeed.
func (s *stage) must(out string, err error) string {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// serve starts the server over HTTP with some more flags, and gives its address.
func (s *stage) serve(flags ...string) string {
	s.t.Helper()
	return s.starts("listening on ", append([]string{"serve", "--structured", "--addr", "127.0.0.1:0"}, flags...)...)
}

// starts starts the program to go on until the test ends, and gives what it says after
// some words, up to a comma or a semicolon.
func (s *stage) starts(words string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = s.home, s.environ, s.user
	said, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	address := ""
	for address == "" && lines.Scan() {
		_, rest, _ := strings.Cut(lines.Text(), words)
		if i := strings.IndexAny(rest, ",;"); i >= 0 {
			rest = rest[:i]
		}
		address = rest
	}
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		for lines.Scan() {
			s.t.Logf("%s: %s", args[0], lines.Text())
		}
	}()
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-rest
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("%s ended with %v", args[0], err)
		}
	})
	if address == "" {
		s.t.Fatalf("%s did not say %q", args[0], words)
	}
	return address
}

// parsed reads a JSON document that a client wrote.
func parsed[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// built is the program, built once.
func built(t testing.TB) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// shared is a folder for all tests.
var shared string

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if shared, err = os.MkdirTemp("", "realclients"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(shared)
	os.Exit(status)
}

var buildOnce = sync.OnceValues(func() (string, error) {
	path := filepath.Join(shared, "understudy")
	cmd := exec.Command("go", "build", "-o", path, "understudy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
})

// installed is where npm put the clients, in the pinned versions. Whoever asks
// for these tests has npm, so its absence is a failure.
func installed(t testing.TB) string {
	t.Helper()
	dir, err := installOnce()
	if err != nil {
		t.Fatalf("the clients cannot be installed: %v", err)
	}
	return filepath.Join(dir, "node_modules")
}

var installOnce = sync.OnceValues(func() (string, error) {
	dir := *tools
	if dir == "" {
		dir = filepath.Join(shared, "clients")
	}
	lock, err := os.ReadFile(filepath.Join("testdata", "package-lock.json"))
	if err != nil {
		return "", err
	}
	if had, err := os.ReadFile(filepath.Join(dir, "installed.json")); err == nil && string(had) == string(lock) {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"package.json", "package-lock.json", "sdk.mjs"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return dir, os.WriteFile(filepath.Join(dir, "installed.json"), lock, 0o600)
})
