package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/steps/kinds"
)

// A combo box of Qt that shows nothing takes a choice by its option, not by the list
// of its options, in which one can be selected all the same.
func TestAtLengthAComboBoxThatIsBlankTakesAChoice(t *testing.T) {
	s := look(t, "/usr/bin/python3", "/usr/lib/python3/dist-packages/PyQt6")
	script, err := filepath.Abs("testdata/combos.py")
	s.must(err)
	out := filepath.Join(t.TempDir(), "told")
	s.starts("sh -c 'exec env QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 /usr/bin/python3 " + script + " >" + out + "'")
	var want strings.Builder
	for _, name := range []string{"Blank", "None"} {
		s.well(kinds.SelectOption, "selector", "role:combobox && name:"+name, "option_name", "Large", "timeout_ms", 60_000.0)
		want.WriteString(name + " Large\n")
		s.eventually(name+" has changed", func() (bool, string) {
			got, err := os.ReadFile(out)
			return err == nil && string(got) == want.String(), string(got)
		})
	}
}
