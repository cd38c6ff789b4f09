package workflows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/testing/attack"
	"understudy/workflows/expression"
)

// fill compiles a command of a shell and gives it a value.
func fill(t *testing.T, shell, command, value string) (run string, env []string, problem error) {
	t.Helper()
	text, problems := expression.CompileText(command, &expression.Names{Inputs: map[string]*jsonschema.Schema{"v": {Type: "string"}}})
	if len(problems) > 0 {
		t.Fatal(problems[0].Message)
	}
	variant, _, err := language(shell)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := posixCommand(text.Outline, variant, valueName)
	if err != nil {
		return "", nil, err
	}
	e := &evaluation{ctx: t.Context(), scope: &expression.Scope{Inputs: map[string]any{"v": value}}}
	if _, err := (shellPart{Text: text, command: filled}).eval(e); err != nil {
		t.Fatal(err)
	}
	env = os.Environ()
	for name, v := range e.variables {
		env = append(env, name+"="+v.(string))
	}
	return filled, env, nil
}

// shells are those that are installed.
func shells(t *testing.T) (found []string) {
	t.Helper()
	for _, name := range []string{"sh", "bash", "dash", "zsh"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		t.Skip("needs a shell")
	}
	return found
}

// run runs a command in a folder of its own, and says whether it made a file.
func run(t *testing.T, shell, command string, env []string) (out string, executed bool, err error) {
	t.Helper()
	cmd := exec.Command(shell, "-c", command)
	cmd.Dir, cmd.Env = t.TempDir(), env
	b, err := cmd.CombinedOutput()
	made, _ := filepath.Glob(filepath.Join(cmd.Dir, "*"))
	return string(b), len(made) > 0, err
}

func TestAValueInACommandIsData(t *testing.T) {
	for _, c := range attack.Data {
		t.Run(c.Say, func(t *testing.T) {
			for _, shell := range shells(t) {
				for _, v := range attack.Values {
					command, env, err := fill(t, shell, c.Command, v)
					if shell == "zsh" && err != nil {
						continue // it is refused more there
					}
					if err != nil {
						t.Fatal(err)
					}
					out, executed, err := run(t, shell, command, env)
					if err != nil || out != c.Prefix+v+c.Suffix {
						t.Errorf("%s: %q gave %q, %v; the command was %s", shell, v, out, err, command)
					}
					if executed {
						t.Errorf("%s: %q was executed by %s", shell, v, command)
					}
				}
			}
		})
	}
}

// TestShellRefusesValuesThatItWouldEvaluate has the places in which a shell
// executes or evaluates what a variable holds.
func TestShellRefusesValuesThatItWouldEvaluate(t *testing.T) {
	for _, command := range attack.Code {
		t.Run(command, func(t *testing.T) {
			for _, shell := range shells(t) {
				for _, v := range append([]string{"a[$(touch hacked)]", "-va[$(touch hacked)]", "-c"}, attack.Values...) {
					filled, env, err := fill(t, shell, command, v)
					if err != nil {
						continue
					}
					_, executed, _ := run(t, shell, filled, env)
					t.Fatalf("%s: it gave %s; executed: %t", shell, filled, executed)
				}
			}
		})
	}
}

func TestZshRefusesValuesThatItWouldEvaluate(t *testing.T) {
	for _, command := range []string{"[ ${{ v }} -eq 0 ]", "printf %d ${{ v }}", "return ${{ v }}", "exit ${{ v }}", "integer n=${{ v }}"} {
		for _, shell := range []string{"zsh", "ksh"} {
			if got, _, err := fill(t, shell, command, "a[$(touch hacked)]"); err == nil {
				t.Errorf("%s: %s gave %s", shell, command, got)
			}
		}
	}
}

// TestValuesThatACommandCannotHold says what to do with them.
func TestValuesThatACommandCannotHold(t *testing.T) {
	p := compile(t, "variables: {v: {type: string}}\nsteps: [{id: a, tool_name: run_command, arguments: {run: 'echo ${{ v }}', env: {A: b}}}]")
	taken := compile(t, "variables: {v: {type: string}}\nsteps: [{id: a, tool_name: run_command, arguments: {run: 'echo ${{ v }}', env: {UNDERSTUDY_VALUE_1: b}}}]")
	for _, c := range []struct {
		say, value, want string
		p                *Program
	}{
		{"a NUL", "a\x00b", "NUL", p},
		{"a long value", strings.Repeat("x", 128<<10), "write_file", p},
		{"a name that is taken", "x", "another name", taken},
	} {
		n, _ := c.p.Node("a")
		if _, err := n.Args.Eval(t.Context(), &expression.Scope{Inputs: map[string]any{"v": c.value}}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: wanted an error that says %q, found %v", c.say, c.want, err)
		}
	}
	n, _ := p.Node("a")
	long := strings.Repeat("x", 127<<10)
	got, err := n.Args.Eval(t.Context(), &expression.Scope{Inputs: map[string]any{"v": long}}, nil)
	want := map[string]any{"run": `echo "${UNDERSTUDY_VALUE_1}"`, "env": map[string]any{"A": "b", "UNDERSTUDY_VALUE_1": long}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestPowerShellNamesItsValues(t *testing.T) {
	for _, c := range []struct{ say, command, want string }{
		{"between quotes and outside", "Write-Output \x00 'a\x00'", `Write-Output "${env:V0}" "a${env:V1}"`},
		{"what means more between double quotes", "echo 'it''s $x ` \" ’’\x00'", "echo \"it's `$x `` `\" ’${env:V0}\""},
		{"a text without a value", "echo 'it''s $x' \x00", `echo 'it''s $x' "${env:V0}"`},
		{"between double quotes", "echo \"\x00\"", ""},
		{"behind a quotation mark that is not closed", "echo '\x00", ""},
		{"a backtick", "echo ` \x00", ""},
	} {
		outline := func(stand func(int) string) string {
			parts, text := strings.Split(c.command, "\x00"), ""
			for i := range parts[1:] {
				text += parts[i] + stand(i)
			}
			return text + parts[len(parts)-1]
		}
		got, err := powerShellCommand(outline, func(i int) string { return "V" + strconv.Itoa(i) })
		if got != c.want || (err == nil) == (c.want == "") {
			t.Errorf("%s: wanted %s, found %s, %v", c.say, c.want, got, err)
		}
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
	for id, want := range map[string]string{"a": `echo "${UNDERSTUDY_VALUE_1}" "for ${UNDERSTUDY_VALUE_2}"`, "b": "return `${UNDERSTUDY_VALUE_1}`"} {
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
