package workflows

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/workflows/expression"
)

// nasty are values that do harm when a shell reads them.
var nasty = []string{
	"plain", "two words", "", "it's", `"quoted"`, "$(touch hacked)", "`touch hacked`", "; touch hacked", "a\nb", "$HOME", `back\slash`, "*", "~", "-n",
	`'; touch hacked; '`, `"; touch hacked; "`, `\'; touch hacked; #`, "!!", "a\\\nb", "ü😀", "# x", "&& touch hacked",
}

func TestAValueInACommandIsData(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	for _, c := range []struct{ say, before, after, prefix, suffix string }{
		{"bare", "printf %s ", "", "", ""},
		{"next to a word", "printf %s --name=", ".txt", "--name=", ".txt"},
		{"between double quotes", `printf %s "<`, `>"`, "<", ">"},
		{"between single quotes", `printf %s '<`, `>'`, "<", ">"},
		{"behind a comment", "# it's \"a\" comment\nprintf %s ", "", "", ""},
		{"behind quotes of all sorts", `: "it's" 'a "b"' \" \' "\"" ; printf %s `, "", "", ""},
		{"behind a case", "case x in x) printf %s ", " ;; esac", "", ""},
		{"in a parenthesis", "(printf %s ", ")", "", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			for _, v := range nasty {
				dir := t.TempDir()
				command, err := fillPOSIX(c.before+string(mark)+c.after, []string{v})
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(sh, "-c", command)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil || string(out) != c.prefix+v+c.suffix {
					t.Errorf("%q gave %q, %v; the command was %s", v, out, err, command)
				}
				if made, _ := filepath.Glob(filepath.Join(dir, "*")); len(made) > 0 {
					t.Errorf("%q was executed by %s", v, command)
				}
			}
		})
	}
}

func TestWhereNoQuotingHelpsAValueIsRefused(t *testing.T) {
	for say, command := range map[string]string{
		"backquotes":               "echo `echo \x00`",
		"behind a backslash":       "echo \\\x00",
		"a here-document":          "cat <<END\n\x00\nEND\n",
		"a comment":                "echo a # \x00",
		"arithmetic":               "echo $((1 + \x00))",
		"arithmetic as a command":  "((a = \x00))",
		"escapes of bash":          `echo $'a` + "\x00'",
		"a command inside quotes":  "echo \"$(echo \x00)\"",
		"behind one inside quotes": "echo \"$(case x in x) echo; esac)\" \x00",
	} {
		t.Run(say, func(t *testing.T) {
			if got, err := fillPOSIX(command, []string{"v"}); err == nil {
				t.Errorf("it gave %q", got)
			}
		})
	}
}

func TestPowerShellQuotes(t *testing.T) {
	got, err := fillPowerShell("Write-Output \x00 'a\x00'", []string{"it's ’ $(x)", "b'"})
	if want := "Write-Output 'it''s ’’ $(x)' 'ab'''"; err != nil || got != want {
		t.Errorf("wanted %s, found %s, %v", want, got, err)
	}
	if got, err := fillPowerShell("echo \"\x00\"", []string{"v"}); err == nil {
		t.Errorf("between double quotes it gave %q", got)
	}
}

func TestACommandIsFilledWhenItsStepStarts(t *testing.T) {
	p := compile(t, `
variables: {who: {type: string}}
steps:
  - {id: a, tool_name: run_command, arguments: {run: "echo ${{ who }} \"for ${{ who }}\""}}
  - {id: b, tool_name: run_command, arguments: {run: "return '${{ who }}'", engine: javascript}}
`)
	scope := &expression.Scope{Inputs: map[string]any{"who": "a $b"}}
	for id, want := range map[string]string{"a": `echo 'a $b' "for a \$b"`, "b": "return 'a $b'"} {
		n, _ := p.Node(id)
		got, err := n.Args.Eval(t.Context(), scope, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.(map[string]any)["run"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	n, _ := p.Node("a")
	if _, err := n.Args.Eval(t.Context(), &expression.Scope{Inputs: map[string]any{"who": "a\x00b"}}, nil); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("a NUL was let through: %v", err)
	}
}

// TestACommandWithoutAnEngineIsOneOfAShell holds that an engine that names none
// does not let values into the command as they are.
func TestACommandWithoutAnEngineIsOneOfAShell(t *testing.T) {
	for _, engine := range []string{"null", "~", "\"\"", "''", ""} {
		t.Run(engine, func(t *testing.T) {
			p, err := Compile(Source{Name: "test.yaml", Text: []byte(`
variables: {v: {type: string}}
steps:
  - {id: a, tool_name: run_command, arguments: {run: "echo ${{ v }}", engine: ` + engine + `}}
`)}, options(nil))
			if err != nil {
				return // refused, which is as good
			}
			n, _ := p.Node("a")
			got, err := n.Args.Eval(t.Context(), &expression.Scope{Inputs: map[string]any{"v": "$(echo INJECTED)"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if run := got.(map[string]any)["run"].(string); strings.HasPrefix(run, "echo $(") {
				t.Errorf("the value stands in the command as it is: %s", run)
			}
		})
	}
}

func TestAnEngineThatIsAnExpressionIsRefused(t *testing.T) {
	got := problems(t, `steps: [{tool_name: run_command, arguments: {run: "echo ${{ inputs.v }}", engine: "${{ inputs.v }}"}}]`, nil)
	want := []string{"1:83 with expressions in the script, the engine cannot be one; write its name"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
