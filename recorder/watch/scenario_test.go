//go:build unix

package watch_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
)

// scenario is something that a person does with an application, and that must
// come to the same when it is played again.
type scenario struct {
	name    string   // of the golden file
	command []string // what is there before; nothing: the person starts it
	needs   []string
	title   string            // of the window
	files   map[string]string // what the folder holds before
	do      func(*person)
	state   func(*scene) string // what must be the same; nil: what the program wrote when it ended
	inputs  []string            // arguments of the replay
	bare    bool                // nothing is known of what it shows
	// others are files of the replay that hold other data than those of the recording,
	// and come what comes of it then.
	others map[string]string
	come   string
}

// update says that the golden files are to be written again.
var update = flag.Bool("update", false, "write the golden files again")

func TestRecordedWorkflowsReplay(t *testing.T) {
	for _, c := range slices.Concat(scenarios, startScenarios, unseenScenarios, toolkitScenarios, editorScenarios, clipboardScenarios) {
		t.Run(c.name, func(t *testing.T) {
			if !virtualtest.InShard(t, c.name) {
				t.Skip("another shard plays it: SHARD=i/n")
			}
			c.play(t)
		})
	}
}

// programs are those that it needs.
func (c *scenario) programs() []string {
	return append(slices.Clip(c.command[:min(1, len(c.command))]), c.needs...)
}

// startable are those that the person starts, by their names.
func (c *scenario) startable() []string {
	return slices.DeleteFunc(slices.Clone(c.needs), filepath.IsAbs)
}

// play records, and plays what was recorded on a fresh start: on another
// display, in another folder, with the window elsewhere, or in every variation.
func (c *scenario) play(t *testing.T) {
	if !inChild(t) {
		return
	}
	s, fresh, started := c.begin(t, variation{})
	p := s.watch()
	c.do(p)
	first := c.outcome(s, started)
	text := p.stops()
	if first == fresh || first == "" {
		t.Fatalf("nothing came of what was done: %q before, %q after", fresh, first)
	}
	c.compare(s, text)
	s.quit()
	s.holdsNo(password)
	for _, v := range variationsAsked() {
		if inputs, _ := otherInputs(text, first); v.otherData && c.others == nil && len(inputs) == 0 || v.slow && len(c.startable()) == 0 {
			continue
		}
		t.Run(v.name, func(t *testing.T) { c.replay(t, v, s.dir, text, fresh, first) })
	}
}

// given are the arguments of the replay. The password is in a file that is not
// searched for it.
func (c *scenario) given(t *testing.T) (args []string) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, a := range c.inputs {
		args = append(args, strings.ReplaceAll(a, "SECRET", file))
	}
	return args
}

// begin makes everything as it is at first. Now and then an application of Qt
// does not reach the accessibility bus when it starts, and then never: that is
// tried again, on another display.
func (c *scenario) begin(t *testing.T, v variation) (s *scene, fresh string, started *program) {
	t.Helper()
	files := c.files
	if v.otherData && c.others != nil {
		files = c.others
	}
	const tries = 10
	for range tries {
		s = newSceneOn(t, v.screen, c.programs()...)
		v.set(t, s, c)
		for name, content := range files {
			s.write(name, content)
		}
		if c.command != nil {
			command := make([]string, len(c.command))
			for i, word := range c.command {
				command[i] = strings.ReplaceAll(word, "DIR", s.dir)
			}
			started = s.start(c.title, command[0], command[1:]...)
		}
		if started == nil || c.bare || s.accessible(tries) {
			break
		}
		s.quit()
	}
	if c.state != nil {
		fresh = c.state(s)
	}
	return s, fresh, started
}

func (c *scenario) outcome(s *scene, started *program) string {
	if c.state != nil {
		return c.state(s)
	}
	return strings.ReplaceAll(s.ends(started), s.dir, "/home/me")
}

// passing are notes of how long something took.
var passing = regexp.MustCompile(`(?m)^ *# the person waited .*\n|^ *timeout_ms: .*\n`)

// compare looks whether the workflow is the one that a person would have
// written.
func (c *scenario) compare(s *scene, text string) {
	s.t.Helper()
	wd, _ := os.Getwd()
	got := passing.ReplaceAllString(strings.NewReplacer(s.dir, "/home/me", wd, "/home/us", filepath.Dir(filepath.Dir(wd)), "/home/us").Replace(text), "")
	path := filepath.Join("testdata", "scenarios", c.name+".yaml")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		s.t.Errorf("the workflow is another (-want +got):\n%s", diff)
	}
}

