//go:build linux

package watch_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/cli"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
	"understudy/steps/kinds"
)

// order is what comes of the forms.
type order struct {
	Name, Town, Secret, Colour string
	Gift, Courier              bool
}

// A waylander is a person in a session of Wayland. What he does comes over another
// connection than the one on which he is watched.
type waylander struct {
	*testing.T
	root   string
	watch  *desktop.Desktop
	person *desktop.Desktop
	log    *watch.Session
	mouse  bool // is heard
	keys   bool
}

func takeSeat(t *testing.T, s *virtualtest.Session) *waylander {
	t.Helper()
	s.Enter(t)
	p := &waylander{T: t, root: scratch.Dir(t)}
	for name, value := range map[string]string{
		"GSK_RENDERER": "cairo", "XDG_CONFIG_HOME": filepath.Join(p.root, "config"), "XDG_CACHE_HOME": filepath.Join(p.root, "cache"),
		"GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
	} {
		t.Setenv(name, value)
	}
	for _, d := range []**desktop.Desktop{&p.watch, &p.person} {
		opened, err := local.Machine{}.Open(t.Context(), desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		*d = opened
	}
	return p
}

func (p *waylander) await(what string, so func() bool) {
	p.Helper()
	for end := scratch.Deadline(p); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("waited in vain for %s", what)
		}
	}
}

func (p *waylander) does(actions ...desktop.Action) {
	p.Helper()
	for _, a := range actions {
		if err := p.person.Do(p.Context(), a); err != nil {
			p.Fatal(err)
		}
		p.looks()
	}
}

// looks waits until what was done is understood.
func (p *waylander) looks() {
	p.Helper()
	quiet := 0
	p.await("the recording to follow", func() bool {
		if quiet++; p.log != nil && p.log.Status().Pending {
			quiet = 0
		}
		return quiet > 20
	})
}

// finds waits for an element; "" is any name.
func (p *waylander) finds(name string, roles ...desktop.Role) (found *desktop.Element) {
	p.Helper()
	p.await(name, func() bool {
		tree, err := p.person.Tree(p.Context(), desktop.Scope{Full: true})
		if err != nil {
			return false
		}
		tree.Walk(func(e *desktop.Element) bool {
			if slices.Contains(roles, e.Role) && (name == "" || e.Name == name || e.Label == name || strings.HasSuffix(e.Name, " "+name)) && !e.Bounds.Empty() {
				found = e
			}
			return true
		})
		return found != nil
	})
	return found
}

// clicks presses, and lets go after a moment, as a hand does.
func (p *waylander) clicks(name string, roles ...desktop.Role) {
	p.Helper()
	at := p.finds(name, roles...).Bounds.Center()
	p.does(desktop.MovePointer{To: at}, desktop.ButtonDown{Button: desktop.Left}, desktop.ButtonUp{Button: desktop.Left})
}

// picks opens a list, or a menu, and presses one of its items, which have no place: they
// are of one height.
func (p *waylander) picks(name string, item, of int, roles ...desktop.Role) {
	p.Helper()
	p.taps(p.finds(name, roles...).Bounds.Center())
	var list desktop.Rect
	p.await("the list of "+name, func() bool {
		windows, err := p.person.Windows(p.Context())
		i := slices.IndexFunc(windows, func(w desktop.Window) bool { return w.Popup && !w.Hidden && w.Bounds.H > 20 })
		if err == nil && i >= 0 {
			list = windows[i].Bounds
		}
		return err == nil && i >= 0
	})
	p.looks()
	at := desktop.Point{X: list.Center().X, Y: list.Y + (2*item+1)*list.H/(2*of)}
	p.taps(at)
}

// taps presses and lets go at once: a list in which a button is held takes its release
// for a choice.
func (p *waylander) taps(at desktop.Point) {
	p.Helper()
	p.does(desktop.MovePointer{To: at})
	for _, a := range []desktop.Action{desktop.ButtonDown{Button: desktop.Left}, desktop.ButtonUp{Button: desktop.Left}} {
		if err := p.person.Do(p.Context(), a); err != nil {
			p.Fatal(err)
		}
	}
	p.looks()
}

