package compile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// update says that the golden files are to be written again.
var update = flag.Bool("update", false, "write the golden files again")

// tape is a recording as it is written by hand.
type tape struct {
	events []recorder.Event
	now    time.Time
	fields map[*recorder.Seen]int
	field  int
}

func newTape(windows ...desktop.Window) *tape {
	t := &tape{now: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC), fields: map[*recorder.Seen]int{}}
	return t.add(recorder.Event{Type: recorder.Begun, Windows: windows})
}

func (t *tape) add(ev recorder.Event) *tape {
	t.now = t.now.Add(50 * time.Millisecond)
	ev.Time = t.now
	t.events = append(t.events, ev)
	return t
}

func (t *tape) wait(d time.Duration) *tape {
	t.now = t.now.Add(d)
	return t
}

// click presses and lets go of a button over an element; with none, nothing
// is known of the place.
func (t *tape) click(e *recorder.Seen, more ...func(*recorder.Event)) *tape {
	t.wait(time.Second)
	return t.clickAgain(e, more...)
}

// clickAgain is a click at once after another.
func (t *tape) clickAgain(e *recorder.Seen, more ...func(*recorder.Event)) *tape {
	ev := recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: e, At: desktop.Point{X: 5, Y: 5}}
	if e != nil {
		ev.At = e.Bounds.Center()
	}
	for _, m := range more {
		m(&ev)
	}
	t.add(ev)
	return t.add(recorder.Event{Type: recorder.Released, Button: ev.Button, At: ev.At})
}

// focus puts the keyboard into a field that holds a value.
func (t *tape) focus(e *recorder.Seen, value string) *tape {
	if t.fields[e] == 0 {
		t.fields[e] = len(t.fields) + 1
	}
	t.field = t.fields[e]
	ev := recorder.Event{Type: recorder.Focused, Field: t.field, Element: e, Value: &value}
	if e.Secret() {
		ev.Value = nil
	}
	return t.add(ev)
}

func (t *tape) types(text string) *tape {
	for _, r := range text {
		t.add(recorder.Event{Type: recorder.Typed, Key: desktop.Key(r), Text: string(r), Field: t.field})
	}
	return t
}

// typesBefore presses keys and types a text into a field that is read only then.
func (t *tape) typesBefore(text string, e *recorder.Seen, value string, chords ...string) *tape {
	keys := t.now
	t.wait(time.Second).focus(e, value)
	end := t.now
	t.now = keys
	t.keys(chords...).types(text)
	t.now = end
	return t
}

// hearsLate types a text that is heard of when the field was read, which held a value.
func (t *tape) hearsLate(text, value string) *tape {
	return t.heardLate(value, func() { t.types(text) })
}

// hears clicks an element, which is heard of when the field was read, which held a value.
func (t *tape) hears(e *recorder.Seen, value string) *tape {
	return t.heardLate(value, func() { t.clickAgain(e) })
}

// heardLate presses keys that are heard of when the field was read, which held a value.
func (t *tape) heardLate(value string, press func()) *tape {
	keys := t.now
	t.wait(time.Second).holds(value)
	end := t.now
	t.now = keys
	press()
	t.now = end
	return t
}

// entersLate presses Enter in the same way.
func (t *tape) entersLate(value string) *tape {
	return t.heardLate(value, func() { t.keys("enter") })
}

func (t *tape) hidden() *tape {
	return t.add(recorder.Event{Type: recorder.Typed, Hidden: true, Field: t.field})
}

// copies takes the clipboard, with the text of a number.
func (t *tape) copies(clip int) *tape {
	return t.add(recorder.Event{Type: recorder.Copied, Clip: clip})
}

func (t *tape) holds(value string) *tape {
	return t.add(recorder.Event{Type: recorder.Held, Field: t.field, Value: &value})
}

// keys presses chords, such as ctrl+s.
func (t *tape) keys(chords ...string) *tape {
	for _, text := range chords {
		all, err := desktop.ParseKeys(text)
		if err != nil {
			panic(err)
		}
		t.add(recorder.Event{Type: recorder.Typed, Key: all[0].Key, Mods: all[0].Mods, Field: t.field})
	}
	return t
}

func (t *tape) edit(e recorder.Edit) *tape {
	return t.add(recorder.Event{Type: recorder.Edited, Edit: &e})
}

// drags presses a button over an element and lets it go over another.
func (t *tape) drags(from *recorder.Seen, at desktop.Point, to *recorder.Seen, end desktop.Point, more ...func(up *recorder.Event)) *tape {
	t.wait(time.Second)
	t.add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: from, At: at, Window: &ledger})
	up := recorder.Event{Type: recorder.Released, Button: desktop.Left, Element: to, At: end}
	for _, m := range more {
		m(&up)
	}
	return t.wait(time.Second).add(up)
}

func (t *tape) chooses(e *recorder.Seen, shows string) *tape {
	return t.add(recorder.Event{Type: recorder.Chosen, Element: e, Value: &shows})
}

// slides drags the thumb of the slider, and lets it go at the last place.
func (t *tape) slides(from, to int) *tape {
	at := func(x int) desktop.Point { return desktop.Point{X: x, Y: 215} }
	t.wait(time.Second).add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: size, At: at(from)})
	return t.add(recorder.Event{Type: recorder.Released, Button: desktop.Left, Element: size, At: at(to)})
}

func (t *tape) changes(e *recorder.Seen, shows string) *tape {
	return t.add(recorder.Event{Type: recorder.Changed, Element: e, Value: &shows})
}

func (t *tape) opens(w desktop.Window, command string) *tape {
	t.add(recorder.Event{Type: recorder.Opened, Window: &w, Command: command})
	if !w.Popup {
		t.add(recorder.Event{Type: recorder.Switched, Window: &w})
	}
	return t
}

func (t *tape) closes(w desktop.Window) *tape {
	return t.add(recorder.Event{Type: recorder.Closed, Window: &w})
}

func (t *tape) switches(w desktop.Window) *tape {
	return t.add(recorder.Event{Type: recorder.Switched, Window: &w})
}

// element is one of the window, found by the selectors.
func element(w desktop.Window, role desktop.Role, name string, place int, selectors ...string) *recorder.Seen {
	e := &recorder.Seen{Element: desktop.Element{
		Role: role, Name: name, Process: w.Process, PID: w.PID, Window: w.ID, WindowTitle: w.Title,
		States: desktop.Enabled | desktop.Showing, Bounds: desktop.Rect{X: 100, Y: 30 * place, W: 80, H: 20},
	}}
	if len(selectors) == 0 {
		selectors = []string{"role:" + string(role) + " && name:" + name}
	}
	for _, s := range selectors {
		e.Selectors = append(e.Selectors, selector.Candidate{Selector: s, Matches: 1})
	}
	return e
}

// bare is an element without selectors.
func bare(role desktop.Role, name string, place int) *recorder.Seen {
	e := element(ledger, role, name, place)
	e.Selectors = nil
	return e
}

// fresh is an element that was not there before.
func fresh(t *recorder.Seen) *recorder.Seen {
	t.New = true
	return t
}

