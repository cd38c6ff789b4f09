package recorder_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/cli"
	"understudy/recorder"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/local"
	"understudy/steps/desktop/virtual"
	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/workflows"
)

// scene is a display with a person in front of it: their input comes through
// another program.
type scene struct {
	t       *testing.T
	dir     string
	display *virtual.Display
	desk    *desktop.Desktop
	running []*exec.Cmd
}

func newScene(t *testing.T, programs ...string) *scene {
	t.Helper()
	if os.Getenv("UNDERSTUDY_E2E") == "" {
		t.Skip("it takes the time that applications take: make e2e plays it")
	}
	virtualtest.Need(t, append(programs, "xdotool")...)
	s := &scene{t: t, dir: t.TempDir(), display: virtualtest.Start(t)}
	t.Setenv("XAUTHORITY", s.display.Authority())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", s.display.Bus())
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(s.dir, "config"))
	d, err := local.Machine{}.Open(t.Context(), desktop.Options{Display: s.display.Name(), Dir: s.dir})
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

// start starts a program and waits for its window.
func (s *scene) start(title, name string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := virtualtest.Command(s.t, s.display, name, args...)
	cmd.Dir = s.dir
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running = append(s.running, cmd)
	s.wait("a window "+title, func() bool { return s.window(title) != nil })
	return cmd
}

