package extension

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// fakeBrowser is the extension of a browser that answers every call with the call's method.
type fakeBrowser struct {
	in   *io.PipeWriter // to the host
	done chan error
}

func startHost(t *testing.T, dir string, s socket) *fakeBrowser {
	t.Helper()
	fromHost, out := io.Pipe()
	in, toHost := io.Pipe()
	b := &fakeBrowser{toHost, make(chan error, 1)}
	go func() {
		b.done <- host(in, out, dir, s)
		out.Close()
	}()
	b.say(t, map[string]any{"hello": "chromium"})
	go func() {
		for text := ""; ; {
			raw, err := readFrame(fromHost)
			if err != nil {
				return
			}
			var p part
			_ = json.Unmarshal(raw, &p)
			if text += p.Part; p.More {
				continue
			}
			var call struct {
				ID     int
				Method string
			}
			_ = json.Unmarshal([]byte(text), &call)
			text = ""
			b.say(t, map[string]any{"id": call.ID, "result": map[string]any{"method": call.Method}})
		}
	}()
	t.Cleanup(func() { toHost.Close() })
	scratch.Until(t, "the host listens", func() bool { _, err := os.Stat(filepath.Join(dir, s.PIDName())); return err == nil })
	return b
}

// PIDName is the file of the socket once the browser has said its name.
func (s socket) PIDName() string {
	s.Name = "chromium"
	return s.file()
}

func (b *fakeBrowser) say(t *testing.T, m map[string]any) {
	raw, err := json.Marshal(m)
	if err != nil {
		t.Error(err)
	}
	_, _ = b.in.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(raw))), raw...))
}

// Many clients share the browser of a display, as long as it runs.
func TestABrowserOfAPersonIsShared(t *testing.T) {
	dir := filepath.Join(scratch.Dir(t), "browsers")
	b := startHost(t, dir, socket{PID: 7, displays: []string{":3", "wayland-0"}})
	for _, row := range []struct {
		display string
		want    int
	}{{":3", 1}, {":3.0", 1}, {"wayland-0", 1}, {":4", 0}, {"", 0}} {
		if all, err := (Sockets{dir, row.display}).Browsers(t.Context()); err != nil || len(all) != row.want {
			t.Errorf("on %q: %v, %v", row.display, all, err)
		}
	}
	o := Sockets{dir, ":3"}
	for range 2 {
		c, err := o.Browse(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Method string }
		if err := c.Call(t.Context(), "", "Target.getTargets", map[string]any{"long": strings.Repeat("x", 2*maxPart)}, &got); err != nil || got.Method != "Target.getTargets" {
			t.Errorf("%v, %v", got, err)
		}
		defer c.Close()
	}
	if _, err := o.Browse(t.Context(), 8); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("another one: %v", err)
	}
	b.in.Close()
	if err := <-b.done; err != nil {
		t.Errorf("the host ended with %v", err)
	}
	if all, err := o.Browsers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("after the end: %v, %v", all, err)
	}
}

// A host that was killed leaves a socket, which is removed.
func TestTheSocketOfAKilledHostIsForgotten(t *testing.T) {
	dir := scratch.Dir(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "7,:3,chromium"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if all, err := (Sockets{dir, ":3"}).Browsers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Another user of the machine can neither find nor use the connection.
func TestAttackByAnotherUserOnABrowser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to be another user")
	}
	shared, err := os.MkdirTemp("/tmp", "browsers") // one that others may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(shared) })
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, s := filepath.Join(shared, "browsers"), socket{PID: 7, displays: []string{":3"}}
	if err := os.Mkdir(dir, 0o777); err != nil { // as it must not stay
		t.Fatal(err)
	}
	startHost(t, dir, s)
	path := filepath.Join(dir, s.PIDName())
	// Its folder is closed to others before it is there.
	scratch.Until(t, "only its owner may use the socket", func() bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().Perm() == 0o600
	})
	listed, connected := make(chan error, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread is that of another user
		const nobody = 65534
		if err := errors.Join(syscall.Setfsgid(nobody), syscall.Setfsuid(nobody)); err != nil {
			t.Error(err)
		}
		_, err := os.ReadDir(dir)
		listed <- err
		_, err = net.Dial("unix", path)
		connected <- err
	}()
	for what, err := range map[string]error{"listing": <-listed, "connecting": <-connected} {
		if !errors.Is(err, os.ErrPermission) {
			t.Errorf("%s as another user: %v", what, err)
		}
	}
}