func with(t *recorder.Seen, s desktop.States) *recorder.Seen {
	t.States |= s
	return t
}

func shows(t *recorder.Seen, text string) *recorder.Seen {
	t.Text = text
	return t
}

// moved is an element at another place.
func moved(t *recorder.Seen) *recorder.Seen {
	other := *t
	other.Bounds.Y += 40
	return &other
}

// inPage makes an element one that a page made of another.
func inPage(t *recorder.Seen) *recorder.Seen {
	t.Attributes = map[string]string{"tag": "div"}
	return t
}

// addressBar is that of a browser, in which a person types.
func addressBar() *recorder.Seen {
	t := with(element(browser, "entry", "Address and search bar", 1, "role:entry && name:Address and search bar"), desktop.Editable)
	t.Class = "OmniboxViewViews"
	return t
}

func large(t *recorder.Seen) *recorder.Seen {
	t.Bounds.W, t.Bounds.H = 400, 300
	return t
}

func labelled(t *recorder.Seen, l string) *recorder.Seen {
	t.Label = l
	return t
}

var (
	editor     = desktop.Window{ID: 1, Title: "Untitled 1 - Editor", Process: "editor", PID: 10, Bounds: desktop.Rect{W: 800, H: 600}, Active: true}
	dialog     = desktop.Window{ID: 2, Title: "Save As", Process: "editor", PID: 10, Modal: true}
	ledger     = desktop.Window{ID: 3, Title: "Ledger", Process: "ledger", PID: 20, Bounds: desktop.Rect{W: 800, H: 600}}
	unnamed    = desktop.Window{ID: 50, Title: "*", Bounds: desktop.Rect{W: 800, H: 600}}
	browser    = desktop.Window{ID: 60, Title: "New Tab - Chromium", Process: "chromium", PID: 60, Bounds: desktop.Rect{W: 800, H: 600}, Active: true}
	splash     = desktop.Window{ID: 12, Title: "Loading", Process: "ledger", PID: 20}
	office     = desktop.Window{ID: 13, Title: "Untitled 1", Process: "soffice.bin", PID: 30}
	sheet      = &recorder.Seen{Element: desktop.Element{Role: "document", Name: "Sheet", Process: "soffice.bin", PID: 30, Window: 13, Bounds: desktop.Rect{X: 0, Y: 0, W: 500, H: 500}}, Selectors: []selector.Candidate{{Selector: "role:document", Matches: 1}}}
	cell       = with(element(office, "paragraph", "", 7, "role:paragraph"), desktop.Editable)
	style      = element(ledger, "combobox", "Fusion", 19, "role:combobox && name:Fusion", "role:combobox && rightof:(role:label && name:Style:)")
	plus       = element(ledger, "togglebutton", "+", 18)
	imported   = desktop.Window{ID: 14, Title: "a table.csv - Calc", Process: "soffice.bin", PID: 30}
	menu       = desktop.Window{ID: 9, Process: "editor", PID: 10, Popup: true, Bounds: desktop.Rect{X: 100, Y: 60, W: 200, H: 300}}
	list       = desktop.Window{ID: 10, Process: "ledger", PID: 20, Popup: true, Bounds: desktop.Rect{X: 100, Y: 170, W: 80, H: 200}}
	page       = with(element(editor, "text", "", 1, "role:text"), desktop.Editable|desktop.MultiLine)
	name       = with(element(ledger, "entry", "Name", 1, "role:entry && name:Name", "role:entry && rightof:(role:label && name:Name)"), desktop.Editable)
	mail       = labelled(with(element(ledger, "entry", "", 2, "role:entry && rightof:(role:label && name:Mail)"), desktop.Editable), "Mail:")
	code       = with(element(ledger, "password", "Code", 3), desktop.Editable)
	urgent     = element(ledger, "checkbox", "Urgent", 4)
	country    = element(ledger, "combobox", "Country", 5)
	ok         = element(ledger, "button", "OK", 6)
	copyItem   = element(ledger, "menuitem", "Copy Ctrl+C", 30)
	copyButton = element(ledger, "button", "Copy the name", 31)
	town       = with(element(ledger, "combobox", "Town", 10), desktop.Editable)
	suggest    = inPage(with(element(ledger, "combobox", "Town", 10), desktop.Editable))
	scripted   = inPage(element(ledger, "combobox", "Size Small", 19, "id:size"))
	cardA      = element(ledger, "listitem", "Card A", 13)
	cardB      = element(ledger, "listitem", "Card B", 15)
	canvas     = element(ledger, "canvas", "Map", 17)
	size       = &recorder.Seen{Element: desktop.Element{Role: "slider", Name: "Size", Process: "ledger", PID: 20, Window: 3, Value: &desktop.Range{Max: 100}, Bounds: desktop.Rect{X: 100, Y: 210, W: 80, H: 20}}, Selectors: []selector.Candidate{{Selector: "role:slider", Matches: 1}}}
	weekly     = element(ledger, "radiobutton", "Weekly", 9)
	hourly     = element(ledger, "radiobutton", "Hourly", 10)
	seats      = with(element(ledger, "spinbutton", "Seats", 12), desktop.Editable)
	shell      = element(editor, "terminal", "", 8, "role:terminal")
	cellA3     = element(office, "cell", "A3", 9)
	editedCell = with(element(office, "cell", "A3", 9), desktop.Editable)
	rows       = element(ledger, "table", "Bookings", 7)
)

// atArrow is a click at the right end of an element.
func atArrow(ev *recorder.Event) { ev.At.X += 35 }

// nameless is an element that no selector names, as the button in a combo box of GTK 3 is.
var nameless = &recorder.Seen{Element: desktop.Element{Role: "togglebutton", Process: "ledger", PID: 20, Window: 3}}

// untriedField is a field that was read too late for its selectors to be tried; its name is
// its content.
func untriedField() *recorder.Seen {
	t := shows(element(ledger, "text", "draft", 1), "draft")
	t.Selectors = nil
	return t
}

