package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// These tests start the program as it is shipped, and send it plain JSON without a
// library of the protocol.

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "understudy-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "understudy")
	cmd := exec.Command("go", "build", "-o", file, "understudy")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// program is a running process of the program.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.Reader
	errs *bytes.Buffer
	done chan struct{}
}

// start starts the program over a data folder. No step of these tests needs a
// desktop, so there is none.
func start(t *testing.T, home string, args ...string) *program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("signals are not sent to processes there")
	}
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	stopService(t, file, home)
	p := &program{t: t, cmd: exec.Command(file, args...), errs: &bytes.Buffer{}, done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "UNDERSTUDY_HOME="+home, "DISPLAY=", "WAYLAND_DISPLAY=", "MCP_MAX_CONCURRENT=1")
	p.cmd.Dir = t.TempDir()
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out, p.cmd.Stdout = in, r, w
	if args[0] == "mcp" {
		p.cmd.Stderr = p.errs
	} else {
		p.out, p.cmd.Stdout, p.cmd.Stderr = r, nil, w
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		_ = r.Close()
	})
	return p
}

// stopService stops the service of a data folder after a test.
func stopService(t *testing.T, file, home string) {
	t.Cleanup(func() {
		if out, err := exec.Command(file, "--home", home, "service", "stop").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// killService kills the process that is the service of a data folder.
func killService(t *testing.T, home string) {
	t.Helper()
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(file, "--home", home, "service", "status", "--json").Output()
	var s struct{ PID int }
	if err = errors.Join(err, json.Unmarshal(out, &s)); err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(s.PID)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ended waits for the end of the process, and checks its exit status.
func (p *program) ended() {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Until(scratch.Deadline(p.t))):
		p.t.Fatal("the program did not end")
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("the program ended with %d: %s", code, p.errs)
	}
}

func (p *program) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// talk is a client over the standard input and output.
type talk struct {
	*program
	*byhand.Client
}

// talking starts a stdio server and initializes it as the version requires.
func talking(t *testing.T, home, version string, args ...string) *talk {
	t.Helper()
	p := start(t, home, append([]string{"mcp", "--structured"}, args...)...)
	c := &talk{p, byhand.Talk(t, version, object{}, p.in, p.out)}
	if version >= byhand.Modern {
		if res := c.Ask("server/discover", object{}); byhand.Dig(res, "result") == nil {
			t.Fatalf("server/discover: %v", res)
		}
	}
	return c
}

// caller calls tools over one of the transports.
type caller interface {
	Call(tool string, args object) object
}

// running waits for a running run other than the known ones.
func running(t *testing.T, c caller, known ...string) (run string) {
	t.Helper()
	scratch.Until(t, "a run is under way", func() bool {
		list, _ := byhand.Dig(c.Call("list_runs", object{"status": "running"}), "result", "structuredContent", "runs").([]any)
		for _, r := range list {
			if id, _ := byhand.Dig(r, "run_id").(string); !strings.Contains(strings.Join(known, " "), id) {
				run = id
			}
		}
		return run != ""
	})
	return run
}

// atRest waits until a run is at rest, and returns its status and the step at which it
// would resume.
func atRest(t *testing.T, c caller, run string) (status, from any) {
	t.Helper()
	scratch.Until(t, "the run stands still", func() bool {
		res := c.Call("get_run", object{"run_id": run, "wait_ms": 1000})
		status, from = byhand.Dig(res, "result", "structuredContent", "status"), byhand.Dig(res, "result", "structuredContent", "resume_from")
		return status != "running" && status != "queued" && status != nil
	})
	return status, from
}

// long is a document with a step that takes longer than any test.
func long() object {
	return object{"steps": []any{object{"tool_name": "delay", "id": "one", "arguments": object{"duration": "10m"}}}}
}

// longAndActs takes a slot of the runs that act; its second step is never reached.
func longAndActs() object {
	d := long()
	d["steps"] = append(d["steps"].([]any), object{"tool_name": "click_element", "arguments": object{"selector": "name:Save"}})
	return d
}

// blockedCode is the code of a call that a client may not make.
func blockedCode(version string) float64 {
	if version >= byhand.Modern {
		return -31002
	}
	return -32002
}

var address = regexp.MustCompile(`http://[^/\s]+`)

// serving starts an HTTP server and returns its address.
func serving(t *testing.T, home string, args ...string) (*program, string) {
	t.Helper()
	p := start(t, home, append([]string{"serve", "--addr", "127.0.0.1:0", "--structured"}, args...)...)
	lines := bufio.NewReader(p.out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return p, address.FindString(line)
}
