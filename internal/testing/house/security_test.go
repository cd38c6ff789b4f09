package house

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// proof matches the name of a test on the page about security.
var proof = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Za-z]+)`")

// declared matches a test in a file of tests.
var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)

// TestProofsOfSecurityExist holds that each test that the page about security
// names is one, and that each of our attacks stands on the page.
func TestProofsOfSecurityExist(t *testing.T) {
	const page = "docs/security.md"
	var tests, named []string
	for _, path := range files(t, "_test.go") {
		for _, m := range declared.FindAllStringSubmatch(string(read(t, path)), -1) {
			tests = append(tests, m[1])
		}
	}
	text := string(read(t, page))
	for _, m := range proof.FindAllStringSubmatch(text, -1) {
		if named = append(named, m[1]); !slices.Contains(tests, m[1]) {
			t.Errorf("%s names %s, and there is no such test", page, m[1])
		}
	}
	for _, name := range tests {
		if (strings.HasPrefix(name, "TestAttack") || strings.HasPrefix(name, "TestAbuse")) && !slices.Contains(named, name) {
			t.Errorf("%s tries something that %s does not speak of", name, page)
		}
	}
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines[:len(lines)-1] {
		header := strings.HasPrefix(lines[i+1], "|---")
		switch {
		case header && !strings.HasSuffix(line, "| proved by |\n"):
			t.Errorf("%s has a table that does not say what proves it: %s", page, line)
		case strings.HasPrefix(line, "| ") && !header && !proof.MatchString(line[strings.LastIndex(line[:len(line)-2], "|"):]):
			t.Errorf("%s has a promise without a proof: %s", page, line)
		}
	}
	for section := range strings.SplitSeq(text, "\n## ") {
		name, body, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(name, "#") && name != "What is not covered" && !strings.Contains(body, "| proved by |") {
			t.Errorf("the section %q of %s promises, and has no table of proofs", name, page)
		}
	}
	if len(named) < 20 {
		t.Errorf("%s names %d tests: is the pattern right?", page, len(named))
	}
}

// result matches the package and the pattern of a test on the page of results.
var result = regexp.MustCompile("`\\./(\\S+) ([^`/]+)[^`]*`")

// TestProofsOfResultsExist holds that each test that the page of results names is one: a
// pattern that fits none runs nothing.
func TestProofsOfResultsExist(t *testing.T) {
	tests := map[string][]string{}
	for _, file := range files(t, "_test.go") {
		for _, m := range declared.FindAllStringSubmatch(string(read(t, file)), -1) {
			tests[path.Dir(file)] = append(tests[path.Dir(file)], m[1])
		}
	}
	named := result.FindAllStringSubmatch(string(read(t, "docs/results.md")), -1)
	for _, m := range named {
		if !slices.ContainsFunc(tests[m[1]], regexp.MustCompile(m[2]).MatchString) {
			t.Errorf("docs/results.md names %s of %s, and there is no such test", m[2], m[1])
		}
	}
	if len(named) < 20 {
		t.Errorf("docs/results.md names %d tests: is the pattern right?", len(named))
	}
}
