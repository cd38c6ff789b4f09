package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// name and word are the first arguments of our binary when it shall execute a confined
// program.
const (
	name = "understudy"
	word = "__confined"
	// orderVariable holds the order in the environment, which other users cannot read. The
	// program does not get it.
	orderVariable = "UNDERSTUDY_CONFINED"
)

// The limits of a program and all that it starts.
const (
	maxMemory    = 8 << 30 // writable, of each process
	maxProcesses = 1024    // in addition to those of the user when it is started
)

// order says how the launcher confines a program.
type order struct {
	Write     []string `json:"write"`
	Processes uint64   `json:"processes"`
}

// Confine changes a command so that its program may write only below some folders. The
// program keeps its name, arguments, environment and files.
func Confine(c *exec.Cmd, write []string) error {
	if c.Err != nil {
		return nil // Start reports it
	}
	o, err := json.Marshal(order{write, tasks() + maxProcesses})
	if err != nil {
		return err
	}
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return err
	}
	c.Args = append([]string{name, word, path}, c.Args...)
	c.Env = append(c.Environ(), orderVariable+"="+string(o))
	c.Path = "/proc/self/exe" // works also if the file of our binary was replaced
	return nil
}

// tasks returns the number of threads of this user, which the kernel counts against the
// limit of processes.
func tasks() (n uint64) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil {
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Getuid() {
			continue
		}
		threads, _ := os.ReadDir(filepath.Join(folder, "task"))
		n += uint64(len(threads))
	}
	return n
}

// Launched reports whether this process was started to execute a confined program.
func Launched(args []string) bool { return len(args) > 1 && args[0] == name && args[1] == word }

// Launch executes the program. It returns only if that fails, with the exit status that a
// shell gives for a program that cannot be started.
func Launch(args []string) int {
	err := errors.New("wanted an order and a program")
	if text, ordered := os.LookupEnv(orderVariable); ordered && len(args) > 3 {
		_ = os.Unsetenv(orderVariable)
		err = launch(text, args[2], args[3:])
	}
	fmt.Fprintf(os.Stderr, "understudy: the program cannot be confined: %v\n", err)
	return 126
}

func launch(text, path string, args []string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	runtime.LockOSThread() // what follows holds for one thread, which then becomes the program
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	// As root, so that the program cannot raise its limits; others have no right to it.
	if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_SYS_RESOURCE, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("the right to raise limits: %w", err)
	}
	for what, most := range map[int]uint64{unix.RLIMIT_DATA: maxMemory, unix.RLIMIT_NPROC: o.Processes, markLimit: 0} {
		var now unix.Rlimit
		if err := unix.Getrlimit(what, &now); err != nil {
			return err
		}
		now.Cur, now.Max = min(now.Cur, most), min(now.Max, most)
		if err := unix.Setrlimit(what, &now); err != nil {
			return err
		}
	}
	if err := restrict(o.Write); err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}

// devices are the files outside the folders that programs may write to, because they keep
// nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// restrictions are the operations that Landlock restricts: those on files, and signals to
// processes outside the sandbox.
var restrictions = landlock.MustConfig(landlock.V3.HandledAccessFS, landlock.ScopedSet(llsyscall.ScopeSignal)).BestEffort()

// restrict allows this process to read everything, and to write only below some folders.
func restrict(write []string) error {
	return restrictions.Restrict(
		landlock.RODirs("/"),
		landlock.RWDirs(write...).WithRefer().IgnoreIfMissing(),
		landlock.RWFiles(devices...).IgnoreIfMissing(),
	)
}

// Report describes what this system offers to confine programs. The advice mend is empty
// if nothing is missing.
func Report() (detail, mend string) {
	v, err := llsyscall.LandlockGetABIVersion()
	switch {
	case err != nil || v < 1:
		return "the kernel has no Landlock: commands of clients may write wherever you may", "use a kernel from 5.13 on, with landlock in its list of security modules (lsm=landlock,…)"
	case v < 3:
		return "the kernel has an early Landlock (" + strconv.Itoa(v) + "): commands of clients may shorten files outside their folders", "use a kernel from 6.2 on"
	}
	detail = "commands of clients write in their folders only (Landlock " + strconv.Itoa(v) + ")"
	if v < 6 {
		detail += "; before kernel 6.12 they may send signals to your programs"
	}
	return detail, ""
}

// Temp creates a folder for the temporary files of a program. The caller calls remove to
// remove it.
func Temp() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", name+"-tmp-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
