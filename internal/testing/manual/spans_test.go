package manual

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// span is a piece of code within a line.
var span = regexp.MustCompile("`(?:bin/)?understudy ([^`\n]+)`")

// TestAtLengthEveryCommandIsKnown looks at the commands that stand within sentences:
// there is such a command, and it has these flags.
func TestAtLengthEveryCommandIsKnown(t *testing.T) {
	r := newReader(t)
	help := map[string]string{}
	helpOf := func(words ...string) string {
		key := strings.Join(words, " ")
		if _, ok := help[key]; !ok {
			out, err := r.run("understudy " + key + " --help")
			if err != nil {
				out = ""
			}
			help[key] = out
		}
		return help[key]
	}
	seen := 0
	for page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllStringSubmatch(string(text), -1) {
			seen++
			words := strings.Fields(m[1])
			if strings.HasPrefix(words[0], "-") {
				continue
			}
			about := helpOf(words[0])
			if about == "" {
				t.Errorf("%s: there is no command `understudy %s`", page, m[1])
				continue
			}
			if len(words) > 1 && strings.Contains(about, "Available Commands:") && !strings.HasPrefix(words[1], "-") {
				about = helpOf(words[0], words[1])
			}
			for _, w := range words[1:] {
				flag, _, _ := strings.Cut(strings.Trim(w, "[]"), "=")
				if flag == "--" {
					break // what follows is for another command
				}
				if strings.HasPrefix(flag, "-") && !regexp.MustCompile(regexp.QuoteMeta(flag)+`\b`).MatchString(about) {
					t.Errorf("%s: `understudy %s`: there is no flag %s", page, m[1], flag)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d commands were found", seen)
	}
}

// target is the goal of a `make` within a line, or in a block of commands.
var target = regexp.MustCompile("(?m)(?:`|^)make ([a-z0-9-]+)")

// TestEveryTargetIsInTheMakefile: a figure whose command is gone can be repeated by nobody.
func TestEveryTargetIsInTheMakefile(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			seen++
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", page, m[1])
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d targets were found", seen)
	}
}
