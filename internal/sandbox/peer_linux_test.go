package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// dialVariable makes this binary a program that connects to an address, and stays until the
// other side closes the connection.
const dialVariable = "UNDERSTUDY_SANDBOX_DIAL"

// handVariable makes it one that connects, hands the connection to a child, and ends.
const handVariable = "UNDERSTUDY_SANDBOX_HAND"

func dialled() bool {
	network, address, ok := strings.Cut(os.Getenv(dialVariable), " ")
	if !ok {
		return false
	}
	c, err := net.Dial(network, address)
	if err != nil {
		panic(err)
	}
	if os.Getenv(handVariable) != "" {
		f, err := c.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			panic(err)
		}
		cat := exec.Command("cat")
		cat.Stdin = f
		if err := cat.Start(); err != nil {
			panic(err)
		}
		return true
	}
	_, _ = io.Copy(io.Discard, c)
	return true
}

// TestConfinedCallersAreRefused connects from programs in the sandbox and outside it.
func TestConfinedCallersAreRefused(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(net.Conn) error{
		"unix": CheckPeer,
		"tcp":  func(c net.Conn) error { return CheckHolder(inodeOf(t, c)) },
	}
	for network, check := range checks {
		for _, row := range []struct {
			say, line string
			environ   string
			confined  bool
			want      bool
		}{
			{"a program of the user", `exec "$SELF"`, "", false, true},
			{"a program in the sandbox", `exec "$SELF"`, "", true, false},
			{"what it left running", `(setsid "$SELF" &) & exit`, "", true, false},
			{"one that raised its limits", `ulimit -HS -x unlimited 2>/dev/null; prlimit --pid $$ --locks=unlimited:unlimited 2>/dev/null; exec "$SELF"`, "", true, false},
			{"one in a user namespace, where that is allowed", `unshare -r true 2>/dev/null && exec unshare -r "$SELF"; exec "$SELF"`, "", true, false},
			{"one that ended and handed its connection on", `exec "$SELF"`, handVariable + "=1", true, false},
		} {
			t.Run(network+": "+row.say, func(t *testing.T) {
				address := "127.0.0.1:0"
				if network == "unix" {
					address = filepath.Join(t.TempDir(), "s")
				}
				l, err := net.Listen(network, address)
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				ctx, end := context.WithCancel(t.Context())
				defer end()
				c := exec.CommandContext(ctx, "bash", "-c", row.line)
				c.Env = append(os.Environ(), "SELF="+self, row.environ, fmt.Sprintf("%s=%s %s", dialVariable, network, l.Addr()))
				if row.confined {
					if err := Confine(c, []string{t.TempDir()}); err != nil {
						t.Fatal(err)
					}
				}
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				conn, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if row.environ != "" {
					_ = c.Wait()
				} else {
					defer func() { conn.Close(); _ = c.Wait() }()
				}
				if err := check(conn); (err == nil) != row.want || err != nil && !errors.Is(err, ErrConfined) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// inodeOf returns the number of the other side's socket, from the table of connections.
func inodeOf(t *testing.T, c net.Conn) uint32 {
	t.Helper()
	f, err := os.Open("/proc/self/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	port := fmt.Sprintf(":%04X", c.RemoteAddr().(*net.TCPAddr).Port)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var inode uint32
		if f := strings.Fields(lines.Text()); strings.HasSuffix(f[1], port) {
			if _, err := fmt.Sscan(f[9], &inode); err != nil {
				t.Fatal(err)
			}
			return inode
		}
	}
	t.Fatalf("there is no connection with %s", port)
	return 0
}

// TestSignalsStayInTheSandbox sends signals to what started a confined program.
func TestSignalsStayInTheSandbox(t *testing.T) {
	if detail, _ := Report(); strings.Contains(detail, "signals") {
		t.Skip("needs a kernel from 6.12 on: " + detail)
	}
	victim := exec.CommandContext(t.Context(), "cat")
	in, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("kill -KILL %d", victim.Process.Pid)
	c := exec.CommandContext(t.Context(), "sh", "-c", line)
	own := exec.CommandContext(t.Context(), "sh", "-c", "sleep 300 & kill -KILL $!; wait $!; test $? = 137")
	for _, x := range []*exec.Cmd{c, own} {
		if err := Confine(x, nil); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := c.CombinedOutput(); err == nil {
		t.Errorf("%s: %s", line, out)
	}
	if out, err := own.CombinedOutput(); err != nil {
		t.Errorf("it cannot end its own programs: %v %s", err, out)
	}
	in.Close()
	if err := victim.Wait(); err != nil {
		t.Errorf("the signal reached it: %v", victim.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
}
