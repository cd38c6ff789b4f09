//go:build unix

package kinds

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
	"understudy/steps"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := ReadFile.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, map[string]any{"path": "pipe"})
	if code(o) != steps.Invalid {
		t.Errorf("got %v, want invalid", o.Err)
	}
}

// TestTheModeOfAFile writes files as a user whose new files are for nobody else.
func TestTheModeOfAFile(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := tree(t, map[string]string{"source": "x\n"})
	old, long := filepath.Join(dir, "old"), strings.Repeat("n", 255) // the longest name
	if err := errors.Join(os.WriteFile(old, []byte("x"), 0o600), os.Chmod(old, 0o664)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind steps.Kind
		args map[string]any
		file string
		want os.FileMode
	}{
		{WriteFile, args("path", "new", "content", "x"), "new", 0o600},
		{WriteFile, args("path", long, "content", "x"), long, 0o600},
		{CopyContent, args("source_path", "source", "target_path", "copy"), "copy", 0o600},
		{WriteFile, args("path", "old", "content", "x"), "old", 0o664},
		{EditFile, args("path", "old", "old_string", "x", "new_string", "y"), "old", 0o664},
	} {
		o := c.kind.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, c.args)
		info, err := os.Stat(filepath.Join(dir, c.file))
		if o.Err != nil || err != nil || info.Mode().Perm() != c.want {
			t.Errorf("%s of %.10s: %v, %v, %v, want %v", c.kind.Name, c.file, o.Err, err, info, c.want)
		}
	}
}

func TestACommandIsEndedWithAllThatItStarted(t *testing.T) {
	// A shell, its child and its grandchild, each deaf to polite signals, and
	// one that closed its output.
	const line = `trap "" TERM HUP; sh -c 'trap "" TERM; sleep 300 & echo $! >>pids; sleep 300' & echo $! >>pids; echo $$ >>pids; sleep 300 >/dev/null 2>&1 & echo $! >>pids; echo ready >>pids; wait`
	for _, c := range []struct {
		say  string
		args map[string]any
		stop bool
		code steps.Code
	}{
		{"when it is cancelled", nil, true, steps.Cancelled},
		{"when its time is over", map[string]any{"timeout_ms": 3000.0}, false, steps.Timeout},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := t.TempDir()
			args := map[string]any{"run": line}
			maps.Copy(args, c.args)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan steps.Outcome, 1)
			go func() {
				done <- RunCommand.Run(ctx, &steps.Env{Folders: steps.Folders{Dir: dir}, Children: steps.Children{Environ: os.Environ()}}, args)
			}()
			pids := started(t, filepath.Join(dir, "pids"))
			if c.stop {
				cancel()
			}
			o := <-done
			if code(o) != c.code || o.Acted != steps.ActedMaybe { // a busy machine may take longer than a step waits
				t.Errorf("outcome %+v, want %s", o, c.code)
			}
			for _, pid := range pids {
				for end := scratch.Deadline(t); alive(pid) && time.Now().Before(end); {
					time.Sleep(5 * time.Millisecond)
				}
				if alive(pid) {
					t.Errorf("process %d lives on", pid)
				}
			}
		})
	}
}

// started waits until a command has named all its processes.
func started(t *testing.T, path string) []int {
	t.Helper()
	for end := scratch.Deadline(t); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(path)
		words := strings.Fields(string(b))
		if len(words) < 5 {
			continue
		}
		var pids []int
		for _, w := range words {
			if pid, err := strconv.Atoi(w); err == nil {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	t.Fatal("the command did not start")
	return nil
}

// alive says whether a process exists and has not ended.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(b), ") Z ")
}
