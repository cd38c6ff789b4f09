package virtual

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"understudy/internal/children"
	"understudy/internal/desktop/devtools"
	"understudy/internal/sandbox"
)

// keeper is the process that holds a lasting desktop.
type keeper struct {
	display *Display
	control *net.UnixListener
	talks   sync.WaitGroup
	// browsers are the pipes to the browsers on the desktop.
	browsers devtools.Brokers

	idle *time.Timer // ends the desktop because nobody uses it
	over chan string // why it ends

	mu     sync.Mutex
	kept   Kept              // guarded by mu
	ending bool              // guarded by mu; nothing is changed any more
	conns  map[net.Conn]bool // guarded by mu
}

// firstUse is how long a caller has to attach to a new desktop.
const firstUse = 10 * time.Second

// hold starts a display and keeps it until it is told to end, nobody uses it for too long, the X
// server ends, or the context does. It reports on ready how the start went.
func hold(ctx context.Context, o Options, ready *os.File) error {
	k, err := newKeeper(ctx, o)
	report(ready, k, err)
	if err != nil {
		return err
	}
	var why string
	select {
	case why = <-k.over:
	case <-k.display.Done():
		why = "its server ended"
	case <-ctx.Done():
		why = "its keeper was ended by a signal"
	}
	return k.end(why)
}

// report reports how the start of the keeper went.
func report(ready *os.File, k *keeper, err error) {
	a := reply{}
	if err != nil {
		a.Error, a.Taken = err.Error(), errors.Is(err, fs.ErrExist)
	} else {
		a.Kept = k.describe()
	}
	_ = json.NewEncoder(ready).Encode(a)
	_ = ready.Close()
}

func newKeeper(ctx context.Context, o Options) (*keeper, error) {
	d, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	k := &keeper{display: d, over: make(chan string, 1), conns: map[net.Conn]bool{}}
	k.kept = Kept{
		Name: o.Name, Protocol: Protocol, Birth: rand.Text(), Display: d.Name(), Screen: d.screen, Layout: o.Layout, Run: o.Run, Owner: o.Owner, Worker: o.Worker, Bus: d.Bus(), Env: d.Env(),
		Started: time.Now().UTC(), Linger: o.Linger, Keeper: os.Getpid(), Dir: d.folder.dir,
		Server: o.Server, Joined: o.Display != "", VNC: d.vnc,
	}
	// The log also gets what the Go runtime prints when it crashes.
	if f, err := os.OpenFile(d.folder.path(logName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		_ = syscall.Dup3(int(f.Fd()), 2, 0)
		f.Close()
	}
	k.control, err = net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: d.folder.path(controlName)})
	if err == nil {
		err = os.Chmod(d.folder.path(controlName), 0o600)
	}
	if err == nil {
		err = writeKept(k.kept)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	k.idle = time.AfterFunc(time.Hour, k.expire)
	if o.Linger > 0 {
		k.kept.Until = k.kept.Started.Add(max(o.Linger, firstUse))
		k.idle.Reset(max(o.Linger, firstUse))
	}
	k.talks.Go(k.serve)
	go k.watchFolders(o.Dir)
	return k, nil
}

// folderPeriod is how often a keeper checks that its folders still exist.
const folderPeriod = 2 * time.Second

// watchFolders ends a desktop that nobody can find any more, because its folder, or the one given
// for all desktops, was removed.
func (k *keeper) watchFolders(named string) {
	for range time.Tick(folderPeriod) {
		for _, path := range []string{k.display.folder.path(keptName), named} {
			if _, err := os.Stat(path); path != "" && errors.Is(err, fs.ErrNotExist) {
				k.finish("its folder was removed")
				return
			}
		}
	}
}

// change changes the description of the desktop, unless that ends already. If nobody uses
// it, the time to its end begins to run.
func (k *keeper) change(how func(*Kept)) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ending {
		return false
	}
	how(&k.kept)
	k.kept.Until = time.Time{}
	k.idle.Stop()
	if k.kept.Users == 0 && k.kept.Linger > 0 {
		k.kept.Until = time.Now().UTC().Add(k.kept.Linger)
		k.idle.Reset(k.kept.Linger)
	}
	return true
}

// expire ends a desktop that nobody uses.
func (k *keeper) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.kept.Users > 0:
	case k.kept.Linger < time.Millisecond:
		k.conclude("it was not to be kept")
	default:
		k.conclude(fmt.Sprintf("it was not used for %s", k.kept.Linger))
	}
}

