package watch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

// hears has keys arrive that were pressed a while ago.
func (s *stand) hears(text string) {
	for _, r := range text {
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: desktop.Key(strings.ToLower(string(r))), Text: string(r)})
	}
}

// grabs has a program move the keyboard, and the recording hear of that.
func (s *stand) grabs(sel string) {
	_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find(sel)).Handle})
	time.Sleep(time.Second)
}

// TestLateKeysOfAPasswordAreHidden has a program take the keyboard out of a
// password field before the recording hears of the keys that went there.
func TestLateKeysOfAPasswordAreHidden(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	const welcome = `
- frame "Welcome" [process=login] [at=400,0,400,400]
  - entry "Search" [at=410,40,200,24]
`
	for _, c := range []struct {
		say string
		do  func(s *stand)
	}{
		{"into a field of another window", func(s *stand) {
			s.Install("welcome", func() *fake.Node { return fake.MustParse(welcome)[0] })
			_ = s.Do(context.Background(), desktop.Launch{App: "welcome"})
			s.grabs("role:entry && name:Search")
		}},
		{"to a button and on into a field", func(s *stand) {
			s.grabs("role:button")
			s.grabs("role:entry")
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			_, log, _ := record(t, func(s *stand) {
				s.clicks("role:password")
				c.do(s)
				s.hears(secret)
			})
			for i := range len(secret) - 2 {
				if strings.Contains(typedIn(log), secret[i:i+3]) {
					t.Fatalf("the recording holds %q:\n%s", secret[i:i+3], log)
				}
			}
		})
	}
}

// TestAFieldThatIsDisabledTakesNoKeys clicks one while a password field has the keyboard, and
// leaves that before the program has said what has it.
func TestAFieldThatIsDisabledTakesNoKeys(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	_, log, _ := recordOn(t, func(s *stand) {
		s.Set(s.Find("role:entry"), func(e *desktop.Element) { e.States &^= desktop.Enabled })
		s.Fail("WatchFocus", desktop.ErrUnavailable, -1)
	}, func(s *stand) {
		s.clicks("role:password")
		time.Sleep(time.Second)
		s.Delay("SaveFocus", time.Second)
		s.quickly(s.Get(s.Find("role:entry")).Bounds.Center())
		time.Sleep(200 * time.Millisecond)
		s.hears(secret)
		s.press("tab")
		time.Sleep(2 * time.Second)
	})
	if typedIn(log) != "" {
		t.Errorf("the recording holds %q:\n%s", typedIn(log), log)
	}
}

// TestTextAfterAPasswordIsNotHidden leaves a password field by a key, in a
// toolkit that does not tell that the keyboard moved.
func TestTextAfterAPasswordIsNotHidden(t *testing.T) {
	silent := func(s *stand) { s.Fail("WatchFocus", desktop.ErrUnavailable, -1) }
	seen, log, _ := recordOn(t, silent, func(s *stand) {
		s.clicks("role:password")
		s.types("hQ7#kZ9!x", 50*time.Millisecond)
		s.press("shift+tab")
		time.Sleep(time.Second)
		s.types("Ada", 50*time.Millisecond)
		time.Sleep(time.Second)
	})
	if text := compiled(t, seen); typedIn(log) != "Ada" || !strings.Contains(text, "default: Ada}") {
		t.Errorf("the recording holds %q, and the workflow is:\n%s", typedIn(log), text)
	}
}

// sheet opens a window with a sheet, of which only the cells that show can be read.
func (s *stand) sheet(title string, x int) {
	s.Install(title, func() *fake.Node {
		return fake.MustParse(fmt.Sprintf(`
- frame "%[1]s" [process=sheets] [at=%[2]d,0,400,400]
  - table "%[1]s" [editable] [focusable] [at=%[2]d,40,200,48]
    - cell "A1" [editable] [at=%[2]d,40,100,24]
    - cell "A2" [editable] [at=%[2]d,64,100,24]
  - paragraph "" [editable] [focusable] [at=%[3]d,40,100,24]
`, title, x, x+300))[0]
	})
	_ = s.Do(context.Background(), desktop.Launch{App: title})
	s.Set(s.Find("role:table && name:"+title), func(e *desktop.Element) { e.Note = "visible rows 1–2 of 1000" })
}