func (p *waylander) presses(keys ...desktop.Key) {
	p.Helper()
	for _, k := range keys {
		p.does(desktop.Press{Chord: desktop.Chord{Key: k}})
	}
}

// fills fills the form, as somebody does who uses mouse and keys, and sends it.
func (p *waylander) fills() {
	p.clicks("Name", "entry", "text")
	p.does(desktop.Type{Text: "Ada Lovelace"})
	p.presses("tab")
	p.does(desktop.Type{Text: "Ramos"}, desktop.Press{Chord: desktop.Chord{Key: "backspace"}}, desktop.Type{Text: "e"})
	p.presses("tab")
	p.does(desktop.Type{Text: password})
	p.clicks("Gift", "checkbox")
	p.clicks("Courier", "radiobutton", "checkbox")
	if p.mouse {
		p.picks("", 2, 3, "combobox")
	} else {
		p.presses("tab", "space", "down", "down", "enter")
	}
	p.clicks("More", "button")
	answer := "Yes"
	if p.finds(answer, "button").States.Has(desktop.Focused) {
		answer = "No" // a press of what has the keyboard already is not told
	}
	p.clicks(answer, "button")
	p.clicks("Send", "button")
}

// usesMenus chooses of a menu by the mouse, and by a shortcut where keys are heard.
func (p *waylander) usesMenus() {
	p.picks("File", 1, 3, "menu")
	if p.keys {
		p.does(desktop.Press{Chord: desktop.Chord{Key: "b", Mods: []desktop.Key{desktop.Ctrl}}})
	}
	p.clicks("Send", "button")
}

// starts starts a form, and gives what it came to.
func (p *waylander) starts(form string) (sent func() order, end func()) {
	p.Helper()
	wd, _ := os.Getwd()
	file := filepath.Join(p.TempDir(), "sent")
	command := "/usr/bin/python3 " + filepath.Join(wd, "testdata", "wayland", form) + " " + file
	if strings.HasSuffix(form, ".html") {
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if b, _ := io.ReadAll(r.Body); r.Method == http.MethodPost {
				_ = os.WriteFile(file, b, 0o600)
				return
			}
			b, _ := os.ReadFile(filepath.Join(wd, "testdata", "wayland", form))
			_, _ = w.Write(b)
		}))
		p.Cleanup(page.Close)
		command = "chromium --ozone-platform=wayland --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility --user-data-dir=" + scratch.Dir(p) + " --app=" + page.URL
	}
	var app desktop.App
	if err := p.person.Do(p.Context(), desktop.Launch{App: command, Started: &app}); err != nil {
		p.Fatal(err)
	}
	end = func() {
		tree, _ := p.person.Windows(p.Context())
		for _, w := range tree {
			_ = p.person.Do(p.Context(), desktop.Manage{Window: w.ID, Do: desktop.Close})
		}
	}
	p.Cleanup(end)
	p.finds("Send", "button")
	p.await("its window", func() bool {
		windows, err := p.person.Windows(p.Context())
		return err == nil && windows.Active() != nil
	})
	return func() (o order) {
		if b, err := os.ReadFile(file); err == nil {
			_ = json.Unmarshal(b, &o)
		}
		return o
	}, end
}

func TestAFormIsRecordedOnSway(t *testing.T) {
	recordsForms(t, func(t *testing.T) *virtualtest.Session {
		return virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900", `for_window [title=".*"] floating enable`)
	}, "form_gtk3.py", "form_gtk4.py", "form_qt6.py", "form.html")
}

func TestAFormIsRecordedOnKWin(t *testing.T) {
	recordsForms(t, func(t *testing.T) *virtualtest.Session {
		return virtualtest.StartKWin(t, desktop.Size{W: 1280, H: 900}, 1)
	}, "form.html", "form_gtk4.py")
}