// finish makes the desktop end.
func (k *keeper) finish(why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.conclude(why)
}

// conclude is finish for callers that hold the mutex.
func (k *keeper) conclude(why string) {
	k.ending = true
	select {
	case k.over <- why:
	default: // it ends already
	}
}

func (k *keeper) describe() Kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept
}

// end ends everything that runs there, after giving it time to finish.
func (k *keeper) end(why string) error {
	k.idle.Stop()
	_ = k.control.Close()
	noteClosing(k.describe(), why)
	_ = os.Remove(k.display.folder.path(keptName)) // nobody finds it any more
	k.display.finish()
	k.display.programs.close()
	end(programsOf(k.display.folder.dir))
	err := k.display.Close()
	k.mu.Lock()
	for c := range k.conns {
		_ = c.Close()
	}
	k.mu.Unlock()
	k.talks.Wait()
	return err
}

func (k *keeper) serve() {
	for {
		conn, err := k.control.AcceptUnix()
		if err != nil {
			return // it is closed
		}
		k.mu.Lock()
		k.conns[conn] = true
		k.mu.Unlock()
		k.talks.Go(func() {
			k.talk(conn)
			k.mu.Lock()
			delete(k.conns, conn)
			k.mu.Unlock()
			_ = conn.Close()
		})
	}
}

func (k *keeper) talk(conn *net.UnixConn) {
	confined := sandbox.CheckPeer(conn) // before its process may end
	_ = conn.SetReadDeadline(time.Now().Add(answerTime))
	q, file, err := readQuestion(conn)
	if file != nil {
		defer file.Close()
	}
	if err != nil || q.Birth != "" && q.Birth != k.describe().Birth {
		return // closing the connection says that the desktop that is meant is gone
	}
	_ = conn.SetReadDeadline(time.Time{})
	say := func(a reply) { _ = json.NewEncoder(conn).Encode(a) }
	if confined != nil { // nothing that a keeper starts is
		say(reply{Error: confined.Error()})
		return
	}
	change := func(how func(*Kept)) bool { // the caller learns from no answer that the desktop ends
		changed := k.change(how)
		if changed {
			say(reply{Kept: k.describe()})
		}
		return changed
	}
	switch q.Do {
	case doDescribe:
		say(reply{Kept: k.describe()})
	case doAttach:
		if change(func(kept *Kept) { kept.Users++ }) {
			_, _ = conn.Read(make([]byte, 1)) // until it is closed
			k.change(func(kept *Kept) { kept.Users-- })
		}
	case doLinger:
		change(func(kept *Kept) { kept.Linger = q.Linger })
	case doAssign:
		change(func(kept *Kept) {
			kept.Run, kept.Owner, kept.Client, kept.Linger = q.For.Run, q.For.Owner, q.For.Client, q.For.Linger
		})
	case doStart:
		var a reply
		if err := k.startProgram(q.Program, file, say); err != nil {
			a.Error = err.Error()
		}
		say(a)
	case doBrowsers:
		say(reply{Browsers: k.browsers.List()})
	case doBrowse:
		if b := k.browsers.Find(q.Browser); b != nil {
			say(reply{})
			b.Serve(conn)
		}
	case doEnd:
		k.finish(q.Why)
		_, _ = conn.Read(make([]byte, 1)) // closed by the end
	default:
		say(reply{Error: fmt.Sprintf("the keeper does not support %q: it has another version", q.Do)})
	}
}

// startProgram starts a program, says its process ID and returns how it ended.
func (k *keeper) startProgram(p Program, stderr *os.File, say func(reply)) error {
	if len(p.Args) == 0 {
		return errors.New("no program is named")
	}
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Dir, cmd.Env = p.Dir, slices.Concat(p.Env, k.display.Env())
	if home := k.display.home; home != "" && children.OnThread(func() error { _, err := os.Stat(cmd.Dir); return err }) != nil {
		cmd.Dir = home // it is in the /tmp of others
	}
	if stderr != nil { // a nil *os.File would not be a nil io.Writer
		cmd.Stderr = stderr
	}
	ended := make(chan struct{})
	if err := k.browsers.Start(cmd, func() error { return k.display.programs.start(cmd, ended) }); err != nil {
		return err
	}
	say(reply{PID: cmd.Process.Pid})
	<-ended
	if s := cmd.ProcessState; s != nil && !s.Success() {
		return errors.New(s.String())
	}
	return nil
}
