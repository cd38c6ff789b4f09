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

	"understudy/internal/desktop"
)

// NamedPipes hold the pipes of the browsers that we started on a desktop without a keeper, as named
// pipes in a folder that only its owner may enter. Each browser keeps both ends of its pipe open, so
// it lives on when we end, and the next process reaches it. It implements desktop.BrowserLister.
type NamedPipes struct{ Dir string } // empty: no browser gets a pipe

// The names of the pipes of a browser in its folder, as the browser uses them.
const (
	readsName  = "reads"
	writesName = "writes"
)

// Start starts a program, and keeps its pipe if it is a browser.
func (n NamedPipes) Start(cmd *exec.Cmd, start func() error) error {
	if n.Dir == "" || !wantsPipe(cmd) {
		return start()
	}
	dir, err := n.give(cmd)
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
	path := n.folder(processOf(cmd))
	_ = os.RemoveAll(path) // of one that had the number before
	if err := os.Rename(dir, path); err != nil {
		_ = os.RemoveAll(dir) // it is not connected
	}
	return nil
}

// folder is where the pipe of a browser is.
func (n NamedPipes) folder(b desktop.BrowserProcess) string {
	return filepath.Join(n.Dir, fmt.Sprintf("%d-%s", b.PID, b.Name))
}

// give gives a command a pipe in a new folder.
func (n NamedPipes) give(cmd *exec.Cmd) (dir string, err error) {
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp(n.Dir, "new-"); err != nil {
		return "", err
	}
	var files []*os.File
	for _, name := range []string{readsName, writesName} {
		path := filepath.Join(dir, name)
		if err = syscall.Mkfifo(path, 0o600); err == nil {
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
func (n NamedPipes) Browsers(context.Context) (all []desktop.BrowserProcess, err error) {
	folders, err := os.ReadDir(n.Dir)
	if n.Dir == "" || errors.Is(err, fs.ErrNotExist) {
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
		path := filepath.Join(n.Dir, f.Name())
		pipe, err := os.OpenFile(filepath.Join(path, readsName), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil { // nobody reads: it has ended
			_ = os.RemoveAll(path)
			continue
		}
		pipe.Close()
		if info, err := f.Info(); err == nil {
			started[pid] = info.ModTime()
		}
		all = append(all, named(pid, name))
	}
	slices.SortFunc(all, func(a, b desktop.BrowserProcess) int { return started[b.PID].Compare(started[a.PID]) })
	return all, nil
}

// turnTime bounds the wait for another that uses a browser.
const turnTime = 30 * time.Second

// Browse connects to a browser, when nobody else uses it: two readers of a pipe take each other's
// answers.
func (n NamedPipes) Browse(ctx context.Context, pid int) (desktop.Browser, error) {
	found, _ := filepath.Glob(filepath.Join(n.Dir, strconv.Itoa(pid)+"-*"))
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
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
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
