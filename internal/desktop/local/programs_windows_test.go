package local_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/steps/observe"
)

// hand does steps on the desktop of this machine.
type hand struct {
	*testing.T
	*desktop.Desktop
	stirred steps.LastAct
}

func newHand(t *testing.T) *hand {
	t.Helper()
	d, err := local.Machine{}.Open(t.Context(), desktop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return &hand{T: t, Desktop: d}
}

// does does one step, which must succeed.
func (h *hand) does(k steps.Kind, args map[string]any) map[string]any {
	h.Helper()
	o := k.Run(h.Context(), &steps.Env{Desktop: h.Desktop, Trees: &observe.ShownTrees{}, LastAct: &h.stirred}, args)
	h.stirred.Mark()
	if o.Err != nil {
		h.Fatalf("%s %v: %v", k.Name, args, o.Err)
	}
	return o.Result
}

// notepad starts the editor of the system with a file, or without one.
func (h *hand) notepad(file ...string) {
	h.Helper()
	cmd := exec.Command("notepad", file...)
	if err := cmd.Start(); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// holds waits until a file holds a text. It is opened only when it has the size of that: who
// reads a file keeps the editor from writing it.
func (h *hand) holds(file, want string) {
	h.Helper()
	want = strings.ReplaceAll(want, "\n", "\r\n")
	scratch.Until(h.T, "the file is saved", func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() == int64(len(want))
	})
	scratch.Until(h.T, "it holds the text", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && string(text) == want
	})
}

// utf8Mark has the editor save a file as UTF-8.
const utf8Mark = "\ufeff"

const patience = 30_000.0

// What is typed and set in the editor is what its file holds.
func TestTheEditorIsFilled(t *testing.T) {
	h, file := newHand(t), filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(file, []byte(utf8Mark+"before"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.notepad(file)
	field := func(more map[string]any) map[string]any {
		args := map[string]any{"selector": "role:edit", "process": "notepad", "timeout_ms": patience}
		maps.Copy(args, more)
		return args
	}
	h.does(kinds.WaitForElement, field(nil))
	h.does(kinds.ClickElement, field(nil))
	h.does(kinds.TypeIntoElement, field(map[string]any{"text_to_type": "Grüße\nzwei", "clear_before_typing": true}))
	h.does(kinds.PressKeyGlobal, map[string]any{"key": "ctrl+s"})
	h.holds(file, utf8Mark+"Grüße\nzwei")
	h.does(kinds.SetValue, field(map[string]any{"value": "all\nanew"}))
	h.does(kinds.TypeIntoElement, field(map[string]any{"text_to_type": "!", "clear_before_typing": false}))
	h.does(kinds.PressKeyGlobal, map[string]any{"key": "ctrl+s"})
	h.holds(file, utf8Mark+"!all\nanew") // the caret of a field that is set is at its start
}

// A dialog of the system saves the file where its field says.
func TestTheFileDialogIsFilled(t *testing.T) {
	h, file := newHand(t), filepath.Join(t.TempDir(), "saved.txt")
	h.notepad()
	h.does(kinds.TypeIntoElement, map[string]any{"selector": "role:edit", "process": "notepad", "timeout_ms": patience, "text_to_type": "to be saved"})
	h.does(kinds.PressKeyGlobal, map[string]any{"key": "ctrl+s"})
	dialog := map[string]any{"process": "notepad", "timeout_ms": patience}
	in := func(selector, field, value string) map[string]any {
		dialog["selector"] = selector
		args := map[string]any{}
		maps.Copy(args, dialog)
		if field != "" {
			args[field] = value
		}
		return args
	}
	h.does(kinds.WaitForElement, in("role:button && name:Save", "", ""))
	h.does(kinds.SetValue, in("name:File name", "value", file))
	h.does(kinds.ClickElement, in("role:button && name:Save", "", ""))
	h.holds(file, "to be saved")
}

// A form of native controls hears what the steps say they did.
func TestAFormIsFilled(t *testing.T) {
	h, app := newHand(t), desktoptest.StartNative(t)
	if err := app.Do("reset"); err != nil {
		t.Fatal(err)
	}
	in := func(selector string, more ...any) map[string]any {
		args := map[string]any{"selector": selector, "timeout_ms": patience}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return args
	}
	h.does(kinds.TypeIntoElement, in("role:edit && name:Name", "text_to_type", "Ada Łovelace"))
	h.does(kinds.SetValue, in("name:Body", "value", "one\ntwo"))
	h.does(kinds.SetValue, in("role:slider", "value", "70"))
	h.does(kinds.SetSelected, in("role:checkbox && name:Urgent", "state", true))
	h.does(kinds.ClickElement, in("role:radiobutton && name:Work"))
	h.does(kinds.SelectOption, in("role:combobox", "option_name", "blue"))
	h.does(kinds.ClickElement, in("name:Row 30"))
	h.does(kinds.ClickElement, in("role:button && name:OK"))
	want := []string{
		`text "Name" "Ada Łovelace"`, `text "Body" "one\ntwo"`, `number "Volume" 70`, `toggle "Urgent" on`,
		`toggle "Home" off`, `toggle "Work" on`, `choose "Colour" "blue"`, `click "Row 30"`, `click "OK"`,
	}
	scratch.Until(t, "the form heard it", func() bool {
		heard := app.Received()
		return !slices.ContainsFunc(want, func(line string) bool { return !slices.Contains(heard, line) })
	})
	clicks := slices.DeleteFunc(app.Received(), func(line string) bool { return !strings.HasPrefix(line, "click") })
	if !slices.Equal(clicks, []string{`click "Row 30"`, `click "OK"`}) {
		t.Errorf("the form heard %q", clicks)
	}
	tree, err := h.Tree(t.Context(), desktop.Scope{Title: "Contract", Full: true})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	tree.Walk(func(e *desktop.Element) bool {
		shown = append(shown, string(e.Role)+" "+e.Name)
		return true
	})
	for _, want := range []string{"entry Name", "password Code", "slider Volume", "checkbox Urgent", "combobox Colour", "canvas Canvas"} {
		if !slices.Contains(shown, want) {
			t.Errorf("the tree lacks %q: %q", want, shown)
		}
	}
}
