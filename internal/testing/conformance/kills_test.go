package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

var kills = flag.Int("kills", 12, "how many clients and services are killed at random instants")

// TestARunOutlivesAKilledClient has a client begin a run for which it does not wait, and die.
func TestARunOutlivesAKilledClient(t *testing.T) {
	home := t.TempDir()
	c := talking(t, home, byhand.Modern)
	args := many()
	short, _ := args["steps"].([]any)
	args["wait"], args["steps"] = false, short[:20]
	run, _ := byhand.Dig(c.Call("execute_sequence", args), "result", "structuredContent", "run_id").(string)
	c.signal(syscall.SIGKILL)
	<-c.done
	if got := listed(t, home, run); got != "running" {
		t.Fatalf("its client was killed, and the run is %s", got)
	}
	scratch.Until(t, "the run succeeds", func() bool { return listed(t, home, run) == "succeeded" })
}

// understudy runs a command on a data folder, and returns what it prints.
func understudy(t *testing.T, home string, args ...string) []byte {
	t.Helper()
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, append([]string{"--home", home}, args...)...)
	cmd.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return out
}

type runStatus struct {
	ID     string `json:"run_id"`
	Status string `json:"status"`
}

func runsOf(t *testing.T, home string) (all []runStatus) {
	t.Helper()
	if err := json.Unmarshal(understudy(t, home, "runs", "ls", "--json", "--limit", "10000"), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// listed returns the status that the command line shows of a run.
func listed(t *testing.T, home, run string) string {
	t.Helper()
	for _, r := range runsOf(t, home) {
		if r.ID == run {
			return r.Status
		}
	}
	return "missing"
}

// appending is a document whose steps each add a line of their own to a file.
func appending(file string) object {
	steps := make([]any, 8)
	for i := range steps {
		steps[i] = object{"tool_name": "run_command", "id": fmt.Sprint("s", i), "arguments": object{
			"shell": "sh", "run": fmt.Sprintf("echo %d >> %s", i, file),
		}}
	}
	return object{"steps": steps, "wait": false}
}

// TestKillsDuringRuns kills clients and services at random instants: no step is done twice
// without being asked to, no run is lost, and there is one service at most.
func TestKillsDuringRuns(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	instant := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var begun []string
	for i := range *kills {
		file := filepath.Join(work, fmt.Sprint("lines", i))
		c := talking(t, home, byhand.Modern, "--toolsets", "all", "--root", work, "--no-sandbox")
		run, _ := byhand.Dig(c.Call("execute_sequence", appending(file)), "result", "structuredContent", "run_id").(string)
		begun = append(begun, run)
		time.Sleep(time.Duration(instant.IntN(30)) * time.Millisecond) // the instant that is tried
		if i%2 == 0 {
			c.signal(syscall.SIGKILL)
			<-c.done
			scratch.Until(t, "the run of a killed client ends", func() bool { return listed(t, home, run) == "succeeded" })
		} else {
			killService(t, home)
			<-c.done
			if got := listed(t, home, run); got != "interrupted" && got != "succeeded" && got != "waiting" {
				t.Errorf("the service was killed, and run %s is %s", run, got)
			}
		}
		once(t, file)
		if n := servicesOf(t, home); n > 1 {
			t.Fatalf("%d services", n)
		}
	}
	all := runsOf(t, home)
	for _, run := range begun {
		if !slices.ContainsFunc(all, func(r runStatus) bool { return r.ID == run }) {
			t.Errorf("run %s is lost", run)
		}
	}
}

// once holds that no line of a file is there twice.
func once(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	if slices.Sort(lines); len(slices.Compact(slices.Clone(lines))) != len(lines) {
		t.Errorf("%s: a step was done twice: %v", file, lines)
	}
}

// servicesOf counts the processes that are the service of a folder.
func servicesOf(t *testing.T, home string) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if args, _ := os.ReadFile(file); strings.Contains(string(args), "\x00keep-folder\x00") && strings.Contains(string(args), home) {
			n++
		}
	}
	return n
}

// TestAClientWorksInItsFolder has two clients of one service, each with a working folder and an
// environment of its own.
func TestAClientWorksInItsFolder(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"first", "second"} {
		t.Setenv("MARK", name)
		c := talking(t, home, byhand.Modern, "--toolsets", "all", "--no-sandbox", "--root", ".")
		dir := c.cmd.Dir
		for file, text := range map[string]string{"note": "a note of the " + name, "script.sh": "cat note; echo; echo $MARK; pwd -P"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		res := fmt.Sprint(c.Call("run_command", object{"shell": "sh", "script_file": "script.sh"}))
		for _, want := range []string{"a note of the " + name, "\\n" + name + "\\n", real} {
			if !strings.Contains(res, want) && !strings.Contains(res, strings.ReplaceAll(want, "\\n", "\n")) {
				t.Errorf("%s: a command says %s, without %q", name, res, want)
			}
		}
		if res := fmt.Sprint(c.Call("read_file", object{"path": "note"})); !strings.Contains(res, "a note of the "+name) {
			t.Errorf("%s: read_file says %s", name, res)
		}
	}
}
