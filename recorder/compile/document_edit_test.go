package compile

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// keystrokes are chords, and texts after a space.
var keystrokes = []string{"ctrl+end", "enter", " N", " o", " t", " e"}

// reader records keys in a document, which is read first when some keys were pressed, and again after
// each key, as it was some keys before.
func reader(first, lag int, again bool) *tape {
	const was = "Monday: rain\nTuesday: fog"
	shown := []string{was, was, was + "\n", was + "\nN", was + "\nNo", was + "\nNot", was + "\nNote"}
	t := newTape(editor).click(page)
	at := func(key int) int { return max(0, key-lag) }
	pressed := t.now
	for i := range len(keystrokes) + 1 {
		if i == first {
			t.now = pressed.Add(2 * time.Second)
			t.focus(page, shown[at(i)])
			t.now = pressed.Add(time.Duration(i) * 100 * time.Millisecond)
			t.field = t.fields[page]
			for _, key := range keystrokes[:i] {
				t.strike(key)
			}
			t.now = pressed.Add(2 * time.Second)
		}
		if i >= first && i < len(keystrokes) {
			t.wait(time.Second).strike(keystrokes[i])
			if again {
				t.wait(700 * time.Millisecond).holds(shown[at(i+1)])
			}
		}
	}
	return t.keys("ctrl+s")
}

func (t *tape) strike(key string) *tape {
	if text, types := strings.CutPrefix(key, " "); types {
		return t.types(text)
	}
	return t.keys(key)
}

// TestADocumentIsTheSameHoweverLateItIsRead has a person add a line to a document.
func TestADocumentIsTheSameHoweverLateItIsRead(t *testing.T) {
	const want = "key: ctrl+end enter"
	for first := range len(keystrokes) + 1 {
		for lag := range len(keystrokes) + 1 {
			for _, again := range []bool{true, false} {
				text, _, err := Events(reader(first, lag, again).events, Options{Name: "late"})
				if err != nil {
					t.Fatal(err)
				}
				if got := string(text); strings.Contains(got, "Monday") || !strings.Contains(got, want) || !strings.Contains(got, "default: Note}") || strings.Count(got, "type_into_element") != 1 {
					t.Fatalf("read first after %d keys, %d keys late, again %v: wanted %q and Note, found\n%s", first, lag, again, want, got)
				}
			}
		}
	}
}

// TestWhatIsTypedInADocumentHasItsPlace types into a document that held something.
func TestWhatIsTypedInADocumentHasItsPlace(t *testing.T) {
	twice := func(ev *recorder.Event) { ev.At = desktop.Point{X: 110, Y: 35} }
	for _, c := range []struct {
		say  string
		tape *tape
		want []string
	}{
		{"where a click put the caret", newTape(editor).click(page, twice).focus(page, "red and red").types("X").holds("red Xand red"), []string{"click_position", "default: X}", "clear_before_typing: false"}},
		{"instead of a word", newTape(editor).click(page, twice).clickAgain(page, twice).focus(page, "red and red").types("X").holds("red X red"), []string{"count: 2", "key: delete", "default: X}"}},
		{"before all of it", newTape(editor).focus(page, "eggs").types("X").holds("Xeggs"), []string{"key: ctrl+home", "default: X}"}},
		{"after a click while it is typed", newTape(editor).focus(page, "eggs").keys("ctrl+end").types("a").holds("eggsa").click(page, twice).types("b").holds("egbgsa"), []string{"key: ctrl+end", "default: a}", "click_position", "default: b}"}},
		{"where the position is unknown", newTape(editor).focus(page, "eggs").types("X").holds("egXgs"), []string{"the position of the caret is unknown"}},
		{"while it was still being read", newTape(editor).focus(page, "").keys("ctrl+end").types("X").holds("eggs and milkX"), []string{"key: ctrl+end", "default: X}", "clear_before_typing: false"}},
	} {
		text, _, err := Events(c.tape.keys("ctrl+s").events, Options{Name: "place"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: wanted %q, found\n%s", c.say, want, text)
			}
		}
		if strings.Contains(string(text), "egg") || strings.Contains(string(text), "red ") {
			t.Errorf("%s: the document is typed again:\n%s", c.say, text)
		}
	}
}
