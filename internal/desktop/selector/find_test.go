package selector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// el makes an element; the last part of its words are its children.
func el(role desktop.Role, name string, box desktop.Rect, children ...*desktop.Element) *desktop.Element {
	return &desktop.Element{Role: role, Name: name, Bounds: box, States: desktop.Enabled | desktop.Showing, Children: children}
}

func box(x, y, w, h int) desktop.Rect { return desktop.Rect{X: x, Y: y, W: w, H: h} }

// linked sets what a driver would: parents, indexes, windows, refs.
func linked(roots ...*desktop.Element) []*desktop.Element {
	n := 0
	for i, r := range roots {
		r.Process, r.Window, r.WindowTitle = "gedit", desktop.WindowID(i+1), r.Name
		r.Walk(func(e *desktop.Element) bool {
			n++
			e.Ref, e.Window = fmt.Sprintf("e%d", n), r.Window
			for j, c := range e.Children {
				c.Parent, c.Index = e, j
			}
			return true
		})
	}
	return roots
}

// desk is a form and a dialog:
//
//	e1 frame "Form - Gedit"
//	  e2 panel: Name [e4 entry] Age [e6 entry]    (one row)
//	            Town [e8 entry]                   (below)
//	  e9 panel: e10 Save, e11 Save as…, e12 Cancel (disabled)
//	e13 frame "Question": e14 panel: e15 text, e16 Save
func desk() []*desktop.Element {
	cancel := el("button", "Cancel", box(220, 160, 100, 30))
	cancel.States = desktop.Showing
	cancel.Class, cancel.ID = "GtkButton", "cancel"
	age := el("entry", "", box(360, 38, 100, 24))
	age.Label, age.Text, age.States = "Age in\u00a0years", "42", age.States|desktop.Focused
	age.Attributes = map[string]string{"placeholder": "a number", "autofocus": "true"}
	town := el("entry", "", box(110, 78, 150, 24))
	town.States = 0
	roots := linked(
		el("frame", "Form - Gedit", box(0, 0, 500, 200),
			el("panel", "", box(0, 30, 500, 100),
				el("label", "Name", box(10, 40, 80, 20)), el("entry", "", box(110, 38, 150, 24)),
				el("label", "Age", box(280, 40, 70, 20)), age,
				el("label", "Town", box(10, 80, 80, 20)), town),
			el("panel", "", box(0, 150, 500, 50),
				el("button", "Save", box(0, 160, 100, 30)), el("button", "Save as…", box(110, 160, 100, 30)), cancel)),
		el("frame", "Question", box(100, 50, 200, 100),
			el("panel", "", box(100, 60, 200, 90),
				el("label", "Keep it?", box(110, 60, 100, 20)), el("button", "Save", box(110, 90, 80, 30)))))
	roots[1].Process, roots[1].PID, roots[1].Aliases = "zenity.exe", 77, []string{"asker"}
	return roots
}

func refs(found []*desktop.Element) string {
	names := make([]string, len(found))
	for i, e := range found {
		names[i] = e.Ref
	}
	return strings.Join(names, " ")
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/Window", "e1"},
		{"/Window[2]/Pane/Button", "e16"},
		{"/Window/Pane[2]/Button[3]", "e12"},
		{"/Window/Pane[3]", ""},
		{"/Window/Button", ""}, // it is no child, but farther inside
		{"process:zenity >> /Pane/Text", ""},
		{"process:zenity >> /Pane/Static", "e15"},
		{"process:zenity >> /Window/Pane/Button", "e16"},
		{"/Window/Pane >> role:entry && nth:1", "e6"},
	} {
		if got := refs(MustParse(c.text).Find(desk())); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
	app := linked(el("application", "gedit", desktop.Rect{}, desk()...))
	if found := MustParse("/Window[2]/Pane").Find(app); len(found) != 1 || found[0].Parent.Name != "Question" {
		t.Errorf("below an application: %v", found)
	}
}

