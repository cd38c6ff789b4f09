package virtual

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"understudy/internal/desktop"
)

// keptPrefix is the beginning of the names of folders of lasting desktops.
const keptPrefix = "desktop-"

// longestDir leaves room, in the 108 bytes of the address of a socket, for the path of the
// accessibility bus in our folder.
const longestDir = 64

// lastWords is how long programs that have lost their display may go on writing.
const lastWords = 5 * time.Second

// folder is the folder of one display. The state file in it is locked while its owner lives; the
// kernel unlocks it however the owner dies.
type folder struct {
	dir   string
	state *os.File
	procs []process
}

// process is a program that was started for a display. Its start time distinguishes it from a
// later process with the same ID.
type process struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started"` // ticks since the machine started
	// Display is the display of an X server that is ready.
	Display string `json:"display,omitempty"`
	// File is the inode of the state file. In a copy of the data folder it is another, so
	// that the processes, which belong to the original, are left alone there.
	File uint64 `json:"file,omitempty"`
}

// home returns the folder for all displays, and creates it. In a shared folder it must be ours
// and closed to others: the files in it say which processes to end.
func home(dir string) (string, error) {
	ours := shortHome()
	dir, err := filepath.Abs(cmp.Or(dir, ours))
	if err != nil {
		return "", err
	}
	if len(dir) > longestDir && dir != ours { // use a folder in a short one, by a hash
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		if _, err := home(ours); err != nil {
			return "", err
		}
		dir = shortPath(dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	shared, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	owned := ok && int(s.Uid) == os.Getuid()
	closed := info.IsDir() && info.Mode().Perm()&0o077 == 0
	if !owned || !closed && shared.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s is a link, or others may enter it, or it belongs to another user: remove it, or name another folder", dir)
	}
	return dir, nil
}

// shortHome is the folder for displays if none is given, or one with a long path.
func shortHome() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("understudy-%d", os.Getuid()))
}

// shortPath returns the path in shortHome that stands for a long one.
func shortPath(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(shortHome(), hex.EncodeToString(sum[:4]))
}

// existingHome is home for callers that only look. It does not create a folder that was given:
// if it is gone, the user deleted it.
func existingHome(dir string) (string, error) {
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return "", err
		}
	}
	return home(dir)
}