func TestAFormIsRecordedOnGNOME(t *testing.T) {
	recordsForms(t, func(t *testing.T) *virtualtest.Session { return virtualtest.StartGNOME(t, 1).Session }, "form_gtk3.py", "form_gtk4.py", "form_qt6.py", "form.html", "menu_gtk3.py")
}

// recordsForms fills forms of each toolkit, records that, and plays it on a fresh start.
func recordsForms(t *testing.T, start func(*testing.T) *virtualtest.Session, forms ...string) {
	virtualtest.TakesTime(t)
	virtualtest.Need(t, "/usr/bin/python3", "chromium")
	for _, form := range forms {
		t.Run(form, func(t *testing.T) { takeSeat(t, start(t)).records(form) })
	}
}

func (p *waylander) records(form string) {
	sent, end := p.starts(form)
	log, err := recorder.CreateLog(filepath.Join(p.root, "seen.events.jsonl"))
	if err != nil {
		p.Fatal(err)
	}
	if p.log, err = watch.Start(p.Context(), p.watch, watch.Options{Log: log, Keys: recorder.DefaultKeys(), Patience: 20, Pictures: filepath.Join(p.root, "pictures"), Tell: func(l recorder.Line) { p.Log("understood: " + l.String()) }}); err != nil {
		p.Fatal(err)
	}
	hears := func(what string) bool {
		return !slices.ContainsFunc(p.log.Status().Limits, func(l string) bool { return strings.HasPrefix(l, what+" not reported") })
	}
	p.mouse, p.keys = hears("the mouse is"), hears("keys are")
	defer func() {
		if p.Failed() {
			seen, _ := os.ReadFile(filepath.Join(p.root, "seen.events.jsonl"))
			p.Logf("what was seen:\n%s", seen)
		}
	}()
	if strings.HasPrefix(form, "menu") {
		p.usesMenus()
	} else {
		p.fills()
	}
	p.await("what was sent", func() bool { return sent() != order{} })
	p.looks()
	seen, err := p.log.Stop()
	if err != nil {
		p.Fatal(err)
	}
	text, notes, err := compile.Events(seen, compile.Options{Kinds: kinds.All(), Name: "recorded", Pictures: "pictures"})
	if err != nil {
		p.Fatal(err)
	}
	p.Logf("%s\n%v", text, notes)
	want := sent()
	p.Logf("sent: %+v", want)
	end()
	p.holdNoPassword()
	again, _ := p.starts(form)
	file := filepath.Join(p.root, "recorded.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		p.Fatal(err)
	}
	hidden := filepath.Join(p.TempDir(), "password")
	if err := os.WriteFile(hidden, []byte(password), 0o600); err != nil {
		p.Fatal(err)
	}
	var out bytes.Buffer
	play := []string{"--home", filepath.Join(p.root, "home"), "run", file}
	if bytes.Contains(text, []byte("inputs.password")) {
		play = append(play, "--input", "password=@"+hidden)
	}
	status := cli.Main(p.Context(), local.Machine{}, play, strings.NewReader(""), &out, &out)
	p.Logf("%s", out.String())
	if status != 0 {
		p.Fatalf("the replay ended with %d", status)
	}
	p.await("what the replay sent", func() bool { return again() != order{} })
	if diff := cmp.Diff(want, again()); diff != "" {
		p.Errorf("played again, the form sent something else (-want +got):\n%s", diff)
	}
	p.holdNoPassword()
}

// holdNoPassword fails if the password stands anywhere in what was kept.
func (p *waylander) holdNoPassword() {
	p.Helper()
	_ = filepath.WalkDir(p.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if content, _ := os.ReadFile(path); len(formsIn(content, password)) > 0 {
				p.Errorf("%s holds the password", path)
			}
		}
		return nil
	})
}
