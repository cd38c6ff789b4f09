package desktop

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseKeys(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"a name", "enter", "enter"},
		{"a name in any case", "F5", "f5"},
		{"another name of the key", "Return", "enter"},
		{"a name of two words", "Page_Up", "pageup"},
		{"a name of two words in braces", "{Page Up}", "pageup"},
		{"a character", "a", "a"},
		{"a capital on its own keeps its case", "A", "A"},
		{"a character that no keyboard has", "日", "日"},
		{"a modifier alone", "super", "super"},
		{"win, cmd and meta are one key", "win cmd meta", "super super super"},
		{"a chord", "ctrl+s", "ctrl+s"},
		{"a chord in any case", "Ctrl+S", "ctrl+s"},
		{"two modifiers", "Ctrl+Shift+Tab", "ctrl+shift+tab"},
		{"a modifier twice", "ctrl+control+s", "ctrl+s"},
		{"modifiers only", "ctrl+alt", "ctrl+alt"},
		{"blanks around the plus", "ctrl + shift + t", "ctrl+shift+t"},
		{"keys one after the other", "tab tab enter", "tab tab enter"},
		{"a blank", " ", "space"},
		{"plus alone", "+", "plus"},
		{"plus by name", "ctrl+plus", "ctrl+plus"},
		{"plus in a chord", "ctrl++", "ctrl+plus"},
		{"minus in a chord", "ctrl+-", "ctrl+-"},
		{"minus by name", "minus", "-"},
		{"an opening brace", "{", "{"},
		{"an opening brace in a chord", "ctrl+{", "ctrl+{"},
		{"a closing brace", "ctrl+}", "ctrl+}"},
		{"a modifier in braces", "{Ctrl}s", "ctrl+s"},
		{"two modifiers in braces", "{Ctrl}{Shift}t", "ctrl+shift+t"},
		{"a modifier in braces holds for one key", "{Ctrl}ab", "ctrl+a b"},
		{"a modifier in braces and a plus", "{Ctrl}+s", "ctrl+s"},
		{"a modifier in braces and the key plus", "{Ctrl}++", "ctrl+plus"},
		{"a modifier in braces and plus at the end", "{Ctrl}+", "ctrl+plus"},
		{"a chord in braces", "{Ctrl+A}", "ctrl+a"},
		{"a chord in braces with another held", "{Shift}{Ctrl+A}", "shift+ctrl+a"},
		{"keys in braces", "{Tab}{Tab}", "tab tab"},
		{"text and keys", "Hi you{Enter}", "H i space y o u enter"},
		{"an end of line is enter", "a{Tab}\n", "a tab enter"},
		{"braces in braces", "{{}{}}", "{ }"},
		{"a modifier alone in braces", "{Alt}", "alt"},
		{"a modifier at the end", "{Ctrl}{Alt}", "ctrl+alt"},
		{"a modifier at the end of text", "a{Ctrl}", "a ctrl"},
	} {
		chords, err := ParseKeys(c.text)
		if err != nil {
			t.Errorf("%s: ParseKeys(%q): %v", c.what, c.text, err)
			continue
		}
		names := make([]string, len(chords))
		for i, chord := range chords {
			names[i] = chord.String()
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: ParseKeys(%q) = %s, want %s", c.what, c.text, got, c.want)
		}
	}
}

func TestParseKeysErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":               "no key is named: wanted a key such as enter or ctrl+s",
		"\u00a0":         "no key is named: wanted a key such as enter or ctrl+s",
		"Entr":           `there is no key "Entr"; did you mean enter?`,
		"ctlr+s":         `there is no key "ctlr"; did you mean ctl?`,
		"Hello":          `there is no key "Hello"`,
		"{Retrun}":       `there is no key "Retrun"; did you mean return?`,
		"ctrl+":          `no key follows the + in "ctrl+"`,
		"ctrl+s+":        `"s" in "ctrl+s+" is not a modifier: only ctrl, shift, alt, altgr and super are held while another key is pressed`,
		"a+b":            `"a" in "a+b" is not a modifier: only ctrl, shift, alt, altgr and super are held while another key is pressed`,
		"{Ctrl":          `"{Ctrl": a brace is opened and not closed`,
		"{Ctrl}s{":       `"{": a brace is opened and not closed`,
		"{}":             `"{}": no key is named in the braces`,
		"a{ }":           `"{ }": no key is named in the braces`,
		"ctrl+a{Delete}": `"ctrl+a" in "ctrl+a{Delete}" would be typed one character after the other: write {ctrl+a}`,
		"{Tab} Alt+F4":   `"Alt+F4" in "{Tab} Alt+F4" would be typed one character after the other: write {Alt+F4}`,
		"{Tab}\x07":      `there is no key "\a"`,
		"ctrl+\xff":      `there is no key "ctrl+\xff"`,
		"{Ctrl}\xff":     `there is no key "{Ctrl}\xff"`,
	} {
		if chords, err := ParseKeys(text); err == nil || err.Error() != want {
			t.Errorf("ParseKeys(%q) = %v, %v; want %s", text, chords, err, want)
		}
	}
	if _, err := ParseKeys(strings.Repeat("a", maxKeys)); err == nil || strings.Contains(err.Error(), "at most") {
		t.Errorf("keys at the limit: %v, want that there is no such key", err)
	}
	if _, err := ParseKeys(strings.Repeat("+ ", maxKeys)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("keys past the limit: %v, want the limit", err)
	}
	_, err := ParseKeys("escpe")
	var unknown *UnknownKeyError
	if !errors.As(err, &unknown) || unknown.Near != "escape" {
		t.Errorf("ParseKeys(escpe) = %v, want an unknown key near escape", err)
	}
}

func TestEveryKeyNameIsOneKey(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range KeyNames() {
		if seen[name] {
			t.Errorf("%q names two keys", name)
		}
		seen[name] = true
		if _, err := ParseKey(strings.ToUpper(name)); err != nil {
			t.Errorf("in capitals: %v", err)
		}
	}
}

func FuzzParseKeys(f *testing.F) {
	for _, text := range []string{"ctrl+s", "{Ctrl}{Shift}T{Enter}", "+ + +", "ctrl++", "{}}{{}", "É{Alt}İ", "tab\ttab", "{Ctrl}+"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		chords, err := ParseKeys(text)
		if err != nil {
			return
		}
		if len(chords) == 0 {
			t.Fatalf("ParseKeys(%q) names no key and does not say so", text)
		}
		for _, c := range chords {
			again, err := ParseKeys(c.String())
			if err != nil {
				t.Fatalf("ParseKeys(%q) has %q, which fails: %v", text, c, err)
			}
			if diff := cmp.Diff([]Chord{c}, again); diff != "" {
				t.Fatalf("ParseKeys(%q) has %q, which is read as another (-want +got):\n%s", text, c, diff)
			}
		}
	})
}
