package words

import (
	"encoding/json"
	"testing"
	"unicode"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ say, text, want, line string }{
		{"plain text", "Äpfel & ünd\t🙂", "Äpfel & ünd\t🙂", "Äpfel & ünd\t🙂"},
		{"lines", "a\nb\r\nc", "a\nb\r\nc", `a\nb\r\nc`},
		{"a carriage return that writes over a line", "a\rb", `a\u000db`, `a\u000db`},
		{"an escape of terminals", "\x1b[31mred", `\u001b[31mred`, `\u001b[31mred`},
		{"turned order", "a\u202eb\u2066c", `a\u202eb\u2066c`, `a\u202eb\u2066c`},
		{"no width", "a\u200bb\u2060c\ufeffd", `a\u200bb\u2060c\ufeffd`, `a\u200bb\u2060c\ufeffd`},
		{"letters of tags", "a\U000e0041", `a\udb40\udc41`, `a\udb40\udc41`},
		{"bytes in variations", "a\ufe01\U000e0101", `a\ufe01\udb40\udd01`, `a\ufe01\udb40\udd01`},
		{"lines of Unicode", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"a family of emoji", "👩\u200d👧", "👩\u200d👧", "👩\u200d👧"},
	} {
		if got := Visible(c.text); got != c.want {
			t.Errorf("%s: %q, wanted %q", c.say, got, c.want)
		}
		if got := Line(c.text); got != c.line {
			t.Errorf("%s in one line: %q, wanted %q", c.say, got, c.line)
		}
	}
}

// FuzzVisible holds that nothing invisible is left, and that a JSON document keeps its
// values.
func FuzzVisible(f *testing.F) {
	f.Add("a\u202eb\x1b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Visible(text) {
			if r != '\n' && r != '\t' && r != '\r' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q is left in %q", r, Visible(text))
			}
		}
		var want, got string
		doc, _ := json.Marshal(text)
		if err := json.Unmarshal(doc, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(Visible(string(doc))), &got); err != nil || got != want {
			t.Errorf("%q became %q: %v", want, got, err)
		}
	})
}
