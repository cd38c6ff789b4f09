package manual

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the repository.
const root = "../../.."

// A block is a piece of a page that means something to these tests.
type block struct {
	page  string
	line  int
	words []string // after the back quotes
	text  string
}

// is says whether a block has a mark.
func (b block) is(mark string) bool {
	return slices.Contains(b.words, mark)
}

// pages are those for users, with their blocks.
func pages(t *testing.T) map[string][]block {
	t.Helper()
	found := map[string][]block{}
	names := []string{"README.md"}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("there are no pages: %v", err)
	}
	for _, path := range docs {
		names = append(names, "docs/"+filepath.Base(path))
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		found[name] = blocks(name, string(text))
	}
	return found
}

const (
	fence = "```"
	aside = "<!-- run"
)

// blocks are the fenced blocks of a page, and the commands that are not shown.
func blocks(page, text string) (found []block) {
	var b *block
	end := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case b != nil && strings.TrimSpace(line) == end:
			found = append(found, *b)
			b = nil
		case b != nil:
			b.text += line + "\n"
		case strings.HasPrefix(line, fence):
			b, end = &block{page: page, line: i + 1, words: strings.Fields(line[len(fence):])}, fence
		case strings.HasPrefix(line, aside):
			b, end = &block{page: page, line: i + 1, words: append([]string{"aside"}, strings.Fields(line[len(aside):])...)}, "-->"
		}
	}
	return found
}

// A command is one that a page says to type, and what it says comes of it.
type command struct{ typed, answer string }

// commands are those of a block of a console. A line that ends with a stroke goes
// on in the next one.
func (b block) commands() (found []command) {
	open := false
	for line := range strings.Lines(b.text) {
		switch {
		case open:
			found[len(found)-1].typed += line
		case strings.HasPrefix(line, "$ "):
			found = append(found, command{typed: line[2:]})
		case len(found) > 0:
			found[len(found)-1].answer += line
		}
		if open || strings.HasPrefix(line, "$ ") {
			open = strings.HasSuffix(strings.TrimRight(line, "\n"), `\`)
		}
	}
	return found
}

func TestBlocks(t *testing.T) {
	found := blocks("p", "text\n```console desktop\n$ a \\\n  b\none\n$ c\n```\n<!-- run\nhidden\n-->\n```yaml x.yaml\nk: v\n```\n")
	if len(found) != 3 || !found[0].is("desktop") || found[1].text != "hidden\n" || !found[1].is("aside") || !found[2].is("x.yaml") || found[2].line != 11 {
		t.Fatalf("found %+v", found)
	}
	got := found[0].commands()
	if len(got) != 2 || got[0] != (command{"a \\\n  b\n", "one\n"}) || got[1] != (command{"c\n", ""}) {
		t.Errorf("commands %+v", got)
	}
}
