package local_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"understudy/steps/kinds"
)

// What people call a program is not always what its file is called.
func TestAProgramIsNamedAsPeopleCallIt(t *testing.T) {
	s := look(t, "gvim", "xterm", "/usr/share/applications/debian-xterm.desktop", "/usr/bin/python3", "/usr/lib/*/girepository-1.0/Gtk-3.0.typelib")
	script, err := filepath.Abs("testdata/scrolled.py")
	s.must(err)
	s.starts("gvim -f")
	s.starts("xterm")
	s.starts("/usr/bin/python3 " + script + " gtk3")
	for _, name := range []string{
		"gvim", "gvim.desktop", "scrolled", "scrolled.py",
	} {
		s.eventually(name+" has a window and elements", func() (bool, string) {
			list := s.run(kinds.GetApplicationsAndWindowsList, "process", name)
			seen := s.run(kinds.ValidateElement, "selector", "process:"+name+" >> role:frame")
			named := s.run(kinds.ValidateElement, "process", name, "selector", "role:frame")
			windows, _ := list.Result["windows"].([]any)
			return len(windows) == 1 && seen.Result["matches"] == 1.0 && named.Result["matches"] == 1.0, fmt.Sprint(list.Result, list.Err, seen.Result, seen.Err, named.Err)
		})
	}
	for _, name := range []string{"xterm", "debian-xterm", "debian-xterm.desktop"} { // it shows no elements
		s.well(kinds.ChangeWindow, "do", "activate", "process", name, "timeout_ms", 30_000.0)
	}
	s.well(kinds.ChangeWindow, "do", "activate", "process", "gvim")
	s.well(kinds.PressKeyGlobal, "process", "gvim", "key", "Escape")
}

// A desktop file's id and the name without an ending mean LibreOffice, whose program is
// soffice.bin.
func TestAtLengthAnOfficeIsNamedAsPeopleCallIt(t *testing.T) {
	s := calc(t)
	for _, name := range []string{"soffice", "libreoffice", "libreoffice-calc", "libreoffice-calc.desktop"} {
		if o := s.run(kinds.ValidateElement, "process", name, "selector", "role:cell && name:B3"); o.Result["matches"] != 1.0 {
			t.Errorf("%s: %v, %v", name, o.Result, o.Err)
		}
	}
}

// Two windows with one title are told apart by the result of the step that opened one.
func TestTheWindowThatThisRunOpenedIsTheOneThatIsMeant(t *testing.T) {
	s := look(t, "zenity")
	const command = `zenity --entry --title=Question --text=Name`
	s.well(kinds.OpenApplication, "app_name", command)
	o := s.run(kinds.OpenApplication, "app_name", command)
	window, _ := o.Result["window"].(map[string]any)
	if window == nil {
		t.Fatal(o.Err)
	}
	const field = "role:text && name:Name"
	if o := s.run(kinds.TypeIntoElement, "process", "zenity", "selector", field, "text_to_type", "mine", "timeout_ms", 1_000.0); o.Err == nil {
		t.Error("one of two windows was taken")
	}
	scopes := []string{
		fmt.Sprintf(`window:{"id":%.0f,"title":"Question"} >> `, window["id"]), fmt.Sprintf("window:#%.0f >> ", window["id"]), fmt.Sprintf("process:%.0f >> ", window["pid"]),
	}
	for _, scope := range scopes {
		s.well(kinds.TypeIntoElement, "selector", scope+field, "text_to_type", "mine", "clear_before_typing", true, "timeout_ms", 30_000.0)
	}
	s.well(kinds.ClickElement, "selector", scopes[0]+"role:button && name:OK")
	s.eventually("the leftover window is left as it was", func() (bool, string) {
		list := s.run(kinds.GetApplicationsAndWindowsList, "process", "zenity")
		left := s.run(kinds.ValidateElement, "process", "zenity", "selector", field)
		e, _ := left.Result["element"].(map[string]any)
		windows, _ := list.Result["windows"].([]any)
		return len(windows) == 1 && e["text"] == nil && left.Result["matches"] == 1.0, fmt.Sprint(list.Result, left.Result, left.Err)
	})
}
