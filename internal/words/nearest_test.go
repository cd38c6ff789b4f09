package words

import "testing"

func TestNearestOfManyLetters(t *testing.T) {
	known := []string{"click_element", "invoke_element", "type_text", "delay", "selector", "id"}
	for _, c := range []struct{ say, word, want string }{
		{"a dropped letter", "clik_element", "click_element"},
		{"a swapped pair", "delya", "delay"},
		{"another spelling of the same", "clickElement", "click_element"},
		{"a short form", "click", "click_element"},
		{"nothing like it", "banana", ""},
		{"a short word far from all", "xy", ""},
		{"an empty word", "", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			if got := Nearest(c.word, known); got != c.want {
				t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
			}
		})
	}
}

func TestNearestOfFewLetters(t *testing.T) {
	known := []string{"button", "checkbox", "tab", "table"}
	for word, want := range map[string]string{"buton": "button", "BUTTON": "button", "bottun": "button", "chekcbox": "checkbox", "tabel": "table", "tba": "tab", "slider": "", "": "", "x": ""} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("clik", "click")
	f.Fuzz(func(t *testing.T, word, known string) {
		if got := Nearest(word, []string{known}); got != "" && got != known {
			t.Errorf("Nearest gave %q, which is not known", got)
		}
	})
}