// note is what a file of the folder holds.
func note(name string) func(*scene) string {
	return func(s *scene) string { return s.file(name) }
}

// calculator is what it shows.
func calculator(s *scene) string { return s.text("text") + s.text("entry") }

// page is the command that shows a page of testdata.
func page(name string) []string {
	wd, _ := os.Getwd()
	return pageAt(filepath.Join(wd, "testdata", name))
}

// pageAt is the command that shows a page.
func pageAt(path string) []string {
	return []string{
		"chromium", "--force-renderer-accessibility", "--no-sandbox", "--no-first-run", "--disable-gpu", "--password-store=basic",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--user-data-dir=DIR/../browser", "--app=file://" + path,
	}
}

// content is that of a file of testdata.
func content(name string) string {
	b, _ := os.ReadFile(filepath.Join("testdata", name))
	return string(b)
}

// sent is what the page sent, which it shows in its title.
func sent(s *scene) string {
	if w := s.window("sent: "); w != nil {
		return w.Title
	}
	return ""
}

var scenarios = []scenario{
	{
		name: "mousepad_write", command: []string{"mousepad"}, title: "Untitled", state: note("note.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.types("Dear Ms Noether,")
			p.presses("Return")
			p.types("thank you. $5 & more")
			p.presses("BackSpace", "BackSpace")
			p.presses("ctrl+s")
			p.meets("Save As")
			p.presses("ctrl+a")
			p.types(p.dir + "/note.txt")
			p.clicks("button", "Save")
			p.sees("the file", func() bool { return p.file("note.txt") != "" })
		},
	},
	{
		name: "mousepad_replace", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": "old text"}, state: note("list.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a")
			p.types("eggs, milk")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "milk") })
		},
	},
	{
		name: "mousepad_start", needs: []string{"mousepad"}, files: map[string]string{"list.txt": "eggs"}, state: note("list.txt"),
		do: func(p *person) {
			p.start("list.txt", "mousepad", p.dir+"/list.txt")
			p.meets("list.txt")
			p.clicks("text", "")
			p.presses("ctrl+End")
			p.types(" and milk")
			p.clicks("menu", "File")
			p.clicks("menuitem", "Save")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "milk") })
		},
	},
	{
		name: "mousepad_copy", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": "eggs "}, state: note("list.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a", "ctrl+c", "ctrl+End", "ctrl+v")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "eggs eggs") })
		},
	},
	{
		name: "mousepad_word", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": "eggs"}, state: note("list.txt"),
		do: func(p *person) {
			at := p.finds("text", "", 0)
			box := p.named("text", "")[0].Bounds
			at.X, at.Y = box.X+12, box.Y+12
			p.pointsAt(at)
			p.does("click", "--repeat", "2", "--delay", "60", "1")
			p.types("milk")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "milk") })
		},
	},
	{
		name: "galculator_clicks", command: []string{"galculator"}, title: "galculator", state: calculator,
		do: func(p *person) {
			for _, key := range []string{"7", "*", "8", "8", "="} {
				p.clicks("togglebutton", key)
			}
			p.sees("the product", func() bool { return strings.Contains(calculator(p.scene), "616") })
		},
	},
	{
		name: "galculator_keys", command: []string{"galculator"}, title: "galculator", state: calculator,
		do: func(p *person) {
			p.types("12*34")
			p.presses("Return")
			p.sees("the product", func() bool { return strings.Contains(calculator(p.scene), "408") })
		},
	},
	{
		name:    "zenity_password",
		command: []string{"zenity", "--forms", "--title=Order", "--text=Order", "--add-entry=Name", "--add-password=Code"}, title: "Order",
		inputs: []string{"--input", "code=@SECRET"},
		do: func(p *person) {
			p.clicksNth("text", "", 0)
			p.types("Ada Lovelacee")
			p.presses("BackSpace", "Tab")
			p.types(password)
			p.clicks("button", "OK")
		},
	},
	{
		name:    "zenity_choice",
		command: []string{"zenity", "--forms", "--title=Trip", "--text=Trip", "--add-entry=Name", "--add-combo=Country", "--combo-values=Chile|Iceland|Kenya"}, title: "Trip",
		do: func(p *person) {
			p.clicksNth("text", "", 0)
			p.types("Ada")
			p.clicks("combobox", "")
			p.clicks("menuitem", "Iceland")
			p.sees("the choice", func() bool { return len(p.named("combobox", "Iceland")) > 0 })
			p.clicks("button", "OK")
		},
	},
	{
		name:    "zenity_choice_by_keys",
		command: []string{"zenity", "--forms", "--title=Trip", "--text=Trip", "--add-combo=Country", "--combo-values=Chile|Iceland|Kenya"}, title: "Trip",
		do: func(p *person) {
			p.clicks("combobox", "")
			p.presses("Down")
			p.presses("Down")
			p.presses("Return")
			p.sees("the choice", func() bool { return len(p.named("combobox", "Kenya")) > 0 })
			p.clicks("button", "OK")
		},
	},
	{
		name:    "zenity_choice_by_tab",
		command: []string{"zenity", "--forms", "--title=Trip", "--text=Trip", "--add-entry=Name", "--add-combo=Country", "--combo-values=Chile|Iceland|Kenya"}, title: "Trip",
		do: func(p *person) {
			p.clicksNth("text", "", 0)
			p.types("Ada")
			p.presses("Tab")
			p.presses("space")
			p.presses("Down")
			p.presses("Return")
			p.sees("the choice", func() bool { return len(p.named("combobox", "Iceland")) > 0 })
			p.clicks("button", "OK")
		},
	},
	{
		name: "zenity_entry", command: []string{"zenity", "--entry", "--title=Line", "--text=Your name", "--entry-text=Nobody"}, title: "Line",
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a")
			p.types("Ada Lovelace")
			p.presses("Return")
		},
	},
	{
		name:    "zenity_list",
		command: []string{"zenity", "--list", "--title=Fruit", "--text=Which?", "--column=Name", "Apple", "Pear", "Plum"}, title: "Fruit",
		do: func(p *person) {
			p.clicks("cell", "Pear")
			p.clicks("button", "OK")
		},
	},
	{
		name:    "zenity_checklist",
		command: []string{"zenity", "--list", "--checklist", "--title=Fruit", "--text=Which?", "--column=Buy", "--column=Name", "FALSE", "Apple", "FALSE", "Pear", "TRUE", "Plum"}, title: "Fruit",
		do: func(p *person) {
			p.clicksNth("cell", "", 0)
			p.clicks("button", "OK")
		},
	},
	{
		name: "zenity_scale", command: []string{"zenity", "--scale", "--title=Size", "--text=How large?", "--value=10"}, title: "Size",
		do: func(p *person) {
			p.clicks("slider", "")
			p.presses("Right", "Right", "Right")
			p.clicks("button", "OK")
		},
	},
	{
		name: "zenity_text", command: []string{"zenity", "--text-info", "--editable", "--title=Letter", "--checkbox=I have read it"}, title: "Letter",
		do: func(p *person) {
			p.clicks("text", "")
			p.types("one")
			p.presses("Return")
			p.types("two")
			p.clicks("checkbox", "I have read it")
			p.clicks("button", "OK")
		},
	},
	{
		name: "featherpad_write", command: []string{"featherpad", "--standalone", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": ""}, state: note("list.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.types("Greetings, 50 % & more")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "more") })
		},
	},
	{
		name: "featherpad_menu", command: []string{"featherpad", "--standalone", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": "eggs"}, state: note("list.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a")
			p.types("milk")
			p.clicks("menuitem", "File")
			p.clicks("menuitem", "Save")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "milk") })
		},
	},
	{
		name: "chromium_form", command: page("order.html"), title: "Order form", state: sent,
		do: func(p *person) {
			p.clicks("entry", "Your name")
			p.types("Ada Lovelace")
			p.presses("Tab")
			p.types(password)
			p.clicks("checkbox", "As a gift")
			p.clicks("radiobutton", "Express")
			p.clicks("button", "Send")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
		inputs: []string{"--input", "secret=@SECRET"},
	},
	{
		name: "chromium_text", command: page("order.html"), title: "Order form", state: sent,
		do: func(p *person) {
			p.clicks("entry", "Note")
			p.types("first")
			p.presses("Return")
			p.types("second")
			p.clicks("button", "Send")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_choice", command: page("order.html"), title: "Order form", state: sent,
		do: func(p *person) {
			p.clicks("combobox", "Size")
			p.presses("Down")
			p.presses("Return")
			p.clicks("entry", "Note")
			p.types("for Ada")
			p.clicks("button", "Send")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_choice_by_tab", command: page("order.html"), title: "Order form", state: sent,
		do: func(p *person) {
			p.clicks("entry", "Your name")
			p.types("Ada")
			for range 4 {
				p.presses("Tab")
			}
			p.presses("space")
			p.presses("Down")
			p.presses("Down")
			p.presses("Return")
			p.presses("Tab")
			p.types("in blue")
			p.clicks("button", "Send")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_wait", command: page("order.html"), title: "Order form", state: sent,
		do: func(p *person) {
			p.clicks("button", "Look up the price")
			p.clicks("button", "Accept 12 €")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_completion", command: page("booking.html"), title: "Booking", state: sent,
		do: func(p *person) {
			p.clicks("combobox", "Town")
			all := p.meetsList(math.MaxInt)
			p.types("Val")
			p.meetsList(all) // of the one that has a V
			p.presses("Down")
			p.presses("Return")
			p.sees("the town", func() bool { return p.text("combobox") == "Valparaiso" })
			p.clicks("button", "Book")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_status", command: page("booking.html"), title: "Booking", state: sent,
		do: func(p *person) {
			p.clicks("button", "Check")
			p.sees("the state", func() bool { return p.text("statusbar") == "Seats are free" })
			p.clicks("button", "Book")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_drag", command: page("booking.html"), title: "Booking", state: sent,
		do: func(p *person) {
			p.drags(p.finds("image", "Card", 0), p.finds("image", "Shelf", 0))
			p.clicks("button", "Book")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_slider", command: page("booking.html"), title: "Booking", state: sent,
		do: func(p *person) {
			box := p.named("slider", "Seats")[0].Bounds
			at := func(value int) desktop.Point { // a thumb is 16 wide
				return desktop.Point{X: box.X + 8 + (box.W-16)*(value-1)/8, Y: box.Center().Y}
			}
			p.drags(at(2), at(6))
			p.clicks("button", "Book")
			p.sees("the number", func() bool { // which is told when the keyboard leaves the slider
				found := p.named("slider", "Seats")
				return len(found) > 0 && found[0].Value.Now == 6
			})
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_custom", command: pageAt("DIR/custom.html"), title: "Custom", state: sent,
		files:  map[string]string{"custom.html": content("custom.html"), "people.js": `const people = ["Ada", "Grace", "Emmy"];`},
		others: map[string]string{"custom.html": content("custom.html"), "people.js": `const people = ["Emmy", "Mary", "Ada", "Grace"];`},
		come:   "sent: size=Large&town=Bergen&removed=Grace&note=dear+%3Cb%3EMs+Noether%3C%2Fb%3E",
		do: func(p *person) {
			p.clicks("combobox", "Size")
			p.clicks("listitem", "Large") // which covers the note
			p.clicks("combobox", "Town")
			p.types("be")
			p.clicks("listitem", "Bergen")
			p.clicks("entry", "Note")
			p.types("dear ")
			p.clicks("button", "Bold")
			p.types("Ms Noether")
			p.clicksNth("button", "Remove", 1)
			p.clicks("button", "OK")
			p.sees("the page", func() bool { return len(p.named("dialog", "")) == 0 })
			p.clicks("button", "Send")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "two_programs", needs: []string{"mousepad"}, command: []string{"galculator"}, title: "galculator", state: calculator,
		do: func(p *person) {
			p.clicks("togglebutton", "7")
			p.start("Untitled", "mousepad")
			p.meets("Untitled")
			p.clicks("text", "")
			p.types("seven")
			p.clicks("togglebutton", "8")
			p.sees("the number", func() bool { return strings.Contains(calculator(p.scene), "78") })
		},
	},
	{
		name: "factory_checkbox", command: []string{"gtk3-widget-factory"}, title: "gtk3-widget", state: checks,
		do: func(p *person) {
			before := checks(p.scene)
			p.clicksNth("checkbox", "", 4)
			p.sees("the box", func() bool { return checks(p.scene) != before })
		},
	},
}

// checks is which check boxes are on.
func checks(s *scene) string {
	var b strings.Builder
	for _, e := range s.named("checkbox", "") {
		if e.States.Has(desktop.Checked) {
			b.WriteByte('x')
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}
