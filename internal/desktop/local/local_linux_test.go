package local_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// open opens a desktop that ends with the test.
func open(t testing.TB, o desktop.Options) *desktop.Desktop {
	t.Helper()
	virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon")
	d, err := local.Machine{}.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestAVirtualDesktopIsOpened(t *testing.T) {
	t.Setenv("DISPLAY", "")
	for _, display := range []string{"virtual", "auto", ""} {
		t.Run("with display "+display, func(t *testing.T) {
			d := open(t, desktop.Options{Display: display, Screen: desktop.Size{W: 1024, H: 768}, Layout: "de", Dir: scratch.Dir(t)})
			i, err := d.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !i.Virtual || i.System != "linux" || i.Manager != "Openbox" || len(i.Monitors) != 1 || i.Monitors[0].Bounds != (desktop.Rect{W: 1024, H: 768}) {
				t.Errorf("got %+v", i)
			}
			query := exec.Command("setxkbmap", "-query")
			query.Env = append(os.Environ(), i.Env...)
			if said, err := query.CombinedOutput(); err != nil || i.Layout != "de" || !strings.Contains(string(said), "layout:     de\n") {
				t.Errorf("the layout is said to be %q; setxkbmap says %v %s", i.Layout, err, said)
			}
		})
	}
}

func TestANamedDisplayIsOpened(t *testing.T) {
	v := virtualtest.Start(t)
	t.Setenv("XAUTHORITY", v.Authority())
	d := open(t, desktop.Options{Display: v.Name(), Dir: t.TempDir()})
	if i, err := d.Info(t.Context()); err != nil || i.Virtual || i.Display != v.Name() {
		t.Errorf("got %+v and %v, wanted the display %s", i, err, v.Name())
	}
	t.Setenv("DISPLAY", v.Name())
	auto := open(t, desktop.Options{})
	if i, err := auto.Info(t.Context()); err != nil || i.Virtual || i.Display != v.Name() {
		t.Errorf("auto: got %+v and %v, wanted the display %s", i, err, v.Name())
	}
}

func TestAutoStartsADisplayWhenTheOneInTheEnvironmentIsGone(t *testing.T) {
	t.Setenv("DISPLAY", ":59000")
	d := open(t, desktop.Options{Display: "auto", Dir: scratch.Dir(t)})
	if i, err := d.Info(t.Context()); err != nil || !i.Virtual {
		t.Errorf("got %+v and %v, wanted a virtual display", i, err)
	}
}

func TestANamedDisplayThatIsNotThereIsAnError(t *testing.T) {
	d, err := local.Machine{}.Open(t.Context(), desktop.Options{Display: ":59000"})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || !strings.Contains(missing.What, ":59000") {
		t.Errorf("got %v and %v, wanted a MissingError that names the display", d, err)
	}
}

func TestLaunchedApplicationsShowThemselvesHere(t *testing.T) {
	d := open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
	virtualtest.Need(t, "xterm")
	var app desktop.App
	err := d.Do(t.Context(), desktop.Launch{App: `xterm -T "a title" -e sleep 60`, Started: &app})
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(app.PID, syscall.SIGKILL)
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	for {
		ws, err := d.Windows(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(ws) == 1 && ws[0].Title == "a title" && ws[0].PID == app.PID && ws[0].Process == "xterm" {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("no window of process %d came; there are %+v", app.PID, ws)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if sid, err := exec.Command("ps", "-o", "sid=", "-p", strconv.Itoa(app.PID)).Output(); err != nil || strings.TrimSpace(string(sid)) != strconv.Itoa(app.PID) {
		t.Errorf("the application is in session %q (%v), wanted one of its own", sid, err)
	}
	if err := d.Do(t.Context(), desktop.Launch{App: "no-such-program --flag"}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("got %v, wanted ErrNotFound", err)
	}
}

func TestAtLengthAddressesAreOpened(t *testing.T) {
	virtualtest.Need(t, "xdg-open")
	dir := t.TempDir()
	seen, browser := filepath.Join(dir, "seen"), filepath.Join(dir, "browser")
	script := "#!/bin/sh\necho \"$DISPLAY $1\" >" + seen + ".part && mv " + seen + ".part " + seen + "\n"
	if err := os.WriteFile(browser, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", browser)
	t.Setenv("XDG_DATA_DIRS", dir) // no desktop files, so that no installed browser is chosen
	t.Setenv("XDG_DATA_HOME", dir)
	d := open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
	if err := d.Do(t.Context(), desktop.OpenURL{URL: "https://example.org/a?b=c&d"}); err != nil {
		t.Fatal(err)
	}
	i, _ := d.Info(t.Context())
	want := i.Display + " https://example.org/a?b=c&d\n"
	for end := scratch.Deadline(t); ; time.Sleep(5 * time.Millisecond) {
		got, _ := os.ReadFile(seen)
		if string(got) == want {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the browser saw %q, wanted %q", got, want)
		}
	}
	stays := "#!/bin/sh\nexec sleep 20\n"
	if err := os.WriteFile(browser, []byte(stays), 0o700); err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	close(open)
	if err := d.Do(t.Context(), desktop.OpenURL{URL: "https://example.org", Seen: open}); err != nil {
		t.Errorf("a browser that stays: %v", err)
	}
	if err := os.WriteFile(browser, []byte("#!/bin/sh\nsleep 1\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Do(t.Context(), desktop.OpenURL{URL: "https://example.org"}); !errors.Is(err, desktop.ErrRefused) {
		t.Errorf("a browser that fails late: %v", err)
	}
	if err := d.Do(t.Context(), desktop.OpenURL{URL: "example.org"}); err == nil {
		t.Error("an address without a scheme was opened")
	}
}

func TestDiagnose(t *testing.T) {
	virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon", "xclip")
	found := map[string]desktop.Finding{}
	for _, f := range (local.Machine{}).Diagnose(t.Context(), desktop.Options{Display: "virtual", Dir: scratch.Dir(t)}) {
		found[f.Name] = f
		t.Logf("%-15s %-5v %s %s", f.Name, f.OK, f.Detail, f.Mend)
		if !f.OK && f.Mend == "" {
			t.Errorf("%s is broken (%s) and nothing mends it", f.Name, f.Detail)
		}
	}
	for _, name := range []string{"display", "disk", "XTEST", "RECORD", "RANDR", "MIT-SHM", "window manager", "screenshot", "clipboard", "session bus"} {
		if !found[name].OK {
			t.Errorf("%s: got %+v, wanted it to work", name, found[name])
		}
	}
}

// What there is of a user's display, and what the first line of the diagnosis
// says of it and of what to do next.
func TestDiagnoseSaysWhichDisplayIsTakenAndWhy(t *testing.T) {
	real := virtualtest.Start(t)
	t.Setenv("XAUTHORITY", real.Authority())
	for _, row := range []struct {
		sentence, display, x, wayland string
		ok                            bool
		says                          []string
	}{
		{"the display that is asked for", "virtual", real.Name(), "", true, []string{"a virtual one, :"}},
		{"the user's", "auto", real.Name(), "", true, []string{real.Name() + ", 1920x1080"}},
		{"the user's, named", real.Name(), "", "", true, []string{real.Name() + ", 1920x1080"}},
		{"none", "auto", "", "", true, []string{"a virtual one, :", "because DISPLAY is not set", "export DISPLAY=:0"}},
		{"one that is not there", "auto", ":59000", "", true, []string{"a virtual one, :", "because the display :59000 cannot be reached", real.Name(), "understudy doctor --display "}},
		{"one that is not there, named", ":59000", real.Name(), "", false, []string{"the display :59000 cannot be reached: no X server listens there", real.Name()}},
		{"no name of a display", "zero", real.Name(), "", false, []string{`display "zero": wanted a name such as :0`}},
		{"Wayland alone", "auto", "", "wayland-0", true, []string{"a virtual one, :", "because the session is Wayland", "log in to an Xorg session"}},
		{"Wayland and an X server of its own", "auto", real.Name(), "wayland-0", true, []string{real.Name() + ", 1920x1080"}},
		{"a display of Wayland, named", "wayland-0", "", "wayland-0", false, []string{"the Wayland display wayland-0 does not answer"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv("DISPLAY", row.x)
			t.Setenv("WAYLAND_DISPLAY", row.wayland)
			t.Setenv("XDG_SESSION_TYPE", "")
			f := local.Machine{}.Diagnose(t.Context(), desktop.Options{Display: row.display, Dir: scratch.Dir(t)})[0]
			if f.Name != "display" || f.OK != row.ok || !f.OK && f.Mend == "" {
				t.Errorf("got %+v, wanted it to be ok: %v, or to say what mends it", f, row.ok)
			}
			for _, says := range row.says {
				if !strings.Contains(f.Detail, says) {
					t.Errorf("it says %q, wanted %q", f.Detail, says)
				}
			}
		})
	}
}

func TestDiagnoseNamesTheCureForWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	fs := local.Machine{}.Diagnose(t.Context(), desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})
	if len(fs) == 0 || fs[0].Name != "display" || fs[0].OK || fs[0].Mend != "apt-get install xvfb" {
		t.Errorf("got %+v, wanted the display to be missing, and apt-get install xvfb", fs)
	}
}
