package virtual

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"understudy/internal/children"
	"understudy/internal/desktop"
)

// KeeperCommand is the command of this program that keeps a lasting desktop. Keep starts it, with
// the options as JSON on its standard input: everyone can read the arguments of a process.
const KeeperCommand = "keep-desktop"

// killedKeeper is the reason for the end of a desktop whose keeper could not record one.
const killedKeeper = "its keeper was killed"

// guarded is the argument of the inner process.
const guarded = "guarded"

// Keep starts a lasting desktop and returns when it is ready. It fails if the name is taken.
func Keep(ctx context.Context, o Options) (Kept, error) {
	if err := CheckName(o.Name); err != nil {
		return Kept{}, err
	}
	if err := o.check(); err != nil {
		return Kept{}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Kept{}, err
	}
	defer r.Close()
	cmd, err := itself(o, w)
	if err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that it gets none of our signals
		err = cmd.Start()
	}
	w.Close()
	if err != nil {
		return Kept{}, fmt.Errorf("starting the keeper of desktop %s: %w", o.Name, err)
	}
	go func() { _ = cmd.Wait() }() // it may outlive us
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

// itself returns the command that runs this program as a keeper: the same file, even if that has
// been replaced since. It reports on the pipe how the start went.
func itself(o Options, ready *os.File, more ...string) (*exec.Cmd, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{os.Args[0], KeeperCommand}, more...),
		Dir: "/", Stdin: bytes.NewReader(raw), ExtraFiles: []*os.File{ready},
	}, nil
}

// RunKeeper runs KeeperCommand. A keeper consists of two processes: the inner one holds the
// desktop; the outer one only watches it, and ends what it leaves behind if it is killed. If the
// outer one is killed, the inner one ends in order.
func RunKeeper(ctx context.Context, args []string) error {
	var o Options
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		return fmt.Errorf("options of a keeper, which the program starts itself: %w", err)
	}
	ready := os.NewFile(3, "ready")
	if slices.Contains(args, guarded) {
		if err := children.WithholdRights(); err != nil {
			return err
		}
		return hold(ctx, o, ready)
	}
	return guard(ctx, o, ready)
}

// guard starts the process that holds the desktop, waits for its end, and ends what is left.
func guard(ctx context.Context, o Options, ready *os.File) error {
	if err := children.AdoptOrphans(); err != nil {
		return err
	}
	cmd, err := itself(o, ready, guarded)
	if err != nil {
		return err
	}
	if o.OwnHome && OwnTmp() == nil {
		cmd.SysProcAttr = mounter()
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
		return nil // nothing is left in it
	}
	if err != nil {
		return err
	}
	free, err := alone(h)
	if err != nil {
		return err
	}
	defer free()
	cleanFolder(filepath.Join(h, keptPrefix+o.Name)) // unless it ended in order
	return nil
}

// awaitChild waits for a child to end, and reaps all children that end before it.
func awaitChild(pid int) {
	for {
		got, err := syscall.Wait4(-1, nil, 0, nil)
		if got == pid || err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// endOrphans asks the children of this process to end, or kills them after a time, and returns
// how many there are. It becomes the parent of their children.
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
	orphans := childProcesses()
	for _, pid := range orphans {
		_ = syscall.Kill(pid, signal)
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	return len(orphans)
}

// childProcesses returns the children of this process that have not ended.
func childProcesses() (pids []int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		if stat := desktop.ProcessStat(pid); stat != nil && stat[0] != "Z" && stat[1] == strconv.Itoa(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}
