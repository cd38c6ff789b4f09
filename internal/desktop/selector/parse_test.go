package selector

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"role:button", "role:button"},
		{"  role: button ", "role:button"},
		{"role:push button", "role:button"},
		{"role:Button", "role:button"},
		{"role:CheckBox", "role:checkbox"},
		{"role:Edit", "role:entry"},
		{"role:Window", "role:frame"},
		{"ROLE:button", "role:button"},
		{"name:Save", "name:Save"},
		{"Name:Save", "name:Save"},
		{"name:Save as…", "name:Save as…"},
		{"name~:sav", "name~:sav"},
		{"name:contains:sav", "name~:sav"},
		{`name:"contains:sav"`, `name:"contains:sav"`},
		{"name:Save & Quit", "name:Save & Quit"},
		{"name:a > b", "name:a > b"},
		{`name:"a && b"`, `name:"a && b"`},
		{`name:"a >> b" && role:link`, `name:"a >> b" && role:link`},
		{`name:"say \"hi\" \\ there"`, `name:say "hi" \ there`},
		{`name:"plain"`, "name:plain"},
		{`name:" padded "`, `name:" padded "`},
		{"name:Copy (2)", `name:"Copy (2)"`},
		{"(role:button && name:Copy (2))", `role:button && name:"Copy (2)"`},
		{"name::)", `name:":)"`},
		{"text:Open", "text:Open"},
		{"text~:open", "text~:open"},
		{"id:submit", "id:submit"},
		{"nativeid:submit", "id:submit"},
		{"classname:Edit", "classname:Edit"},
		{"class:Edit", "classname:Edit"},
		{"process:mousepad", "process:mousepad"},
		{"processname:notepad.exe", "process:notepad.exe"},
		{"window:Untitled 1", "window:Untitled 1"},
		{"window~:untitled", "window:untitled"},
		{"window:#8388615", "window:#8388615"},
		{`window:"#5"`, `window:"#5"`},
		{`window:{"id":8388615,"title":"a | b >> c"} >> role:button`, "window:#8388615 >> role:button"},
		{`window:"{\"id\":5}"`, `window:"{\"id\":5}"`},
		{"state:checked", "state:checked"},
		{"state:multi line", "state:multi_line"},
		{"state:disabled", "!state:enabled"},
		{"!state:disabled", "state:enabled"},
		{"!state:checked", "!state:checked"},
		{"visible:true", "visible:true"},
		{"visible:false", "!visible:true"},
		{"role:button && nth:0", "role:button && nth:0"},
		{"role:button >> nth:2", "role:button >> nth:2"},
		{"role:button && nth-1", "role:button && nth:-1"},
		{"role:button && nth:-1", "role:button && nth:-1"},
		{"role:button && nth=1", "role:button && nth:1"},
		{"rightof:name:Age", "rightof:name:Age"},
		{"role:entry && rightof:name:Age && state:enabled", "role:entry && rightof:name:Age && state:enabled"},
		{"rightof:(role:label && name:Age)", "rightof:(role:label && name:Age)"},
		{`rightof:"role:label && name:Age"`, "rightof:(role:label && name:Age)"},
		{`rightof:"name:Age"`, "rightof:name:Age"},
		{`leftof:(role:list >> name:"a)b")`, `leftof:(role:list >> name:"a)b")`},
		{"above:below:name:OK", "above:below:name:OK"},
		{"near:(!state:checked)", "near:(!state:checked)"},
		{"pos:10, -20", "pos:10,-20"},
		{"role:label >> ..", "role:label >> .."},
		{"role:label >> .. >> ..", "role:label >> .. >> .."},
		{"image:save.png", "image:save.png"},
		{"window:Calc >> image:img/save (1).png", `window:Calc >> image:"img/save (1).png"`},
		{"ref:e12", "ref:e12"},
		{"ref=e12", "ref:e12"},
		{"e12", "ref:e12"},
		{"role:Button|name:Save", "role:button && name:Save"},
		{"process:calc >> window:Calculator >> role:Button|name:7", "process:calc >> window:Calculator >> role:button && name:7"},
		{"role:frame>>role:button&&name:OK", "role:frame >> role:button && name:OK"},
		{"role:button || role:link", "role:button || role:link"},
		{"role:Button, role:Hyperlink", "role:button || role:link"},
		{"role:button,name:Save", "role:button || name:Save"},
		{"role:button && name:OK || role:link", "role:button && name:OK || role:link"},
		{"(role:Button && name:OK) || (role:Link && name:Submit)", "role:button && name:OK || role:link && name:Submit"},
		{"role:button && (name:OK || name:Yes)", "role:button && (name:OK || name:Yes)"},
		{"(role:button, role:link) && name:OK", "(role:button || role:link) && name:OK"},
		{"((role:button || (role:link, role:tab)))", "role:button || role:link || role:pagetab"},
		{"process:a || process:b >> name:OK, name:Yes", "process:a || process:b >> name:OK || name:Yes"},
		{"!(role:button && name:OK)", "!role:button || !name:OK"},
		{"!(role:button || name:OK)", "!role:button && !name:OK"},
		{"role:button && !(name:OK && !(state:checked || name~:x))", "role:button && (!name:OK || state:checked || name~:x)"},
		{"!!name:OK", "name:OK"},
		{"! ( role:link )", "!role:link"},
		{"rightof:(name:Age || name:Years)", "rightof:(name:Age || name:Years)"},
		{"(role:button && nth:0) || rightof:name:Age", "role:button && nth:0 || rightof:name:Age"},
		{"has:name:Total", "has:name:Total"},
		{"role:row && has:(role:cell && name:Total)", "role:row && has:(role:cell && name:Total)"},
		{`!has:"role:list >> role:listitem"`, "!has:(role:list >> role:listitem)"},
		{"attr:class=primary", "attr:class=primary"},
		{"attr:hidden", "attr:hidden=true"},
		{"attr:a=b, role:link", "attr:a=b || role:link"},
		{"name:Hello, world", "name:Hello, world"},
		{"name:Hello, world, name:Bye", "name:Hello, world || name:Bye"},
		{`name:"Hello, name:world"`, `name:"Hello, name:world"`},
		{"text:Test 1: DEFAULT (focus+click) SUCCESS!", `text:"Test 1: DEFAULT (focus+click) SUCCESS!"`},
		{"button", "role:button"},
		{"window", "role:frame"},
		{"button, Link", "role:button || role:link"},
		{"(menu, menuitem) && name:Save", "(role:menu || role:menuitem) && name:Save"},
		{"localizedrole:button", "role:button"},
		{"role:Thumb", "role:slider"},
		{"process:explorer|role:TaskBar", "process:explorer && role:panel"},
		{"role:TextArea", "role:entry"},
		{"/Window/Pane[2]/TabItem", "/frame[1]/panel[2]/pagetab[1]"},
		{"process:calc >> //Window[2]", "process:calc >> /frame[2]"},
		{"/Window >> role:Button || role:Link", "/frame[1] >> role:button || role:link"},
		{"AXButton", "role:button"},
		{"Button:Save", "role:button && name?:Save"},
		{`menuitem: "File | Open"`, `role:menuitem && name?:"File | Open"`},
		{"button|Submit", "role:button && name?:Submit"},
		{"role:Button|Submit order", "role:button && name?:Submit order"},
		{"role:Button|contains:Sub", "role:button && name~:Sub"},
		{"role:Button|name:contains:Sub", "role:button && name~:Sub"},
		{"window:App >> button|Submit || role:link|Go", "window:App >> role:button && name?:Submit || role:link && name?:Go"},
		{"#submit", "id:submit"},
		{"role:button || name?:Save, name?:OK", "role:button || name?:Save || name?:OK"},
		{"name:a, #b", "name:a || id:b"},
		{"process:notepad >> #12", "process:notepad >> id:12"},
		{"(role:Window && name:Best Plan Pro) >> nativeid:dob", "role:frame && name:Best Plan Pro >> id:dob"},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.text, err)
			continue
		}
		if got := s.String(); got != c.want {
			t.Errorf("Parse(%q) = %s, want %s", c.text, got, c.want)
		}
		if again, err := Parse(s.String()); err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("Parse(%q) is not the selector that it was written from: %v", s, err)
		}
	}
}

