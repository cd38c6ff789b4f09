//go:build unix

package devtools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"understudy/internal/desktop"
)

// Seat holds the pipes of the browsers that we started on a desktop without a keeper, as named
// pipes in a folder that only its owner may enter. Each browser keeps both ends of its pipe open, so
// it lives on when we end, and the next process reaches it. It implements desktop.BrowserLister.
type Seat struct{ Dir string } // empty: no browser gets a pipe

// The names of the pipes of a browser in its folder, as the browser uses them.
const (
	readsName  = "reads"
	writesName = "writes"
)

// Start starts a program, and keeps its pipe if it is a browser.
func (s Seat) Start(cmd *exec.Cmd, start func() error) error {
	if s.Dir == "" || !wantsPipe(cmd.Args) {
		return start()
	}
	dir, err := s.give(cmd)
	if err != nil {
		return start() // without a connection
	}
	err = start()
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	path := s.folder(desktop.BrowserProcess{PID: cmd.Process.Pid, Name: filepath.Base(cmd.Args[0])})
	_ = os.RemoveAll(path) // of one that had the number before
	if err := os.Rename(dir, path); err != nil {
		_ = os.RemoveAll(dir) // it is not connected
	}
	return nil
}

// folder is where the pipe of a browser is.
func (s Seat) folder(b desktop.BrowserProcess) string {
	return filepath.Join(s.Dir, fmt.Sprintf("%d-%s", b.PID, b.Name))
}

// give gives a command a pipe in a new folder.
func (s Seat) give(cmd *exec.Cmd) (dir string, err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp(s.Dir, "new-"); err != nil {
		return "", err
	}
	var files []*os.File
	for _, name := range []string{readsName, writesName} {
		path := filepath.Join(dir, name)
		if err = unix.Mkfifo(path, 0o600); err == nil {
			var f *os.File
			f, err = os.OpenFile(path, os.O_RDWR, 0)
			files = append(files, f)
		}
		if err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	cmd.Args, cmd.ExtraFiles = slices.Insert(slices.Clone(cmd.Args), 1, flag), files
	return dir, nil
}

// Browsers lists the browsers that run, the latest first, and forgets the others.
func (s Seat) Browsers(context.Context) (all []desktop.BrowserProcess, err error) {
	folders, err := os.ReadDir(s.Dir)
	if s.Dir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	started := map[int]time.Time{}
	for _, f := range folders {
		number, name, _ := strings.Cut(f.Name(), "-")
		pid, err := strconv.Atoi(number)
		if err != nil {
			continue // one that is being started
		}
		path := filepath.Join(s.Dir, f.Name())
		pipe, err := os.OpenFile(filepath.Join(path, readsName), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil { // nobody reads: it has ended
			_ = os.RemoveAll(path)
			continue
		}
		pipe.Close()
		if info, err := f.Info(); err == nil {
			started[pid] = info.ModTime()
		}
		all = append(all, desktop.BrowserProcess{PID: pid, Name: name})
	}
	slices.SortFunc(all, func(a, b desktop.BrowserProcess) int { return started[b.PID].Compare(started[a.PID]) })
	return all, nil
}

// turnTime bounds the wait for another that uses a browser.
const turnTime = 30 * time.Second

// Browse connects to a browser, when nobody else uses it: two readers of a pipe take each other's
// answers.
func (s Seat) Browse(ctx context.Context, pid int) (desktop.Browser, error) {
	found, _ := filepath.Glob(filepath.Join(s.Dir, strconv.Itoa(pid)+"-*"))
	if len(found) != 1 {
		return nil, desktop.ErrNotFound
	}
	to, err := os.OpenFile(filepath.Join(found[0], readsName), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", desktop.ErrNotFound, err)
	}
	from, err := os.OpenFile(filepath.Join(found[0], writesName), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		to.Close()
		return nil, err
	}
	if err := lock(ctx, to); err != nil {
		to.Close()
		from.Close()
		return nil, err
	}
	b := NewBroker(to)
	ours, its := net.Pipe()
	go func() { _ = b.Run(from) }()
	go func() {
		b.Serve(its) // detaches at the end
		from.Close()
		to.Close() // and unlocks
	}()
	return NewClient(ours), nil
}

func lock(ctx context.Context, f *os.File) error {
	for end := time.Now().Add(turnTime); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("another program uses the browser: %w", desktop.ErrUnresponsive)
		}
		if err := desktop.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}