// scenes are recordings, and the workflows that a person would have written.
var scenes = []struct {
	say  string
	file string
	tape *tape
	with Options
}{
	{
		"each field gets its final value, whatever was corrected on the way", "form",
		newTape(ledger).click(name).focus(name, "").types("Adda").keys("backspace", "backspace").types("a").holds("Ada").
			keys("tab").focus(mail, "").types("ada@example.com").holds("ada@example.com").click(ok),
		Options{Name: "form"},
	},
	{
		"a password is a secret that nobody wrote down", "secret",
		newTape(ledger).click(code).focus(code, "").hidden().keys("enter").closes(ledger),
		Options{Name: "secret"},
	},
	{
		"a step is what the person made of it: taken back, moved, called, noted, a variable, a constant, a secret", "edited",
		newTape(ledger).click(ok).edit(recorder.Edit{Action: recorder.Remove}).
			click(name).focus(name, "").types("Ada").edit(recorder.Edit{Action: recorder.MakeConstant}).
			focus(mail, "").types("ada@example.com").edit(recorder.Edit{Action: recorder.MakeVariable, Text: "Address"}).
			focus(town, "").types("Rome").edit(recorder.Edit{Action: recorder.MakeSecret}).
			click(ok).edit(recorder.Edit{Action: recorder.Rename, Text: "Send it"}).edit(recorder.Edit{Action: recorder.Annotate, Text: "it takes a while\non Mondays"}).
			edit(recorder.Edit{Action: recorder.Move, Step: 5, To: 2}).edit(recorder.Edit{Action: recorder.Remove, Step: 77}).edit(recorder.Edit{Action: recorder.Move, Step: 1}),
		Options{Name: "edited"},
	},
	{
		"what the person says is right is not uncertain any more", "confirmed",
		newTape(ledger).click(&recorder.Seen{Element: desktop.Element{Role: "button", Name: "Go", Process: "ledger", PID: 20, Window: 3}}).edit(recorder.Edit{Action: recorder.Confirm}).
			click(&recorder.Seen{Element: desktop.Element{Role: "button", Name: "Stop", Process: "ledger", PID: 20, Window: 3}}),
		Options{Name: "confirmed"},
	},
	{
		"what was pasted, completed or replaced counts as it stands in the end", "paste",
		newTape(ledger).focus(name, "old").keys("ctrl+a", "ctrl+v").holds("Lovelace, Ada").keys("enter"),
		Options{Name: "paste"},
	},
	{
		"what a field offered and keys chose is its value, and Enter that chose it is no step", "completed",
		newTape(ledger).focus(town, "").types("Re").holds("Re").keys("down").holds("Re").keys("enter").holds("Reykjavik").click(ok).
			focus(name, "").types("Ad").holds("Ad").keys("down").holds("Ada").keys("enter").closes(ledger),
		Options{Name: "completed"},
	},
	{
		"what a field offered and a click chose is its value", "completed_by_click",
		newTape(ledger).click(town).opens(menu, "").focus(town, "").types("Re").holds("Re").click(element(ledger, "listitem", "Reykjavik", 11)).closes(menu).holds("Reykjavik").click(ok),
		Options{Name: "completed_by_click"},
	},
	{
		"what is chosen in a list of a page is clicked, and reached by keys, since a script may do more than fill the field", "in_page",
		newTape(ledger).focus(suggest, "").types("Re").holds("Re").hears(inPage(element(ledger, "listitem", "Reykjavik", 11)), "Reykjavik").holds("Reykjavik").
			focus(suggest, "Reykjavik").types("Os").holds("ReykjavikOs").keys("down").holds("Oslo").keys("enter").holds("Oslo").
			click(scripted).click(inPage(element(ledger, "listitem", "Large", 12))).changes(scripted, "Size Large").
			focus(scripted, "").keys("down").focus(inPage(element(ledger, "listitem", "Small", 13)), "").keys("down", "enter").click(ok),
		Options{Name: "in_page"},
	},
	{
		"text after a click that leaves the keyboard in its field is typed where the caret is, whatever blanks the field has", "goes_on",
		newTape(editor).focus(page, "").types("dear ").holds("dear\u00a0").click(element(editor, "button", "Bold", 8)).holds("dear\u00a0").
			types("friend").holds("dear friend").click(ok).focus(page, "dear friend").types("!").holds("dear friend!").click(ok).
			add(recorder.Event{Type: recorder.Typed, Key: "x", Text: "x"}),
		Options{Name: "goes_on"},
	},
	{
		"keys for elements that no selector names are pressed by way of the Tabs that led there", "tabs",
		newTape(ledger).focus(name, "").types("Ada").holds("Ada").keys("tab").focus(nameless, "").keys("down", "tab").
			focus(with(nameless, desktop.Focusable), "").keys("down").keys("tab").focus(ok, "").keys("space"),
		Options{Name: "tabs"},
	},
	{
		"Tab is pressed before text and keys for an element that their step does not find", "tabs_kept",
		newTape(ledger).focus(name, "").types("Ada").holds("Ada").keys("tab").focus(nameless, "").types("oat").keys("tab").types("milk").
			focus(name, "Ada").types(" L").holds("Ada L").keys("tab").focus(ok, "").keys("ctrl+s"),
		Options{Name: "tabs_kept"},
	},
	{
		"Tab is pressed again where it leaves the keyboard, as in a shell and a document, and to leave the last field", "tabs_in_place",
		newTape(editor).focus(shell, "").types("cd pro").keys("tab").keys("enter").
			focus(page, "").types("one").holds("one").keys("tab").holds("one\t").types("two").holds("one\ttwo").
			switches(ledger).focus(name, "").types("Ada").holds("Ada").keys("tab").focus(ok, ""),
		Options{Name: "tabs_in_place"},
	},
	{
		"what was selected, and where the caret went, stays so for what is done then", "selection",
		newTape(editor).focus(page, "").types("eggs").keys("enter").types("milk").holds("eggs\nmilk").keys("shift+home").keys("ctrl+b").
			wait(time.Second).keys("home", "shift+end").click(element(editor, "button", "Italic", 8)).
			wait(time.Second).keys("ctrl+home").click(element(editor, "button", "Insert date", 9)).
			switches(ledger).focus(name, "").types("Ada").holds("Ada").keys("home").click(ok).
			focus(name, "Ada").keys("home").keys("ctrl+u").
			focus(name, "Ada").types(" L").holds("Ada L").keys("ctrl+a", "ctrl+c").keys("tab").focus(mail, "").keys("ctrl+v").holds("Ada L"),
		Options{Name: "selection"},
	},
	{
		"arrows that change nothing in a field are pressed again, and a number that they turn is its value", "arrows",
		newTape(ledger).focus(name, "").types("Ada").holds("Ada").keys("down").holds("Ada").click(ok).
			focus(with(element(ledger, "spinbutton", "Seats", 12), desktop.Editable), "1").keys("up", "up").holds("3").click(ok),
		Options{Name: "arrows"},
	},
	{
		"an address that is typed into the address bar is opened, in a new tab if one was opened for it", "navigate",
		newTape(browser).keys("ctrl+l").focus(addressBar(), "").types("example.org/shop").holds("example.org/shop").keys("enter").
			keys("ctrl+t").focus(addressBar(), "").types("http://localhost:8080/a?b=c").holds("http://localhost:8080/a?b=c").keys("enter").
			keys("ctrl+l").focus(addressBar(), "").types("cheap shoes").holds("cheap shoes").keys("enter"),
		Options{Name: "navigate"},
	},
	{
		"a text is written, and saved under a name in a dialog", "save",
		newTape(editor).focus(page, "").types("Dear Ms Noether,").keys("enter").types("thanks").holds("Dear Ms Noether,\nthanks").keys("ctrl+s").opens(dialog, "").
			focus(with(element(dialog, "entry", "Name", 1), desktop.Editable), "").types("letter.txt").holds("letter.txt").
			click(element(dialog, "button", "Save", 2)).closes(dialog),
		Options{Name: "save", Description: "Writes a letter and saves it."},
	},
	{
		"check boxes, radio buttons and combo boxes are set, not clicked", "choices",
		newTape(ledger).click(urgent).click(with(element(ledger, "checkbox", "Paid", 8), desktop.Checked)).click(element(ledger, "radiobutton", "Weekly", 9)).
			click(country).opens(menu, "").click(element(ledger, "menuitem", "Iceland", 10)),
		Options{Name: "choices"},
	},
	{
		"clicks: double, triple, right, with keys held, and where in a picture", "clicks",
		newTape(ledger).click(rows).clickAgain(rows).click(name).clickAgain(name).clickAgain(name).
			click(ok, func(ev *recorder.Event) { ev.Button = desktop.Right }).
			click(ok, func(ev *recorder.Event) { ev.Mods = []desktop.Key{desktop.Ctrl} }).
			click(element(ledger, "canvas", "Map", 11), func(ev *recorder.Event) { ev.At = desktop.Point{X: 120, Y: 345} }),
		Options{Name: "clicks"},
	},
	{
		"a field whose selectors were not tried is named by its label", "untried",
		newTape(ledger).focus(labelled(with(untriedField(), desktop.Editable), "Name:"), "").types("Ada").holds("Ada").click(ok),
		Options{Name: "untried"},
	},
	{
		"a click in a part of the window whose content is not known, and on a day of a calendar, keeps its place", "places",
		newTape(ledger).click(element(ledger, "filler", "Characters", 11), func(ev *recorder.Event) { ev.At = desktop.Point{X: 120, Y: 345} }).
			click(element(ledger, "calendar", "Date", 12), func(ev *recorder.Event) { ev.At = desktop.Point{X: 170, Y: 363} }),
		Options{Name: "places"},
	},
	{
		"a click and a drag in what draws itself keep its size, and the picture of their place", "drawn",
		newTape(ledger).click(large(element(ledger, "filler", "Characters", 2)), func(ev *recorder.Event) { ev.Picture = "1.png" }).
			click(element(ledger, "canvas", "Map", 14, "role:canvas && nth:1"), func(ev *recorder.Event) { ev.Picture, ev.Window = "2.png", &ledger }).
			drags(canvas, desktop.Point{X: 140, Y: 515}, canvas, desktop.Point{X: 160, Y: 515}).
			click(canvas, func(ev *recorder.Event) {
				ev.Picture, ev.PictureAt = "3.png", desktop.Point{X: ev.At.X + 4, Y: ev.At.Y}
			}).
			wait(time.Second).add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, At: desktop.Point{X: 10, Y: 20}, Window: &ledger, Picture: "4.png", PictureAt: desktop.Point{X: 14, Y: 20}}).
			add(recorder.Event{Type: recorder.Released, Button: desktop.Left, At: desktop.Point{X: 40, Y: 50}}),
		Options{Name: "drawn", Pictures: "drawn.pictures"},
	},
	{
		"a button that is pressed quickly is pressed as often", "presses",
		newTape(ledger).click(ok).clickAgain(ok),
		Options{Name: "presses"},
	},
	{
		"a wheel that turns on is one step, and one that turns back another", "wheel",
		newTape(ledger).add(recorder.Event{Type: recorder.Turned, DY: 1, Element: rows}).add(recorder.Event{Type: recorder.Turned, DY: 1, Element: rows}).add(recorder.Event{Type: recorder.Turned, DY: 1, Element: rows}).
			add(recorder.Event{Type: recorder.Turned, DY: -1, Element: rows}).wait(time.Second).add(recorder.Event{Type: recorder.Turned, DY: -1, Element: rows}),
		Options{Name: "wheel"},
	},
	{
		"menus: what was clicked, and a rest only where it opened something", "menus",
		newTape(editor).click(element(editor, "menu", "File", 1)).opens(menu, "").wait(time.Second).
			add(recorder.Event{Type: recorder.Rested, Element: element(editor, "menu", "Open Recent", 2)}).wait(200*time.Millisecond).
			opens(desktop.Window{ID: 10, Process: "editor", PID: 10, Popup: true, Bounds: desktop.Rect{X: 90, Y: 90, W: 200, H: 300}}, "").
			click(element(editor, "menuitem", "letter.txt", 4)),
		Options{Name: "menus"},
	},
	{
		"a menu that opens late under the pointer was opened by the click", "opened_late",
		newTape(editor).click(element(editor, "menu", "File", 1)).add(recorder.Event{Type: recorder.Rested, Element: element(editor, "menu", "File", 1)}).
			wait(700*time.Millisecond).opens(menu, "").click(element(editor, "menuitem", "Save", 3)),
		Options{Name: "opened_late"},
	},
	{
		"a rest that only showed a tooltip is nothing", "tooltip",
		newTape(ledger).add(recorder.Event{Type: recorder.Rested, Element: ok}).opens(desktop.Window{ID: 11, Process: "ledger", PID: 20, Popup: true, Bounds: desktop.Rect{X: 500, Y: 500, W: 50, H: 20}}, "").click(ok),
		Options{Name: "tooltip"},
	},
	{
		"programs are started by their command, and windows switched to", "programs",
		newTape(editor).click(nil, func(ev *recorder.Event) { ev.Window = &desktop.Window{ID: 77, Popup: true} }).
			opens(ledger, "ledger --book 'this year'").focus(name, "").types("Ada").holds("Ada").
			keys("alt+tab").switches(editor).wait(7*time.Second).focus(page, "").types("Ada").holds("Ada").
			switches(ledger).click(ok),
		Options{Name: "programs"},
	},
	{
		"a program is started with its files and addresses as variables, and its further windows are no further start", "starts",
		newTape(editor).opens(splash, "ledger --book 'this year' --home=/home/me/.ledger '/home/me/my books/' https://books.example/?year=1").closes(splash).
			wait(time.Second).opens(ledger, "ledger --book 'this year'").focus(name, "").types("Ada").holds("Ada").closes(ledger).opens(ledger, "ledger").
			opens(office, "soffice '/home/me/a table.csv'").click(element(office, "button", "OK", 6)).opens(imported, ""),
		Options{Name: "starts"},
	},
	{
		"what is typed into no field has its Enter, as a calculator takes it", "typed_anywhere",
		newTape(ledger).click(ok).focus(element(ledger, "button", "7", 6), "").types("12*34").keys("enter").wait(time.Second).keys("enter"),
		Options{Name: "typed_anywhere"},
	},
	{
		"a window is known by the title that it gets and by the program that it had", "titled_late",
		newTape(ledger).click(ok).opens(desktop.Window{ID: 12, Title: "Reading", Process: "ledger", PID: 20}, "").switches(desktop.Window{ID: 12, Title: "Report", Process: "ledger", PID: 20}).
			click(element(desktop.Window{ID: 12, Title: "Report", Process: "ledger", PID: 20}, "button", "Done", 6)).closes(desktop.Window{ID: 12, Title: "Report", PID: 20}),
		Options{Name: "titled_late"},
	},
	{
		"a choice by keys, in an open list and in a closed one, is a choice", "choice_by_keys",
		newTape(ledger).click(country).opens(menu, "").keys("down").keys("down").chooses(country, "Iceland").keys("enter").closes(menu).
			focus(urgent, "").keys("space").chooses(urgent, "on").focus(country, "").keys("down").chooses(country, "Kenya").keys("tab").click(ok),
		Options{Name: "choice_by_keys"},
	},
	{
		"a blank that opens the list of a combo box, and a letter that finds an option, are a choice", "choice_by_letter",
		newTape(ledger).focus(country, "").add(recorder.Event{Type: recorder.Typed, Key: "space", Text: " ", Field: 1}).opens(menu, "").
			keys("down", "enter").closes(menu).chooses(country, "Iceland").wait(time.Second).focus(urgent, "").keys("space").chooses(urgent, "on").focus(country, "").
			add(recorder.Event{Type: recorder.Typed, Key: "k", Text: "K", Mods: []desktop.Key{desktop.Shift}, Field: 1}).chooses(country, "Kenya").click(ok),
		Options{Name: "choice_by_letter"},
	},
	{
		"a radio button that another of its group takes over from is not switched off", "choice_in_group",
		newTape(ledger).focus(weekly, "").keys("down").chooses(weekly, "off").focus(hourly, "").keys("up").chooses(hourly, "off").focus(weekly, "").keys("space").chooses(weekly, "on").click(ok),
		Options{Name: "choice_in_group"},
	},
	{
		"keys that went to the list, and to its combo box, are one choice", "choice_in_list",
		newTape(ledger).click(country).opens(menu, "").focus(element(ledger, "menuitem", "Chile", 10), "").keys("down").
			focus(country, "").keys("enter").chooses(country, "Iceland").closes(menu).click(ok),
		Options{Name: "choice_in_list"},
	},
	{
		"a key that is told of after the value that it chose is that choice, and one that changed nothing is no step", "choice_told_late",
		newTape(ledger).click(country).opens(list, "").wait(300*time.Millisecond).chooses(country, "Iceland").closes(list).focus(country, "").wait(-300 * time.Millisecond).keys("down").
			wait(time.Second).keys("down").click(ok),
		Options{Name: "choice_told_late"},
	},
	{
		"scrolling that only brought the next element into view is no step, unless the list grew by it", "revealed",
		newTape(ledger).add(recorder.Event{Type: recorder.Turned, DY: 3, Element: rows}).wait(time.Second).add(recorder.Event{Type: recorder.Turned, DY: -1, Element: rows}).click(ok).
			add(recorder.Event{Type: recorder.Turned, DY: 3, Element: rows}).click(fresh(element(ledger, "button", "Later", 14))).
			add(recorder.Event{Type: recorder.Turned, DY: 1, Element: canvas}).click(ok).
			click(country).chooses(country, "Iceland").add(recorder.Event{Type: recorder.Turned, DY: 3, Element: country}).click(ok),
		Options{Name: "revealed"},
	},
	{
		"a field is typed into once, wherever it was clicked and whatever was selected in it", "refocused",
		newTape(ledger, office).click(name).focus(moved(name), "").types("Ada").holds("Ada").
			drags(mail, desktop.Point{X: 110, Y: 65}, mail, desktop.Point{X: 150, Y: 65}).focus(mail, "x@y").types("z").holds("z").
			click(sheet).focus(cell, "").types("12").holds("12").click(ok),
		Options{Name: "refocused"},
	},
	{
		"a choice that is seen before its click is one choice", "choice_early",
		newTape(ledger).click(country).opens(menu, "").chooses(country, "Iceland").click(element(ledger, "menuitem", "Iceland", 10)).closes(menu).click(ok),
		Options{Name: "choice_early"},
	},
	{
		"a click in the open list replaces the choice of an option that was only highlighted", "choice_highlighted",
		newTape(ledger).click(country).opens(list, "").chooses(country, "Chile").click(element(ledger, "menuitem", "Iceland", 10)).closes(list).chooses(country, "Iceland").click(ok),
		Options{Name: "choice_highlighted"},
	},
	{
		"a click where no list is open any more is no choice", "choice_made",
		newTape(ledger).click(country).opens(list, "").chooses(country, "Chile").closes(list).click(element(ledger, "listitem", "Iceland", 10)).chooses(country, "Iceland"),
		Options{Name: "choice_made"},
	},
	{
		"what a person waited for is waited for", "wait",
		newTape(ledger).click(ok).wait(8 * time.Second).click(fresh(element(ledger, "button", "Accept", 11))).
			click(fresh(element(ledger, "button", "Print", 12))).wait(8 * time.Second).click(ok).wait(time.Second).click(fresh(element(ledger, "button", "Next", 14))),
		Options{Name: "wait"},
	},
	{
		"a text that a person waited for is waited for, wherever it was before that", "wait_text",
		newTape(ledger).click(ok).wait(8*time.Second).changes(element(ledger, "statusbar", "All is sent", 18, "id:status", "role:statusbar && name:All is sent"), "All is sent").click(urgent).
			wait(8*time.Second).changes(element(ledger, "label", "Agreed", 19), "Agreed").focus(name, "").types("Ada").wait(8*time.Second).
			changes(element(ledger, "statusbar", "Saved", 18, "id:status"), "Saved").keys("ctrl+s"),
		Options{Name: "wait_text"},
	},
	{
		"what is known by no element is known by its picture", "picture",
		newTape(ledger).click(nil, func(ev *recorder.Event) { ev.Window, ev.Picture = &ledger, "1.png" }).
			click(&recorder.Seen{Element: ok.Element, Selectors: []selector.Candidate{{Selector: "role:button && nth:2", Matches: 1}}}, func(ev *recorder.Event) { ev.Window, ev.Picture = &ledger, "2.png" }).
			click(&recorder.Seen{Element: ok.Element, Selectors: []selector.Candidate{{Selector: "role:button && name:OK", Matches: 2}}}, func(ev *recorder.Event) { ev.Window = &ledger }).
			click(ok, func(ev *recorder.Event) { ev.Picture = "3.png" }).
			click(nil, func(ev *recorder.Event) { ev.Window, ev.Picture, ev.At = &menu, "4.png", desktop.Point{X: 110, Y: 80} }).
			click(nil, func(ev *recorder.Event) {
				ev.Window, ev.Picture = &desktop.Window{ID: 77, Popup: true, Bounds: desktop.Rect{W: 800, H: 600}}, "5.png"
			}),
		Options{Name: "picture", Pictures: "picture.pictures"},
	},
	{
		"a check box and an item of a menu that are known by no certain selector are not clicked at a point instead", "uncertain",
		newTape(ledger).click(&recorder.Seen{Element: urgent.Element, Selectors: []selector.Candidate{{Selector: "role:checkbox", Matches: 2}}}, func(ev *recorder.Event) { ev.Window, ev.Picture, ev.At = &ledger, "1.png", desktop.Point{X: 5, Y: 5} }).
			click(&recorder.Seen{Element: desktop.Element{Role: "menuitem", Name: "Send", Process: "ledger", PID: 20, Window: 3}}, func(ev *recorder.Event) { ev.Window, ev.At = &ledger, desktop.Point{X: 5, Y: 5} }),
		Options{Name: "uncertain", Pictures: "uncertain.pictures"},
	},
	{
		"a slider is set, however it was moved", "slider",
		newTape(ledger).click(size).chooses(size, "55").focus(size, "").keys("right", "right").chooses(size, "57").
			add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: size, At: desktop.Point{X: 110, Y: 215}}).
			add(recorder.Event{Type: recorder.Released, Button: desktop.Left, At: desktop.Point{X: 160, Y: 215}}).chooses(size, "80.5").click(ok),
		Options{Name: "slider"},
	},
	{
		"a slider is set that says so only when the person goes on", "slider_late",
		newTape(ledger).add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: size, At: desktop.Point{X: 110, Y: 215}}).
			add(recorder.Event{Type: recorder.Released, Button: desktop.Left, At: desktop.Point{X: 160, Y: 215}}).click(ok).chooses(size, "80.5").
			add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: size, At: desktop.Point{X: 160, Y: 215}}).
			add(recorder.Event{Type: recorder.Released, Button: desktop.Left, At: desktop.Point{X: 120, Y: 215}}).focus(name, "").types("Ad").chooses(size, "12").types("a").click(ok),
		Options{Name: "slider_late"},
	},
	{
		"a slider is set to what is reported last, if that is where it was let go", "slider_twice",
		newTape(ledger).slides(110, 160).chooses(size, "33").click(ok).chooses(size, "75").click(ok).
			slides(160, 120).wait(time.Second).chooses(size, "50").focus(name, "").types("Ad").chooses(size, "25").types("a").click(ok),
		Options{Name: "slider_twice"},
	},
	{
		"what a button sets a slider to afterwards is no part of the slide", "slider_reset",
		newTape(ledger).slides(110, 160).chooses(size, "75").click(ok).chooses(size, "0").
			focus(size, "").keys("right", "right").chooses(size, "2").click(ok).chooses(size, "0"),
		Options{Name: "slider_reset"},
	},
	{
		"what a button does it does when it is let go", "let_go",
		newTape(editor, dialog).wait(time.Second).add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: element(dialog, "button", "Save", 2)}).closes(dialog).
			add(recorder.Event{Type: recorder.Released, Button: desktop.Left}),
		Options{Name: "let_go"},
	},
	{
		"a field that does not show all yet is not taken for one that holds less", "lag",
		newTape(ledger).focus(name, "").types("Ada Lovelace").holds("Ada Lo").click(ok).
			focus(mail, "").types("12345678").wait(time.Second).holds("12345").click(ok),
		Options{Name: "lag"},
	},
	{
		"a drag goes from an element to another, inside one, or some way from one", "drag",
		newTape(ledger).
			drags(cardA, desktop.Point{X: 120, Y: 402}, cardB, desktop.Point{X: 160, Y: 461}).
			drags(cardA, desktop.Point{X: 102, Y: 402}, cardB, desktop.Point{X: 178, Y: 461}).
			drags(canvas, desktop.Point{X: 110, Y: 515}, canvas, desktop.Point{X: 150, Y: 516}).
			drags(cardA, desktop.Point{X: 140, Y: 401}, nil, desktop.Point{X: 700, Y: 405}).
			drags(nil, desktop.Point{X: 10, Y: 20}, nil, desktop.Point{X: 400, Y: 300}).
			drags(nil, desktop.Point{X: 400, Y: 5}, nil, desktop.Point{X: 900, Y: 705}).
			drags(nil, desktop.Point{X: 10, Y: 20}, nil, desktop.Point{X: 400, Y: 300}, func(up *recorder.Event) { up.Window = &editor }).
			drags(nil, desktop.Point{X: 10, Y: 20}, nil, desktop.Point{X: 30, Y: 300}, func(up *recorder.Event) { up.Window = &menu }),
		Options{Name: "drag"},
	},
	{
		"a place beside where an element was is no place in it", "beside",
		newTape(ledger).click(canvas, func(ev *recorder.Event) { ev.At = desktop.Point{X: 90, Y: 515} }).
			drags(cardA, desktop.Point{X: 99, Y: 402}, cardB, desktop.Point{X: 160, Y: 461}).
			drags(cardA, desktop.Point{X: 140, Y: 402}, cardB, desktop.Point{X: 160, Y: 481}),
		Options{Name: "beside"},
	},
	{
		"keys that are held while the wheel turns or something is dragged make another act of it", "held_keys",
		newTape(ledger).add(recorder.Event{Type: recorder.Turned, DY: 1, Element: rows}).add(recorder.Event{Type: recorder.Turned, DY: 1, Element: rows, Mods: []desktop.Key{desktop.Ctrl}}).
			add(recorder.Event{Type: recorder.Turned, DY: 1, Element: rows, Mods: []desktop.Key{desktop.Ctrl}}).click(ok).
			add(recorder.Event{Type: recorder.Pressed, Button: desktop.Left, Element: cardA, At: desktop.Point{X: 140, Y: 400}, Mods: []desktop.Key{desktop.Ctrl, desktop.Shift}}).
			add(recorder.Event{Type: recorder.Released, Button: desktop.Left, Element: cardB, At: desktop.Point{X: 140, Y: 460}}),
		Options{Name: "held_keys"},
	},
	{
		"what has only a blank for a name, or none, is told by something else, or said to be missing", "nameless",
		newTape(ledger, unnamed).click(&recorder.Seen{Element: desktop.Element{Role: "link", Name: "\u00a0", Process: "ledger", PID: 20, Window: 3}}).
			click(country).opens(list, "").click(element(ledger, "menuitem", "Chile", 10)).closes(list).chooses(country, "\u00a0").
			wait(8*time.Second).changes(element(ledger, "statusbar", "Status", 18), " ").click(element(unnamed, "button", "Go", 2)).
			opens(desktop.Window{ID: 51, Title: "Remote", Bounds: unnamed.Bounds}, "").click(element(desktop.Window{ID: 51, Title: "Remote"}, "button", "OK", 3)).
			add(recorder.Event{Type: recorder.Asserted, Element: ok, Value: new("")}),
		Options{Name: "nameless"},
	},
	{
		"a click with the right button in the field that is typed into is a click", "context_menu",
		newTape(ledger).click(name).focus(name, "").types("Ada").holds("Ada").click(name, func(ev *recorder.Event) { ev.Button = desktop.Right }).opens(menu, "").
			click(element(ledger, "menuitem", "Select All", 5)).closes(menu).keys("ctrl+x").holds("").click(ok),
		Options{Name: "context_menu"},
	},
	{
		"a click on what has the name of the option that was chosen is a click, and so is one when the list is closed", "list_closed",
		newTape(ledger).click(country).opens(list, "").chooses(country, "Iceland").closes(list).click(element(ledger, "cell", "Iceland", 20)).
			focus(country, "").keys("down").chooses(country, "Kenya").click(element(ledger, "cell", "Kenya", 21)).
			click(country).opens(list, "").click(country).closes(list).click(element(ledger, "listitem", "Card A", 8)).
			click(country).opens(list, "").click(element(ledger, "listitem", "Card B", 20)).closes(list),
		Options{Name: "list_closed"},
	},
	{
		"a click on what was typed already completes nothing", "completed_already",
		newTape(ledger).click(name).focus(name, "").types("Apple pie").click(element(ledger, "listitem", "Apple", 20)).holds("Apple pie").
			focus(mail, "").types("ada").holds("ada").click(element(ledger, "listitem", "ada", 21)).holds("ada").
			focus(town, "").types("Rome").opens(list, "").holds("Rome").click(element(ledger, "listitem", "Rome", 10)).closes(list).holds("Rome").click(ok),
		Options{Name: "completed_already"},
	},
	{
		"a number that the arrows of its field turn, and what the middle button pastes, is the value of the field", "turned",
		newTape(ledger).click(seats, atArrow).focus(seats, "1").holds("2").click(seats, atArrow).holds("3").clickAgain(seats, atArrow).holds("4").
			click(mail, func(ev *recorder.Event) { ev.Button = desktop.Middle }).focus(mail, "").holds("ada@example.com").
			click(name).focus(name, "Ada").holds("Ada").click(seats).focus(seats, "4").holds("4").click(ok).
			click(town, atArrow).click(seats, atArrow),
		Options{Name: "turned"},
	},
	{
		"keys whose effect nobody could read are pressed again, or their text is uncertain", "unread",
		newTape(ledger).focus(name, "old").keys("ctrl+v").click(ok).focus(name, "old").types("X").click(ok).
			focus(mail, "a@b").keys("home").click(ok).focus(mail, "").keys("ctrl+a", "ctrl+c").click(ok).
			focus(town, "Rome").keys("ctrl+z").wait(600 * time.Millisecond).holds("Rome").click(ok),
		Options{Name: "unread"},
	},
	{
		"what was closed while the recording was paused is not there any more", "paused",
		newTape(editor, ledger, splash).click(ok).add(recorder.Event{Type: recorder.Paused}).add(recorder.Event{Type: recorder.Begun, Windows: []desktop.Window{editor, ledger}}).
			click(element(editor, "button", "Save", 2)).click(ok).opens(splash, "").closes(splash),
		Options{Name: "paused"},
	},
	{
		"where nothing is known there is a point, and a warning", "unknown",
		newTape(ledger).click(nil, func(ev *recorder.Event) { ev.Window = &ledger }).add(recorder.Event{Type: recorder.Typed, Hidden: true}),
		Options{Name: "unknown"},
	},
	{
		"a selector that was not unique, and one that would be another tomorrow", "doubt",
		newTape(ledger).click(&recorder.Seen{Element: ok.Element, Selectors: []selector.Candidate{{Selector: "role:button && name:OK", Matches: 2}}}).
			click(element(ledger, "row", "3 minutes ago", 12, "name:3 minutes ago", "role:row && nth:2")),
		Options{Name: "doubt"},
	},
	{
		"selectors that are found later are for their own element, not for another that had its place, and replace all earlier ones", "selectors_late",
		newTape(ledger).click(bare("button", "Next", 6)).click(bare("button", "Finish", 6)).add(recorder.Event{Type: recorder.Asserted, Element: bare("label", "Done", 7)}).
			add(recorder.Event{Type: recorder.Named, Element: element(ledger, "button", "Finish", 6)}).
			add(recorder.Event{Type: recorder.Named, Element: element(ledger, "button", "Next", 6)}).
			add(recorder.Event{Type: recorder.Named, Element: element(ledger, "label", "Done", 7, "id:done")}).
			click(element(ledger, "button", "Open", 8, "role:button && name:Open", "id:open", "role:button && rightof:(name:File)")).
			click(element(ledger, "button", "Close", 8)).
			add(recorder.Event{Type: recorder.Narrowed, Element: element(ledger, "button", "Open", 8, "role:toolbar && name:Open")}),
		Options{Name: "selectors_late"},
	},
	{
		"what a person would call an element: not by the toolkit's names, nor by what stood in it, and in another way at most twice", "names",
		newTape(ledger, office).
			click(element(ledger, "button", "Save", 2, "role:panel && name:AdwGizmo >> role:button", "role:dialog && name:File Chooser Widget >> role:button && name:Save", "role:button && name:Save")).
			focus(shows(with(element(ledger, "text", "12×34", 3, "role:text && name:12×34", "role:text"), desktop.Editable), "12×34"), "12×34").types("5").holds("12×345").
			click(element(ledger, "button", "Send", 5, "id:send", "role:button && id:send", "role:button && name:Send", "role:toolbar && name:Mail >> role:button && name:Send", "role:button && below:(role:label && name:Ready)", "role:button && nth:3")).
			click(element(office, "button", "Bold", 5)).
			click(style).opens(list, "").chooses(style, "Windows").closes(list),
		Options{Name: "names"},
	},
	{
		"what is typed where there is no field is a variable too, and no template", "typed",
		newTape(ledger).focus(canvas, "").types("12*34 {{ x }}").wait(9 * time.Second).click(ok),
		Options{Name: "typed"},
	},
	{
		"values stay in their steps when that is wanted, and text is no template", "literal",
		newTape(ledger).focus(name, "").types("${{ x }}").holds("${{ x }}").keys("enter"),
		Options{Name: "literal", Literal: true},
	},
	{
		"an element that the person said must be there", "assert",
		newTape(ledger).add(recorder.Event{Type: recorder.Asserted, Element: ok}).click(ok),
		Options{Name: "assert"},
	},
	{
		"the person checks what an element shows", "assert_text",
		newTape(ledger).add(recorder.Event{Type: recorder.Asserted, Element: ok, Value: new("Pay {{ now }}")}).click(ok),
		Options{Name: "assert_text"},
	},
	{
		"the person checks the state of a check box, and the number of a slider", "assert_state",
		newTape(ledger).add(recorder.Event{Type: recorder.Asserted, Element: urgent, Value: new("off")}).
			add(recorder.Event{Type: recorder.Asserted, Element: element(ledger, "radiobutton", "Weekly", 9), Value: new("on")}).
			add(recorder.Event{Type: recorder.Asserted, Element: size, Value: new("55.5")}),
		Options{Name: "assert_state"},
	},
	{
		"keys on a list, and shortcuts of a program", "keys",
		newTape(ledger).focus(rows, "").keys("down", "down", "enter").keys("ctrl+shift+n", "f5", "escape"),
		Options{Name: "keys"},
	},
	{
		"a click on a key that has the keyboard then, before more is typed, is a click", "keypad",
		newTape(ledger).focus(canvas, "").types("12").click(plus).focus(plus, "").types("30").click(ok),
		Options{Name: "keypad"},
	},
	{
		"what is copied in one program and pasted into another is what the one holds then", "copied",
		newTape(ledger, editor).focus(name, "Ada").keys("ctrl+a", "ctrl+c").focus(page, "To: ").keys("ctrl+end", "ctrl+v").types("!").holds("To: Ada!").
			focus(canvas, "").keys("ctrl+c").focus(mail, "").types("<").keys("ctrl+v").types(">").holds("<7>").
			focus(page, "To: Ada!").keys("ctrl+a", "ctrl+c", "ctrl+end", "ctrl+v").holds("To: Ada!To: Ada!").keys("ctrl+s"),
		Options{Name: "copied"},
	},
	{
		"what is pasted is what an equal text was copied from last, by keys, a menu or a button, or nothing that was recorded", "copied_twice",
		newTape(ledger, editor).click(ok).focus(name, "Ada").keys("ctrl+a", "ctrl+c").copies(1).focus(page, "").keys("ctrl+v").holds("Ada").keys("enter").holds("Ada\n").
			click(copyItem).copies(2).focus(page, "Ada\n").keys("ctrl+v").holds("Ada\nLovelace").
			click(copyButton).copies(1).wait(time.Minute).copies(1).focus(mail, "").types("<").keys("ctrl+v").types("|").keys("ctrl+v").types(">").holds("<Ada|Ada>").
			wait(time.Minute).copies(3).focus(town, "").keys("ctrl+v").holds("Erlangen"),
		Options{Name: "copied"},
	},
	{
		"a text is added to what was there, or replaces it, as the person's did, and Enter alone is Enter", "added",
		newTape(editor).focus(page, "eggs").keys("ctrl+end").types(" andd").keys("backspace").types(" milk").holds("eggs and milk").keys("ctrl+s").
			keys("ctrl+a").types("tea").holds("tea").keys("ctrl+s").keys("enter").holds("tea\n").keys("ctrl+s").
			keys("home").types("hot ").holds("hot tea"),
		Options{Name: "added"},
	},
	{
		"Enter that makes the program take what was typed ends its step, however late the field shows it", "submitted",
		newTape(editor).focus(page, "").types("12*34").keys("enter").wait(time.Second).holds("408").
			keys("ctrl+a").types("1+1").keys("enter").holds("").keys("ctrl+s"),
		Options{Name: "submitted"},
	},
	{
		"Enter that leaves a field as it was ends its step, even where Enter could begin a line", "entered",
		newTape(editor).focus(page, "").types("12*34").keys("enter").wait(600 * time.Millisecond).holds("12*34").
			wait(time.Second).keys("ctrl+a").types("5 ft").holds("5 ft").keys("enter").wait(600 * time.Millisecond).holds("5 ft").keys("ctrl+s").
			wait(time.Second).keys("ctrl+a").types("one").keys("enter").holds("one").wait(600 * time.Millisecond).holds("one\n").keys("ctrl+s"),
		Options{Name: "entered"},
	},
	{
		"Enter that the program takes ends its step also when more is typed at once, and a line that begins before other text is one", "entered_on",
		newTape(editor).focus(page, "").types("12*34").keys("enter").types("+1").holds("12*34+1").
			keys("enter").types("an").holds("a").holds("an").keys("enter").holds("").types("b").holds("b").keys("ctrl+s").
			focus(page, "eggs").keys("ctrl+home").types("milk").holds("milkeggs").keys("enter").holds("milk\neggs").types("tea").holds("milk\nteaeggs").keys("ctrl+s"),
		Options{Name: "entered_on"},
	},
	{
		"Enter that is heard of after the field was read begins one line", "entered_late",
		newTape(editor).focus(page, "").types("one").entersLate("one\n").wait(600 * time.Millisecond).holds("one\n").types("two").keys("ctrl+s"),
		Options{Name: "entered_late"},
	},
	{
		"a key that is heard of after the field was read is not there twice", "heard_late",
		newTape(editor).focus(page, "").types("12").hearsLate("3", "123").types("4").keys("enter").holds("").keys("ctrl+s").
			keys("ctrl+a").types("5").hearsLate("5", "5").keys("enter").holds(""),
		Options{Name: "heard_late"},
	},
	{
		"a line is typed into a terminal with its Enter, and a password that it asks for too", "terminal",
		newTape(editor).focus(shell, "").types("make").keys("enter").types("ls").hidden().keys("enter"),
		Options{Name: "terminal"},
	},
	{
		"a field that is read when keys were pressed may show them, and Enter on its cell is its own", "read_late",
		newTape(editor).typesBefore("12*34", page, "12×34").holds("12×34").keys("ctrl+s").
			focus(editedCell, "").types("5").focus(cellA3, "5").keys("enter").
			typesBefore(" and milk", name, "eggs and milk", "ctrl+end").click(ok),
		Options{Name: "read_late"},
	},
	{
		"what is copied out of a field is copied again", "copy",
		newTape(ledger).focus(name, "Ada").keys("ctrl+a", "ctrl+c").keys("tab").focus(mail, "").keys("ctrl+v").holds("Ada"),
		Options{Name: "copy"},
	},
}

