package virtual

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// keptPrefix begins the name of a lasting desktop's folder.
const keptPrefix = "desktop-"

// longestDir leaves room, in the 108 bytes of a socket's address, for what
// the accessibility bus adds to our folder.
const longestDir = 64

// lastWords is how long programs that lost their display may go on writing.
const lastWords = 5 * time.Second

// folder is what one display keeps on disk. The state file in it stays locked
// while its owner lives; the kernel unlocks it however the owner dies.
type folder struct {
	dir   string
	state *os.File
	procs []process
}

// process is a program that was started for a display. Its start time tells
// it from another that was given the same number later.
type process struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started"` // ticks since the machine started
	// Display is that of an X server which is ready.
	Display string `json:"display,omitempty"`
}

// home is the folder for all displays, made when it is not there. In a place
// that is shared it is only taken when it is a folder of ours that nobody else
// can enter: what lies in it says which processes to end.
func home(dir string) (string, error) {
	ours := filepath.Join(os.TempDir(), fmt.Sprintf("understudy-%d", os.Getuid()))
	dir, err := filepath.Abs(cmp.Or(dir, ours))
	if err != nil {
		return "", err
	}
	if len(dir) > longestDir && dir != ours { // each such folder has its own in the short one
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		short, err := home(ours)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256([]byte(dir))
		dir = filepath.Join(short, hex.EncodeToString(sum[:4]))
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
	if !own(info) && (!ownedByUs(info) || shared.Mode().Perm()&0o022 != 0) {
		return "", fmt.Errorf("%s is a link, or others may enter it, or it belongs to another user: remove it, or name another folder", dir)
	}
	return dir, nil
}

// existingHome is the folder for all displays, for who only looks: one that is not
// there is not made, because whoever removed it has done with it.
func existingHome(dir string) (string, error) {
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return "", err
		}
	}
	return home(dir)
}

// own says whether a folder is one of ours that nobody else can enter.
func own(info os.FileInfo) bool {
	return info.IsDir() && info.Mode().Perm()&0o077 == 0 && ownedByUs(info)
}

func ownedByUs(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}

// newFolder makes the folder of a lasting desktop with a name, or of a display
// without one. Nobody cleans meanwhile, who would take it for one that was left.
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

// lock opens a state file and takes its lock, or fails when its owner lives.
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

// record adds a process to the state file.
func (f *folder) record(pid int) error {
	p := process{PID: pid, Started: startOf(pid)}
	if p.Started == 0 {
		return nil // it has ended already
	}
	f.procs = append(slices.DeleteFunc(f.procs, func(p process) bool { return p.PID != f.procs[0].PID && startOf(p.PID) != p.Started }), p)
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

// removeAll removes a folder in which programs that lose their display may
// still write their last.
func removeAll(dir string) error {
	for deadline := time.Now().Add(lastWords); ; time.Sleep(2 * time.Millisecond) {
		err := os.RemoveAll(dir)
		if !errors.Is(err, syscall.ENOTEMPTY) || time.Now().After(deadline) {
			return err
		}
	}
}

// SocketOf is the socket of a display of this machine by its name, such as ":7".
func SocketOf(display string) string { return "/tmp/.X11-unix/X" + strings.TrimPrefix(display, ":") }

// removeSockets removes what an X server that was killed leaves in the system's
// temporary folder: its socket, if nobody has taken its number since.
func removeSockets(procs []process) {
	for _, p := range procs {
		if p.Display == "" || startOf(p.PID) == p.Started || !IsDead(SocketOf(p.Display)) {
			continue
		}
		// Another may take the number now: what is removed is looked at again.
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

// IsDead says whether there is a socket at which nobody listens.
func IsDead(socket string) bool {
	c, err := net.Dial("unix", socket)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// startOf is when a process started, or 0 when there is none with that number
// that still runs. One whose main thread has ended holds its sockets and locks
// until its last thread has.
func startOf(pid int) uint64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in parentheses, may hold anything; the fields follow it.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" && fields[17] == "1" {
		return 0
	}
	ticks, _ := strconv.ParseUint(fields[19], 10, 64)
	return ticks
}

// alone waits until nobody else makes or removes folders here, and gives a
// function that lets others again.
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

// Clean ends the processes of displays whose owner is dead, removes their
// folders, and says how many displays it found. It leaves alone what it
// cannot read.
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
			if cleanFolder(f, killedKeeper) {
				n++
			}
		}
	}
	return n
}

// cleanFolder clears away a display whose owner is dead. An owner that died while
// it made or removed the folder left no state file in it.
func cleanFolder(dir, why string) bool {
	state, err := lock(filepath.Join(dir, "state.json"), os.O_CREATE)
	if err != nil {
		return false // its owner lives, or has just removed it
	}
	defer state.Close()
	var procs []process
	_ = json.NewDecoder(state).Decode(&procs) // one that was cut short names nobody
	end(append(procs, programsOf(dir)...))
	removeSockets(procs)
	if k, err := readKept(dir); err == nil {
		noteClosing(k, why)
	}
	return removeAll(dir) == nil
}

// end ends processes and waits, for a while, until they are gone.
func end(procs []process) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, p := range procs {
			if startOf(p.PID) == p.Started {
				_ = syscall.Kill(p.PID, signal)
				_ = syscall.Kill(p.PID, syscall.SIGCONT)
			}
		}
		for deadline := time.Now().Add(endTimeout); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
			if !anyRuns(procs) {
				return
			}
		}
	}
}

func anyRuns(procs []process) bool {
	for _, p := range procs {
		if startOf(p.PID) == p.Started {
			return true
		}
	}
	return false
}
