package children

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
)

// parentVariable makes this binary a parent that starts a program, given as a line for a
// shell, and waits.
const parentVariable = "UNDERSTUDY_CHILDREN_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentVariable) == "" {
		os.Exit(m.Run())
	}
	c := exec.Command("sh", "-c", os.Getenv(parentVariable))
	c.Stdout = os.Stdout // held open for as long as it lives
	if _, err := StartGuarded(c); err != nil {
		panic(err)
	}
	_, _ = io.WriteString(os.Stdout, "started\n")
	_ = c.Wait()
	time.Sleep(time.Hour) // until it is killed
}

// TestAChildDiesWithItsParent kills the parent, and waits until no process has the pipe of
// the child open.
func TestAChildDiesWithItsParent(t *testing.T) {
	for name, line := range map[string]string{
		"a program":                       "echo started; exec sleep 300",
		"what it started":                 "sleep 300 & (sleep 300 & echo started; wait) & wait",
		"what it started and left behind": "(sleep 300 & echo started; exec sleep 300) & exit",
	} {
		t.Run(name, func(t *testing.T) { diesWithItsParent(t, line) })
	}
}

func diesWithItsParent(t *testing.T, line string) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"="+line)
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	parent.Stdout = theirs
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	r := bufio.NewReader(ours)
	for range 2 { // one line is from the program, one from its parent
		if line, err := r.ReadString('\n'); err != nil || strings.TrimSpace(line) != "started" {
			t.Fatalf("the parent said %q, %v", line, err)
		}
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if err := ours.SetReadDeadline(scratch.Deadline(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("the child lives on: %v", err)
	}
}

// TestAChildOutlivesItsThread tests that a program does not end with the thread that
// called Start.
func TestAChildOutlivesItsThread(t *testing.T) {
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("cat")
	c.Stdin = in
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends with this function
		started <- Start(c, syscall.SIGKILL)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	in.Close()
	for range 20 { // threads come and go meanwhile
		done := make(chan bool)
		go func() { runtime.LockOSThread(); close(done) }()
		<-done
	}
	w.Close()
	if err := c.Wait(); err != nil {
		t.Errorf("the program was ended: %v", err)
	}
}
