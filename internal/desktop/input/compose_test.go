package input

import "testing"

func TestDeadKeysOfWindows(t *testing.T) {
	for _, c := range []struct {
		dead, r rune
		want    string
	}{{'\'', 'e', "é"}, {'\'', 'c', "ç"}, {'\'', 'C', "Ç"}, {'"', 'u', "ü"}, {'"', 'b', `"b`}, {'~', 'n', "ñ"}, {'\'', '\'', "''"}, {'¸', 'c', "ç"}} {
		if got := Compose(c.dead, c.r); got != c.want {
			t.Errorf("%c and %c type %q, want %q", c.dead, c.r, got, c.want)
		}
	}
}