// TestACellIsNamedByItsAddress clicks a cell of a program that has one sheet, or two with
// such a cell.
func TestACellIsNamedByItsAddress(t *testing.T) {
	for _, c := range []struct{ other, want string }{
		{"", "selector: role:cell && name:A2\n"},
		{"Plan", "window:Budget >> role:cell && name:A2\n"},
	} {
		seen, log, _ := recordOn(t, func(s *stand) {
			if c.other != "" {
				s.sheet(c.other, 0)
			}
			s.sheet("Budget", 400)
		}, func(s *stand) {
			s.clicks("window:Budget >> role:cell && name:A2")
			s.types("7", 0)
			s.press("enter")
		})
		if text := compiled(t, seen); !strings.Contains(text, c.want) || strings.Contains(log, "nth:") || strings.Contains(text, "alternative") {
			t.Errorf("beside %q the workflow is:\n%s\nof:\n%s", c.other, text, log)
		}
	}
}

// TestTheCellWithTheKeyboardIsFound types into a sheet that has the keyboard from the
// beginning, on which nothing was clicked, and into the field in which its cell is edited.
func TestTheCellWithTheKeyboardIsFound(t *testing.T) {
	for _, focused := range []string{"role:table", "role:paragraph"} {
		seen, _, _ := recordOn(t, func(s *stand) {
			s.sheet("Budget", 400)
			s.Set(s.Find("role:cell && name:A2"), func(e *desktop.Element) { e.States |= desktop.Focused })
			_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find(focused)).Handle})
		}, func(s *stand) {
			time.Sleep(time.Second)
			s.hears("75")
			time.Sleep(time.Second)
		})
		if text := compiled(t, seen); !strings.Contains(text, "name:A2") || !strings.Contains(text, "default: '75'") {
			t.Errorf("with the keyboard on %s the workflow is:\n%s", focused, text)
		}
	}
}

// TestKeysOfASheetAreForTheCellThatWasClicked has the sheet say that it has the
// keyboard, and none of its cells, as while the editing of a cell begins; or the field
// in which it is edited, which is not where the cell is yet.
func TestKeysOfASheetAreForTheCellThatWasClicked(t *testing.T) {
	for _, focused := range []string{"role:table", "role:paragraph"} {
		t.Run(focused, func(t *testing.T) {
			seen, _, _ := recordOn(t, func(s *stand) { s.sheet("Budget", 400) }, func(s *stand) {
				s.clicks("role:cell && name:A2")
				time.Sleep(time.Second)
				s.hears("7") // before it is heard that the focus moved
				_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find(focused)).Handle})
				time.Sleep(time.Second)
			})
			if text := compiled(t, seen); !strings.Contains(text, "name:A2") || !strings.Contains(text, "default: '7'") || strings.Contains(text, focused) {
				t.Errorf("the workflow is:\n%s", text)
			}
		})
	}
}

// TestKeysAreNotForTheFieldThatALaterKeyLeadsTo clicks a password field of which nothing
// is known yet, types there, and leaves it for an open field before the program has said
// what has the keyboard.
func TestKeysAreNotForTheFieldThatALaterKeyLeadsTo(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	silent := func(s *stand) { s.Fail("WatchFocus", desktop.ErrUnavailable, -1) }
	_, log, _ := recordOn(t, silent, func(s *stand) {
		s.Delay("ElementAt", time.Minute)
		s.Delay("SaveFocus", focusTimeout-50*time.Millisecond)
		s.clicks("role:password")
		s.types(secret, 0)
		time.Sleep(focusTimeout / 2)
		s.press("shift+tab")
		time.Sleep(time.Second)
	})
	for i := range len(secret) - 2 {
		if strings.Contains(typedIn(log), secret[i:i+3]) {
			t.Fatalf("the recording holds %q:\n%s", secret[i:i+3], log)
		}
	}
	if !strings.Contains(log, `"hidden":true`) {
		t.Errorf("the recording does not say that something was typed:\n%s", log)
	}
}

// TestTheFieldOfAComboBoxTakesItsText looks at what is typed into when a program reports that a
// combo box has the focus, as Qt 5 does.
func TestTheFieldOfAComboBoxTakesItsText(t *testing.T) {
	list := &desktop.Element{Role: "list"}
	field := &desktop.Element{Role: "text", Name: "Find", States: desktop.Editable}
	for _, c := range []struct {
		say  string
		box  *desktop.Element
		want *desktop.Element
	}{
		{"a combo box with a list and a field", &desktop.Element{Role: "combobox", Children: []*desktop.Element{list, field}}, field},
		{"one with a list only", &desktop.Element{Role: "combobox", Children: []*desktop.Element{list}}, nil},
		{"one that takes text itself", &desktop.Element{Role: "combobox", States: desktop.Editable, Children: []*desktop.Element{list, field}}, nil},
		{"another element", &desktop.Element{Role: "filler", Children: []*desktop.Element{field}}, nil},
		{"none", nil, nil},
	} {
		if got := fieldOf(c.box); got != c.want {
			t.Errorf("%s: got %v, want %v", c.say, got, c.want)
		}
	}
}