// A row's caret marks the fault: ^ where it begins, ~ to its end.
func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ text, caret, message, hint string }{
		{"", "^", "an atom such as role:button is missing here", ""},
		{"role:button && ", "               ^", "an atom such as role:button is missing here", ""},
		{"role:button >> && name:x", "               ^~", "an atom such as role:button is missing before &&", ""},
		{"Save", "^~~~", `"Save" does not say what it is, as role:, name: or text: would`, "name:Save"},
		{"#", "^", `"#" does not say what it is, as role:, name: or text: would`, "name:#"},
		{"name:Home | button", "            ^~~~~~", `"button" does not say what it is, as role:, name: or text: would; if it belongs to the value before it, quote that value`, "role:button"},
		{"Total due: 5", "^~~~~~~~~~~~", `"Total due: 5" does not say what it is, as role:, name: or text: would`, "name:Total due: 5"},
		{"role=button", "^~~~~", "an atom is written with a colon", "role:"},
		{"window:Home | Acme", "              ^~~~", `"Acme" does not say what it is, as role:, name: or text: would; if it belongs to the value before it, quote that value`, "name:Acme"},
		{"nmae:Save", "^~~~", "there is no atom nmae:", "name"},
		{"role:buton", "     ^~~~~", `there is no role "buton"`, "button"},
		{"role:button && state:chekced", "                     ^~~~~~~", `there is no state "chekced"`, "checked"},
		{"visible:yes", "        ^~~", `there is no visible "yes"`, ""},
		{"name:", "^~~~~", "name: needs a value", ""},
		{`name:""`, "^~~~~~~", "name: needs a value", ""},
		{`name:"Save`, "     ^~~~~", "this quote is not closed", `"Save"`},
		{`name:"Save" as`, "            ^~", `after the quoted value "Save" only an operator can stand`, ""},
		{"role~:button", "^~~~~~", "role is compared as it is, so ~ cannot stand after it", "role:"},
		{"role:a || role:b", "     ^", `there is no role "a"`, ""},
		{"name:a || ", "          ^", "an atom such as role:button is missing here", ""},
		{"name:a || Save", "          ^~~~", `"Save" does not say what it is, as role:, name: or text: would; if it belongs to the value before it, quote that value`, "name:Save"},
		{"role:button || image:a.png", "               ^~~~~~~~~~~", "a picture is no alternative: give several selectors in targets", ""},
		{"role:label >> .. || name:x", "              ^~~~~", ".. is no alternative: join it by >>", ""},
		{"role:button >> (name:x || nth:0)", "                          ^~~~~", "nth picks from what is matched, and nothing says what", ""},
		{"!(role:button && nth:0)", "^", "nth cannot be turned round by !", ""},
		{"!role:label >> !..", "               ^", ".. cannot be turned round by !", ""},
		{"has:", "^~~~", "has: needs a selector, such as has:name:Age", ""},
		{"has:has:has:name:x", "        ^~~~", "has: goes at most 2 deep", ""},
		{"(role:button", "^", "this parenthesis is not closed", ""},
		{"(role:button >> name:x)", "             ^~", "a chain stands in parentheses only after rightof: and its like", ""},
		{"role:button && nth:one", "                   ^~~", `"nth:one": nth is written nth:0 for the first and nth:-1 for the last`, ""},
		{"/", "^", `a path is written /Window/Pane[2]/Button, found "" in it`, ""},
		{"/Window/Pane[0]", "^~~~~~~~~~~~~~~", `a path is written /Window/Pane[2]/Button, found "Pane[0]" in it`, ""},
		{"/Window/Buton", "^~~~~~~~~~~~~", `there is no role "Buton"`, ""},
		{"/Window || role:button", "^~~~~~~~~~", "a path is no alternative: join it by >>", ""},
		{"role:frame && /Pane", "^~~~~~~~~~~~~~~~~~~", "a path stands alone in its part: join it by >>", ""},
		{"!/Window", "^", "/ cannot be turned round by !", ""},
		{"nth:0", "^~~~~", "nth picks from what is matched, and nothing says what", ""},
		{"role:button && nth:0 && nth:1", "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "nth stands only once in a part", ""},
		{"pos:10", "    ^~", `"10" is no point: wanted two whole numbers, such as pos:100,200`, ""},
		{"..", "^~", ".. is the parent of what stands before it, and nothing does", ""},
		{"role:a11y", "     ^~~~", `there is no role "a11y"`, ""},
		{"role:label >> .. && role:panel", "              ^~~~~~~~~~~~~~~~", ".. stands alone in its part: join it by >>", ""},
		{"image:a.png >> role:button", "^~~~~~~~~~~~~~", "a picture has nothing inside: image: stands in the last part", ""},
		{"image:a.png && role:button", "^~~~~~~~~~~~~~~~~~~~~~~~~~", "image: stands alone in its part: join it by >>", ""},
		{"rightof:image:a.png", "        ^~~~~~~~~~~", "image: cannot stand within another atom", ""},
		{"rightof:", "^~~~~~~~", "rightof: needs a selector, such as rightof:name:Age", ""},
		{"!rightof:name:Age", "^", "rightof cannot be turned round by !", ""},
		{"rightof:Age", "        ^~~", `"Age" does not say what it is, as role:, name: or text: would`, "name:Age"},
		{`rightof:"role:buton"`, "              ^~~~~", `there is no role "buton"`, "button"},
		{`rightof:"name:\"a\" && role:buton"`, "                            ^~~~~", `there is no role "buton"`, "button"},
		{"role:button\xff", "           ^", "this is not UTF-8", ""},
	} {
		_, err := Parse(c.text)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("Parse(%q) = %v, want a syntax error", c.text, err)
			continue
		}
		want := &SyntaxError{strings.IndexByte(c.caret, '^'), max(0, len(strings.TrimLeft(c.caret, " "))), c.message, c.hint}
		if se.Length == 0 {
			want.Length = 0
		}
		if diff := cmp.Diff(want, se); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestHintFixesTheFault(t *testing.T) {
	for _, text := range []string{"Save", "Total: 5", "name:a | button", "role=button", "nmae:Save", "role:buton", `name:"Save`, "rightof:buton:x", `rightof:"role:buton"`, "window:a | b"} {
		_, err := Parse(text)
		var se *SyntaxError
		if !errors.As(err, &se) || se.Hint == "" {
			t.Errorf("Parse(%q) = %v, want an error with a hint", text, err)
			continue
		}
		mended := text[:se.Offset] + se.Hint + text[se.Offset+se.Length:]
		if _, err := Parse(mended); err != nil {
			t.Errorf("%q, mended as its error says, is %q, which fails: %v", text, mended, err)
		}
	}
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ ok, bad string }{
		"length":      {"name:" + strings.Repeat("x", MaxLength-5), "name:" + strings.Repeat("x", MaxLength-4)},
		"chain":       {strings.Repeat("role:panel >> ", MaxParts-1) + "role:button", strings.Repeat("role:panel >> ", MaxParts) + "role:button"},
		"nesting":     {strings.Repeat("near:", MaxNested) + "name:x", strings.Repeat("near:", MaxNested+1) + "name:x"},
		"parentheses": {strings.Repeat("(", MaxNested) + "name:x" + strings.Repeat(")", MaxNested), strings.Repeat("(", MaxNested+1) + "name:x" + strings.Repeat(")", MaxNested+1)},
	} {
		if _, err := Parse(c.ok); err != nil {
			t.Errorf("%s at the limit: %v", name, err)
		}
		if _, err := Parse(c.bad); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s past the limit: %v, want an error that says the limit", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"role:button && name:Save", `near:("a") >> nth-1`, `rightof:"name:\"x\" >> .."`, "(role:a|name:b (c)) >> .. >> !visible:true", "!(button|a, !has:(#b || attr:c)) && (name:x, name:y)", "e12", "pos:1,2 && image:x", "name:\u00a0a || b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Offset < 0 || se.Length < 0 || se.Offset+se.Length > len(text) || se.Message == "" {
				t.Fatalf("Parse(%q) fails with %#v, which points outside of it", text, err)
			}
			return
		}
		again, err := Parse(s.String())
		if len(s.String()) > MaxLength {
			return
		}
		if err != nil {
			t.Fatalf("Parse(%q) is written %q, which fails: %v", text, s, err)
		}
		if !reflect.DeepEqual(s, again) {
			t.Fatalf("Parse(%q) is written %q, which is another selector, %q", text, s, again)
		}
	})
}
