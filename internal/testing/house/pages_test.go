package house

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// root is the folder of the module, as seen from this package.
const root = "../../.."

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		begin := "Package " + filepath.Base(p.Name) + " "
		if slices.Contains([]string{".", "internal/packaging", "internal/testing/testreport"}, p.Name) {
			begin = "Command " // a main package
		}
		if !strings.HasPrefix(p.Doc, begin) {
			t.Errorf("the doc of package %s begins with %q, want %q", p.Name, p.Doc, begin)
		}
	}
}

// machines are folders that mean something on one machine only.
var machines = []string{"/work", "/root", "/tmp/brief"}

// elsewhere matches a path in one of them.
var elsewhere = regexp.MustCompile(`(?m)(^|[\s"'(=:` + "`" + `])(` + strings.Join(machines, "|") + `)(/|\b)`)

// namesOneMachine gives the place in a text where a path of one machine
// stands, or -1.
func namesOneMachine(text []byte) int {
	if !slices.ContainsFunc(machines, func(m string) bool { return bytes.Contains(text, []byte(m)) }) {
		return -1 // nearly every file; the expression is slow
	}
	if at := elsewhere.FindIndex(text); at != nil {
		return at[0]
	}
	return -1
}

func TestNamesOneMachine(t *testing.T) {
	for text, want := range map[string]bool{
		"cd /" + "work/main":      true,
		"a line\n/" + "work/x":    true,
		`"/` + `root"`:            true,
		"frames/work":             false,
		"https://host/work/a.yml": false,
		"/workflows":              false,
	} {
		if got := namesOneMachine([]byte(text)) >= 0; got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestNoFileNamesOneMachine(t *testing.T) {
	for _, path := range files(t, "") {
		text := read(t, path)
		if at := namesOneMachine(text); at >= 0 && path != filepath.Join("internal", "testing", "house", "pages_test.go") {
			t.Errorf("%s:%d names a path of one machine", path, 1+bytes.Count(text[:at+1], []byte("\n")))
		}
	}
}

// dated matches the name of a decision's page.
var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}-[a-z0-9-]+\.md$`)

func TestDecisionsAreDatedAndListed(t *testing.T) {
	const dir = "docs/decisions"
	index := string(read(t, dir+"/README.md"))
	pages := 0
	for _, path := range files(t, ".md") {
		name := filepath.Base(path)
		if filepath.ToSlash(filepath.Dir(path)) != dir || name == "README.md" {
			continue
		}
		pages++
		if !dated.MatchString(name) {
			t.Errorf("%s: wanted a name such as 2026-01-31-what-was-decided.md", path)
		}
		if !strings.Contains(index, "("+name+")") {
			t.Errorf("%s is not linked from %s/README.md", path, dir)
		}
	}
	if pages == 0 {
		t.Errorf("there is no page in %s", dir)
	}
}

// link matches the target of a link or a picture in Markdown.
var link = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	links, anchors := 0, map[string]map[string]bool{}
	for _, path := range files(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(withoutCode(string(read(t, path))), -1) {
			links++
			checkLink(t, anchors, path, m[1])
		}
	}
	if links == 0 {
		t.Error("no page links to anything: is the pattern right?")
	}
}

// checkLink checks one link; anchors keeps the headings of the pages that links
// lead to.
func checkLink(t *testing.T, anchors map[string]map[string]bool, from, target string) {
	t.Helper()
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return
	}
	name, heading, _ := strings.Cut(target, "#")
	to := from
	if name != "" {
		to = filepath.Join(filepath.Dir(from), name)
	}
	if _, err := os.Stat(filepath.Join(root, to)); err != nil {
		t.Errorf("%s links to %s, which is not there", from, target)
		return
	}
	if heading == "" {
		return
	}
	if anchors[to] == nil {
		anchors[to] = headings(string(read(t, to)))
	}
	if !anchors[to][heading] {
		t.Errorf("%s links to %s, but %s has no such heading", from, target, to)
	}
}

// headings are the anchors of a page, as hosts of Markdown make them.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for line := range strings.SplitSeq(block.ReplaceAllString(text, ""), "\n") {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		title = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
		anchors[strings.ReplaceAll(title, " ", "-")] = true
	}
	return anchors
}

var (
	block       = regexp.MustCompile("(?ms)^```.*?^```")
	span        = regexp.MustCompile("`[^`\n]*`")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// withoutCode drops fenced blocks and code spans, in which nothing is a link.
func withoutCode(text string) string {
	return span.ReplaceAllString(block.ReplaceAllString(text, ""), "")
}

// files lists the text files of the repository that end in suffix, relative
// to its root. What a build or an editor leaves behind is not looked at.
func files(t *testing.T, suffix string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch d.Name() {
		case ".git", "dist", "bin", "node_modules", "fuzz":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil // in a worktree, .git is a file
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(path, suffix) {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err == nil && utf8.Valid(read(t, rel)) {
			found = append(found, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// read reads a file of the repository.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestQuestionsHaveAFile holds the table of docs/architecture.md by which a
// newcomer finds the file for a question: one link each. That the links lead
// somewhere is TestLinksLeadSomewhere.
func TestQuestionsHaveAFile(t *testing.T) {
	questions := 0
	for line := range strings.Lines(string(read(t, "docs/architecture.md"))) {
		if !strings.HasPrefix(line, "| ") || !strings.Contains(line, "? |") {
			continue
		}
		questions++
		if links := link.FindAllStringSubmatch(line, -1); len(links) != 1 || !strings.HasSuffix(links[0][1], ".go") {
			t.Errorf("wanted one link to a Go file: %s", line)
		}
	}
	if questions < 10 {
		t.Errorf("docs/architecture.md answers %d questions, wanted 10", questions)
	}
}

// called matches a call on the page, with the file that declares it.
var called = regexp.MustCompile("(?m)^\\d+\\. `(\\w+)` \\(\\[`\\w+\\.go`\\]\\(\\.\\./(\\S+)\\)\\)")

func TestTheWalkOfAClickIsThatOfTheCode(t *testing.T) {
	_, walk, _ := strings.Cut(string(read(t, "docs/architecture.md")), "\n## An ordinary click, call by call\n")
	walk, _, _ = strings.Cut(walk, "\n## ")
	calls := called.FindAllStringSubmatch(walk, -1)
	if len(calls) < 10 || len(calls) > 15 {
		t.Errorf("the walk has %d calls, want 10 to 15", len(calls))
	}
	for _, c := range calls {
		if declares := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + c[1] + `\(`); !declares.Match(read(t, c[2])) {
			t.Errorf("%s declares no function %s", c[2], c[1])
		}
	}
}