// newFolder creates the folder of a lasting desktop with a name, or of a display without one. It
// locks out Clean meanwhile, which would take the folder for one that was left behind.
func newFolder(home, name string) (*folder, error) {
	free, err := alone(home)
	if err != nil {
		return nil, err
	}
	defer free()
	var dir string
	if name == "" {
		dir, err = os.MkdirTemp(home, "display-")
	} else {
		dir = filepath.Join(home, keptPrefix+name)
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir}
	if err := os.Mkdir(f.path("run"), 0o700); err != nil {
		return nil, err
	}
	if f.state, err = lock(f.path("state.json"), os.O_CREATE); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// lock opens a state file and locks it. It fails if the owner lives.
func lock(path string, flag int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// inode returns the number of a file, or 0 if it is not known.
func inode(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// record adds a process to the state file.
func (f *folder) record(pid int) error {
	p := process{PID: pid, Started: startOf(pid), File: inode(f.state)}
	if p.Started == 0 {
		return nil // it has ended already
	}
	f.procs = append(slices.DeleteFunc(f.procs, func(p process) bool { return p.PID != f.procs[0].PID && !p.runs() }), p)
	return f.write()
}

func (f *folder) write() error {
	b, err := json.Marshal(f.procs)
	if err != nil {
		return err
	}
	if _, err = f.state.WriteAt(b, 0); err == nil {
		err = f.state.Truncate(int64(len(b)))
	}
	return err
}

func (f *folder) remove() error {
	removeSockets(f.procs)
	return errors.Join(removeAll(f.dir), f.state.Close())
}

// removeAll removes the folder of a display. Programs that have lost their display may still
// write there, and may have left folders that nobody may write to.
func removeAll(dir string) (err error) {
	_ = os.Remove(shortPath(dir))
	poll(lastWords, func() bool {
		if err = os.RemoveAll(dir); errors.Is(err, fs.ErrPermission) {
			_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, _ error) error {
				if e != nil && e.IsDir() {
					_ = os.Chmod(path, 0o700)
				}
				return nil
			})
			err = os.RemoveAll(dir)
		}
		return !errors.Is(err, syscall.ENOTEMPTY)
	})
	return err
}

// poll calls done until it returns true, and reports whether that happens in time.
func poll(timeout time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(timeout); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// SocketOf returns the socket of a display of this machine, such as ":7".
func SocketOf(display string) string { return "/tmp/.X11-unix/X" + strings.TrimPrefix(display, ":") }

// removeSockets removes the sockets of X servers that were killed, unless another server uses the
// same display number by now.
func removeSockets(procs []process) {
	for _, p := range procs {
		if p.Display == "" || p.runs() || !IsDead(SocketOf(p.Display)) {
			continue
		}
		// Another server may take the number just now, so check again before removing it.
		socket := SocketOf(p.Display)
		aside := fmt.Sprintf("%s-%d", socket, p.PID)
		if os.Rename(socket, aside) != nil {
			continue
		}
		if IsDead(aside) {
			_ = os.Remove(aside)
		} else {
			_ = os.Rename(aside, socket)
		}
	}
}

// IsDead reports whether there is a socket on which nobody listens.
func IsDead(socket string) bool {
	c, err := net.Dial("unix", socket)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// startOf returns when a process started, or 0 if it has ended. A zombie counts as running until
// its last thread has ended: until then it holds its sockets and locks.
func startOf(pid int) uint64 {
	stat := desktop.ProcessStat(pid)
	if stat == nil || stat[0] == "Z" && stat[17] == "1" {
		return 0
	}
	ticks, _ := strconv.ParseUint(stat[19], 10, 64)
	return ticks
}

// alone waits for the right to create and remove folders and to record closings, which free
// gives up.
func alone(home string) (free func(), err error) {
	file, err := os.Open(home)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

// Clean ends the processes of displays whose owner is dead, removes their folders, and returns
// how many displays that were. It ignores what it cannot read.
func Clean(dir string) int {
	free, err := alone(dir)
	if err != nil {
		return 0
	}
	defer free()
	n := 0
	for _, pattern := range []string{"display-*", keptPrefix + "*"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range found {
			if cleanFolder(f) {
				n++
			}
		}
	}
	return n
}

// cleanFolder removes a display whose owner is dead, and reports whether it did. There is no state
// file if the owner died while it created or removed the folder.
func cleanFolder(dir string) bool {
	state, err := lock(filepath.Join(dir, "state.json"), os.O_CREATE)
	if err != nil {
		return false // the owner lives, or has just removed it
	}
	defer state.Close()
	var procs []process
	_ = json.NewDecoder(state).Decode(&procs) // a truncated file names nobody
	here := inode(state)
	procs = slices.DeleteFunc(procs, func(p process) bool { return p.File != 0 && p.File != here })
	end(append(procs, programsOf(dir)...))
	removeSockets(procs)
	if k, err := readKept(dir); err == nil {
		addClosing(k, killedKeeper)
	}
	return removeAll(dir) == nil
}

// end ends processes, by force if they take too long, and waits until they are gone.
func end(procs []process) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, p := range procs {
			if p.runs() {
				_ = syscall.Kill(p.PID, signal)
				_ = syscall.Kill(p.PID, syscall.SIGCONT)
			}
		}
		if awaitEnd(procs) {
			return
		}
	}
}

// awaitEnd waits until processes have ended, and reports whether they have in time.
func awaitEnd(procs []process) bool {
	return poll(endTimeout, func() bool { return !slices.ContainsFunc(procs, process.runs) })
}

func (p process) runs() bool { return startOf(p.PID) == p.Started }
