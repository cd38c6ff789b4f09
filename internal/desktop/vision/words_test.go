package vision

import (
	"strings"
	"testing"
)

// A word may begin with a quotation mark; tesseract's table quotes nothing, so
// what stands behind it must be read too.
func TestAQuotationMarkHidesNothing(t *testing.T) {
	row := func(left, word string) string {
		return "5\t1\t1\t1\t1\t1\t" + left + "\t20\t30\t10\t96\t" + word + "\n"
	}
	words, err := readWords(strings.NewReader("level\tpage_num\n" + row("10", `{"run":`) + row("50", `"id"`) + row("90", "after")))
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	for _, w := range words {
		read = append(read, w.Text)
	}
	if got := strings.Join(read, " "); got != `{"run": "id" after` {
		t.Errorf("read %q", got)
	}
}
