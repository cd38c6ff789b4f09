package words

import "testing"

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
		{"🙂🙂🙂🙂🙂🙂", 3, "🙂🙂…"},
		{"a\xffbc", 3, "a\xff…"},
		{"ab", 1, "…"},
	} {
		if got := Shorten(c.text, c.limit); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, wanted %q", c.text, c.limit, got, c.want)
		}
	}
}
