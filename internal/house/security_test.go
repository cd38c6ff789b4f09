package house

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// proof matches the name of a test on the page about security.
var proof = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`")

// declared matches a test in a file of tests.
var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

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
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") && !strings.Contains(line, "the answer") && !proof.MatchString(line) {
			t.Errorf("%s has a threat without a proof: %s", page, line)
		}
	}
	if len(named) < 20 {
		t.Errorf("%s names %d tests: is the pattern right?", page, len(named))
	}
}
