//go:build linux

package attack

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
)

// The two users. The stranger need not be known to the system; the owner is one who is, if
// there is one without programs of its own: a bus serves no other.
const strangerUID = 54_322

var ownerUID = func() uint32 {
	if u, err := user.Lookup("nobody"); err == nil {
		if n, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			return uint32(n)
		}
	}
	return 54_321
}()

var (
	howLong = flag.Duration("for", 0, "how long the classes of attacks go on, together")
	program = flag.String("program", "", "the program to attack; without it, the one that stands in these tests")
	only    = flag.String("only", "", "play only the class of this name")
)

// TestMain makes this test program the command understudy, or the tools of a
// stranger, when it is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "stranger" {
		attempt(os.Args[1:])
		os.Exit(0)
	}
	itself.Main(m)
}

// stage is a machine with two users, on which everyone can enter every folder
// that is not closed for a reason of ours.
type stage struct {
	t       testing.TB
	bin     string // the programs
	home    string // the owner's
	work    string // a folder there, in which clients may use files
	data    string // the owner's data folder
	environ []string
	pid     int // of the server
}

// newTwoUsers is a stage that needs a stranger.
func newTwoUsers(t *testing.T) *stage {
	t.Helper()
	if why := noStrangers(); why != "" {
		t.Skip(why)
	}
	return newStage(t)
}

// noStrangers says why another user cannot be played; empty: one can.
func noStrangers() string {
	if os.Geteuid() != 0 {
		return "needs root, to play two users"
	}
	if u, err := user.LookupId(strconv.Itoa(strangerUID)); err == nil {
		return "the number of the stranger is taken by " + u.Username
	}
	return ""
}

// newStage has a user whose programs are attacked: one of its own where root
// plays it, else whoever does.
func newStage(t testing.TB) *stage {
	t.Helper()
	root := scratch.Dir(t)
	s := &stage{t: t, bin: filepath.Join(root, "bin"), home: filepath.Join(root, "home")}
	s.data, s.work = filepath.Join(s.home, "data"), filepath.Join(s.home, "work")
	for _, dir := range []string{root, s.bin, s.home, s.work} {
		s.must(os.MkdirAll(dir, 0o755))
		s.must(os.Chmod(dir, 0o755))
	}
	s.give(s.home, s.work)
	self, err := os.Executable()
	s.must(err)
	for name, file := range map[string]string{"understudy": cmp.Or(*program, self), "stranger": self} {
		raw, err := os.ReadFile(file)
		s.must(err)
		s.must(os.WriteFile(filepath.Join(s.bin, name), raw, 0o755))
		s.must(os.Chmod(filepath.Join(s.bin, name), 0o755))
	}
	s.environ = []string{"HOME=" + s.home, "PATH=" + s.bin + ":" + os.Getenv("PATH"), "UNDERSTUDY_HOME=" + s.data}
	return s
}

// give gives files to the owner.
func (s *stage) give(paths ...string) {
	for _, path := range paths {
		if os.Geteuid() == 0 {
			s.must(os.Chown(path, int(ownerUID), int(ownerUID)))
		}
	}
}

// put writes a file of the owner.
func (s *stage) put(path, text string) string {
	s.must(os.WriteFile(path, []byte(text), 0o600))
	s.give(path)
	return path
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// command is a program of the stage, as one of the users.
func (s *stage) command(ctx context.Context, uid uint32, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.home, s.environ, 5*time.Second
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	return cmd
}

// understudy runs a command of the owner, and gives its standard output.
func (s *stage) understudy(args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithDeadline(s.t.Context(), scratch.Deadline(s.t))
	defer cancel()
	cmd := s.command(ctx, ownerUID, "understudy", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("understudy %s: %v\n%s%s", strings.Join(args, " "), err, out, &said)
	}
	return string(out)
}

// serve starts a server of the owner, and gives its address.
func (s *stage) serve(args ...string) string {
	s.t.Helper()
	cmd := s.command(context.Background(), ownerUID, "understudy", append([]string{"serve", "--addr", "127.0.0.1:0", "--structured"}, args...)...)
	said, err := os.CreateTemp(s.home, "serve")
	s.must(err)
	defer said.Close()
	cmd.Stderr = said
	s.must(cmd.Start())
	s.pid = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		err := <-ended
		if text, _ := os.ReadFile(said.Name()); err != nil || bytes.Contains(text, []byte("panic")) {
			s.t.Errorf("the server ended with %v\n%.20000s", err, text)
		}
	})
	for end := scratch.Deadline(s.t); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(said.Name())
		s.must(err)
		if _, rest, ok := strings.Cut(string(text), "listening on "); ok && strings.Contains(rest, "\n") {
			address, _, _ := strings.Cut(rest, "/mcp")
			return address
		}
		select {
		case err := <-ended:
			ended <- err
			s.t.Fatalf("the server does not start: %v\n%s", err, text)
		default:
		}
	}
	s.t.Fatal("the server does not say where it listens")
	return ""
}

// try lets a user attempt things, and gives what came of each.
func (s *stage) try(uid uint32, attempts ...string) map[string]string {
	s.t.Helper()
	ctx, cancel := context.WithDeadline(s.t.Context(), scratch.Deadline(s.t))
	defer cancel()
	cmd := s.command(ctx, uid, "stranger", attempts...)
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	var came map[string]string
	if err != nil || json.Unmarshal(out, &came) != nil || len(came) != len(attempts) {
		s.t.Fatalf("%v of %v: %v\n%s", uid, attempts, err, out)
	}
	return came
}

// closed holds that attempts succeed for the owner, so that they are the right
// ones, and fail for the stranger.
func (s *stage) closed(attempts ...string) {
	s.t.Helper()
	if len(attempts) == 0 {
		s.t.Fatal("there is nothing to attempt")
	}
	for what, came := range s.try(ownerUID, attempts...) {
		if came != "done" {
			s.t.Errorf("the owner: %s: %s", what, came)
		}
	}
	for what, came := range s.try(strangerUID, attempts...) {
		if came == "done" {
			s.t.Errorf("a stranger can: %s", what)
		}
	}
}

// appears waits for a file of the owner.
func (s *stage) appears(name string) {
	s.t.Helper()
	for end := scratch.Deadline(s.t); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(s.home, name)); err == nil {
			return
		}
	}
	s.t.Errorf("%s never came", name)
}

// everything is what stands under a folder, as attempts to reach it.
func everything(t testing.TB, dir string) (attempts []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			attempts = append(attempts, "list "+path, "create "+path)
		case d.Type()&os.ModeSocket != 0:
			attempts = append(attempts, "dial "+path)
		case d.Type().IsRegular():
			attempts = append(attempts, "read "+path, "append "+path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(attempts)
	return attempts
}
