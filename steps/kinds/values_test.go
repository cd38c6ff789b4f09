package kinds

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
	"understudy/steps/aim"
)

// noEditing is an application that cannot be asked to change a text.
func noEditing(d *fake.Desktop) { d.Fail("SetText", desktop.ErrRefused, -1) }

// rows are a list whose rows have a checkbox, as GTK shows one.
const rows = `
- frame "List" [process=list] [at=0,0,400,400]
  - table [at=0,20,400,380]
    - cell [checked] [selectable] [at=0,20,20,20]
    - cell "Milk" [selectable] [at=20,20,100,20]
    - cell [selectable] [at=0,40,20,20]
    - cell "Bread" [selectable] [at=20,40,100,20]
`

// boxed gives the cells without a name a checkbox.
func boxed(d *fake.Desktop) {
	for _, cell := range []string{"role:cell && nth:0", "role:cell && nth:2"} {
		d.Set(d.Find(cell), func(e *desktop.Element) { e.Actions = []string{"Toggle", "Activates the cell"} })
	}
}

// openedByAction makes a file one that its own action opens, as in GTK 3.
func openedByAction(d *fake.Desktop) {
	d.Fail("Select", desktop.ErrRefused, -1)
	d.Set(d.Find("name:b.txt"), func(e *desktop.Element) { e.Actions = []string{"Expand or contract", "Edit", "Activate"} })
}

// renamed has a row show another name while a frame is shown around it.
func renamed(sel string) func(*fake.Desktop) {
	return func(d *fake.Desktop) {
		d.After(300*time.Millisecond, func() { d.Set(d.Find(sel), func(e *desktop.Element) { e.Name = "Blue" }) })
	}
}

// turnTo gives a checkbox one state, in place of those that a checkbox can have.
func turnTo(d *fake.Desktop, sel string, state desktop.States) {
	d.Set(d.Find(sel), func(e *desktop.Element) { e.States = e.States&^(desktop.Checked|desktop.Indeterminate) | state })
}

