package local_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/scratch"
	"understudy/steps/desktop"
	"understudy/steps/desktop/local"
	"understudy/steps/desktop/virtual/virtualtest"
)

// wayland starts a compositor without a screen, as another user than root, and
// returns the names of its displays.
func wayland(t *testing.T, xwayland string) (x, name string) {
	t.Helper()
	virtualtest.Need(t, "sway", "Xwayland", "xhost")
	dir, err := os.MkdirTemp("", "sway") // the test's own is not open to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config, names := filepath.Join(dir, "config"), filepath.Join(dir, "names")
	text := "xwayland " + xwayland + "\nexec sh -c 'xhost + >" + dir + "/xhost; echo \"$DISPLAY $WAYLAND_DISPLAY\" >" + names + ".part; mv " + names + ".part " + names + "'\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sway", "-c", config)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman"}
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(names); err == nil {
			x, name, _ = strings.Cut(strings.TrimSpace(string(b)), " ")
			return x, name
		}
	}
	t.Fatal("sway did not say the names of its displays")
	return "", ""
}

// In a Wayland session only some windows show through X, and what is typed there
// does not arrive: such a display is not taken for the user's.
func TestAWaylandSessionIsToldForWhatItIs(t *testing.T) {
	for _, row := range []struct{ sentence, xwayland, says string }{
		{"with XWayland", "force", " is XWayland: in a Wayland session"},
		{"without", "disable", "the session is Wayland and DISPLAY is not set: in a Wayland session"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			x, name := wayland(t, row.xwayland)
			if row.xwayland == "disable" {
				x, name = "", strings.TrimSpace(x+name)
			}
			t.Setenv("DISPLAY", x)
			t.Setenv("WAYLAND_DISPLAY", name)
			t.Setenv("XDG_SESSION_TYPE", "wayland")
			d := open(t, desktop.Options{Display: "auto", Dir: scratch.Dir(t)})
			i, err := d.Info(t.Context())
			if err != nil || !i.Virtual || !strings.Contains(i.Instead, row.says) {
				t.Errorf("auto: got %+v (%v), want a virtual display instead because it %q", i, err, row.says)
			}
			found := map[string]desktop.Finding{}
			for _, f := range (local.Machine{}).Diagnose(t.Context(), desktop.Options{Dir: scratch.Dir(t)}) {
				found[f.Name] = f
			}
			if f := found["display"]; !f.OK || !strings.Contains(f.Detail, row.says) {
				t.Errorf("the diagnosis says of the display %+v", f)
			}
			if f := found["recording"]; f.OK || f.Mend == "" {
				t.Errorf("the diagnosis says of recording %+v", f)
			}
			for _, named := range []string{x, name} {
				if named == "" {
					continue
				}
				_, err := local.Machine{}.Open(t.Context(), desktop.Options{Display: named, Dir: t.TempDir()})
				var missing *desktop.MissingError
				if !errors.As(err, &missing) || !missing.Wayland || !strings.Contains(missing.What, named) {
					t.Errorf("%s: got %v, want it to be refused as one of Wayland", named, err)
				}
				f := local.Machine{}.Diagnose(t.Context(), desktop.Options{Display: named, Dir: t.TempDir()})[0]
				if f.OK || !f.Needed || f.Mend == "" {
					t.Errorf("the diagnosis of %s says %+v, want it to be needed and missing", named, f)
				}
			}
		})
	}
}
