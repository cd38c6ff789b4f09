package format

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzHashesIn(f *testing.F) {
	h := strings.Repeat("0123456789abcdef", 4)
	f.Add([]byte(`{"hash":"` + h + `"}`))
	f.Add([]byte(h + h))
	f.Add([]byte(strings.Repeat("f", 63) + "." + h))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want [][]byte
		for hash := range HashesIn(data) {
			got = append(got, bytes.Clone(hash))
		}
		for _, word := range bytes.FieldsFunc(data, func(r rune) bool { return r > 127 || !isHexDigit(byte(r)) }) {
			if len(word) == HashSize {
				want = append(want, word)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
