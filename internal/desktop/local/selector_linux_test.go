package local_test

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/scratch"
	"understudy/steps/kinds"
)

// Every atom and operator of the selector language, against a calculator, a
// form without labels of its own, and a web page.
func TestEveryAtomNamesElementsOfRealApplications(t *testing.T) {
	profile := scratch.Dir(t)
	s := look(t, "galculator", "zenity", "chromium")
	page, err := filepath.Abs("../atspi/testdata/page.html")
	s.must(err)
	s.launch("chromium --force-renderer-accessibility --no-sandbox --no-first-run --disable-gpu --disable-sync --disable-component-update "+
		"--disable-background-networking --user-data-dir="+profile+" --app=file://"+page, "Order form")
	s.launch("zenity --forms --title=New --text=Who? --add-entry=First --add-entry=Last", "New")
	s.launch("galculator", "galculator")
	for _, ready := range []string{"name:Within the frame", "role:text && name:Last", "role:togglebutton && name:7"} {
		s.well(kinds.WaitForElement, "selector", ready, "timeout_ms", 60_000.0)
	}
	seven := s.resting("process:galculator >> name:7")
	middle := seven.Bounds.Center()
	picture := s.picture(seven.Bounds)
	ref := s.ref("galculator", `togglebutton "7"`)

	var seen strings.Builder
	for _, row := range []struct{ selector, want string }{
		{"process:chromium >> role:link", `link "Terms of sale"`},
		{"process:galculator >> name:7", `togglebutton "7"`},
		{"process:zenity >> name:First && role:text", `text "First"`}, // which only a label names
		{"process:chromium >> text:first line", `entry "Note"`},
		{"id:send", `button "Send"`},
		{"nativeid:send", `button "Send"`},
		{"classname:primary", `button "Send"`},
		{"class:primary", `button "Send"`},
		{"processname:zenity.EXE >> name:OK", `button "OK"`},
		{"window:order FORM >> name:Send", `button "Send"`},
		{"title:Order form >> name:Send", `button "Send"`},
		{"process:chromium >> role:checkbox && state:checked", `checkbox "As a gift"`},
		{"process:chromium >> role:button && state:disabled", `button "Withdraw"`},
		{"process:zenity >> role:button && name:OK && visible:true", `button "OK"`},
		{"process:galculator >> role:menuitem && name:Quit && visible:false", `menuitem "Quit"`},
		{"process:galculator >> role:togglebutton && nth:0", `togglebutton "<-"`},
		{"process:galculator >> role:togglebutton && nth-1", `togglebutton "7"`},
		{"process:galculator >> role:togglebutton >> nth:1", `togglebutton "C"`},
		{"process:galculator >> role:togglebutton && rightof:name:7", `togglebutton "8"`},
		{"process:galculator >> role:togglebutton && rightof:name:7 && nth:1", `togglebutton "9"`},
		{"process:zenity >> role:text && rightof:(role:label && name:Last)", `text "Last"`},
		{"process:galculator >> role:togglebutton && leftof:name:9", `togglebutton "8"`},
		{"process:galculator >> role:togglebutton && above:name:4", `togglebutton "7"`},
		{`process:galculator >> role:togglebutton && below:"name:7"`, `togglebutton "4"`},
		{"process:chromium >> role:checkbox && near:id:secret", `checkbox "As a gift"`},
		{fmt.Sprintf("process:galculator >> pos:%d,%d", middle.X, middle.Y), `togglebutton "7"`},
		{"ref:" + ref, `togglebutton "7"`},
		{"ref=" + ref, `togglebutton "7"`},
		{ref, `togglebutton "7"`},
		{"image:" + picture, `image "p.png"`},
		{"process:galculator >> image:" + picture, `image "p.png"`},
		{"process:chromium >> name:Send >> ..", `form ""`},
		{"process:chromium >> role:link && name~:TERMS", `link "Terms of sale"`},
		{"process:chromium >> role:checkbox && name:contains:gift", `checkbox "As a gift"`},
		{"role:button|name:Send", `button "Send"`},
		{"button|Send", `button "Send"`},
		{"process:chromium >> localizedrole:link", `link "Terms of sale"`},
		{"process:chromium >> name:Nothing || role:button && name:Send", `button "Send"`},
		{"process:chromium >> role:button && !(name:Send || id:inner)  && !name:Within the frame && state:disabled", `button "Withdraw"`},
		{"process:zenity >> name:OK, name:Nothing", `button "OK"`},
		{"process:chromium >> role:form && has:id:send", `form ""`},
		{"process:chromium >> role:button && attr:id=send", `button "Send"`},
		{`(role:button && name:"Send")`, `button "Send"`},
		{"process:chromium >> role:button && !state:enabled", `button "Withdraw"`},
		{"process:chromium >> id:inner >> role:button", `button "Within the frame"`},
	} {
		seen.WriteString(" " + row.selector)
		o := s.run(kinds.ValidateElement, "selector", row.selector)
		if got := inWords(o.Result["element"]); got != row.want || o.Result["matches"] != 1.0 {
			t.Errorf("%s: %v match, the first is %s, %v; want only %s", row.selector, o.Result["matches"], got, o.Err, row.want)
		}
	}
	for _, atom := range selector.Atoms() {
		if !strings.Contains(seen.String(), " "+atom+":") {
			t.Errorf("no row is about the atom %s:", atom)
		}
	}
	for _, operator := range []string{">>", "&&", "|", "!", "~:", "(", `"`, "..", "nth-", "contains:", "ref="} {
		if !strings.Contains(seen.String(), operator) {
			t.Errorf("no row is about %s", operator)
		}
	}
}

// inWords is the role and the name, or the label, of an element in a result.
func inWords(element any) string {
	e, _ := element.(map[string]any)
	name, ok := e["name"].(string)
	if !ok {
		name, _ = e["label"].(string)
	}
	return fmt.Sprintf("%v %q", e["role"], name)
}

// resting is an element once it stands still.
func (s *sight) resting(text string) *desktop.Element {
	s.t.Helper()
	var last, now *desktop.Element
	s.eventually(text+" stands still", func() (bool, string) {
		tree, err := s.Tree(s.t.Context(), desktop.Scope{Full: true})
		s.must(err)
		found := selector.MustParse(text).Find(tree.Roots)
		if len(found) != 1 {
			return false, fmt.Sprint(len(found), " match")
		}
		last, now = now, found[0]
		return last != nil && last.Bounds == now.Bounds && !now.Bounds.Empty(), now.Bounds.String()
	})
	return now
}

// picture takes a picture of an area and says in which file it is.
func (s *sight) picture(area desktop.Rect) string {
	s.t.Helper()
	p, err := s.Capture(s.t.Context(), area)
	s.must(err)
	name := filepath.Join(s.t.TempDir(), "p.png")
	f, err := os.Create(name)
	s.must(err)
	s.must(png.Encode(f, p))
	s.must(f.Close())
	return name
}

// ref shows a tree, and gives the ref of one of its lines.
func (s *sight) ref(process, line string) string {
	s.t.Helper()
	o := s.run(kinds.GetWindowTree, "process", process)
	if o.Err != nil {
		s.t.Fatal(o.Err)
	}
	_, rest, _ := strings.Cut(o.Result["ui_tree"].(string), line+" [ref=")
	ref, _, ok := strings.Cut(rest, "]")
	if !ok {
		s.t.Fatalf("no %s in %s", line, o.Result["ui_tree"])
	}
	return ref
}
