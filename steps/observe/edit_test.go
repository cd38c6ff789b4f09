package observe_test

import (
	"testing"

	"understudy/steps/observe"
)

func TestAnEditIsToldFromAnother(t *testing.T) {
	for _, row := range []struct {
		what          string
		edit          observe.Edit
		before, after string
		made          bool
	}{
		{"a line is added", observe.Edit{Inserted: "\nmilk", At: "end"}, "eggs", "eggs\nmilk", true},
		{"a blank line comes too", observe.Edit{Inserted: "\nmilk", At: "end"}, "eggs", "eggs\n\nmilk", false},
		{"a line is added to other data", observe.Edit{Inserted: "\nmilk", At: "end"}, "flour\nrice", "flour\nrice\nmilk", true},
		{"it is added at the wrong end", observe.Edit{Inserted: "milk\n", At: "end"}, "eggs", "milk\neggs", false},
		{"it is added somewhere", observe.Edit{Inserted: "l"}, "helo", "hello", true},
		{"what is inserted begins as what is there", observe.Edit{Inserted: "Y\n"}, "X\nY", "X\nY\nY", true},
		{"other text is inserted", observe.Edit{Inserted: "milk"}, "eggs", "eggsrice", false},
		{"nothing is inserted", observe.Edit{Inserted: "milk"}, "eggs", "eggs", false},
		{"characters are deleted", observe.Edit{Deleted: 2}, "eggs", "eg", true},
		{"too many are deleted", observe.Edit{Deleted: 2}, "eggs", "e", false},
		{"more is deleted than there was", observe.Edit{Deleted: 9}, "eggs", "", false},
		{"a character is replaced", observe.Edit{Inserted: "ü", Deleted: 1}, "Muller", "Müller", true},
		{"a page shows a blank that does not break", observe.Edit{Inserted: " and"}, "eggs", "eggs\u00a0and", true},
		{"the text is repeated", observe.Edit{Inserted: "ab"}, "ab", "abab", true},
		{"at the beginning", observe.Edit{Inserted: "ab", At: "start"}, "c", "abc", true},
		{"an editor indents the new line", observe.Edit{Inserted: "\nmilk", At: "end"}, "buy\n  eggs", "buy\n  eggs\n  milk", true},
		{"not at the beginning", observe.Edit{Inserted: "ab", At: "start"}, "c", "cab", false},
	} {
		if made := row.edit.Made(row.before, row.after); made != row.made {
			t.Errorf("%s: found %t", row.what, made)
		}
	}
}

func FuzzDifference(f *testing.F) {
	f.Add("eggs", "eggs and milk")
	f.Add("a\u00a0b", "ab")
	f.Fuzz(func(t *testing.T, before, after string) {
		if d := observe.Difference(before, after); !d.Made(before, after) {
			t.Errorf("%q and %q differ by %+v, which does not make one of the other", before, after, d)
		}
	})
}