// quit ends the programs that were started.
func (s *scene) quit() {
	for _, cmd := range s.running {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	s.running = nil
}

func (s *scene) window(title string) *desktop.Window {
	all, _ := s.desk.Windows.Windows(context.Background())
	for _, w := range all {
		if strings.Contains(w.Title, title) && !w.Popup {
			return &w
		}
	}
	return nil
}

func (s *scene) wait(what string, so func() bool) {
	s.t.Helper()
	for end := time.Now().Add(15 * time.Second); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// person does what xdotool is told.
func (s *scene) person(args ...string) {
	s.t.Helper()
	out, err := virtualtest.Command(s.t, s.display, "xdotool", args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("xdotool %v: %v: %s", args, err, out)
	}
}

// clicks moves the pointer to an element, as a hand does, and clicks.
func (s *scene) clicks(process string, role desktop.Role, name string, nth int) {
	s.t.Helper()
	var at desktop.Point
	defer func() {
		if s.t.Failed() {
			tree, _ := s.desk.Tree(context.Background(), desktop.Scope{Process: process, Full: true})
			text, _ := tree.Outline(0)
			s.t.Logf("what %s shows:\n%s", process, text)
		}
	}()
	s.wait(string(role)+" "+name, func() bool {
		tree, err := s.desk.Tree(context.Background(), desktop.Scope{Process: process, Full: true})
		if err != nil {
			return false
		}
		n, found := 0, false
		tree.Walk(func(e *desktop.Element) bool {
			if e.Role == role && (name == "" || strings.TrimSpace(e.Name) == name) && !e.Bounds.Empty() {
				if found = n == nth; found {
					at = e.Bounds.Center()
				}
				n++
			}
			return !found
		})
		return found
	})
	s.person("mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y), "sleep", "0.3", "click", "1", "sleep", "0.2")
}

// record records what do does, and gives the workflow's text.
func (s *scene) record(do func()) string {
	s.t.Helper()
	log, err := recorder.CreateLog(filepath.Join(s.dir, "seen.events.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	session, err := recorder.Start(s.t.Context(), s.desk, recorder.RecordOptions{
		Log: log, Keys: recorder.DefaultKeys(),
		Tell: func(l recorder.Line) { s.t.Log("understood: " + l.String()) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	do()
	seen, err := session.Stop()
	if err != nil {
		s.t.Fatal(err)
	}
	text, notes, err := recorder.Compile(seen, recorder.Options{Name: "recorded"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("the workflow:\n%s\nnotes: %v", text, notes)
	if _, err := workflows.Compile(workflows.Source{Name: "recorded", Text: text}, workflows.CompileOptions{Kinds: steps.All()}); err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// replay runs a workflow as the command line does.
func (s *scene) replay(text string, args ...string) {
	s.t.Helper()
	file := filepath.Join(s.dir, "recorded.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	args = append([]string{"--home", filepath.Join(s.dir, "home"), "run", file, "--display", s.display.Name()}, args...)
	status := cli.Main(s.t.Context(), local.Machine{}, args, strings.NewReader(""), &out, &out)
	s.t.Logf("the replay:\n%s", out.String())
	if status != 0 {
		s.t.Fatalf("the replay ended with status %d", status)
	}
	if strings.Contains(out.String(), password) {
		s.t.Error("the output holds the password")
	}
}

// elsewhere moves a window and changes its size.
func (s *scene) elsewhere(title string) {
	s.t.Helper()
	w := s.window(title)
	to := desktop.Rect{X: 300, Y: 200, W: w.Bounds.W + 60, H: w.Bounds.H + 40}
	if err := s.desk.Manage(s.t.Context(), w.ID, desktop.WindowChange{Do: desktop.Place, Bounds: to}); err != nil {
		s.t.Fatal(err)
	}
}

// password is what must be found nowhere.
const password = "Tr0ub4dor&3"

// holdsNo looks for a text, in several encodings, in every file of the folder.
func (s *scene) holdsNo(text string) {
	s.t.Helper()
	forms := map[string]string{
		"plain": text, "base64": base64.StdEncoding.EncodeToString([]byte(text)), "hex": hex.EncodeToString([]byte(text)),
		"JSON": strings.ReplaceAll(text, "&", `\u0026`), "UTF-16": strings.Join(strings.Split(text, ""), "\x00"),
	}
	files := 0
	_ = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		files++
		content, _ := os.ReadFile(path)
		for form, f := range forms {
			if bytes.Contains(content, []byte(f)) {
				s.t.Errorf("%s holds the password, %s", path, form)
			}
		}
		return nil
	})
	if files == 0 {
		s.t.Error("there is no file to look into")
	}
}

func TestAFormWithAPasswordIsPlayedAgain(t *testing.T) {
	s := newScene(t, "zenity")
	form := []string{"--forms", "--title=Order", "--text=Order", "--add-entry=Name", "--add-password=Code"}
	run := func(do func()) string {
		cmd := virtualtest.Command(t, s.display, "zenity", form...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s.wait("the form", func() bool { return s.window("Order") != nil })
		do()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var text string
	first := run(func() {
		text = s.record(func() {
			s.clicks("zenity", "text", "", 0)
			s.person("type", "--delay", "20", "Ada Lovelacee")
			s.person("key", "BackSpace", "Tab")
			s.person("type", "--delay", "20", password)
			s.clicks("zenity", "button", "OK", 0)
		})
	})
	s.holdsNo(password)
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := "password"
	if strings.Contains(text, "inputs.code") {
		secret = "code"
	}
	second := run(func() {
		s.elsewhere("Order")
		s.replay(text, "--input", secret+"=@"+file)
	})
	if first != second || !strings.Contains(first, "Ada Lovelace|"+password) {
		t.Errorf("the form gave %q at first, and %q when it was played again", first, second)
	}
	s.holdsNo(password)
}

func TestATextIsWrittenAndSavedAgain(t *testing.T) {
	s := newScene(t, "mousepad")
	file := filepath.Join(s.dir, "note.txt")
	s.start("Untitled", "mousepad")
	text := s.record(func() {
		s.clicks("mousepad", "text", "", 0)
		s.person("type", "--delay", "15", "Dear Ms Noether,")
		s.person("key", "Return")
		s.person("type", "--delay", "15", "thank you. $5 & more")
		s.person("key", "--delay", "60", "BackSpace", "BackSpace", "ctrl+s")
		s.wait("the dialog", func() bool { return s.window("Save") != nil })
		s.person("sleep", "0.5", "key", "ctrl+a", "type", "--delay", "15", file)
		s.clicks("mousepad", "button", "Save", 0)
		s.wait("the file", func() bool { _, err := os.Stat(file); return err == nil })
		s.person("sleep", "0.5")
	})
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.quit()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s.start("Untitled", "mousepad")
	s.elsewhere("Untitled")
	s.replay(text)
	second, err := os.ReadFile(file)
	if err != nil || string(first) != string(second) || !strings.HasPrefix(string(first), "Dear Ms Noether,\nthank you. $5 & mo") {
		t.Errorf("the file held %q at first, and %q, %v, when it was played again", first, second, err)
	}
}

func TestASumIsCalculatedAgain(t *testing.T) {
	s := newScene(t, "galculator")
	shows := func() string {
		tree, err := s.desk.Tree(t.Context(), desktop.Scope{Process: "galculator", Full: true})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		tree.Walk(func(e *desktop.Element) bool {
			if e.Role == "text" || e.Role == "entry" {
				found = append(found, e.Text)
			}
			return true
		})
		return strings.Join(found, "|")
	}
	s.start("galculator", "galculator")
	fresh := shows()
	text := s.record(func() {
		for _, key := range []string{"7", "*", "8", "8", "="} {
			s.clicks("galculator", "togglebutton", key, 0)
		}
	})
	first := shows()
	s.quit()
	s.start("galculator", "galculator")
	s.elsewhere("galculator")
	s.replay(text)
	if second := shows(); first != second || first == fresh {
		t.Errorf("it showed %q at first, and %q when it was played again", first, second)
	}
}

func TestACheckBoxIsTurnedOnAgain(t *testing.T) {
	s := newScene(t, "gtk3-widget-factory")
	state := func() (on bool) {
		met := false
		tree, err := s.desk.Tree(t.Context(), desktop.Scope{Process: "gtk3-widget-factory", Full: true})
		if err != nil {
			t.Fatal(err)
		}
		tree.Walk(func(e *desktop.Element) bool {
			if e.Role == "checkbox" && e.States.Has(desktop.Enabled) && !e.States.Has(desktop.Indeterminate) && !met {
				on, met = e.States.Has(desktop.Checked), true
			}
			return !met
		})
		return on
	}
	s.start("gtk3-widget", "gtk3-widget-factory")
	fresh := state()
	text := s.record(func() { s.clicks("gtk3-widget-factory", "checkbox", "", 4) })
	s.quit()
	s.start("gtk3-widget", "gtk3-widget-factory")
	s.elsewhere("gtk3-widget")
	s.replay(text)
	if state() == fresh || !strings.Contains(text, "set_selected") {
		t.Error("the check box is as it was at first")
	}
}

func TestAChoiceIsUnderstood(t *testing.T) {
	s := newScene(t, "zenity")
	form := []string{"--forms", "--title=Trip", "--text=Trip", "--add-combo=Country", "--combo-values=Chile|Iceland|Kenya"}
	chosen := func() bool {
		tree, err := s.desk.Tree(t.Context(), desktop.Scope{Process: "zenity", Full: true})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		tree.Walk(func(e *desktop.Element) bool {
			found = found || e.Role == "combobox" && strings.Contains(e.Name+e.Text, "Iceland")
			return !found
		})
		return found
	}
	s.start("Trip", "zenity", form...)
	text := s.record(func() {
		s.clicks("zenity", "combobox", "", 0)
		s.person("sleep", "0.5")
		s.clicks("zenity", "menuitem", "Iceland", 0)
		s.wait("the choice", chosen)
	})
	if !strings.Contains(text, "select_option") || !strings.Contains(text, "option_name: Iceland") || strings.Contains(text, "click_element") {
		t.Error("it was not recorded as a choice alone")
	}
}

func TestAProgramIsStartedAgain(t *testing.T) {
	s := newScene(t, "mousepad")
	file := filepath.Join(s.dir, "list.txt")
	if err := os.WriteFile(file, []byte("eggs"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := s.record(func() {
		s.start("list.txt", "mousepad", file)
		s.person("sleep", "0.5", "key", "ctrl+End", "type", "--delay", "20", " and milk")
		s.clicks("mousepad", "menu", "File", 0)
		s.person("sleep", "0.3")
		s.clicks("mousepad", "menuitem", "Save", 0)
		s.wait("the file", func() bool { b, _ := os.ReadFile(file); return strings.Contains(string(b), "milk") })
	})
	first, _ := os.ReadFile(file)
	s.quit()
	if err := os.WriteFile(file, []byte("eggs"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.replay(text)
	second, err := os.ReadFile(file)
	if err != nil || string(first) != string(second) {
		t.Errorf("the file held %q at first, and %q, %v, when it was played again", first, second, err)
	}
}

func TestATextIsExactInEachLayout(t *testing.T) {
	virtualtest.Need(t, "setxkbmap")
	for _, c := range []struct {
		layout []string
		keys   []string
		want   string
	}{
		{[]string{"us"}, []string{"type", "--delay", "5", strings.Repeat("Quick brown fox, 0-9! ", 45)}, strings.Repeat("Quick brown fox, 0-9! ", 45)},
		{[]string{"de"}, []string{"key", "--delay", "15", "odiaeresis", "z", "y", "ssharp", "Udiaeresis"}, "özyßÜ"},
		{[]string{"ru"}, []string{"key", "--delay", "15", "Cyrillic_em", "Cyrillic_i", "Cyrillic_er"}, "мир"},
		{[]string{"us", "-variant", "intl"}, []string{"key", "--delay", "15", "dead_acute", "e", "dead_grave", "a"}, "éà"},
	} {
		t.Run(strings.Join(c.layout, " "), func(t *testing.T) {
			s := newScene(t, "zenity")
			s.start("Line", "zenity", "--entry", "--title=Line")
			if out, err := virtualtest.Command(t, s.display, "setxkbmap", c.layout...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			text := s.record(func() {
				s.clicks("zenity", "text", "", 0)
				s.person(c.keys...)
				s.person("sleep", "0.3")
			})
			if !strings.Contains(text, "default: "+strings.TrimSpace(c.want)) && !strings.Contains(text, "default: '"+c.want) {
				t.Errorf("the workflow does not hold %q", c.want)
			}
		})
	}
}
