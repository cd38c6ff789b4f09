//go:build unix

package watch_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/cli"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/recorder"
	"understudy/recorder/watch"
)

// scene is a display with applications of one person, and a folder.
type scene struct {
	t       testing.TB
	root    string // holds everything
	dir     string // the folder of the applications, in it
	display *virtual.Display
	desk    *desktop.Desktop
	running []*program
}

// program is an application that was started.
type program struct {
	*exec.Cmd
	out   bytes.Buffer
	ended chan struct{}
}

// inChild is itself.InChild for a test that plays applications: a scene changes
// the environment of its process.
func inChild(t *testing.T) bool {
	t.Helper()
	virtualtest.TakesTime(t)
	return itself.InChild(t, nil)
}

func newScene(t testing.TB, programs ...string) *scene {
	t.Helper()
	return newSceneOn(t, desktop.Size{}, programs...)
}

// newSceneOn is newScene on a screen of a size; zero is the usual one.
func newSceneOn(t testing.TB, screen desktop.Size, programs ...string) *scene {
	t.Helper()
	virtualtest.TakesTime(t)
	virtualtest.Need(t, append(programs, "xdotool", "xset")...)
	root := scratch.Dir(t)
	s := &scene{t: t, root: root, dir: filepath.Join(root, "work"), display: virtualtest.StartWith(t, virtual.Options{Screen: screen})}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"XAUTHORITY": s.display.Authority(), "DBUS_SESSION_BUS_ADDRESS": s.display.Bus(),
		"XDG_CONFIG_HOME": filepath.Join(s.root, "config"), "XDG_CACHE_HOME": filepath.Join(s.root, "cache"), "XDG_DATA_HOME": filepath.Join(s.root, "share"),
		"GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
	} {
		t.Setenv(name, value)
	}
	// On a slow machine a key that is only tapped is held long enough to repeat.
	s.tool("xset", "r", "off")
	d, err := local.Machine{}.Open(t.Context(), desktop.Options{Display: s.display.Name(), Dir: s.root})
	if err != nil {
		t.Fatal(err)
	}
	s.desk = d
	t.Cleanup(func() {
		s.quit()
		_ = d.Close()
	})
	return s
}

// tool runs a small program on the display, such as xdotool.
func (s *scene) tool(name string, args ...string) {
	s.t.Helper()
	if out, err := virtualtest.Command(s.t, s.display, name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// start starts a program and waits for its window.
func (s *scene) start(title, name string, args ...string) *program {
	s.t.Helper()
	p := &program{Cmd: virtualtest.Command(s.t, s.display, name, args...), ended: make(chan struct{})}
	p.Dir, p.Stdout, p.WaitDelay = s.dir, &p.out, time.Second // what a launcher started may keep its output open
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait()
	}()
	s.running = append(s.running, p)
	s.wait("a window "+title, func() bool { return s.window(title) != nil })
	return p
}

// ends waits until a program has ended, and gives what it wrote.
func (s *scene) ends(p *program) string {
	s.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Until(scratch.Deadline(s.t))):
		s.t.Fatalf("waited in vain for the end of %s", p.Path)
	}
	return strings.TrimSpace(p.out.String())
}

// quit ends the programs that were started.
func (s *scene) quit() {
	for _, p := range s.running {
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL) // with what a launcher started
		<-p.ended
	}
	s.running = nil
}

func (s *scene) window(title string) *desktop.Window {
	all, _ := s.desk.Windows(context.Background())
	for _, w := range all {
		if strings.Contains(w.Title, title) && !w.Popup {
			return &w
		}
	}
	return nil
}

func (s *scene) wait(what string, so func() bool) {
	s.t.Helper()
	s.waits(func() string { return what }, so)
}

// waits waits for what is said only when it does not come.
func (s *scene) waits(what func() string, so func() bool) {
	s.t.Helper()
	for end := scratch.Deadline(s.t); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain for %s; there is:\n%s", what(), s.outline())
		}
	}
}

