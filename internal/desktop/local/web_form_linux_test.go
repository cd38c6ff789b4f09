package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// formPage has the controls of a form that open a picker, and tells what they hold when
// that changes.
const formPage = `<!doctype html><title>Form</title><meta charset="utf-8"><form>
<p><label>Day <input type="date" id="day"></label> <label>Time <input type="time" id="time" value="01:00"></label> <label>Month <input type="month" id="month"></label>
<p><label>Week <input type="week" id="week"></label> <label>Moment <input type="datetime-local" id="moment"></label>
<p><label>Colour <input type="color" id="colour" value="#112233"></label> <label>Volume <input type="range" id="volume" min="0" max="100"></label>
<p><label>File <input type="file" id="file"></label> <button type="button" id="upload" onclick="concealed.click()">Upload</button> <input type="file" id="concealed" style="display: none">
<p><label>Count <input type="number" id="count"></label> <button type="button" id="other">Other</button>
<p><label>Fruit <select id="fruit" multiple size="3"><option selected>apple<option>pear<option>plum</select></label>
<p><label>Size <select id="size"><option>Small<option>Medium<option>Large</select></label></form>
<script>
	for (let what of ["input", "change"]) addEventListener(what, e => {
		let t = e.target
		if (!!t.multiple != (what == "change")) return
		navigator.sendBeacon("/", t.id + " " + (t.files ? [...t.files].map(f => f.name) : t.multiple ? [...t.selectedOptions].map(o => o.value) : t.value))
	})
</script>`

// Each control of a form in a page takes its value by one call.
func TestAtLengthControlsOfAPageTakeAValueAtOnce(t *testing.T) {
	p := showPage(t, formPage)
	file := filepath.Join(t.TempDir(), "a picture.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "id:size", "timeout_ms": 60_000.0})
	for _, row := range []struct{ id, value, tells string }{
		{"day", "2024-05-10", "day 2024-05-10"},
		{"day", "2023-12-31", "day 2023-12-31"},
		{"time", "13:45", "time 13:45"},
		{"month", "2024-11", "month 2024-11"},
		{"week", "2024-W19", "week 2024-W19"},
		{"moment", "2024-05-10T00:30", "moment 2024-05-10T00:30"},
		{"colour", "#ff8800", "colour #ff8800"},
		{"volume", "70", "volume 70"},
		{"count", "12", "count 12"},
		{"file", file, "file a picture.txt"},
		{"upload", file, "concealed a picture.txt"},
		{"fruit", "pear\nplum", "fruit pear,plum"},
	} {
		t.Run(row.tells, func(t *testing.T) {
			p := &page{testDesktop: &testDesktop{T: t, Desktop: p.Desktop}, mu: p.mu, told: p.told}
			o := p.does(kinds.SetValue, map[string]any{"process": "chromium", "selector": "id:" + row.id, "value": row.value, "timeout_ms": 60_000.0})
			if want := "yes"; o.Result["checked"] != want && row.id != "upload" {
				t.Errorf("checked: %v, want %s", o.Result["checked"], want)
			}
			p.expect(row.tells, 1)
		})
	}
}

// What a control of a page does not take is refused before anything is done, with what
// it does take; what is advised works.
func TestAtLengthControlsOfAPageSayWhatTheyTake(t *testing.T) {
	p := showPage(t, formPage)
	p.does(kinds.WaitForElement, map[string]any{"process": "chromium", "selector": "id:size", "timeout_ms": 60_000.0})
	text := map[string]string{kinds.SetValue.Name: "value", kinds.TypeIntoElement.Name: "text_to_type"}
	for _, row := range []struct {
		kind      steps.Kind
		id, value string
		code      steps.Code
		advises   string
	}{
		{kinds.SetValue, "day", "10.5.2024", steps.Invalid, "a date as 2006-01-02"},
		{kinds.SetValue, "week", "19", steps.Invalid, "a week as 2006-W01"},
		{kinds.SetValue, "colour", "red", steps.Invalid, "a colour such as #ff8800"},
		{kinds.SetValue, "file", "/no/such/file", steps.Invalid, "the path of a file"},
		{kinds.SetValue, "fruit", "grape", steps.NotFound, `has no option "grape"`},
		{kinds.TypeIntoElement, "day", "2024-05-10", steps.NotActionable, "use set_value with a date as 2006-01-02"},
		{kinds.TypeIntoElement, "colour", "#ff8800", steps.NotActionable, "use set_value with a colour such as #ff8800"},
		{kinds.TypeIntoElement, "file", "/etc/hostname", steps.NotActionable, "use set_value with the path of a file"},
	} {
		o := p.tries(row.kind, map[string]any{"process": "chromium", "selector": "id:" + row.id, text[row.kind.Name]: row.value, "timeout_ms": 60_000.0})
		if steps.CodeOf(o.Err) != row.code || !strings.Contains(o.Err.Error(), row.advises) || o.Acted != steps.ActedNo {
			t.Errorf("%s %s %q: acted %s, %v; want that nothing is done, %s and %q", row.kind.Name, row.id, row.value, o.Acted, o.Err, row.code, row.advises)
		}
	}
}

// A combo box of a page shows what is chosen in it.
func TestAComboBoxOfAPageShowsItsChoice(t *testing.T) {
	p := showPage(t, formPage)
	for _, want := range []string{"Small", "Large"} {
		p.eventually("the combo box shows "+want, func() bool {
			e := p.seen("process:chromium >> id:size").Element
			return e != nil && e.Text == want
		})
		p.does(kinds.SelectOption, map[string]any{"process": "chromium", "selector": "id:size", "option_name": "Large", "timeout_ms": 60_000.0})
	}
}

// Lines that are typed into an editor of a page are read back from its blocks, and are
// replaced as a whole.
func TestLinesAreTypedIntoAnEditorOfAPage(t *testing.T) {
	p := showPage(t, `<!doctype html><title>Editor</title><div contenteditable role="textbox" aria-multiline="true" aria-label="Notes"></div>`)
	for _, text := range []string{"one\ntwo\n\nfour", "a\nb"} {
		o := p.does(kinds.TypeIntoElement, map[string]any{"process": "chromium", "selector": "role:entry && name:Notes", "text_to_type": text, "timeout_ms": 60_000.0})
		if got := p.seen("process:chromium >> role:entry && name:Notes").Element; o.Result["checked"] != "yes" || got == nil || got.Text != text {
			t.Errorf("%q was typed, checked: %v, and %+v holds it", text, o.Result["checked"], got)
		}
	}
}
