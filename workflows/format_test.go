package workflows

import (
	"os"
	"testing"
)

func TestFormatY(t *testing.T) {
	for _, f := range []string{"examples/form.yaml", "testdata/terminator/readme.yaml", "testdata/terminator/inline.json", "examples/save_dialog.yaml"} {
		text, _ := os.ReadFile(f)
		out, err := Format(text)
		t.Logf("%v %v\n%s", err, string(out) == string(text), out)
	}
	out, err := Format([]byte("# top\n\n# second\nsteps:\n# a\n- arguments: {message: hi} # tail\n  tool_name: log # x\n\n  # b\n\n- tool_name: log\n  arguments:\n    message: |\n      a\n\n      b\n\n# name\nname: x\n# end\n"))
	t.Logf("%v\n%s", err, out)
}