func TestFindOnPages(t *testing.T) {
	handle := el("panel", "", box(0, 0, 10, 10))
	handle.Class = "ui-slider-handle ui-corner-all"
	roots := linked(el("frame", "Page", box(0, 0, 100, 100), handle, el("treeitem", "\uf15c project-2.docx", box(0, 20, 50, 10))))
	for _, c := range []struct{ what, selector, want string }{
		{"one of several classes", "classname:ui-slider-handle", "e2"},
		{"all classes", "classname:ui-slider-handle ui-corner-all", "e2"},
		{"a class is not part of another", "classname:ui-slider", ""},
		{"a part of the classes", "classname~:SLIDER", "e2"},
		{"a name with a glyph of a font of icons", "name:project-2.docx", "e3"},
		{"that glyph too", "name:\uf15c project-2.docx", "e3"},
	} {
		s, err := Parse(c.selector)
		if err != nil {
			t.Fatal(err)
		}
		if got := refs(s.Find(roots)); got != c.want {
			t.Errorf("%s: %s found %q, want %q", c.what, c.selector, got, c.want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ what, selector, want string }{
		{"a role", "role:button", "e10 e11 e12 e16"},
		{"entries are text too, because toolkits do not agree", "role:text", "e4 e6 e8"},
		{"a name is equal", "name:Save", "e10 e16"},
		{"a name with a tilde is held, without case", "name~:save", "e10 e11 e16"},
		{"the label names what has no name, blanks run together", "name:Age in years", "e6"},
		{"a label is no second name", "role:label && name:Age in years", ""},
		{"a text is shown", "text:42", "e6"},
		{"a text counts the case", "text:save", ""},
		{"a text is part of a name", "text:as…", "e11"},
		{"a text with a tilde does not count the case", "text~:KEEP", "e15"},
		{"an id", "id:cancel", "e12"},
		{"an id is not part of another", "id:can", ""},
		{"a class", "classname:GtkButton", "e12"},
		{"a program is its windows", "process:gedit", "e1"},
		{"a program without its ending", "process:Zenity", "e13"},
		{"a part of a program's name", "process~:zen", "e13"},
		{"a title is held, without case", "window:question", "e13"},
		{"where to look may be what is found", "process:gedit >> role:frame", "e1"},
		{"a program, a window, an element", "process:zenity >> window:Question >> name:Save", "e16"},
		{"a program and a window in one part", "window:Form && role:button && name:Save", "e10"},
		{"a program by the number of its process", "process:77", "e13"},
		{"a program by what it is also called", "process:Asker >> name:Save", "e16"},
		{"one window", "window:#2 >> name:Save", "e16"},
		{"another window", "window:#3 >> name:Save", ""},
		{"another program", "process:mousepad >> name:Save", ""},
		{"a state", "state:focused", "e6"},
		{"what a state is not", "role:button && state:disabled", "e12"},
		{"a state turned round", "role:entry && !state:focused", "e4 e8"},
		{"what shows or has a box", "role:entry && visible:true", "e4 e6 e8"},
		{"the first", "role:button && nth:0", "e10"},
		{"the last", "role:button && nth-1", "e16"},
		{"past the end", "role:button && nth:4", ""},
		{"before the front", "role:button && nth-5", ""},
		{"nth counts after the other atoms, wherever it stands", "nth:1 && role:button && name:Save", "e16"},
		{"nth alone picks from the part before", "name:Save >> nth:1", "e16"},
		{"a chain", "role:panel >> role:button", "e10 e11 e12 e16"},
		{"a chain goes inside, not to itself", "role:panel >> role:panel", ""},
		{"a chain whose parts lie within each other finds each once", "visible:true >> role:label", "e3 e5 e7 e15"},
		{"a parent", "name:Save >> ..", "e9 e14"},
		{"the parent of siblings is one", "role:button >> ..", "e9 e14"},
		{"a parent's parent", "name:Town >> .. >> ..", "e1"},
		{"no parent above the roots", "role:frame >> ..", ""},
		{"a chain goes on from a parent", "state:focused >> .. >> role:label", "e3 e5 e7"},
		{"right of, the nearest in its row", "role:entry && rightof:name:Name", "e4"},
		{"right of, the second", "role:entry && rightof:name:Name && nth:1", "e6"},
		{"left of", "role:label && leftof:state:focused", "e5"},
		{"below", "role:entry && below:(role:entry && rightof:name:Name)", "e8"},
		{"above", "role:label && above:name:Town", "e3"},
		{"two sides", "role:entry && rightof:name:Town && below:name:Form - Gedit", ""},
		{"both sides", "role:button && rightof:name:Save && leftof:name:Cancel", "e11"},
		{"near, the nearest", "role:button && near:name:Cancel", "e11"},
		{"near does not reach far", "role:button && near:state:focused", ""},
		{"beside an anchor that is ambiguous, one for each", "role:label && above:(name:Save && role:button)", "e7 e15"},
		{"beside nothing", "role:button && near:name:Nothing", ""},
		{"not beside what is in another window", "role:button && near:name:Keep it?", "e16"},
		{"beside, whatever it is: the innermost", "rightof:name:Name && nth:0", "e4"},
		{"at a point, the smallest", "pos:120,170", "e11"},
		{"at a point, of a role", "role:panel && pos:420,170", "e9"},
		{"at a point where nothing is", "pos:900,900", ""},
		{"a ref", "e12", "e12"},
		{"alternatives, in the order of the tree", "name:Cancel || role:frame", "e1 e12 e13"},
		{"a comma too", "name:Cancel, text~:KEEP", "e12 e15"},
		{"an element of both alternatives counts once", "role:button || name:Save", "e10 e11 e12 e16"},
		{"alternatives inside a window", "window:Form >> name:Cancel || name:Save", "e10 e12"},
		{"windows that are alternatives are where to look", "window:Form || window:Question >> name:Save", "e10 e16"},
		{"programs that are alternatives", "(process:zenity || process:mousepad) >> role:button", "e16"},
		{"alternatives of one condition", "role:button && (name:Save as… || state:disabled)", "e11 e12"},
		{"what is neither", "role:button && !(name:Save || name:Cancel)", "e11"},
		{"what is not both", "role:button && !(name:Save && window:Form)", "e11 e12 e16"},
		{"counted after the alternatives", "(name:Cancel || name:Save) && nth:-1", "e16"},
		{"each alternative counts for itself", "(role:button && nth:0) || (role:entry && nth:-1)", "e8 e10"},
		{"alternatives beside others", "role:entry && (rightof:name:Name || rightof:name:Town)", "e4 e8"},
		{"alternatives of an anchor", "role:entry && rightof:(name:Age || name:Town)", "e6 e8"},
		{"with such an element inside", "role:panel && has:name:Cancel", "e9"},
		{"an element is not inside of itself", "role:button && has:role:button", ""},
		{"with a chain inside", "has:(role:panel >> name:Keep it?)", "e13"},
		{"without such an element inside", "role:panel && !has:role:button", "e2"},
		{"an attribute", "attr:placeholder=a number", "e6"},
		{"an attribute ignores the case", "attr:PlaceHolder=A Number", "e6"},
		{"a part of an attribute", "attr~:placeholder=num", "e6"},
		{"an attribute of another value", "attr:placeholder=a", ""},
		{"an attribute that is true", "attr:autofocus", "e6"},
		{"a role and a name in short, which equals", "Button|Save", "e10 e16"},
		{"a role and a part of a name in short", "Button|Cance", "e12"},
		{"in each alternative what equals counts before a part", "name?:Save || name?:Canc", "e10 e12 e16"},
		{"a picture is not for us", "image:x.png", ""},
	} {
		s, err := Parse(c.selector)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := refs(s.Find(desk())); got != c.want {
			t.Errorf("%s: %s found %q, want %q", c.what, c.selector, got, c.want)
		}
	}
}

func TestProgramsAreFoundByPartOfTheirName(t *testing.T) {
	roots := linked(el("frame", "f", box(0, 0, 9, 9)))
	for selector, want := range map[string]string{
		"process~:calc": "e1", "process~:gnome.Calc": "e1", "process~:org.gnome": "e1", "process~:calculator.exe": "e1",
		"process~:org.gnome.": "e1", "process~:org.kde.": "", "process~:.exe": "", "process~:kcalc": "",
	} {
		roots[0].Process = "org.gnome.Calculator"
		if got := refs(MustParse(selector).Find(roots)); got != want {
			t.Errorf("%s found %q, want %q", selector, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	gone := el("button", "gone", desktop.Rect{})
	gone.States = desktop.Enabled
	boxed := el("button", "boxed", box(0, 0, 1, 1))
	boxed.States = desktop.Enabled
	roots := linked(el("frame", "f", box(0, 0, 9, 9), gone, boxed))
	if got := refs(MustParse("role:button && visible:true").Find(roots)); got != "e3" {
		t.Errorf("visible: %q, want what has a box, e3", got)
	}
	if got := refs(MustParse("role:button && visible:false").Find(roots)); got != "e2" {
		t.Errorf("not visible: %q, want what neither shows nor has a box, e2", got)
	}
}

func TestScope(t *testing.T) {
	for _, c := range []struct {
		selector string
		want     desktop.Scope
	}{
		{"role:button", desktop.Scope{}},
		{"process:gedit >> window:Form >> role:button", desktop.Scope{Process: "gedit", Title: "Form"}},
		{"process:gedit >> window:#7 >> role:button", desktop.Scope{Process: "gedit", Window: 7}},
		{"window:Form && role:button", desktop.Scope{Title: "Form"}},
		{"role:button >> window:Form", desktop.Scope{}},
		{"!window:Form && process~:ged", desktop.Scope{}},
		{"window:A >> window:B", desktop.Scope{Title: "A"}},
		{"role:button && name:Save", desktop.Scope{}},
		{"role:entry && name:First name", desktop.Scope{Full: true}}, // it may be the words beside it
		{"name:First name", desktop.Scope{Full: true}},
		{"role:entry && !state:enabled", desktop.Scope{}},
		{"id:submit", desktop.Scope{Full: true}},
		{"role:button && classname:Big", desktop.Scope{Full: true}},
		{"text:x", desktop.Scope{Full: true}},
		{"near:name:x", desktop.Scope{Full: true}},
		{"pos:1,2", desktop.Scope{Full: true}},
		{"visible:true", desktop.Scope{Full: true}},
		{"visible:false", desktop.Scope{Full: true, Hidden: true}},
		{"near:(!state:showing)", desktop.Scope{Full: true, Hidden: true}},
	} {
		if diff := cmp.Diff(c.want, MustParse(c.selector).Scope()); diff != "" {
			t.Errorf("scope of %s (-want +got):\n%s", c.selector, diff)
		}
	}
}

func TestSelectorDescription(t *testing.T) {
	if ref, ok := MustParse("ref=e7").Ref(); ref != "e7" || !ok {
		t.Errorf("Ref() = %q, %v", ref, ok)
	}
	if ref, ok := MustParse("!e7").Ref(); ok {
		t.Errorf("everything but e7 is taken for %q", ref)
	}
	if at, ok := MustParse("pos:3,4").Point(); at != (desktop.Point{X: 3, Y: 4}) || !ok {
		t.Errorf("Point() = %v, %v", at, ok)
	}
	s := MustParse("window:Calc >> image:eq.png")
	if file, ok := s.Image(); file != "eq.png" || !ok || s.Within().String() != "window:Calc" {
		t.Errorf("Image() = %q, %v within %v", file, ok, s.Within())
	}
	s = MustParse("role:button && pos:3,4")
	if _, ok := s.Point(); ok || s.Within() != nil {
		t.Error("a point with a role is more than a point")
	}
	if _, ok := s.Image(); ok {
		t.Error("a button is no picture")
	}
}

func TestIn(t *testing.T) {
	for _, c := range []struct {
		what  string
		chain []*Selector
		want  string
	}{
		{"a program, a window, an element", []*Selector{Process("gedit"), MustParse("role:frame"), MustParse("role:panel >> name:Save")}, "process:gedit >> role:frame >> role:panel >> name:Save"},
		{"what is not given is left out", []*Selector{Process(""), single(byWindow, "a && b"), nil}, `window:"a && b"`},
	} {
		s, err := In(c.chain...)
		if err != nil || s.String() != c.want {
			t.Errorf("%s: %v, %v; want %s", c.what, s, err, c.want)
		}
	}
	if s, err := In(nil, Process(" ")); s != nil || err != nil {
		t.Errorf("nothing in nothing is %v, %v", s, err)
	}
	long := MustParse(strings.Repeat("role:panel >> ", MaxParts-1) + "role:button")
	if s, err := In(Process("gedit"), long); err == nil {
		t.Errorf("%s is too long, and was made", s)
	}
	if s, err := In(MustParse("image:x.png"), long.Within()); err == nil {
		t.Errorf("%s looks inside a picture, and was made", s)
	}
}

func TestManyAnchorsAreAmbiguousAndNotSlow(t *testing.T) {
	roots := forest(1, 5000)
	if found := MustParse("role:label && near:visible:true").Find(roots); len(found) < 2 {
		t.Errorf("%d labels are near something visible, want many", len(found))
	}
}

// TestASecondSideCountsAllAnchors looks below the nearest of many labels, the first of
// which is farther from the other entry than the last is from this one.
func TestASecondSideCountsAllAnchors(t *testing.T) {
	const last = 20 * 3 * maxAnchors
	all := []*desktop.Element{el("label", "row 0", box(60, last-100, 20, 18))}
	for i := range 3 * maxAnchors {
		all = append(all, el("label", fmt.Sprint("row ", i+1), box(0, 20*i, 50, 18)))
	}
	meant := el("entry", "", box(10, last, 20, 18))
	all = append(all, el("label", "total", box(100, last, 50, 18)), meant, el("entry", "", box(60, last, 20, 18)))
	roots := linked(el("frame", "f", box(0, 0, 500, last+20), all...))
	if got := MustParse(`role:entry && leftof:name:total && below:name~:row`).Find(roots); len(got) != 1 || got[0] != meant {
		t.Errorf("%s, wanted %s, the entry right below the last row", refs(got), meant.Ref)
	}
}

func TestDistance(t *testing.T) {
	anchor := box(100, 100, 50, 20)
	for _, c := range []struct {
		what   string
		side   kind
		box    desktop.Rect
		pixels int
		ok     bool
	}{
		{"begins where the anchor ends", rightOf, box(150, 100, 10, 20), 0, true},
		{"overlaps by its border", rightOf, box(147, 100, 10, 20), 0, true},
		{"overlaps by more", rightOf, box(145, 100, 10, 20), 0, false},
		{"out of line is farther", rightOf, box(160, 110, 10, 20), 20, true},
		{"in another row", rightOf, box(160, 120, 10, 20), 0, false},
		{"left", leftOf, box(80, 100, 10, 20), 10, true},
		{"above", above, box(100, 70, 50, 20), 10, true},
		{"below", below, box(120, 130, 50, 20), 30, true},
		{"beside is not below", below, box(160, 100, 50, 20), 0, false},
		{"near at a corner", near, box(153, 124, 5, 5), 5, true},
		{"too far to be near", near, box(251, 100, 5, 5), 0, false},
		{"an empty box lies nowhere", near, box(100, 100, 0, 0), 0, false},
	} {
		pixels, ok := c.side.distance(c.box, anchor)
		if ok != c.ok || ok && pixels != c.pixels {
			t.Errorf("%s %s: %d, %v; want %d, %v", c.side, c.what, pixels, ok, c.pixels, c.ok)
		}
	}
}

// forest makes a tree of n elements that the same seed makes again.
func forest(seed uint64, n int) []*desktop.Element {
	r := rand.New(rand.NewPCG(seed, 1))
	roles := []desktop.Role{"button", "entry", "label", "panel", "menuitem", "cell"}
	all := []*desktop.Element{el("frame", "Window 0", box(0, 0, 1000, 1000))}
	for i := 1; i < n; i++ {
		e := el(roles[r.IntN(len(roles))], fmt.Sprintf("Name %d", r.IntN(1+n/4)), box(r.IntN(900), r.IntN(900), r.IntN(100), r.IntN(40)))
		e.States = desktop.States(r.Uint32N(1 << 19))
		p := all[r.IntN(len(all))]
		p.Children = append(p.Children, e)
		all = append(all, e)
	}
	return linked(all[0])
}

func FuzzFind(f *testing.F) {
	for i, text := range []string{"role:button && name:Name 1", "role:panel >> near:role:label", "role:cell >> .. >> nth-1", "rightof:(role:panel >> !state:checked) && nth:1", "pos:300,300", "window:0 >> name~:1"} {
		f.Add(text, uint64(i))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		roots := forest(seed, 60)
		var order []*desktop.Element
		roots[0].Walk(func(e *desktop.Element) bool { order = append(order, e); return true })
		last := -1
		for _, e := range s.Find(roots) {
			i := slices.Index(order, e)
			if i <= last {
				t.Fatalf("%s found element %d after %d: want each once, in the order of the tree, from within the roots", s, i, last)
			}
			last = i
		}
		if why, _ := s.Explain(roots); (why == "") != (len(s.Find(roots)) == 1) {
			t.Fatalf("%s matches %d and is explained as %q", s, len(s.Find(roots)), why)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	roots := forest(1, 2000)
	for _, text := range []string{"role:button && name:Name 7", "name~:name 17", "window:Window >> role:panel >> role:button && nth-1", "role:entry && rightof:name:Name 7"} {
		s := MustParse(text)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				s.Find(roots)
			}
		})
	}
}

// TestNameOrPartOfIt holds what name?: matches: what equals counts before what contains.
func TestNameOrPartOfIt(t *testing.T) {
	button := func(name string) *desktop.Element { return &desktop.Element{Role: "button", Name: name} }
	top := &desktop.Element{Role: "frame", Name: "Untitled Document 1 - gedit", Children: []*desktop.Element{button("Save As"), button("Save"), button("Open")}}
	for _, c := range []struct {
		say, text string
		want      int
		inPart    bool
	}{
		{"the one whose name equals it", "role:button && name?:Save", 1, false},
		{"else those that contain it, in any case", "name?:SAVE", 2, true},
		{"a part of a title", "role:frame && name?:untitled", 1, true},
		{"nothing", "name?:Close", 0, false},
		{"the first of those that equal it", "name?:Save && nth:0", 1, false},
		{"none that contains it", "role:button && !name?:save", 1, false},
		{"equality stays equality", "role:frame && name:Untitled", 0, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			s, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			found := s.Find([]*desktop.Element{top})
			if len(found) != c.want {
				t.Fatalf("%s: found %d elements, want %d", c.text, len(found), c.want)
			}
			if len(found) == 1 && s.MatchedInPart(found[0]) != c.inPart {
				t.Errorf("%s: matched in part: %v", c.text, !c.inPart)
			}
			if again, err := Parse(s.String()); err != nil || again.String() != s.String() {
				t.Errorf("%s is written %s, which is %v", c.text, s, err)
			}
		})
	}
}
