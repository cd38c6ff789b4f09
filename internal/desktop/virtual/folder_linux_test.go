package virtual

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
)

// Programs write into the folder until it is gone. One time in many, a file is created just after
// the folder was found empty.
func TestAFolderIsRemovedWhileProgramsStillWrite(t *testing.T) {
	home := t.TempDir()
	for range 200 {
		f, err := newFolder(home, "")
		if err != nil {
			t.Fatal(err)
		}
		var writing sync.WaitGroup
		for i := range 2 {
			path := f.path(fmt.Sprintf("run/%d", i))
			writing.Go(func() {
				for os.WriteFile(path, nil, 0o600) == nil {
					_ = os.Remove(path)
				}
			})
		}
		if err := f.remove(); err != nil {
			t.Fatal(err)
		}
		writing.Wait()
		if _, err := os.Stat(f.dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the folder is still there: %v", err)
		}
	}
}

// TestFoldersOfKilledOwnersAreRemoved checks that a name is free again, whenever its owner was killed
// while it created or removed the folder.
func TestFoldersOfKilledOwnersAreRemoved(t *testing.T) {
	for name, left := range map[string][]string{"it had made the folder": nil, "it had removed the state file": {"Xauthority", "run/bus"}} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, keptPrefix+"mine")
			if err := os.MkdirAll(filepath.Join(dir, "run"), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, path := range left {
				if err := os.WriteFile(filepath.Join(dir, path), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if n := Clean(home); n != 1 {
				t.Errorf("%d folders were cleared away, want 1", n)
			}
			f, err := newFolder(home, "mine")
			if err != nil {
				t.Fatal(err)
			}
			if n := Clean(home); n != 0 {
				t.Errorf("%d folders of living owners were cleared away", n)
			}
			if err := f.remove(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFolderThatOthersMadeIsRefused checks that a file of another user in a shared folder is not used
// as ours.
func TestFolderThatOthersMadeIsRefused(t *testing.T) {
	private := t.TempDir()
	open, err := os.MkdirTemp("/tmp", "u") // a short path, which homes need
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(open) })
	for path, mode := range map[string]fs.FileMode{private: 0o700, open: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		say  string
		make func(path string) error
		want bool
	}{
		{"nothing", func(string) error { return nil }, true},
		{"a folder of ours", func(p string) error { return os.Mkdir(p, 0o700) }, true},
		{"a folder that others may enter", func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o777)) }, false},
		{"a link to a folder of ours", func(p string) error { return os.Symlink(private, p) }, false},
		{"a folder of another user", func(p string) error {
			if os.Getuid() != 0 {
				return errors.ErrUnsupported
			}
			return errors.Join(os.Mkdir(p, 0o700), os.Chown(p, 12345, 12345))
		}, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			path := filepath.Join(open, strings.ReplaceAll(c.say, " ", ""))
			if err := c.make(path); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("needs root, to make a folder of another user")
			} else if err != nil {
				t.Fatal(err)
			}
			if _, err := home(path); (err == nil) != c.want {
				t.Errorf("%v", err)
			}
		})
	}
}

// A process that was killed runs on for a moment after its main thread has ended, and keeps its files
// open, such as the socket of an X server.
func TestAProcessRunsUntilItsLastThreadHasEnded(t *testing.T) {
	need(t, "python3")
	child := exec.Command("python3", "-c", `
import ctypes, threading
threading.Thread(target=input).start()
ctypes.CDLL(None).pthread_exit(None)
`)
	hold, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pid := child.Process.Pid
	defer func() { _, _ = child.Process.Wait() }()
	scratch.Until(t, "its main thread has ended", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && strings.Contains(string(stat), ") Z ")
	})
	if startOf(pid) == 0 {
		t.Error("it is said to have ended while a thread of it runs")
	}
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "it has ended", func() bool { return startOf(pid) == 0 })
}

// TestAProgramThatCannotBeRecordedDoesNotStay starts a program on a full disk.
func TestAProgramThatCannotBeRecordedDoesNotStay(t *testing.T) {
	f, err := newFolder(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.state.Close(); err != nil {
		t.Fatal(err)
	}
	if f.state, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	defer f.state.Close()
	ended := make(chan struct{})
	if err := (&programs{folder: f}).start(exec.Command("sleep", "60"), ended); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("starting a program: %v", err)
	}
	select {
	case <-ended:
	case <-time.After(time.Until(scratch.Deadline(t))):
		t.Error("the program is said not to have been started, and runs")
	}
}

// TestACopyLeavesTheProcessesOfTheOriginalAlone clears away a copy of the data folder, as
// of a backup, whose owner nobody is.
func TestACopyLeavesTheProcessesOfTheOriginalAlone(t *testing.T) {
	original, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	f, err := newFolder(original, "mine")
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command("sleep", "60")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	if err := f.record(server.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	if n := Clean(copied); n != 1 {
		t.Errorf("%d folders were cleared away, want 1", n)
	}
	if startOf(server.Process.Pid) == 0 {
		t.Error("the server of the original was ended")
	}
	_ = f.state.Close() // its owner dies
	if n := Clean(original); n != 1 {
		t.Errorf("%d folders were cleared away, want 1", n)
	}
	<-ended
}
