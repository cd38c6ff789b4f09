package virtual

import (
	"bytes"
	"crypto/des"
	"errors"
	"io"
	"math/bits"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// another starts a display like that of another user: nothing in our environment leads there.
func another(t testing.TB) *Display {
	t.Helper()
	need(t)
	d, err := Start(t.Context(), Options{Dir: scratch.Dir(t), Screen: desktop.Size{W: 700, H: 500}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Each X server that is installed makes a desktop of the requested size with a window manager, and
// leaves nothing behind.
func TestAtLengthADesktopOfEachServer(t *testing.T) {
	for _, name := range []string{Xvfb, Xephyr, Xvnc} {
		t.Run(name, func(t *testing.T) {
			need(t, servers[name].program, "xdpyinfo", "xprop")
			if name == Xephyr {
				parent := another(t)
				t.Setenv("DISPLAY", parent.Name())
				t.Setenv("XAUTHORITY", parent.Authority())
			}
			k := keepOne(t, Options{Name: "work", Server: name, Screen: desktop.Size{W: 600, H: 400}, Layout: "de"})
			for _, row := range []struct {
				want    string
				command []string
			}{
				{"dimensions:    600x400", []string{"xdpyinfo"}},
				{"XTEST", []string{"xdpyinfo"}},
				{"_OPENBOX_PID(CARDINAL) = ", []string{"xprop", "-root", "_OPENBOX_PID"}},
				{"layout:     de", []string{"setxkbmap", "-query"}},
			} {
				if out, err := display(k, row.command[0], row.command[1:]...).CombinedOutput(); err != nil || !strings.Contains(string(out), row.want) {
					t.Errorf("%v: wanted %q in\n%s(%v)", row.command, row.want, out, err)
				}
			}
			stranger := display(k, "xdpyinfo")
			stranger.Env = append(stranger.Env, "XAUTHORITY=/dev/null")
			if stranger.Run() == nil {
				t.Error("a program without the cookie was let in")
			}
			if all := List(filepath.Dir(k.Dir)); len(all) != 1 || len(all[0].Programs) > 0 || all[0].Server != name {
				t.Errorf("it is listed as %+v", all)
			}
			left := leftovers(k)
			if err := End(k, "enough"); err != nil {
				t.Fatal(err)
			}
			if left := left(); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestMissingServerProgramsAreNamed(t *testing.T) {
	t.Setenv("DISPLAY", "")
	for _, row := range []struct {
		sentence string
		options  Options
		path     string // PATH; empty: unchanged
		want     string
	}{
		{"a server that there is not", Options{Server: "xorg"}, "", `there is no server "xorg": wanted one of xvfb, xephyr, xvnc, sway`},
		{"Xvnc is not installed", Options{Server: Xvnc}, "/nowhere", "apt-get install tigervnc-standalone-server"},
		{"Xephyr has no display to be a window of", Options{Server: Xephyr}, "", "DISPLAY is not set"},
		{"a display that is there, with a screen", Options{Display: ":1", Screen: desktop.Size{W: 1, H: 1}}, "", "has a server, a screen and a layout already"},
		{"a cookie for none", Options{Authority: "file"}, "", "only a display that is there already"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if row.path != "" {
				t.Setenv("PATH", row.path)
			} else {
				need(t, "Xephyr", "Xvnc")
			}
			row.options.Name, row.options.Dir = "work", scratch.Dir(t)
			if _, err := Keep(t.Context(), row.options); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("it said %v, wanted %q", err, row.want)
			}
		})
	}
}

func TestAServerThatFailsSaysWhy(t *testing.T) {
	need(t, "Xephyr")
	t.Setenv("DISPLAY", "nowhere.invalid:1")
	_, err := Keep(t.Context(), Options{Name: "work", Dir: scratch.Dir(t), Server: Xephyr})
	if err == nil || !strings.Contains(err.Error(), "cannot open host display") {
		t.Errorf("it said %v", err)
	}
}

// A person can look with a VNC viewer, with the password only.
func TestVNCNeedsThePassword(t *testing.T) {
	need(t, "Xvnc")
	k := keepOne(t, Options{Name: "work", Server: Xvnc})
	if host, _, err := net.SplitHostPort(k.VNC.Address); err != nil || host != "127.0.0.1" {
		t.Errorf("it listens at %s", k.VNC.Address)
	}
	if info, err := os.Stat(filepath.Join(k.Dir, "vnc")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the password: %v, %v", info, err)
	}
	for _, row := range []struct {
		password string
		let      bool
	}{{k.VNC.Password, true}, {"password", false}, {"", false}} {
		if let, err := looks(t, k.VNC.Address, row.password); err != nil || let != row.let {
			t.Errorf("with the password %q it is let in: %v, %v", row.password, let, err)
		}
	}
}

// looks reports whether the server accepts a VNC viewer with a password. It must accept no other kind
// of credential.
func looks(t *testing.T, address, password string) (bool, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return false, err
	}
	defer c.Close()
	_ = c.SetDeadline(scratch.Deadline(t))
	read := func(n int) []byte {
		b := make([]byte, n)
		_, e := io.ReadFull(c, b)
		err = errors.Join(err, e)
		return b
	}
	read(len("RFB 003.008\n"))
	_, _ = c.Write([]byte("RFB 003.008\n"))
	const vncAuth = 2
	if offered := read(int(read(1)[0])); !bytes.Equal(offered, []byte{vncAuth}) {
		return false, errors.Join(err, errors.New("it offers other ways to be let in"))
	}
	_, _ = c.Write([]byte{vncAuth})
	challenge, key := read(2*des.BlockSize), make([]byte, des.BlockSize)
	copy(key, password)
	for i := range key {
		key[i] = bits.Reverse8(key[i])
	}
	block, e := des.NewCipher(key)
	if err = errors.Join(err, e); err != nil {
		return false, err
	}
	for i := 0; i < len(challenge); i += des.BlockSize {
		block.Encrypt(challenge[i:], challenge[i:])
	}
	_, _ = c.Write(challenge)
	return bytes.Equal(read(4), []byte{0, 0, 0, 0}), err
}

// The display of another user, or of another machine, becomes a lasting desktop for anyone with its
// cookie, and stays when that ends.
func TestADisplayThatIsThereBecomesADesktop(t *testing.T) {
	x := another(t)
	for sentence, name := range map[string]string{"on this machine": x.Name(), "by the name of the machine": "unix" + x.Name()} {
		t.Run(sentence, func(t *testing.T) {
			k := keepOne(t, Options{Name: "theirs", Display: name, Authority: x.Authority()})
			if k.Screen != (desktop.Size{W: 700, H: 500}) || !k.Joined || k.Display != name {
				t.Errorf("it is %+v", k)
			}
			pid := command(t, k, scratch.Dir(t), "xmessage", "hello")
			scratch.Until(t, "it shows itself there", func() bool {
				show := display(k, "xdotool", "search", "--onlyvisible", "--name", "xmessage")
				show.Env = append(show.Env, x.Env()...)
				out, _ := show.Output()
				return len(out) > 0
			})
			if err := End(k, "enough"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-x.Done():
				t.Error("the display was ended")
			default:
			}
			if startOf(pid) != 0 || startOf(x.folder.procs[0].PID) == 0 {
				t.Error("wanted only what was started by us to end")
			}
		})
	}
}

// TestADisplayIsOneDesktop makes a second desktop of a display: runs on both would act on
// one screen.
func TestADisplayIsOneDesktop(t *testing.T) {
	k := keepOne(t, Options{Name: "ours"})
	for _, name := range []string{k.Display, k.Display + ".0", "unix" + k.Display} {
		_, err := Keep(t.Context(), Options{Name: "theirs", Dir: filepath.Dir(k.Dir), Display: name, Authority: k.Authority()})
		if err == nil || !strings.Contains(err.Error(), "is that of the desktop ours") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADesktopOfAnothersDisplayEndsWithThat(t *testing.T) {
	x := another(t)
	k := keepOne(t, Options{Name: "theirs", Display: x.Name(), Authority: x.Authority()})
	left := leftovers(k)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "it ends", func() bool { return len(left()) == 0 })
	if c, _ := FindClosing(filepath.Dir(k.Dir), k.Birth); c.Why != "its server ended" {
		t.Errorf("its closing: %+v", c)
	}
}

func TestWithoutItsCookieADisplayIsNoDesktop(t *testing.T) {
	x := another(t)
	empty := filepath.Join(scratch.Dir(t), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XAUTHORITY", empty)
	dir := scratch.Dir(t)
	for _, row := range []struct{ sentence, authority, want string }{
		{"no file is named", "", "cannot be used"},
		{"a file without it", empty, "has no cookie for the display " + x.Name()},
		{"a file that is not there", filepath.Join(dir, "absent"), "no such file"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := Keep(t.Context(), Options{Name: "theirs", Dir: dir, Display: x.Name(), Authority: row.authority})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("it said %v, wanted %q", err, row.want)
			}
			if _, err := os.Stat(filepath.Join(dir, keptPrefix+"theirs")); !errors.Is(err, syscall.ENOENT) {
				t.Errorf("a folder is left: %v", err)
			}
		})
	}
}
