package workflows

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/testing/attack"
	"understudy/workflows/expression"
)

// fillScript compiles a script and gives it a value.
func fillScript(t *testing.T, engine, script string, value any) (run string, names map[string]any, problem error) {
	t.Helper()
	text, problems := expression.CompileText(script, &expression.Names{Inputs: map[string]*jsonschema.Schema{"v": {}}})
	if len(problems) > 0 {
		t.Fatal(problems[0].Message)
	}
	filled, inText, err := readScript(text, engine)
	if err != nil {
		return "", nil, err
	}
	e := &evaluation{ctx: t.Context(), scope: &expression.Scope{Inputs: map[string]any{"v": value}}}
	if _, err := (scriptPart{Text: text, script: filled, inText: inText}).eval(e); err != nil {
		t.Fatal(err)
	}
	return filled, e.variables, nil
}

func TestScriptsNameTheirValues(t *testing.T) {
	for _, c := range []struct{ say, engine, script, want string }{
		{"code", "javascript", "return ${{ v }}", "return X"},
		{"the marks of templates in other tools", "javascript", "return {{ v }}", "return X"},
		{"a text", "javascript", "return '${{ v }}'", "return `${X}`"},
		{"a text with what means more between backticks", "js", "return \"`${x}'\\\"$${{ {{ v }}\"", "return `\\`\\${x}'\\\"\\${{ ${X}`"},
		{"a text without a value", "js", "return '`${x}' + ${{ v }}", "return '`${x}' + X"},
		{"a template literal", "ts", "return `a ${{ v }} ${ f(${{ v }}, `b${{ v }}`) }`", "return `a ${X} ${ f(Y, `b${Z}`) }`"},
		{"a quotation mark in a pattern", "node", "return /['\"]/.test('${{ v }}')", "return /['\"]/.test(`${X}`)"},
		{"a division", "node", "return (a[0] / 2) + ${{ v }}", "return (a[0] / 2) + X"},
		{"an apostrophe in a comment", "js", "// don't\nreturn ${{ v }} /* don't */", "// don't\nreturn X /* don't */"},
		{"what follows a brace that closes nothing", "js", "f(${{ v }}) }\ng()", "f(X) }\ng()"},
		{"all that is spread", "js", "return [...${{ v }}]", "return [...X]"},
		{"Python", "python", "return ${{ v }}", "return X"},
		{"a text of Python", "python", "return '${{ v }} {} \\n'", "return f'{X} {{}} \\n'"},
		{"a raw one", "python", `return r"\d${{ v }}"`, `return rf"\d{X}"`},
		{"one of the older kind", "python", `return u"${{ v }}"`, `return f"{X}"`},
		{"a long one", "python", "return '''it's\n${{ v }}'''", "return f'''it's\n{X}'''"},
		{"an f-string", "python", "return f'{a} ${{ v }}'", "return f'{a} {X}'"},
		{"an apostrophe in a comment of Python", "python", "# don't\nreturn ${{ v }}", "# don't\nreturn X"},
		{"bytes without a value", "python", "return b'{' + ${{ v }}", "return b'{' + X"},
	} {
		t.Run(c.say, func(t *testing.T) {
			got, _, err := fillScript(t, c.engine, c.script, "x")
			for i, short := range []string{"X", "Y", "Z"} {
				got = strings.ReplaceAll(got, valueName(i), short)
			}
			if err != nil || got != c.want {
				t.Errorf("wanted %s\nfound  %s, %v", c.want, got, err)
			}
		})
	}
}