func TestValues(t *testing.T) {
	const lists = `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Colour" [at=10,40,200,24]
    - list "" [at=10,70,200,90]
      - listitem "Red" [at=10,70,200,24]
      - listitem "Green" [selected] [at=10,100,200,24]
      - listitem "green tea" [at=10,130,200,24]
`
	const box = `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Green" [at=10,40,200,24]
    - list "" [at=10,70,200,90]
      - listitem "Red" [at=10,70,200,24]
      - listitem "Green" [selected] [at=10,100,200,24]
`
	const mixed = `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - checkbox "Part" [indeterminate] [at=10,40,200,24]
  - checkbox "Both" [indeterminate] [checked] [at=10,80,200,24]
`
	clearing := func(d *fake.Desktop) {
		for _, name := range []string{"name:Part", "name:Both"} {
			n := d.Find(name)
			n.OnClick(func() { d.Set(n, func(e *desktop.Element) { e.States &^= desktop.Indeterminate }) })
		}
	}
	const menus = `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Size" [at=10,40,200,24]
    - menu ""
      - menuitem "Small"
      - menuitem "Large"
  - combobox "Red" [at=10,80,200,24]
    - menu ""
      - menuitem "Red"
      - menuitem "Green" [selected]
`
	for _, p := range []play{
		{say: "an option without a text", kind: SelectOption, screen: lists, args: args("selector", "role:list", "option_name", " "), code: steps.Invalid, err: "wanted the text of the option", acted: steps.ActedNo},
		{say: "the text of a field", kind: SetValue, args: args("selector", "role:entry", "value", "x"), journal: []string{`set text entry "Title" "x"`}, result: map[string]any{"value": "x", "checked": "yes"}},
		{
			say: "the text of a field that cannot be asked for it", kind: SetValue, set: noEditing, args: args("selector", "role:entry", "value", "x"), acted: steps.ActedYes,
			journal: []string{`focus entry "Title"`, "press ctrl+a", "press delete", `type "x"`}, result: map[string]any{"value": "x", "checked": "yes"},
		},
		{
			say: "what would leave a field that cannot be asked for it", kind: SetValue, set: noEditing, args: args("selector", "role:entry", "value", "x\ty"),
			code: steps.NotActionable, err: "use type_into_element", acted: steps.ActedNo,
		},
		{
			say: "what would send the form of a field that cannot be asked for it", kind: SetValue, set: noEditing, args: args("selector", "role:entry", "value", "x\n"),
			code: steps.NotActionable, err: "use type_into_element", acted: steps.ActedNo,
		},
		{say: "a password is checked by its length", kind: SetValue, args: args("selector", "role:password", "value", "geheim"), result: map[string]any{"checked": "yes", "value": nil}},
		{
			say: "a password that does not stay", kind: SetValue, args: args("selector", "role:password", "value", "geheim"), code: steps.Unexpected, err: "the value that was set", acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				n := d.Find("role:password")
				n.OnChange(func(string) { d.Set(n, func(e *desktop.Element) { e.Text = "" }) })
			},
		},
		{say: "the number of a slider", kind: SetValue, args: args("selector", "role:slider", "value", 7.5), journal: []string{`set number slider "Size" 7.5`}, result: map[string]any{"value": "7.5", "checked": "yes"}},
		{say: "a number that does not fit", kind: SetValue, args: args("selector", "role:slider", "value", "11"), code: steps.Invalid, err: "from 0 to 10", acted: steps.ActedNo},
		{say: "a number that is none", kind: SetValue, args: args("selector", "role:slider", "value", "nan"), code: steps.Invalid, err: "from 0 to 10", acted: steps.ActedNo},
		{say: "a text that is no number", kind: SetValue, args: args("selector", "role:slider", "value", "much"), code: steps.Invalid, acted: steps.ActedNo},
		{say: "what takes no text", kind: SetValue, args: args("selector", "name:Save", "value", "x"), code: steps.NotActionable, acted: steps.ActedNo},
		{
			say: "a value that does not stay", kind: SetValue, args: args("selector", "role:entry", "value", "x"), code: steps.Unexpected, err: "the value that was set", acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				n := d.Find("role:entry")
				n.OnChange(func(string) { d.Set(n, func(e *desktop.Element) { e.Text = "Monday" }) })
			},
		},
		{
			say: "a value that does not stay is not a field's own form of it", kind: SetValue, args: args("selector", "role:entry", "value", "x", "accept_reformatted", true), code: steps.Unexpected, err: "the value that was set",
			set: changing(func(string) string { return "Monday" }),
		},
		{
			say: "a value of which a field makes something else", kind: SetValue, args: args("selector", "role:entry", "value", "abc"), set: upper,
			code: steps.Unexpected, err: `it is the string "ABC"; if that is right, set "accept_reformatted": true`, acted: steps.ActedYes,
		},
		{
			say: "a value of which a field may make something else", kind: SetValue, args: args("selector", "role:entry", "value", "abc", "accept_reformatted", true), set: upper,
			result: map[string]any{"checked": "no", "reformatted": true, "value": "ABC"},
		},
		{
			say: "a value that is typed, and of which a field may make something else", kind: SetValue, args: args("selector", "role:entry", "value", "abc", "accept_reformatted", true),
			set: func(d *fake.Desktop) { noEditing(d); upper(d) }, result: map[string]any{"reformatted": true, "value": "ABC"},
		},
		{say: "a checkbox is checked", kind: SetSelected, args: args("selector", "role:checkbox", "state", true), journal: []string{`invoke checkbox "Urgent" toggle`}, result: map[string]any{"changed": true, "state": true, "checked": "yes"}, acted: steps.ActedYes},
		{say: "what is so already is left alone", kind: SetSelected, args: args("selector", "role:checkbox", "state", false), journal: []string{}, result: map[string]any{"changed": false, "checked": "yes"}, acted: steps.ActedNo},
		{say: "a radio button is chosen", kind: SetSelected, args: args("selector", "name:Large", "state", true), result: map[string]any{"changed": true, "checked": "yes"}},
		{say: "a radio button is not switched off", kind: SetSelected, args: args("selector", "name:Small", "state", false), code: steps.NotActionable, err: "another of its group", acted: steps.ActedNo},
		{
			say: "the checkbox in a row is checked", kind: SetSelected, screen: rows, set: boxed, args: args("selector", "role:cell && nth:2", "state", true),
			journal: []string{`invoke cell "" Toggle`}, result: map[string]any{"changed": true, "state": true, "checked": "yes"},
		},
		{
			say: "the checkbox in a row is unchecked", kind: SetSelected, screen: rows, set: boxed, args: args("selector", "role:cell && nth:0", "state", false),
			journal: []string{`invoke cell "" Toggle`}, result: map[string]any{"changed": true, "state": false, "checked": "yes"},
		},
		{say: "a checkbox in a row that is so already", kind: SetSelected, screen: rows, set: boxed, args: args("selector", "role:cell && nth:0", "state", true), journal: []string{}, result: map[string]any{"changed": false, "checked": "yes"}},
		{say: "what cannot be selected", kind: SetSelected, args: args("selector", "name:Save", "state", true), code: steps.NotActionable, acted: steps.ActedNo},
		{say: "an item is selected through its list", kind: SetSelected, screen: lists, args: args("selector", "name:Red", "state", true), journal: []string{`select listitem "Red" true`}, result: map[string]any{"checked": "yes"}},
		{
			say: "what does not answer to its action is clicked", kind: SetSelected, args: args("selector", "role:checkbox", "state", true), set: func(d *fake.Desktop) { d.Fail("Invoke", desktop.ErrRefused, -1) },
			journal: []string{"click 110,112 left"}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes,
		},
		{
			say: "a checkbox that is clicked may move before", kind: SetSelected, args: args("selector", "role:checkbox", "state", true),
			set: func(d *fake.Desktop) {
				d.Fail("Invoke", desktop.ErrRefused, -1)
				d.Delay("ElementAt", 2*time.Millisecond)
				d.After(3*time.Millisecond, func() {
					d.Set(d.Find("role:checkbox"), func(e *desktop.Element) { e.Bounds.Y += 4 })
				})
			},
			journal: []string{"click 110,116 left"}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes,
		},
		{
			say: "a checkbox that moves away under the click is followed", kind: SetSelected, args: args("selector", "role:checkbox", "state", true),
			set: func(d *fake.Desktop) {
				d.Fail("Invoke", desktop.ErrRefused, -1)
				d.Fail("Click", desktop.ErrMoved, 2)
			},
			journal: []string{"click 110,112 left"}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes,
		},
		{
			say: "a checkbox between on and off is not off", kind: SetSelected, screen: mixed, set: clearing, args: args("selector", "name:Part", "state", false),
			journal: []string{`invoke checkbox "Part" toggle`, `invoke checkbox "Part" toggle`}, result: map[string]any{"changed": true, "checked": "yes"},
		},
		{
			say: "nor is it on where its toolkit says both", kind: SetSelected, screen: mixed, set: clearing, args: args("selector", "name:Both", "state", true),
			journal: []string{`invoke checkbox "Both" toggle`, `invoke checkbox "Both" toggle`}, result: map[string]any{"changed": true, "checked": "yes"},
		},
		{
			say: "a checkbox that stays between on and off", kind: SetSelected, screen: mixed, args: args("selector", "name:Part", "state", false), code: steps.Unexpected, err: "the value that was set",
			set: func(d *fake.Desktop) {
				d.Find("name:Part").OnClick(func() { turnTo(d, "name:Part", desktop.Indeterminate) })
			},
			journal: []string{`invoke checkbox "Part" toggle`},
		},
		{
			say: "a click that turns a checkbox between on and off", kind: ClickElement, args: args("selector", "name:Urgent", "restore_cursor", false), result: map[string]any{"checked": "yes"},
			set: func(d *fake.Desktop) {
				d.Find("name:Urgent").OnClick(func() { turnTo(d, "name:Urgent", desktop.Indeterminate) })
			},
		},
		{
			say: "a row is clicked whose own action opens it", kind: SetSelected, screen: files, set: openedByAction, args: args("selector", "name:b.txt", "state", true),
			journal: []string{"click 50,50 left"}, result: map[string]any{"checked": "yes"}, acted: steps.ActedYes,
		},
		{
			say: "a row that cannot be deselected, whose own action opens it", kind: SetSelected, screen: files, args: args("selector", "name:b.txt", "state", false),
			set: func(d *fake.Desktop) {
				openedByAction(d)
				d.Set(d.Find("name:b.txt"), func(e *desktop.Element) { e.States |= desktop.Selected })
			},
			code: steps.NotActionable, err: "cannot be deselected on request", acted: steps.ActedNo, journal: []string{},
		},
		{
			say: "an item of Qt, which offers to be toggled and is selected by that", kind: SetSelected, screen: lists, args: args("selector", "name:Red", "state", true),
			set: func(d *fake.Desktop) {
				d.Fail("Select", desktop.ErrRefused, -1)
				d.Set(d.Find("name:Red"), func(e *desktop.Element) { e.Actions = []string{"Toggle"} })
			},
			journal: []string{`invoke listitem "Red" Toggle`}, result: map[string]any{"changed": true, "checked": "yes"},
		},
		{
			say: "a checkbox that does not obey", kind: SetSelected, args: args("selector", "role:checkbox", "state", true), code: steps.Unexpected, acted: steps.ActedYes,
			set: func(d *fake.Desktop) {
				n := d.Find("role:checkbox")
				n.OnClick(func() { d.Set(n, func(e *desktop.Element) { e.States &^= desktop.Checked }) })
			},
		},
		{
			say: "what only the list of a combo box shows is not chosen", kind: SelectOption, args: args("selector", "role:combobox", "option_name", "Large"), code: steps.Unexpected, err: `does not show "Large"`, acted: steps.ActedYes,
			screen: `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Size" [at=10,40,200,24]
    - button "" [at=10,40,200,24]
      - label "Small" [at=10,40,200,24]
    - list "" [at=10,70,200,90]
      - listitem "" [selected] [at=10,70,200,24]
        - label "Small" [at=10,70,200,24]
      - listitem "" [at=10,100,200,24]
        - label "Large" [at=10,100,200,24]
`,
		},
		{
			say: "an option of an open list of GTK 4 in a Wayland session, where its place is not known", kind: SelectOption, args: args("selector", "role:combobox", "option_name", "Large"),
			screen: `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Size" [at=10,40,200,24]
    - button "" [at=10,40,200,24]
      - label "Small" [at=10,40,200,24]
    - list "" [at=0,0,0,0]
      - listitem "Small" [at=0,0,0,0]
      - listitem "Large" [at=0,0,0,0]
`,
			set: func(d *fake.Desktop) {
				d.OnPress("enter", func() {
					d.Set(d.Find("role:label"), func(e *desktop.Element) { e.Name = "Large" })
					d.Set(d.Find("role:list"), func(e *desktop.Element) { e.States &^= desktop.Showing })
				})
			},
			journal: []string{"press home", "press down", "press enter"}, result: map[string]any{"selected": "Large", "checked": "yes"},
		},
		{say: "an option", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "Red"), journal: []string{`select listitem "Red" true`}, result: map[string]any{"selected": "Red", "checked": "yes"}},
		{say: "an option in other letters", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "RED"), result: map[string]any{"selected": "Red"}},
		{say: "an option that is chosen already", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "Green"), journal: []string{}, acted: steps.ActedNo},
		{say: "an option of a menu, through its combo box; it has a name of its own, so it does not tell", kind: SelectOption, screen: menus, args: args("selector", "name:Size", "option_name", "Large"), journal: []string{`select menuitem "Large" true`}, result: map[string]any{"selected": "Large", "checked": "not_possible"}},
		{say: "an option that is only highlighted in its menu is not chosen", kind: SelectOption, screen: menus, args: args("selector", "role:combobox && name:Red", "option_name", "Green"), code: steps.Unexpected, err: "does not show"},
		{say: "an option that is selected in its list, and that the box does not take", kind: SelectOption, screen: box, args: args("selector", "role:combobox", "option_name", "Red"), code: steps.Unexpected, err: "does not show"},
		{say: "an option that is not there", kind: SelectOption, screen: lists, args: args("selector", "role:combobox", "option_name", "Rad"), code: steps.NotFound, err: "did you mean Red?", acted: steps.ActedNo},
		{
			say: "an option that is called as the combo box is, as the first of a page often is", kind: SelectOption, args: args("selector", "role:combobox", "option_name", "Month"),
			screen: `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Month" [at=10,40,200,24]: "May"
    - list "" [hidden] [at=10,70,200,90]
      - listitem "Month" [at=10,70,200,24]
      - listitem "May" [selected] [at=10,100,200,24]
`,
			set: func(d *fake.Desktop) { // the page takes the choice
				d.After(50*time.Millisecond, func() { d.Set(d.Find("role:combobox"), func(e *desktop.Element) { e.Text = "Month" }) })
			},
			journal: []string{`select listitem "Month" true`},
		},
		{
			say: "a list that was opened for an option that is not there is closed again", kind: SelectOption, args: args("selector", "role:combobox", "option_name", "Huge"),
			screen: `
- frame "Shop" [process=shop] [at=0,0,400,400]
  - combobox "Size" [at=10,40,200,24]
`,
			set: func(d *fake.Desktop) {
				list := fake.Window("", "shop", fake.El("listitem", "Small")).At(10, 70, 200, 90).Popup(true)
				d.Find("role:combobox").OnClick(func() { d.Open(list) })
				d.OnPress("escape", func() { d.Remove(list) })
			},
			code: steps.NotFound, err: `has no option "Huge"`, journal: []string{`invoke combobox "Size" press`, "press escape"},
		},
		{
			say: "an action of a row that shows another by then", kind: InvokeElement, screen: lists, args: args("selector", "name:Red", "highlight_before_action", true), set: renamed("name:Red"),
			code: steps.NotActionable, err: `listitem "Red" in "Shop" shows "Blue" now`, acted: steps.ActedNo,
		},
		{
			say: "a row that shows another by the time that it is selected", kind: SetSelected, screen: lists, args: args("selector", "name:Red", "state", true, "highlight_before_action", true), set: renamed("name:Red"),
			code: steps.NotActionable, err: `listitem "Red" in "Shop" shows "Blue" now`, acted: steps.ActedNo,
		},
		{say: "an action of its own", kind: InvokeElement, args: args("selector", "name:Save"), journal: []string{`invoke button "Save" click`}, acted: steps.ActedYes},
		{say: "an action that it has not", kind: InvokeElement, args: args("selector", "name:Save", "action", "open"), code: steps.NotActionable, err: "only [\"click\"]", acted: steps.ActedNo},
		{say: "an action of what is disabled", kind: InvokeElement, args: args("selector", "name:Delete"), code: steps.NotActionable, acted: steps.ActedNo},
		{
			say: "coming to the front", kind: ActivateElement, args: args("selector", "role:entry"), result: map[string]any{"checked": "yes"}, acted: steps.ActedYes,
			set:     func(d *fake.Desktop) { d.Open(fake.Window("Other", "other")) },
			journal: []string{`activate "Notes"`, `focus entry "Title"`},
		},
		{say: "showing an element", kind: HighlightElement, args: args("selector", "name:Save", "text", "here"), journal: []string{`mark 80x24 at 10,130 "here" for 1s`}, acted: steps.ActedNo},
		{say: "showing it no longer", kind: StopHighlighting, args: args(), journal: []string{"unmark"}},
	} {
		p.run(t)
	}
}

