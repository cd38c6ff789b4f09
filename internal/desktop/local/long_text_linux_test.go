package local_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/kinds"
)

var (
	longText  = flag.Int("long-text", 2000, "how many characters TestAtLengthALongTextIsExact types by keys; by other ways it enters 10,000")
	longTimes = flag.Int("long-times", 1, "how often TestAtLengthALongTextIsExact types them")
	longLoad  = flag.Int("long-load", 2, "how many processes keep the machine busy in TestAtLengthALongTextIsExact")
)

// editors are applications of every toolkit that take a long text.
var editors = []struct {
	name, command, selector string
	needs                   []string
	open                    func(s *sight) // brings the field up
	plain                   bool           // only letters and blanks, because the application corrects what is typed
}{
	{name: "GTK 3", command: "mousepad --disable-server", selector: "process:mousepad >> role:text", needs: []string{"mousepad"}},
	{name: "GTK 4", command: "env GSK_RENDERER=cairo gtk4-demo --run textundo", selector: "process:gtk4-demo >> window:Undo >> role:text", needs: []string{"gtk4-demo"}},
	{name: "Qt 5", command: "featherpad --standalone", selector: "process:featherpad >> role:text && state:multi_line", needs: []string{"featherpad"}},
	{name: "Qt 6", selector: "window:Writing >> role:text && name:Text", needs: []string{"/usr/bin/python3", "/usr/lib/python3/dist-packages/PyQt6"}},
	{name: "Chromium", selector: "process:chromium >> role:entry && name:Notes", needs: []string{"chromium"}},
	{name: "Writer", command: "soffice --norestore --nologo --nofirststartwizard --nolockcheck --writer", selector: "process:soffice.bin >> role:paragraph", needs: []string{"soffice"}, plain: true},
}

// A long text is in the field, and right, when the step says so, however busy
// the machine is; also when the call is one of its own, which gives caret and
// focus back to the user, who is in the same field.
func TestAtLengthALongTextIsExact(t *testing.T) {
	for _, e := range editors {
		t.Run(e.name, func(t *testing.T) {
			for method, length := range map[string]int{"keys": *longText, "auto": 10_000} { // which fills pages of Writer
				t.Run(method, func(t *testing.T) {
					s := look(t, append(e.needs, "xclip")...)
					command := e.command
					switch e.name {
					case "Qt 6":
						command = "/usr/bin/python3 " + scriptOf(t, writingWindows[e.name]) + " /dev/null"
					case "Chromium":
						command = chromiumWith(t, `<!doctype html><title>Notes</title><textarea aria-label="Notes" rows="20" cols="60"></textarea>`)
					}
					s.starts(command)
					if e.open != nil {
						e.open(s)
					}
					s.well(kinds.WaitForElement, "selector", e.selector, "timeout_ms", 120_000.0)
					s.well(kinds.ActivateElement, "selector", e.selector, "timeout_ms", 60_000.0)
					loaded(t, *longLoad)
					for i := range *longTimes {
						if e.plain { // a paragraph over several pages is several elements, of which one would be replaced
							s.well(kinds.PressKeyGlobal, "key", "ctrl+a")
							s.well(kinds.PressKeyGlobal, "key", "delete")
						}
						text := wordsOf(length, i, e.plain)
						began := time.Now()
						s.wellByItself(kinds.TypeIntoElement, "selector", e.selector, "text_to_type", text, "method", method, "timeout_ms", 60_000.0)
						t.Logf("%d characters took %s", len(text), time.Since(began).Round(time.Millisecond))
						if got := s.copied(); got != text {
							t.Fatalf("time %d: of %d characters the field holds %d, and from character %d on others:\n%.300q", i, len(text), len(got), firstOther(text, got), got)
						}
					}
				})
			}
		})
	}
}

