package words

import "testing"

func TestNearest(t *testing.T) {
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

func TestDidYouMean(t *testing.T) {
	if got := DidYouMean("slector", []string{"selector"}); got != "did you mean selector?" {
		t.Error(got)
	}
	if got := DidYouMean("zzz", []string{"b", "a"}); got != "known are a, b" {
		t.Error(got)
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
