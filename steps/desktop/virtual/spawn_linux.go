package virtual

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"understudy/internal/children"
)

// KeeperCommand is the command of this program that keeps a lasting desktop. It
// is started by Keep, with the options as JSON.
const KeeperCommand = "keep-desktop"

// killedKeeper is why a desktop ended whose keeper could not say so.
const killedKeeper = "its keeper was killed"

// guarded is the last argument of the inner one of the two processes.
const guarded = "guarded"

// Keep starts a lasting desktop and returns when it is ready. It fails when
// there is one of that name.
func Keep(ctx context.Context, o Options) (Kept, error) {
	if err := CheckName(o.Name); err != nil {
		return Kept{}, err
	}
	if err := checkServer(o); err != nil {
		return Kept{}, err
	}
	if err := check(o); err != nil {
		return Kept{}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Kept{}, err
	}
	defer r.Close()
	cmd, err := itself(o, w)
	if err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal for us is one for it
		err = cmd.Start()
	}
	w.Close()
	if err != nil {
		return Kept{}, fmt.Errorf("starting the keeper of desktop %s: %w", o.Name, err)
	}
	go func() { _ = cmd.Wait() }() // it lives on when we do not
	stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Now()) })
	defer stop()
	a, err := readReply(bufio.NewReader(r))
	if err != nil {
		if ctx.Err() != nil {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			err = context.Cause(ctx)
		}
		return Kept{}, fmt.Errorf("starting desktop %s: %w", o.Name, err)
	}
	return a.Kept, nil
}

// itself is this program as a keeper, the same file even when another has
// taken its place since. It tells on the pipe how it went.
func itself(o Options, ready *os.File, more ...string) (*exec.Cmd, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{os.Args[0], KeeperCommand, string(raw)}, more...),
		Dir: "/", ExtraFiles: []*os.File{ready},
	}, nil
}

// RunKeeper is what KeeperCommand does. Two processes make a keeper: the outer
// one only watches the inner, which holds the desktop, and ends what that one
// leaves behind when it is killed; the inner one ends in order when the outer
// is killed.
func RunKeeper(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("a keeper is started by the program itself")
	}
	var o Options
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return fmt.Errorf("options of a keeper: %w", err)
	}
	ready := os.NewFile(3, "ready")
	if len(args) > 1 && args[1] == guarded {
		return hold(ctx, o, ready)
	}
	return guard(ctx, o, ready)
}

// guard starts the process that holds the desktop, waits for its end, and ends
// what is left.
func guard(ctx context.Context, o Options, ready *os.File) error {
	if err := children.AdoptOrphans(); err != nil {
		return err
	}
	cmd, err := itself(o, ready, guarded)
	if err != nil {
		return err
	}
	if err := children.Start(cmd, syscall.SIGTERM); err != nil {
		return err
	}
	_ = ready.Close()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	defer stop()
	awaitChild(cmd.Process.Pid)
	for deadline := time.Now().Add(endTimeout); endOrphans(deadline) > 0; time.Sleep(time.Millisecond) {
	}
	h, err := existingHome(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // and nothing in it is left
	}
	if err != nil {
		return err
	}
	free, err := alone(h)
	if err != nil {
		return err
	}
	defer free()
	cleanFolder(filepath.Join(h, keptPrefix+o.Name), killedKeeper) // unless it ended in order
	return nil
}

// awaitChild waits for a child to end, and for all that end before it.
func awaitChild(pid int) {
	for {
		got, err := syscall.Wait4(-1, nil, 0, nil)
		if got == pid || err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// endOrphans asks the children of this process to end, or kills them when it is
// late, and says how many there are. Those of them become its own.
func endOrphans(late time.Time) int {
	signal := syscall.SIGTERM
	if time.Now().After(late) {
		signal = syscall.SIGKILL
	}
	for {
		got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if got <= 0 || err != nil {
			break
		}
	}
	orphans := children.Ours()
	for _, pid := range orphans {
		_ = syscall.Kill(pid, signal)
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	return len(orphans)
}
