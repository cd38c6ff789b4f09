package workflows

import (
	"os"
	"strings"
	"testing"

	"understudy/workflows/dialect"
)

func TestPageOfDialectsIsFresh(t *testing.T) {
	const page, mark = "../docs/migrating.md", "writes them. -->\n\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s has no tables", page)
	}
	golden(t, page, before+mark+dialect.Markdown())
}