// A terminal shows no elements, and what is typed there arrives whole.
func TestAtLengthALongTextIsExactInATerminal(t *testing.T) {
	s := look(t, "xterm")
	loaded(t, *longLoad)
	for i := range *longTimes {
		file := filepath.Join(t.TempDir(), "typed")
		// it stays open when it has read all, for a window that closes takes no keys
		title := fmt.Sprintf("Typed %d.", i)
		s.starts(`xterm -T "` + title + `" -e sh -c "stty raw -echo; touch ` + file + `; head -c ` + fmt.Sprint(*longText) + ` >` + file + `; cat >/dev/null"`)
		s.well(kinds.ChangeWindow, "do", "activate", "title", title, "timeout_ms", 60_000.0)
		s.eventually("it reads", func() (bool, string) { _, err := os.Stat(file); return err == nil, fmt.Sprint(err) })
		text := wordsOf(*longText, i, true)
		s.well(kinds.TypeText, "text", text)
		s.eventually("it has read all", func() (bool, string) {
			got, err := os.ReadFile(file)
			return string(got) == text, fmt.Sprintf("%d of %d characters, others from %d, %v", len(got), len(text), firstOther(text, string(got)), err)
		})
	}
}

// scriptOf writes a program into a file.
func scriptOf(t *testing.T, program string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// chromiumWith is the command that shows a page in a browser of its own.
func chromiumWith(t *testing.T, html string) string {
	t.Helper()
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	return "chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility --user-data-dir=" + dir + "/profile file://" + page
}

// starts starts a program that ends with the test.
func (s *sight) starts(command string) {
	s.t.Helper()
	var app desktop.App
	home := scratch.Dir(s.t)
	s.must(s.Do(s.t.Context(), desktop.Launch{App: fmt.Sprintf("env HOME=%s XDG_CONFIG_HOME=%s %s", home, home, command), Started: &app}))
	s.t.Cleanup(func() { _ = syscall.Kill(-app.PID, syscall.SIGKILL) })
}

// wellByItself does one step as a call of its own, which gives the focus back.
func (s *sight) wellByItself(k steps.Kind, args ...any) steps.Outcome {
	s.t.Helper()
	m := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	o := k.Run(s.t.Context(), &steps.Env{Desktop: s.Desktop, Trees: s.trees, LastAct: &s.stirred, Try: steps.Try{KeepFocus: true}}, m)
	if o.Err != nil {
		s.t.Fatalf("%s: %v", k.Name, o.Err)
	}
	return o
}

// copied is what the field that has the focus gives to the clipboard.
func (s *sight) copied() (text string) {
	s.t.Helper()
	s.must(s.Do(s.t.Context(), desktop.WriteClipboard{Text: "nothing was copied"}))
	s.well(kinds.PressKeyGlobal, "key", "ctrl+a")
	s.well(kinds.PressKeyGlobal, "key", "ctrl+c")
	s.eventually("something is copied", func() (bool, string) {
		var err error
		text, err = s.ReadClipboard(s.t.Context())
		return err == nil && text != "nothing was copied", fmt.Sprintf("%.100q, %v", text, err)
	})
	return text
}

// loaded keeps the machine busy with processes until the test ends.
func loaded(t *testing.T, n int) {
	t.Helper()
	for range n {
		c := exec.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	}
}

// wordsOf is a text of n characters in which each place is told from the others.
func wordsOf(n, seed int, plain bool) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if plain {
			fmt.Fprintf(&b, "Word %s ", strings.Map(func(d rune) rune { return d - '0' + 'a' }, fmt.Sprint(i*7+seed)))
			continue
		}
		fmt.Fprintf(&b, "%d: The quick (brown) Fox, %x\n", i, i*7919+seed)
	}
	return strings.TrimRight(b.String()[:n-1], " \n") + strings.Repeat("z", n-len(strings.TrimRight(b.String()[:n-1], " \n")))
}

// firstOther is the place from which on two texts differ.
func firstOther(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// A dialog that comes up takes what is typed, and that is no success.
func TestAtLengthTextThatADialogTakesIsNoSuccess(t *testing.T) {
	b := sandboxed(t, 5)
	b.do("entry = Gtk.Entry(visible=True); box.pack_start(entry, False, False, 0); entry.grab_focus()")
	b.do("GLib.timeout_add(30, lambda: Gtk.MessageDialog(transient_for=window, text='Question', title='Question').show())")
	o := b.run(kinds.TypeText, "text", strings.Repeat("swallowed ", 400))
	if steps.CodeOf(o.Err) != steps.Unexpected || !strings.Contains(o.Err.Error(), "the focus left") {
		t.Errorf("got %v, wanted that the focus left", o.Err)
	}
}
