package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A second run is only for tests that are named, as they play applications of others. A
// name of a whole package, or of no test, would be a hole.
func TestWhatGetsASecondRunIsATest(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range regexp.MustCompile(`AGAIN="(.*?)"`).FindAllSubmatch(makefile, -1) {
		for name := range strings.FieldsSeq(string(again[1])) {
			dir, test, _ := strings.Cut(strings.TrimPrefix(name, "understudy/"), ".")
			if !declares(t, dir, test) {
				t.Errorf("the Makefile gives %s a second run, which is no test", name)
			}
		}
	}
}

// declares reports whether the tests of a folder have a test.
func declares(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "\nfunc "+test+"(t *testing.T)") {
			return true
		}
	}
	return false
}
