package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// advised are commands of this program in the messages of the drivers.
var advised = regexp.MustCompile(`"(?:[^"]* && (?:[a-z-]+ )?(?:-- )?)?understudy ([^"]*)"`)

func TestAdviceOfDriversNamesRealCommands(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../../internal/desktop", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range advised.FindAllStringSubmatch(string(text), -1) {
			args := strings.Fields(m[1])
			if strings.HasSuffix(m[1], " ") { // a name is put behind it
				args = append(args, ":0")
			}
			var out bytes.Buffer
			if status := Main(t.Context(), testMachine("ready"), append(args, "--help"), strings.NewReader(""), &out, &out); status != statusOK {
				t.Errorf("%s advises %s, which says %s", path, m[0], &out)
			}
			found++
		}
		return nil
	})
	if err != nil || found < 3 {
		t.Errorf("found %d commands (%v), want at least 3", found, err)
	}
}
