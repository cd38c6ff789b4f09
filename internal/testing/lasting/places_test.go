//go:build linux

package lasting

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/virtualtest"
)

// pictureOf is the size of the picture that is taken of a desktop.
func (o *operator) pictureOf(name string) desktop.Size {
	o.Helper()
	o.does(0, "desktop", "show", name, "--picture", "shown.png")
	f, err := os.Open(filepath.Join(o.dir, "shown.png"))
	if err != nil {
		o.Fatal(err)
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	if err != nil {
		o.Fatal(err)
	}
	return desktop.Size{W: c.Width, H: c.Height}
}

// works plays a workflow in an editor on a display, and holds what that saved.
func (o *operator) works(display string) {
	o.Helper()
	text := `name: works
steps:
  - {tool_name: open_application, arguments: {app_name: "mousepad out.txt"}}
  - {tool_name: type_into_element, timeout: 60s, arguments: {process: mousepad, selector: "role:text", text_to_type: "äpfel & birnen"}}
  - {tool_name: validate_element, arguments: {process: mousepad, selector: "role:text && text:birnen"}}
  - {tool_name: press_key_global, arguments: {process: mousepad, key: ctrl+s}}
`
	if err := os.WriteFile(filepath.Join(o.dir, "works.yaml"), []byte(text), 0o644); err != nil {
		o.Fatal(err)
	}
	o.does(0, "run", "--display", display, "works.yaml")
	if got := o.written(); got != "äpfel & birnen" {
		o.Errorf("the editor has %q", got)
	}
}

// seated is an operator with a display of their own.
func seated(t *testing.T) (*operator, *virtual.Display) {
	t.Helper()
	x := virtualtest.StartWith(t, virtual.Options{Screen: desktop.Size{W: 900, H: 700}})
	o := newOperator(t)
	o.env = []string{"DISPLAY=" + x.Name(), "XAUTHORITY=" + x.Authority(), "DBUS_SESSION_BUS_ADDRESS=" + x.Bus()}
	return o, x
}

func TestAWorkflowOnEachServer(t *testing.T) {
	for _, server := range virtual.Servers() {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			virtualtest.Need(t, map[string]string{virtual.Xvfb: "Xvfb", virtual.Xephyr: "Xephyr", virtual.Xvnc: "Xvnc", virtual.Sway: "sway"}[server])
			o, _ := seated(t)
			if server == virtual.Sway {
				o.unprivileged()
			}
			said := o.does(0, "desktop", "start", "work", "--server", server, "--screen", "800x600")
			if looks := strings.Contains(said, "a VNC viewer at 127.0.0.1::"); looks != (server == virtual.Xvnc) {
				t.Errorf("it said:\n%s", said)
			}
			o.works("virtual:work")
			if got := o.pictureOf("work"); got != (desktop.Size{W: 800, H: 600}) {
				t.Errorf("the picture is %s", got)
			}
			if list := o.does(0, "desktop", "ls"); !strings.Contains(list, "mousepad") {
				t.Errorf("the editor is not in the list:\n%s", list)
			}
			o.does(0, "desktop", "stop", "work")
			if left, _ := filepath.Glob(filepath.Join(o.dir, "data", "display", "desktop-*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestAWorkflowOnAnothersDisplay(t *testing.T) {
	t.Parallel()
	x := virtualtest.StartWith(t, virtual.Options{Screen: desktop.Size{W: 900, H: 700}})
	o := newOperator(t)
	o.does(0, "desktop", "start", "theirs", "--display", x.Name(), "--authority", x.Authority())
	o.works("virtual:theirs")
	if got := o.pictureOf("theirs"); got != (desktop.Size{W: 900, H: 700}) {
		t.Errorf("the picture is %s", got)
	}
	o.does(0, "desktop", "stop", "theirs")
	select {
	case <-x.Done():
		t.Error("the display was ended")
	default:
	}
}

// The display of the person is a desktop like others, and is never stopped.
func TestTheSeatIsADesktop(t *testing.T) {
	t.Parallel()
	virtualtest.Need(t, "xmessage")
	o, x := seated(t)
	o.does(0, "desktop", "start", "work", "--screen", "640x480")
	o.does(0, "desktop", "run", "seat", "--", "xmessage", "it's", "me")
	o.until("it is listed with its programs", func() bool {
		lines := strings.Split(o.does(0, "desktop", "ls"), "\n")
		return strings.HasPrefix(lines[1], "seat ") && strings.HasPrefix(lines[2], "work ") &&
			strings.Contains(lines[1], " 900x700 ") && strings.Contains(lines[1], " xmessage ") && strings.HasSuffix(lines[1], "yours")
	})
	if got := o.pictureOf("seat"); got != (desktop.Size{W: 900, H: 700}) {
		t.Errorf("the picture is %s", got)
	}
	if said := o.does(0, "desktop", "env", "seat"); !strings.Contains(said, "export DISPLAY='"+x.Name()+"'") {
		t.Errorf("its environment:\n%s", said)
	}
	if said := o.does(2, "desktop", "stop", "seat"); !strings.Contains(said, "is not stopped") {
		t.Errorf("stopping it said:\n%s", said)
	}
	if said := o.does(2, "desktop", "start", "seat"); !strings.Contains(said, "the display of the person at the machine") {
		t.Errorf("starting one of its name said:\n%s", said)
	}
	if said := o.does(0, "desktop", "prune", "--all"); said != "stopped work\n" {
		t.Errorf("pruning said:\n%s", said)
	}
	o.env = nil
	if said := o.does(0, "desktop", "ls"); strings.Contains(said, "seat") {
		t.Errorf("without a display:\n%s", said)
	}
}

// A server that plays on virtual desktops shows its clients nothing of the person's.
func TestClientsSeeTheSeatOnlyWhereTheServerPlaysOnIt(t *testing.T) {
	for _, row := range []struct {
		display string
		seen    bool
	}{{"virtual", false}, {desktop.Seat, true}, {"auto", true}} {
		t.Run(row.display, func(t *testing.T) {
			t.Parallel()
			o, _ := seated(t)
			s := o.serves("--display", row.display)
			c := s.client()
			if said := s.call(c, "list_desktops", byhand.Object{}); strings.Contains(said, "seat") != row.seen {
				t.Errorf("the desktops are:\n%s", said)
			}
			if _, res := c.Call(t, "show_desktop", byhand.Object{"desktop": "seat"}); byhand.IsError(res) == row.seen {
				t.Errorf("showing it: %v", byhand.Said(res))
			}
			if _, res := c.Call(t, "stop_desktop", byhand.Object{"desktop": "seat"}); !byhand.IsError(res) {
				t.Errorf("stopping it: %v", byhand.Said(res))
			}
		})
	}
}
