package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/kinds"
)

// people is a spreadsheet of three columns.
const people = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="People">%s</table:table></office:spreadsheet></office:body></office:document>`

// calc shows a spreadsheet in LibreOffice.
func calc(t *testing.T) *sight {
	t.Helper()
	s := look(t, "localc")
	var rows strings.Builder
	for _, row := range []string{"Name Age City", "Ada 36 London", "Grace 85 Arlington"} {
		rows.WriteString("<table:table-row>")
		for word := range strings.FieldsSeq(row) {
			fmt.Fprintf(&rows, `<table:table-cell office:value-type="string"><text:p>%s</text:p></table:table-cell>`, word)
		}
		rows.WriteString("</table:table-row>")
	}
	file := filepath.Join(scratch.Dir(t), "people.fods")
	s.must(os.WriteFile(file, fmt.Appendf(nil, people, rows.String()), 0o600))
	s.launch("soffice --norestore --nologo --nofirststartwizard -env:UserInstallation=file://"+scratch.Dir(t)+" --calc "+file, "people.fods")
	s.well(kinds.WaitForElement, "selector", "role:cell && name:A1", "timeout_ms", 60_000.0)
	return s
}

// The cells of a spreadsheet that show are elements like others: each has its address
// and its text, and is pressed where it lies.
func TestAtLengthTheCellsOfASpreadsheet(t *testing.T) {
	s := calc(t)
	for _, row := range []struct{ selector, name, text string }{
		{"role:cell && name:B3", "B3", "85"},
		{"role:cell && text:London", "C2", "London"},
		{"role:cell && name:B4", "B4", ""},
		{"role:table >> role:cell && nth:1", "B1", "Age"},
	} {
		o := s.run(kinds.ValidateElement, "selector", row.selector)
		e, _ := o.Result["element"].(map[string]any)
		text, _ := e["text"].(string)
		if o.Result["matches"] != 1.0 || e["name"] != row.name || text != row.text {
			t.Errorf("%s: %v match, %v with the text %q, %v; want %s with %q", row.selector, o.Result["matches"], e["name"], text, o.Err, row.name, row.text)
		}
	}
	o := s.run(kinds.GetWindowTree, "title", "people.fods")
	tree, _ := o.Result["ui_tree"].(string)
	for _, want := range []string{"[visible rows 1–", "of 1048576, columns A–", `cell "A2"`, `: "Grace"`, `button "`} {
		if !strings.Contains(tree, want) {
			t.Errorf("the tree has no %q:\n%s\n%v", want, tree, o.Err)
		}
	}
	if omitted, _ := o.Result["omitted"].(float64); strings.Contains(tree, `cell "B4"`) || omitted > 5_000 {
		t.Errorf("%v elements are left out; the tree is\n%s", omitted, tree)
	}
	// what LibreOffice says of the cursor does not come from where its cells are
	const box = "role:toolbar && name:Formula Tool Bar >> role:text && nth:0"
	for _, address := range []string{"B4", "A1", "D401", "C2", "AC77"} {
		s.well(kinds.ClickElement, "selector", "role:cell && name:"+address, "timeout_ms", 30_000.0)
		s.eventually("the cursor is in "+address, func() (bool, string) {
			o := s.run(kinds.ValidateElement, "selector", box)
			e, _ := o.Result["element"].(map[string]any)
			return e["text"] == address, fmt.Sprint(o.Result, o.Err)
		})
		s.eventually(address+" has the focus", func() (bool, string) {
			o := s.run(kinds.ValidateElement, "selector", "role:cell && state:focused")
			e, _ := o.Result["element"].(map[string]any)
			return e["name"] == address && o.Result["matches"] == 1.0, fmt.Sprint(o.Result, o.Err)
		})
	}
}

// A call of its own gives the focus back to the sheet and leaves its cursor where the
// call moved it.
func TestAtLengthTheCursorOfASpreadsheetStays(t *testing.T) {
	s := calc(t)
	s.well(kinds.ClickElement, "selector", "role:cell && name:A1", "timeout_ms", 30_000.0)
	s.wellByItself(kinds.TypeIntoElement, "selector", "role:toolbar && name:Formula Tool Bar >> role:text && nth:0", "text_to_type", "B3{Enter}", "timeout_ms", 30_000.0)
	s.eventually("the cursor is in B3", func() (bool, string) {
		o := s.run(kinds.ValidateElement, "selector", "role:cell && state:focused")
		e, _ := o.Result["element"].(map[string]any)
		return e["name"] == "B3" && o.Result["matches"] == 1.0, fmt.Sprint(o.Result, o.Err)
	})
	s.wellByItself(kinds.PressKey, "process", "soffice.bin", "key", "{4}{2}{Enter}")
	s.eventually("B3 holds 42", func() (bool, string) {
		o := s.run(kinds.ValidateElement, "selector", "role:cell && name:B3")
		e, _ := o.Result["element"].(map[string]any)
		return e["text"] == "42", fmt.Sprint(o.Result, o.Err)
	})
}

// What is typed into a cell replaces what it holds, and nothing else of the sheet.
func TestAtLengthTypingIntoTheCellsOfASpreadsheet(t *testing.T) {
	s := calc(t)
	s.well(kinds.TypeIntoElement, "selector", "role:cell && name:B2", "text_to_type", "37", "timeout_ms", 30_000.0)
	s.well(kinds.TypeIntoElement, "selector", "role:cell && name:B3", "text_to_type", "=B2+1{Tab}", "timeout_ms", 30_000.0)
	o := s.run(kinds.TypeIntoElement, "selector", "role:cell && name:C2", "text_to_type", "er", "clear_before_typing", false, "timeout_ms", 30_000.0)
	if steps.CodeOf(o.Err) != steps.NotActionable || !strings.Contains(o.Err.Error(), "replaces its whole content") {
		t.Errorf("adding to a cell: %v, want that it cannot be done", o.Err)
	}
	s.well(kinds.SetValue, "selector", "role:cell && name:A300", "value", "last", "timeout_ms", 30_000.0)
	o = s.run(kinds.TypeIntoElement, "selector", "role:cell && name:C3", "text_to_type", "", "timeout_ms", 30_000.0)
	if steps.CodeOf(o.Err) != steps.NotActionable || !strings.Contains(o.Err.Error(), "not emptied by typing") {
		t.Errorf("emptying a cell: %v, want that it cannot be done", o.Err)
	}
	s.well(kinds.ClickElement, "selector", "role:cell && name:A1", "timeout_ms", 30_000.0)
	s.well(kinds.PressKeyGlobal, "key", "shift+down") // the cursor of LibreOffice stays while several cells are selected
	s.well(kinds.SetValue, "selector", "role:cell && name:B1", "value", "Years", "timeout_ms", 30_000.0)
	for address, want := range map[string]string{"A1": "Name", "B1": "Years", "A2": "Ada", "B2": "37", "B3": "38", "C2": "London", "C3": "Arlington", "A300": "last"} {
		s.well(kinds.ScrollElement, "selector", "role:cell && name:"+address, "into_view", true, "timeout_ms", 30_000.0)
		s.eventually(fmt.Sprintf("%s holds %q", address, want), func() (bool, string) {
			o := s.run(kinds.ValidateElement, "selector", "role:cell && name:"+address)
			e, _ := o.Result["element"].(map[string]any)
			text, _ := e["text"].(string)
			return text == want && o.Err == nil, fmt.Sprint(text, o.Err)
		})
	}
}