// deaf accepts a number and does not take it.
type deaf struct{ desktop.Actor }

func (a deaf) Do(ctx context.Context, action desktop.Action) error {
	if _, number := action.(desktop.SetNumber); number {
		return nil
	}
	return a.Actor.Do(ctx, action)
}

// A spin button without limits has a range in which every two numbers are near.
func TestANumberThatIsNotTakenIsNoSuccess(t *testing.T) {
	for _, limits := range []string{"-2147483648 to 2147483647", "-1.7e308 to 1.7e308"} {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(fake.MustParse(fmt.Sprintf(`- spinbutton "Amount" [process=shop] [value=3 in %s] [at=10,160,200,24]`, limits))...)
			defer d.Close()
			env := seeing(d)
			env.Desktop.Actor = deaf{env.Desktop.Actor}
			if o := SetValue.Run(t.Context(), env, args("selector", "role:spinbutton", "value", 42.0)); code(o) != steps.Unexpected {
				t.Errorf("in %s: %v, %v", limits, o.Result, o.Err)
			}
		})
	}
}

// page is a part of a page that is scrolled to another place.
const page = `
- frame "Page" [process=page] [at=0,0,400,400]
  - document "Page" [at=0,20,400,380]
    - entry "Name" [hidden] [at=10,30,80,20]
    - checkbox "Agree" [hidden] [at=10,60,80,20]
    - list "Colour" [hidden] [at=10,90,80,60]
      - listitem "Red" [hidden] [at=10,90,80,20]
      - listitem "Green" [hidden] [at=10,110,80,20]
    - button "Send" [hidden] [at=10,160,80,20]
`

