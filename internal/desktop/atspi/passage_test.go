//go:build linux

package atspi

import "testing"

func TestAPassageHasTheLinesOfItsBlocks(t *testing.T) {
	words := &passage{text: "one", words: true}
	block := func(text string, inside ...*passage) *passage {
		return &passage{text: text, block: true, inside: inside}
	}
	for _, row := range []struct {
		name string
		passage
		want string
	}{
		{"words, then lines", passage{text: "one\ufffc\ufffc\ufffc", inside: []*passage{words, block("two"), block("\n"), block("four")}}, "one\ntwo\n\nfour"},
		{"only lines", passage{text: "\ufffc\ufffc", inside: []*passage{block("one"), block("two")}}, "one\ntwo"},
		{"an empty line first", passage{text: "\ufffc\ufffc", inside: []*passage{block("\n"), block("two")}}, "\ntwo"},
		{"a link among words", passage{text: "one \ufffc three", inside: []*passage{words, {text: "two"}, words}}, "one two three"},
		{"lines in a list", passage{text: "one\ufffcfour", inside: []*passage{words, block("\ufffc\ufffc", block("two"), block("three")), words}}, "one\ntwo\nthree\nfour"},
		{"a password among words", passage{text: "one \ufffc", inside: []*passage{{text: "hush", secret: true}}}, "one ●●●●"},
		{"a child that is gone", passage{text: "one\ufffc\ufffc", inside: []*passage{words, block("two")}}, "one\ntwo"},
	} {
		if got := row.passage.String(); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