// finds waits for an element, and gives its middle when it has stopped moving.
func (s *scene) finds(role desktop.Role, name string, nth int) (at desktop.Point) {
	s.t.Helper()
	s.wait(string(role)+" "+name, func() bool {
		all := s.named(role, name)
		if len(all) <= nth {
			return false
		}
		before := at
		at = all[nth].Bounds.Center()
		return at == before
	})
	return at
}

// outline is what the display shows.
func (s *scene) outline() string {
	tree, err := s.desk.Tree(context.Background(), desktop.Scope{Full: true})
	if err != nil {
		return err.Error()
	}
	text, _ := tree.Outline(0)
	return text
}

// named are the elements with a role and, unless it is "", a name.
func (s *scene) named(role desktop.Role, name string) (found []*desktop.Element) {
	tree, err := s.desk.Tree(context.Background(), desktop.Scope{Full: true})
	if err != nil {
		return nil
	}
	tree.Walk(func(e *desktop.Element) bool {
		if e.Role == role && (name == "" || strings.TrimSpace(e.Name) == name) && !e.Bounds.Empty() {
			found = append(found, e)
		}
		return true
	})
	return found
}

// text is what the first element of a role shows.
func (s *scene) text(role desktop.Role) string {
	for _, e := range s.named(role, "") {
		return e.Text
	}
	return ""
}

// elsewhere moves a window and changes its size.
func (s *scene) elsewhere(title string) {
	s.t.Helper()
	w := s.window(title)
	to := desktop.Rect{X: 300, Y: 200, W: min(w.Bounds.W+60, virtual.DefaultScreen.W-300), H: min(w.Bounds.H+40, virtual.DefaultScreen.H-200)}
	if err := s.desk.Do(s.t.Context(), desktop.Manage{Window: w.ID, Do: desktop.Place, Bounds: to}); err != nil {
		s.t.Fatal(err)
	}
}

// accessible reports whether anything is known of what an application shows, in
// one of so many tries' share of the time that a test waits for something.
func (s *scene) accessible(tries int) bool {
	share := time.Until(scratch.Deadline(s.t)) / time.Duration(tries)
	for end := time.Now().Add(share); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		tree, err := s.desk.Tree(s.t.Context(), desktop.Scope{})
		if err == nil && len(tree.Roots) > 0 && len(tree.Roots[0].Children) > 0 {
			return true
		}
	}
	return false
}

// write writes a file into the folder.
func (s *scene) write(name, content string) {
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// file is what a file of the folder holds; "" when it is not there.
func (s *scene) file(name string) string {
	content, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(content)
}

// watch begins to record, and gives the person who is watched.
func (s *scene) watch() *person {
	s.t.Helper()
	log, err := recorder.CreateLog(filepath.Join(s.root, "seen.events.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	session, err := watch.Start(s.t.Context(), s.desk, watch.Options{
		Log: log, Keys: recorder.DefaultKeys(), Patience: 20, Pictures: filepath.Join(s.root, "pictures"),
		Tell: func(l recorder.Line) {
			s.t.Log("understood: " + l.String())
			if found := formsIn([]byte(l.String()), password); len(found) > 0 {
				s.t.Errorf("what is told holds the password, %v", found)
			}
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return &person{scene: s, session: session}
}

// replay runs a workflow as the command line does.
func (s *scene) replay(text string, args ...string) {
	s.t.Helper()
	if status, _ := s.plays(text, args...); status != 0 {
		s.t.Fatalf("the replay ended with status %d; there is:\n%s", status, s.outline())
	}
}

// plays plays a workflow, and returns its exit status and what was said.
func (s *scene) plays(text string, args ...string) (status int, said string) {
	s.t.Helper()
	file := filepath.Join(s.root, "recorded.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	args = append([]string{"--home", filepath.Join(s.root, "home"), "run", file, "--display", s.display.Name()}, args...)
	status = cli.Main(s.t.Context(), local.Machine{}, args, strings.NewReader(""), &out, &out)
	s.t.Logf("the replay:\n%s", out.String())
	if found := formsIn(out.Bytes(), password); len(found) > 0 {
		s.t.Errorf("the output holds the password, %v", found)
	}
	return status, out.String()
}
