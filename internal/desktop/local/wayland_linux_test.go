package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// A session that cannot be reached by its own protocol is told for what it is: of its
// windows X shows only some, and what is typed there does not arrive.
func TestWaylandSessionIsReported(t *testing.T) {
	for _, row := range []struct{ sentence, xwayland, says string }{
		{"with XWayland", "force", " is XWayland: in a Wayland session"},
		{"without", "disable", "the session is Wayland and DISPLAY is not set: in a Wayland session"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			session := virtualtest.StartSway(t, "xwayland "+row.xwayland)
			x, name := session.X, session.Wayland
			t.Setenv("DISPLAY", x)
			t.Setenv("WAYLAND_DISPLAY", name)
			t.Setenv("XDG_SESSION_TYPE", "wayland")
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // where no compositor answers
			d := open(t, desktop.Options{Display: "auto", Dir: scratch.Dir(t)})
			i, err := d.Info(t.Context())
			if err != nil || !i.Virtual || !strings.Contains(i.Instead, row.says) {
				t.Errorf("auto: got %+v (%v), want a virtual display instead because it %q", i, err, row.says)
			}
			found := diagnosed(t)
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

// With DISPLAY and WAYLAND_DISPLAY of one session, "auto" is that session and none
// instead of it; X alone, named, stays refused.
func TestAutoIsTheWaylandSession(t *testing.T) {
	session := virtualtest.StartSway(t, "xwayland force")
	session.Enter(t)
	t.Setenv("DISPLAY", session.X)
	isOurSession(t, session, "sway", "zwlr_virtual_pointer_manager_v1", "zwp_virtual_keyboard_manager_v1")
}

// Without accessibility nothing of a person is heard in a Wayland session, and both who
// watches and the diagnosis say so.
func TestNobodyHearsInASessionWithoutAccessibility(t *testing.T) {
	session := virtualtest.StartSway(t, "xwayland disable")
	session.Enter(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	d := open(t, desktop.Options{Display: desktop.Seat, Dir: scratch.Dir(t)})
	ctx, stop := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer stop()
	if err := d.Watch(ctx, func(desktop.InputEvent) {}); !errors.Is(err, desktop.ErrUnreported) {
		t.Errorf("a watch says %v", err)
	}
	if f := diagnosed(t)["recording"]; f.OK || f.Mend == "" {
		t.Errorf("the diagnosis says of recording %+v", f)
	}
}

// isOurSession holds that a session is what is meant where no other is named, and that
// the diagnosis finds its protocols.
func isOurSession(t *testing.T, session *virtualtest.Session, manager string, protocols ...string) {
	t.Helper()
	for _, display := range []string{"auto", desktop.Seat, session.Wayland} {
		d := open(t, desktop.Options{Display: display, Dir: scratch.Dir(t)})
		i, err := d.Info(t.Context())
		if err != nil || i.Virtual || i.Instead != "" || i.Display != session.Wayland || i.Manager != manager {
			t.Errorf("%s: got %+v (%v), want the session", display, i, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var unreported []desktop.InputType
		_ = d.Watch(ctx, func(ev desktop.InputEvent) {
			unreported = ev.Unreported
			stop()
		})
		if len(desktop.Limits(unreported)) != 2 {
			t.Errorf("%s: a watch of what a person does says that it does not tell %v", display, unreported)
		}
	}
	found := diagnosed(t)
	for _, name := range append(protocols, "display", "screenshot", "clipboard", "window manager") {
		if f := found[name]; !f.OK {
			t.Errorf("the diagnosis says of %s %+v, want it to be there", name, f)
		}
	}
	if f := found["recording"]; !f.OK || !strings.Contains(f.Detail, "keys are not reported") {
		t.Errorf("the diagnosis says of recording %+v, want what is reported", f)
	}
}

// diagnosed is what the diagnosis finds, by name.
func diagnosed(t *testing.T) map[string]desktop.Finding {
	found := map[string]desktop.Finding{}
	for _, f := range (local.Machine{}).Diagnose(t.Context(), desktop.Options{Dir: scratch.Dir(t)}) {
		found[f.Name] = f
	}
	return found
}