func TestCompile(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.say, func(t *testing.T) {
			s.with.Kinds = kinds.All()
			text, _, err := Events(s.tape.events, s.with)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := workflows.Compile(workflows.Source{Name: s.file, Text: text}, workflows.CompileOptions{Kinds: kinds.All()}); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			path := filepath.Join("testdata", s.file+".yaml")
			if *update {
				if err := os.WriteFile(path, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, _, err := Events(s.tape.events, s.with)
			if err != nil || string(again) != string(text) {
				t.Errorf("compiled again it is another document: %v", err)
			}
		})
	}
}

func TestEventsSurviveTheirLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	log, err := recorder.CreateLog(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenes {
		if err := log.Write(s.tape.events...); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []recorder.Event
	for _, s := range scenes {
		want = append(want, s.tape.events...)
	}
	cut := string(text) + `{"type":"pressed","ti`
	got, err := recorder.ReadEvents(strings.NewReader(cut))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with a last line that was cut short (-want +got):\n%s", diff)
	}
	if _, err := recorder.ReadEvents(strings.NewReader("hello\n")); err == nil {
		t.Error("a file that is no recording was read")
	}
}

func TestWhatABrowserTakesForAnAddress(t *testing.T) {
	for _, row := range []struct{ say, typed, want string }{
		{"an address", "https://example.org/a?b=c", "https://example.org/a?b=c"},
		{"a file", "file:///tmp/a.html", "file:///tmp/a.html"},
		{"a host", "example.org", "https://example.org"},
		{"a host with a port and a path", "shop.example.org:8443/cart", "https://shop.example.org:8443/cart"},
		{"this machine", "localhost:8080", "http://localhost:8080"},
		{"an address of a machine", "192.168.0.1/admin", "http://192.168.0.1/admin"},
		{"words", "cheap shoes", ""},
		{"a word", "shoes", ""},
		{"a number with a dot", "3.5", ""},
		{"nothing", " ", ""},
	} {
		if got, _ := addressOf(row.typed); got != row.want {
			t.Errorf("%s: %q is %q, want %q", row.say, row.typed, got, row.want)
		}
	}
}
