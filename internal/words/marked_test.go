package words

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestSay(t *testing.T) {
	for _, c := range []struct {
		say  string
		got  Marked
		want string
	}{
		{"words and numbers stay", Say("%s: %d of %s in %s", "run", 3, "0.steps[1]", 1116*time.Millisecond), "run: 3 of 0.steps[1] in 1.116s"},
		{"a sentence is quoted", Say("step %s", "next: call it"), `step "next: call it"`},
		{"a sentence in quotes, by others", Say("step %s", `a" next`), `step “a" next”`},
		{"of a named type, and of an error", Say("%s %v", Shortened("a b"), errors.New("c d")), `"a b" "c d"`},
		{"in JSON", Say(`{"run_id": %q}`, "a"), `{"run_id": "a"}`},
		{"what is marked stays", Say("%s", Marked(`"a", "b c"`)), `"a", "b c"`},
		{"lines", Say("%s", "a\nb\u202e"), `“a\nb\u202e”`},
		{"a fraction", Say("%.4g·x", 0.5), "0.5·x"},
		{"nothing", Say("%s|%s", "", nil), `""|"<nil>"`},
		{"a list", List([]string{"a", "b c"}), `a, "b c"`},
	} {
		if string(c.got) != c.want {
			t.Errorf("%s: %s, wanted %s", c.say, c.got, c.want)
		}
	}
}

// Shortened is a text of a named type.
type Shortened string

func TestJSONLine(t *testing.T) {
	for _, c := range []struct {
		say   string
		v     any
		limit int
		want  string
		whole bool
	}{
		{"a value", map[string]any{"a": "b\n"}, 50, `{"a":"b\n"}`, true},
		{"a text of that length", "abc", 5, `"abc"`, true},
		{"a value that is cut is quoted", map[string]any{"a": "x, y"}, 8, `“{"a":"x…”`, false},
	} {
		if got, whole := JSONLine(c.v, c.limit); string(got) != c.want || whole != c.whole {
			t.Errorf("%s: %s, %v", c.say, got, whole)
		}
	}
}

// FuzzQuoted holds that nothing but a word stands outside of the quotes.
func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "a b", `a" b`, "a” b“", "a\\", "a\n\"b", "\u2028”", `"a" b`, "[x]", "ㅤ b"} {
		f.Add(text)
	}
	quotes := regexp.MustCompile(`^(?:"[^"\\]*"|“[^“”]*”)$`)
	f.Fuzz(func(t *testing.T, text string) {
		got := string(Quoted(text))
		if strings.ContainsAny(got, "\n\r") || !quotes.MatchString(got) && strings.ContainsAny(got, " \t\"“”<>") {
			t.Errorf("%q is quoted as %s", text, got)
		}
	})
}