// What is scrolled away is brought into view for all that acts, as a user would.
func TestActionsScrollTheirElementIntoView(t *testing.T) {
	for _, p := range []play{
		{say: "to type", kind: TypeIntoElement, args: args("selector", "name:Name", "text_to_type", "Ada"), result: map[string]any{"checked": "yes"}},
		{say: "to press a key", kind: PressKey, args: args("selector", "name:Name", "key", "a")},
		{say: "to check", kind: SetSelected, args: args("selector", "name:Agree", "state", true), result: map[string]any{"checked": "yes"}},
		{say: "to choose", kind: SelectOption, args: args("selector", "name:Colour", "option_name", "Green"), result: map[string]any{"checked": "yes"}},
		{say: "to do its own action", kind: InvokeElement, args: args("selector", "name:Send")},
		{say: "once its page shows", kind: InvokeElement, args: args("selector", "name:Send"), set: func(d *fake.Desktop) {
			document := d.Find("role:document")
			d.Set(document, func(e *desktop.Element) { e.States &^= desktop.Showing })
			d.After(time.Second, func() {
				d.Set(document, func(e *desktop.Element) { e.States |= desktop.Showing })
			})
		}},
		{say: "not to look at it", kind: HighlightElement, args: args("selector", "name:Name"), code: steps.NotFound},
	} {
		p.screen = page
		p.run(t)
	}
}