func TestScriptsRefuseValuesWhereTheyMeanMore(t *testing.T) {
	for _, c := range []struct{ engine, script string }{
		{"js", "return a${{ v }}"},
		{"js", "return ${{ v }}a"},
		{"js", "return ${{ v }}${{ v }}"},
		{"js", "return a.${{ v }}"},
		{"js", "return /${{ v }}/"},
		{"js", `return /a\${{ v }}/.test("x")`},
		{"js", "}\nreturn ${{ v }}"},
		{"js", "return '\\${{ v }}'"},
		{"js", "return `\\${{ v }}`"},
		{"js", "// ${{ v }}"},
		{"js", "/* ${{ v }} */"},
		{"js", "if (a) /'/.test(b)\nreturn '${{ v }}'"},
		{"js", "<!-- '\nreturn ${{ v }}"},
		{"js", "return '\n${{ v }}'"},
		{"js", "return JSON.parse(${{ toJSON(v) }})"},
		{"python", "return a${{ v }}"},
		{"python", "return a.${{ v }}"},
		{"python", "return b'${{ v }}'"},
		{"python", "return Rb'${{ v }}'"},
		{"python", "return '\\${{ v }}'"},
		{"python", `return '\N{DIGIT ONE}${{ v }}'`},
		{"python", "return f'{a + ${{ v }}}'"},
		{"python", "return f'{a['x']}' + ${{ v }}"},
		{"python", "return '${{ v }} {}'.format(1)"},
		{"python", "return ('${{ v }} {}').format(1)"},
		{"python", "return '${{ v }}\nx'"},
		{"python", "# ${{ v }}"},
	} {
		got, _, err := fillScript(t, c.engine, c.script, "x")
		if err == nil {
			t.Errorf("%s: %s gave %s", c.engine, c.script, got)
		} else if !strings.Contains(err.Error(), "argument env") && !strings.Contains(err.Error(), "leave out toJSON") {
			t.Errorf("%s: %q does not say what to do instead", c.script, err)
		}
	}
	p := problems(t, "variables: {v: {type: string}}\nsteps: [{tool_name: run_command, arguments: {run: '${{ v }}', engine: python}}]", nil)
	if len(p) != 1 || !strings.Contains(p[0], "never executed as a script") {
		t.Errorf("a script that is an expression: %q", p)
	}
}

// places are where a value may stand in a script; each gives the value.
var places = map[string][]string{
	"javascript": {
		"return ${{ v }}", "return '${{ v }}'", `return "${{ v }}"`, "return `${{ v }}`", "return `${ '${{ v }}' }`", "return [${{ v }}, 1][0]", "return ({a: ${{ v }}}).a",
		"const x = ${{ v }}; return x", "return String(${{ v }})", "return '' + ${{ v }} + ''", "return (() => '${{ v }}')()", "return /'/.test('x') ? 0 : '${{ v }}'", "return String.raw`${{ v }}`",
	},
	"python": {
		"return ${{ v }}", "return '${{ v }}'", `return "${{ v }}"`, "return '''${{ v }}'''", `return """${{ v }}"""`, "return f'${{ v }}'", "return r'${{ v }}'", "return rf'${{ v }}'", "return u'${{ v }}'",
		"return [${{ v }}, 1][0]", "return {'a': ${{ v }}}['a']", "x = ${{ v }}\nreturn x", "return str(${{ v }})", "return '' + ${{ v }} + ''",
	},
}

// harness runs a list of scripts and prints what each returned.
var harness = map[string][]string{
	"javascript": {"node", "-e", `
		const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
		console.log(JSON.stringify(given.map(g => {
			try { return new Function("require", ...Object.keys(g.names), g.run)(require, ...Object.values(g.names)) } catch (e) { return "failed: " + e }
		})))`},
	"python": {"python3", "-c", `
import json, sys
out = []
for g in json.loads(sys.stdin.buffer.read()):
    try:
        names = dict(g["names"])
        exec("def script():\n" + "\n".join(" " + l for l in g["run"].split("\n")), names)
        out.append(names["script"]())
    except Exception as e:
        out.append("failed: %r" % e)
print(json.dumps(out))`},
}

// TestValuesAreNeverCodeOfAScript puts values that would do harm as code into
// every place of a script: each comes out as it is.
func TestValuesAreNeverCodeOfAScript(t *testing.T) {
	values := slices.Concat(attack.Scripts, attack.Values)
	for engine, scripts := range places {
		t.Run(engine, func(t *testing.T) {
			if _, err := exec.LookPath(harness[engine][0]); err != nil {
				t.Skipf("needs %s", harness[engine][0])
			}
			var given []map[string]any
			var want []string
			for _, script := range scripts {
				for _, value := range values {
					run, names, err := fillScript(t, engine, script, value)
					if err != nil {
						t.Fatalf("%s: %v", script, err)
					}
					given, want = append(given, map[string]any{"run": run, "names": names}), append(want, value)
				}
			}
			stdin, err := json.Marshal(given)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), harness[engine][0], harness[engine][1:]...)
			cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(string(stdin))
			out, err := cmd.Output()
			var got []string
			if err != nil || json.Unmarshal(out, &got) != nil {
				t.Fatalf("%v: %.600s", err, out)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%.2000s", diff)
			}
		})
	}
}

func TestAScriptGetsValuesWithTheirTypes(t *testing.T) {
	list := []any{1.0, map[string]any{"a": true}}
	_, names, err := fillScript(t, "python", "return ${{ v }}, '${{ v }}'", list)
	want := map[string]any{valueName(0): list, valueName(1): `[1,{"a":true}]`}
	if diff := cmp.Diff(want, names); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
