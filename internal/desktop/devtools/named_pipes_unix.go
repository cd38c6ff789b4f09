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
	"sync"
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

// turnTime bounds the wait for another process that uses a browser.
const turnTime = 30 * time.Second

// heldPipes are the pipes that this process uses, by folder: two readers of a pipe take each other's answers,
// so all clients share one broker.
var heldPipes = struct {
	sync.Mutex
	by map[string]*heldPipe
}{by: map[string]*heldPipe{}}

type heldPipe struct {
	broker   *Broker
	to, from *os.File
	clients  int
}

// Browse connects to a browser, when no other process uses it.
func (n NamedPipes) Browse(ctx context.Context, pid int) (desktop.Browser, error) {
	found, _ := filepath.Glob(filepath.Join(n.Dir, strconv.Itoa(pid)+"-*"))
	if len(found) != 1 {
		return nil, desktop.ErrNotFound
	}
	for end := time.Now().Add(turnTime); ; {
		b, err := join(found[0])
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return b, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("another program uses the browser: %w", desktop.ErrUnresponsive)
		}
		if err := desktop.Sleep(ctx, 10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// join makes a client of the pipe in a folder, which it opens unless another client did. The error is
// EWOULDBLOCK while another process uses it.
func join(dir string) (desktop.Browser, error) {
	heldPipes.Lock()
	defer heldPipes.Unlock()
	to, err := os.OpenFile(filepath.Join(dir, readsName), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", desktop.ErrNotFound, err)
	}
	p := heldPipes.by[dir]
	if p != nil {
		to.Close()
	} else if p, err = hold(dir, to); err != nil {
		to.Close()
		return nil, err
	}
	p.clients++
	heldPipes.by[dir] = p
	ours, its := net.Pipe()
	go func() {
		p.broker.Serve(its) // detaches at the end
		leave(dir, p)
	}()
	return NewClient(ours), nil
}

// hold opens a pipe for this process alone, given the end that the browser reads.
func hold(dir string, to *os.File) (*heldPipe, error) {
	if err := syscall.Flock(int(to.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, err
	}
	from, err := os.OpenFile(filepath.Join(dir, writesName), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	p := &heldPipe{broker: NewBroker(to), to: to, from: from}
	go func() { _ = p.broker.Run(from) }()
	return p, nil
}

// leave closes a pipe after its last client.
func leave(dir string, p *heldPipe) {
	heldPipes.Lock()
	defer heldPipes.Unlock()
	if p.clients--; p.clients > 0 {
		return
	}
	p.from.Close()
	p.to.Close() // and unlocks
	if heldPipes.by[dir] == p {
		delete(heldPipes.by, dir)
	}
}