// slow is a desktop with so much on it that one look takes most of the time of a search.
type slow struct{ desktop.Elements }

func (s slow) Tree(ctx context.Context, scope desktop.Scope) (*desktop.Tree, error) {
	time.Sleep(aim.SearchTime.Std() * 2 / 3)
	return s.Elements.Tree(ctx, scope)
}

func TestSlowLooksStillFindScrolledElements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(page)...)
		defer d.Close()
		env := seeing(d)
		env.Desktop.Elements = slow{env.Desktop.Elements}
		if o := InvokeElement.Run(t.Context(), env, args("selector", "name:Send")); o.Err != nil {
			t.Error(o.Err)
		}
	})
}

// A field that shows its password while it is set stays a password field.
func TestAPasswordRevealedWhileItIsSetIsNotReported(t *testing.T) {
	for _, accept := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(fake.MustParse(notes)...)
			defer d.Close()
			field := d.Find("role:password")
			field.OnChange(func(now string) {
				if now != "hunter2x" {
					d.Set(field, func(e *desktop.Element) { e.Role, e.Text = "entry", "hunter2x" })
				}
			})
			o := SetValue.Run(t.Context(), seeing(d), args("selector", "role:password", "value", "geheim", "accept_reformatted", accept))
			if told := fmt.Sprint(o.Result, o.Err); o.Err == nil || steps.CodeOf(o.Err) != steps.Unexpected || strings.Contains(told, "hunter2") {
				t.Errorf("got %s", told)
			}
		})
	}
}

// What a field makes of a secret may be told by nothing that is stored.
func TestFormattedSecretIsNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.MustParse(notes)...)
		defer d.Close()
		upper(d)
		env := seeing(d)
		env.Secret = func(text string) bool { return strings.Contains(text, "geheim") }
		o := SetValue.Run(t.Context(), env, args("selector", "role:entry", "value", "geheim"))
		if told := fmt.Sprint(o.Result, o.Err); o.Err == nil || strings.Contains(told, "GEHEIM") {
			t.Errorf("got %s", told)
		}
	})
}
