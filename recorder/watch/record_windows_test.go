package watch_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/internal/cli"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
	"understudy/steps/kinds"
)

func TestMain(m *testing.M) {
	os.Setenv("UNDERSTUDY_SERVICE", "off")
	desktoptest.Main(m)
}

// worker is a person who works on the desktop of this machine while a recording is made.
type worker struct {
	desktoptest.Hand
	*desktop.Desktop
	root    string
	session *watch.Session
}

func newWorker(t *testing.T) *worker {
	t.Helper()
	d, err := local.Machine{}.Open(t.Context(), desktop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return &worker{Hand: desktoptest.Hand{TB: t}, Desktop: d, root: t.TempDir()}
}

// begins begins a recording.
func (w *worker) begins() {
	w.Helper()
	log, err := recorder.CreateLog(filepath.Join(w.root, "seen.events.jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = log.Close() })
	w.session, err = watch.Start(w.Context(), w.Desktop, watch.Options{
		Log: log, Keys: recorder.DefaultKeys(), Patience: 20, Tell: func(l recorder.Line) { w.Log("understood: " + l.String()) },
	})
	if err != nil {
		w.Fatal(err)
	}
}

// looks waits until what was done is understood.
func (w *worker) looks() {
	w.Helper()
	quiet := 0
	scratch.Until(w.TB, "the recording follows", func() bool {
		if quiet++; w.session.Status().Pending {
			quiet = 0
		}
		return quiet > 4
	})
}

// clicksOn clicks an element of a window, as soon as it is there.
func (w *worker) clicksOn(title string, role desktop.Role, name string) {
	w.Helper()
	var at desktop.Point
	scratch.Until(w.TB, "there is "+name, func() bool {
		tree, err := w.Tree(w.Context(), desktop.Scope{Title: title, Full: true})
		if err != nil {
			return false
		}
		found := false
		tree.Walk(func(e *desktop.Element) bool {
			if found = e.Role == role && (name == "" || e.Name == name); found {
				at = e.Bounds.Center()
			}
			return !found
		})
		return found
	})
	w.PointsAt(desktop.Point{X: at.X - 3, Y: at.Y})
	w.PointsAt(at)
	scratch.Until(w.TB, "the pointer is there", func() bool { return w.session.Watches(at) })
	w.looks()
	w.Clicks()
	w.looks()
}

func (w *worker) types(text string) {
	w.Helper()
	w.Types(text)
	w.looks()
}

func (w *worker) presses(chord desktop.Key) {
	w.Helper()
	w.Presses(chord)
	w.looks()
}

// ends ends the recording, and returns the workflow.
func (w *worker) ends() string {
	w.Helper()
	seen, err := w.session.Stop()
	if err != nil {
		w.Fatal(err)
	}
	text, notes, err := compile.Events(seen, compile.Options{Kinds: kinds.All(), Name: "recorded"})
	if err != nil {
		w.Fatal(err)
	}
	w.Logf("the workflow:\n%s\nnotes: %v", text, notes)
	return string(text)
}

// replays runs a workflow as the command line does.
func (w *worker) replays(text string, more ...string) {
	w.Helper()
	file := filepath.Join(w.root, "recorded.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	var out bytes.Buffer
	args := append([]string{"--home", filepath.Join(w.root, "home"), "run", file}, more...)
	if status := cli.Main(w.Context(), local.Machine{}, args, strings.NewReader(""), &out, &out); status != 0 {
		w.Fatalf("the replay ended with status %d:\n%s", status, out.String())
	}
}

// utf8Mark has the editor save a file as UTF-8.
const utf8Mark = "\ufeff"

// edits starts the editor of the system with a file that holds a text.
func (w *worker) edits(file, text string) *exec.Cmd {
	w.Helper()
	if err := os.WriteFile(file, []byte(utf8Mark+text), 0o600); err != nil {
		w.Fatal(err)
	}
	cmd := exec.Command("notepad", file)
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { quit(cmd) })
	scratch.Until(w.TB, "the editor shows", func() bool {
		all, err := w.Windows(w.Context())
		return err == nil && slices.ContainsFunc(all, func(o desktop.Window) bool { return o.Active && strings.HasPrefix(o.Title, filepath.Base(file)) })
	})
	return cmd
}

func quit(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// holds waits until a file holds a text. It is opened only when it has the size of that: who
// reads a file keeps the editor from writing it.
func (w *worker) holds(file, want string) {
	w.Helper()
	scratch.Until(w.TB, "the file is saved", func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() == int64(len(utf8Mark+want))
	})
	if text, err := os.ReadFile(file); err != nil || string(text) != utf8Mark+want {
		w.Errorf("the file holds %q, %v", text, err)
	}
}

// What a person writes in the editor is written again when the workflow is played.
func TestTheEditorIsRecorded(t *testing.T) {
	w := newWorker(t)
	file := filepath.Join(w.root, "note.txt")
	cmd := w.edits(file, "before")
	w.begins()
	w.clicksOn("note", "text", "")
	w.presses("ctrl+a")
	w.types("Dear Ada, 50% off! Grüße € 😀")
	w.presses("ctrl+s")
	const want = "Dear Ada, 50% off! Grüße € 😀"
	w.holds(file, want)
	text := w.ends()
	quit(cmd)
	w.edits(file, "before")
	w.replays(text)
	w.holds(file, want)
}

// What a person does in a form of the system's controls is done again, and a password is in no
// file.
func TestAFormIsRecorded(t *testing.T) {
	const password = "Tr0ub4dor"
	w, app := newWorker(t), desktoptest.StartNative(t)
	reset := func() {
		t.Helper()
		if err := app.Do("reset"); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{`text "Name" "Ada"`, `text "Code" "` + password + `"`, `toggle "Urgent" on`, `toggle "Work" on`, `click "OK"`}
	heard := func(when string) {
		t.Helper()
		scratch.Until(t, "the form heard "+when, func() bool {
			got := app.Received()
			return !slices.ContainsFunc(want, func(line string) bool { return !slices.Contains(got, line) })
		})
	}
	reset()
	w.begins()
	w.clicksOn("Contract", "entry", "Name")
	w.types("Adq")
	w.presses("backspace")
	w.types("a")
	w.presses("tab")
	w.types(password)
	w.clicksOn("Contract", "checkbox", "Urgent")
	w.clicksOn("Contract", "radiobutton", "Work")
	w.clicksOn("Contract", "button", "OK")
	heard("the person")
	text := w.ends()
	events, err := os.ReadFile(filepath.Join(w.root, "seen.events.jsonl"))
	if err != nil || strings.Contains(string(events), password) || strings.Contains(text, password) {
		t.Errorf("the password is in a file, or %v", err)
	}
	reset()
	w.replays(text, "--input", "code="+password)
	heard("the replay")
}
