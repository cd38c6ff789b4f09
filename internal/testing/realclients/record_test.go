package realclients

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// worked are the programs in which a person works while they are recorded: a form,
// and a question of which nothing is known but its picture.
var worked = [][]string{
	{"zenity", "--forms", "--title=Trip", "--text=Trip", "--add-entry=Name", "--add-entry=Town", "--add-password=Code"},
	{"xmessage", "-title", "Question", "-buttons", "Yes:3,No:4", "-geometry", "+700+40", "Shall it go on?"},
}

// TestARecordingInABrowser has a person record with the page open in Chromium: the
// steps come with their pictures while they work, are called, noted, moved, taken away
// and marked there, the question about an uncertain one is answered, and it is played
// from one of them. The pictures stay in dist/pages.
func TestARecordingInABrowser(t *testing.T) {
	s := newStage(t)
	virtualtest.Need(t, "zenity", "xmessage", "xdotool", "chromium")
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	display := virtualtest.Start(t)
	s.environ = append(s.environ, "DISPLAY="+display.Name())
	for name, value := range map[string]string{"XAUTHORITY": display.Authority(), "DBUS_SESSION_BUS_ADDRESS": display.Bus()} {
		t.Setenv(name, value)
		s.environ = append(s.environ, name+"="+value)
	}
	places, question := s.works(display)
	pictures := s.pictures("record.mjs")
	file := filepath.Join(s.home, "trip.yaml")
	address := s.records(file, "--display", display.Name(), "--patience", "10")
	got := parsed[map[string]any](t, s.must(s.script("../record.mjs", chromium, address, pictures, places)))
	want := map[string]any{
		"problems": []any{}, "said": []any{}, "empty": 1.0, "pictures": 4.0, "asked": 0.0, "written": "trip written", "played": "succeeded",
		"recorded": []any{
			`switch to "Trip"`, `type "Ada" into text "Name"`, `type "Paris" into text "Town"`, `type a secret into password "Code"`, `click button "OK"`,
			`switch to "Question"`, "click at " + question.String(),
		},
		"moved": []any{
			`switch to "Trip"`, `type a secret into text "Name"`, `click button "OK", called "Send it"`, `type "Paris" into text "Town"`, `type a secret into password "Code"`,
			`switch to "Question"`, "click at " + question.String(),
		},
		"changed": []any{
			`type a secret into text "Name"`, `type "Paris" into text "Town"`, `type a secret into password "Code"`, `click button "OK", called "Send it"`,
			`switch to "Question"`, "click at " + question.String(),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the workflow:\n%s", written)
	for _, want := range []string{"id: send_it", "# it takes a while", "text_to_type: Paris", "secret: true"} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the workflow lacks %q", want)
		}
	}
	if strings.Contains(string(written), "Ada") || strings.Contains(string(written), "uncertain") {
		t.Error("the workflow holds what was made a secret, or is uncertain about what was answered")
	}
}

// works starts the programs, and gives where the hands of the person go, as JSON, and
// where they answer the question.
func (s *stage) works(display *virtual.Display) (all string, question desktop.Point) {
	s.t.Helper()
	d, err := local.Machine{}.Open(s.t.Context(), desktop.Options{Display: display.Name(), Dir: s.home})
	if err != nil {
		s.t.Fatal(err)
	}
	defer d.Close()
	for _, words := range worked {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = s.environ
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	}
	places := map[string]any{"programs": worked}
	at := func(name string, p desktop.Point) { places[name] = []int{p.X, p.Y} }
	for end := scratch.Deadline(s.t); len(places) < 6; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("the programs do not show all that is worked on: %v", places)
		}
		windows, err := d.Windows(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if i := slices.IndexFunc(windows, func(w desktop.Window) bool { return w.Title == "Question" }); i >= 0 {
			question = desktop.Point{X: windows[i].Bounds.X + 25, Y: windows[i].Bounds.Y + windows[i].Bounds.H - 22}
			at("yes", question)
		}
		tree, err := d.Tree(s.t.Context(), desktop.Scope{Process: "zenity", Full: true})
		if err != nil {
			s.t.Fatal(err)
		}
		var fields []desktop.Point
		tree.Walk(func(e *desktop.Element) bool {
			switch {
			case e.Role == "text":
				fields = append(fields, e.Bounds.Center())
			case e.Role == "password":
				at("code", e.Bounds.Center())
			case e.Role == "button" && e.Name == "OK":
				at("ok", e.Bounds.Center())
			}
			return true
		})
		if slices.SortFunc(fields, func(a, b desktop.Point) int { return a.Y - b.Y }); len(fields) == 2 {
			at("name", fields[0])
			at("town", fields[1])
		}
	}
	text, err := json.Marshal(places)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text), question
}

// records begins to record with a page, and gives its address.
func (s *stage) records(file string, flags ...string) string {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, s.program, append([]string{"record", "-o", file, "--page"}, flags...)...)
	cmd.Dir, cmd.Env = s.home, s.environ
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	address := ""
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "its steps are at ")
	}
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		for lines.Scan() {
			s.t.Logf("record: %s", lines.Text())
		}
	}()
	s.t.Cleanup(func() {
		stop()
		<-rest
		_ = cmd.Wait()
	})
	if address == "" {
		s.t.Fatal("it is not said where the page is")
	}
	return address
}
