package kinds

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

func TestRunCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the lines are written for sh")
	}
	dir := tree(t, map[string]string{"sub/x": "", "s.sh": "echo from a file"})
	if err := os.WriteFile(filepath.Join(dir, "no.sh"), []byte{0}, 0o700); err != nil {
		t.Fatal(err)
	}
	scripts := tree(t, map[string]string{"s.sh": "echo from the scripts"})
	beside := tree(t, map[string]string{"beside.sh": "echo from beside", "s.sh": "echo from beside"})
	for _, c := range []struct {
		say    string
		args   map[string]any
		stdout string
		code   steps.Code
		err    string
	}{
		{"what it prints", map[string]any{"run": "echo hello; echo no >&2"}, "hello\n", "", ""},
		{"where it runs", map[string]any{"run": "basename $PWD", "working_directory": "sub"}, "sub\n", "", ""},
		{"where it cannot run", map[string]any{"run": "true", "working_directory": "none"}, "", steps.NotFound, "there is no folder"},
		{"its variables", map[string]any{"run": "echo $A$B", "env": map[string]any{"A": "x y", "B": []any{1.0}}}, "x y[1]\n", "", ""},
		{"a bad name of a variable", map[string]any{"run": "true", "env": map[string]any{"A=": "x"}}, "", steps.Invalid, "cannot be the name"},
		{"a status other than 0", map[string]any{"run": "echo why >&2; exit 3"}, "", steps.Unexpected, "status 3: why"},
		{"a failure that printed to the other side", map[string]any{"run": "echo why; exit 3"}, "", steps.Unexpected, "status 3: why"},
		{"a silent failure", map[string]any{"run": "exit 3"}, "", steps.Unexpected, "printed nothing"},
		{"a program that is killed", map[string]any{"run": "kill -KILL $$"}, "", steps.Unexpected, "status 137"},
		{"a line that is too long for the system", map[string]any{"run": "true " + strings.Repeat("x", 4<<20)}, "", steps.Invalid, "cannot be started"},
		{"a variable that is too long for it", map[string]any{"run": "true", "env": map[string]any{"A": strings.Repeat("x", 4<<20)}}, "", steps.Invalid, "cannot be started"},
		{"a shell that is no program", map[string]any{"run": "true", "shell": filepath.Join(dir, "no.sh")}, "", steps.Invalid, "cannot be started"},
		{"a script file, from the scripts first", map[string]any{"script_file": "s.sh"}, "from the scripts\n", "", ""},
		{"a script file beside the workflow", map[string]any{"script_file": "beside.sh"}, "from beside\n", "", ""},
		{"a script file by its whole path", map[string]any{"script_file": filepath.Join(dir, "s.sh")}, "from a file\n", "", ""},
		{"a script file that is not there", map[string]any{"script_file": "none.sh"}, "", steps.NotFound, "there is no none.sh in"},
		{"a shell that is not there", map[string]any{"run": "true", "shell": "no-such-shell"}, "", steps.Unavailable, "not installed"},
		{"nothing to run", map[string]any{}, "", steps.Invalid, "wanted either run or script_file"},
		{"it reads nothing", map[string]any{"run": "cat; echo end"}, "end\n", "", ""},
		{"a program in the background is left alone", map[string]any{"run": "sleep 2 & echo started"}, "started\n", "", ""},
		{"without its output", map[string]any{"run": "echo hello", "include_logs": false}, "", "", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			env := &steps.Env{Folders: steps.Folders{Dir: dir, Scripts: scripts, Document: beside}, Children: steps.Children{Environ: os.Environ()}}
			o := RunCommand.Run(t.Context(), env, c.args)
			if code(o) != c.code {
				t.Fatalf("got %v, want code %q", o.Err, c.code)
			}
			if o.Err != nil && !strings.Contains(o.Err.Error(), c.err) {
				t.Errorf("got %q, want %q in it", o.Err, c.err)
			}
			if got, _ := o.Result["stdout"].(string); got != c.stdout {
				t.Errorf("it printed %q, want %q", got, c.stdout)
			}
			if ended := c.code == "" || c.code == steps.Unexpected; (o.Acted == steps.ActedYes) != ended {
				t.Errorf("acted: %s; what a command did that has ended is in no doubt", o.Acted)
			}
		})
	}
}

func TestScripts(t *testing.T) {
	env := func() *steps.Env {
		return &steps.Env{
			Folders:  steps.Folders{Dir: tree(t, map[string]string{"f.js": "return {from: 'file'}", "lib.js": "module.exports = 7", "f.py": "return {'from': 'file'}", "lib.py": "seven = 7"})},
			Children: steps.Children{Environ: os.Environ()}, Vars: map[string]any{"a": 1.0, "b": "vars"}, Inputs: map[string]any{"who": "me"},
			Named: map[string]any{"open_status": "success", "open_result": map[string]any{"n": 1.0}},
		}
	}
	for _, c := range []struct {
		say, engine, run string
		env              map[string]any
		result           any
		sets             map[string]any
		code             steps.Code
		err              string
	}{
		{"values come back", "javascript", "console.log('hi'); return {n: 1, list: [1, 'x'], nothing: null}", nil, map[string]any{"n": 1.0, "list": []any{1.0, "x"}, "nothing": nil}, map[string]any{"n": 1.0, "list": []any{1.0, "x"}, "nothing": nil}, "", ""},
		{"what the run knows", "js", "return {sum: env.a + 1, b: env.b, who: inputs.who}", nil, map[string]any{"sum": 2.0, "b": "vars", "who": "me"}, map[string]any{"sum": 2.0, "b": "vars", "who": "me"}, "", ""},
		{"values by their names", "node", "return {t: text.length, b: env.b}", map[string]any{"text": "`${x}\"", "b": "args"}, map[string]any{"t": 6.0, "b": "args"}, map[string]any{"t": 6.0, "b": "args"}, "", ""},
		{"values whose names are words of the language", "js", "return {c: env.class, w: env.await}", map[string]any{"class": "c", "await": "w"}, nil, map[string]any{"c": "c", "w": "w"}, "", ""},
		{"and of Python", "python", "return {'c': env['class']}", map[string]any{"class": "c"}, nil, map[string]any{"c": "c"}, "", ""},
		{"it may wait", "javascript", "return await new Promise(r => setTimeout(() => r({ok: true}), 5))", nil, map[string]any{"ok": true}, map[string]any{"ok": true}, "", ""},
		{"other files", "javascript", "const fs = await import('node:fs'); return {seven: require('./lib.js'), dir: fs.existsSync('lib.js')}", nil, map[string]any{"seven": 7.0, "dir": true}, map[string]any{"seven": 7.0, "dir": true}, "", ""},
		{"what is reserved is not set", "javascript", "return {status: 'ok', error: 'e', logs: [], duration_ms: 1, set_env: {x: 1, status: 2}, y: 2}", nil, nil, map[string]any{"x": 1.0, "y": 2.0, "status": 2.0}, "", ""},
		{"a value that is not an object sets nothing", "javascript", "return 'text'", nil, "text", map[string]any{}, "", ""},
		{"nothing", "javascript", "1 + 1", nil, nil, map[string]any{}, "", ""},
		{"an error", "javascript", "throw new Error('not today')", nil, nil, nil, steps.Unexpected, "not today"},
		{"a mistake", "javascript", "return (", nil, nil, nil, steps.Unexpected, "SyntaxError"},
		{"too much", "javascript", "return 'x'.repeat(2 << 20)", nil, nil, nil, steps.Invalid, "more than"},
		{"Python", "python", "import lib\nprint('hi')\ndef double(x):\n  return double.f * x\ndouble.f = 2\nreturn {'sum': env['a'] + double(3), 'who': inputs['who'], 'text': text, 'seven': lib.seven, 'doc': '''a\nb'''}", map[string]any{"text": "é'\""}, nil, map[string]any{"sum": 7.0, "who": "me", "text": "é'\"", "seven": 7.0, "doc": "a\nb"}, "", ""},
		{"an error in Python", "python", "raise ValueError('not today')", nil, nil, nil, steps.Unexpected, "not today"},
		{"nothing in Python", "python", "", nil, nil, nil, steps.Invalid, "wanted either"},
		{"log, sleep and variables", "js", "log('a', 1); await sleep(1); return {who: variables.who}", nil, nil, map[string]any{"who": "me"}, "", ""},
		{"log, sleep and variables in Python", "python", "log('a', 1)\nsleep(1)\nreturn {'who': variables['who']}", nil, nil, map[string]any{"who": "me"}, "", ""},
		{"setEnv, beside what is returned", "js", "setEnv({a: 2, c: [1]}); setEnv({d: 'x'}); return {d: env.d + 'y', e: env.a}", nil, nil, map[string]any{"a": 2.0, "c": []any{1.0}, "d": "xy", "e": 2.0}, "", ""},
		{"setEnv in Python", "python", "setEnv({'a': 2})\nset_env({'c': env['a']})", nil, nil, map[string]any{"a": 2.0, "c": 2.0}, "", ""},
		{"results and statuses by their names", "js", "return {s: open_status, n: open_result.n, also: env.open_status, of: env.inputs.who}", nil, nil, map[string]any{"s": "success", "n": 1.0, "also": "success", "of": "me"}, "", ""},
		{"and in Python", "python", "return {'s': open_status, 'n': open_result['n']}", nil, nil, map[string]any{"s": "success", "n": 1.0}, "", ""},
		{"a script may declare the names that it is given", "js", "const open_status = 1; let log = 2; return {x: open_status + log}", nil, nil, map[string]any{"x": 3.0}, "", ""},
		{"what a call is given counts before the helpers", "js", "return {x: log}", map[string]any{"log": "mine"}, nil, map[string]any{"x": "mine"}, "", ""},
		{"Python may await", "python", "import asyncio\nawait asyncio.sleep(0)\nawait sleep(1)\nreturn {'x': 1}", nil, nil, map[string]any{"x": 1.0}, "", ""},
		{"Python may return what is to be awaited", "python", "async def f():\n  return {'x': 1}\nreturn f()", nil, nil, map[string]any{"x": 1.0}, "", ""},
		{"a mistake in Python", "python", "return (", nil, nil, nil, steps.Unexpected, "SyntaxError"},
		{"Python reads no input", "python", "input()", nil, nil, nil, steps.Unexpected, "EOFError"},
		{"there is no desktop in a test", "js", "await desktop.locator('name:x').click()", nil, nil, nil, steps.Unexpected, "there is no desktop for scripts here"},
		{"nor for Python", "python", "desktop.locator('name:x').click()", nil, nil, nil, steps.Unexpected, "there is no desktop for scripts here"},
		{"an error of the desktop can be caught", "js", "try { await desktop.pressKey('a') } catch (e) { return {code: e.code} }", nil, nil, map[string]any{"code": "unavailable"}, "", ""},
		{"a language that is not known", "ruby", "1", nil, nil, nil, steps.Invalid, "known words"},
	} {
		t.Run(c.say, func(t *testing.T) {
			needs(t, c.engine)
			args := map[string]any{"run": c.run, "engine": c.engine}
			if c.env != nil {
				args["env"] = c.env
			}
			o := RunCommand.Run(t.Context(), env(), args)
			if code(o) != c.code || o.Err != nil && !strings.Contains(o.Err.Error(), c.err) {
				t.Fatalf("got %v, want %q %q", o.Err, c.code, c.err)
			}
			if c.result != nil {
				if d := cmp.Diff(c.result, o.Result["result"]); d != "" {
					t.Errorf("result (-want +got):\n%s", d)
				}
			}
			if d := cmp.Diff(c.sets, o.Sets); d != "" {
				t.Errorf("env (-want +got):\n%s", d)
			}
		})
	}
	for engine, file := range map[string]string{"javascript": "f.js", "python": "f.py"} {
		t.Run("a file of "+engine, func(t *testing.T) {
			needs(t, engine)
			o := RunCommand.Run(t.Context(), env(), map[string]any{"script_file": file, "engine": engine})
			if d := cmp.Diff(map[string]any{"from": "file"}, o.Sets); d != "" || o.Err != nil {
				t.Errorf("%v %s", o.Err, d)
			}
		})
	}
}

// The desktop of a script has the names and the options of libraries for its language.
func TestScriptsUseTheDesktop(t *testing.T) {
	for _, row := range []struct{ sentence, engine, run, kind, args string }{
		{"options as JavaScript spells them", "js", "await desktop.locator('id:a').typeText('x', {clearBeforeTyping: true, timeoutMs: 7})", "type_into_element", `{"clear_before_typing":true,"selector":"id:a","text_to_type":"x","timeout_ms":7}`},
		{"and as the kinds do", "js", "await desktop.locator('id:a').click({timeout_ms: 7})", "click_element", `{"selector":"id:a","timeout_ms":7}`},
		{"a number is how long to wait", "js", "await desktop.locator('id:a').waitFor('visible', 7)", "wait_for_element", `{"condition":"visible","selector":"id:a","timeout_ms":7}`},
		{"also for an element that may be missing", "js", "await desktop.locator('id:a').validate(7)", "validate_element", `{"selector":"id:a","timeout_ms":7}`},
		{"a double click is one of two", "js", "await desktop.locator('id:a').doubleClick()", "click_element", `{"count":2,"selector":"id:a"}`},
		{"the right button", "python", "await desktop.locator('id:a').right_click()", "click_element", `{"button":"right","selector":"id:a"}`},
		{"a number in Python", "python", "desktop.locator('id:a').wait_for('visible', 7)", "wait_for_element", `{"condition":"visible","selector":"id:a","timeout_ms":7}`},
		{"an option in Python", "python", "desktop.locator('id:a').selectOption('b')", "select_option", `{"option_name":"b","selector":"id:a"}`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			needs(t, row.engine)
			used, e := "", &steps.Env{Folders: steps.Folders{Dir: t.TempDir()}, Children: steps.Children{Environ: os.Environ()}}
			e.Call = func(_ context.Context, kind string, args map[string]any) steps.Outcome {
				b, _ := json.Marshal(args)
				used = kind + " " + string(b)
				return steps.Outcome{Result: map[string]any{}}
			}
			if o := RunCommand.Run(t.Context(), e, map[string]any{"engine": row.engine, "run": row.run}); o.Err != nil {
				t.Fatal(o.Err)
			}
			if want := row.kind + " " + row.args; used != want {
				t.Errorf("the script used\n%s, want\n%s", used, want)
			}
		})
	}
}

func TestAScriptFileRunsInItsFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		"in/f.js": "return {h: require('./h.js'), cwd: process.cwd()}", "in/h.js": "module.exports = 1",
		"in/f.py": "import h, os\nreturn {'h': h.h, 'cwd': os.getcwd()}", "in/h.py": "h = 1", "in/f.sh": "cat h.py", "other/x": "",
	})
	for _, row := range []struct {
		sentence, file, engine, in, want string
	}{
		{"JavaScript", "in/f.js", "js", "", "in"},
		{"Python", "in/f.py", "python", "", "in"},
		{"JavaScript in another folder has its helpers", "in/f.js", "js", "other", "other"},
		{"a shell", "in/f.sh", "", "", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			needs(t, row.engine)
			args := map[string]any{"script_file": row.file}
			if row.engine != "" {
				args["engine"] = row.engine
			}
			if row.in != "" {
				args["working_directory"] = row.in
			}
			o := RunCommand.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir}, Children: steps.Children{Environ: os.Environ()}}, args)
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			if row.engine == "" && o.Result["stdout"] != "h = 1" {
				t.Errorf("it printed %q", o.Result["stdout"])
			}
			if cwd, _ := o.Sets["cwd"].(string); row.engine != "" && (filepath.Base(cwd) != row.want || o.Sets["h"] != 1.0) {
				t.Errorf("it ran in %s, and its helper said %v", cwd, o.Sets["h"])
			}
		})
	}
}

func TestTypeScript(t *testing.T) {
	needs(t, "typescript")
	node, _ := exec.LookPath("node")
	reads := exec.Command(node, "-e", `process.exit(require("node:module").stripTypeScriptTypes ? 0 : 1)`).Run() == nil
	o := RunCommand.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: t.TempDir()}, Children: steps.Children{Environ: os.Environ()}},
		map[string]any{"engine": "ts", "run": "const n: number = 2; return {n}"})
	switch {
	case reads && (o.Err != nil || o.Sets["n"] != 2.0):
		t.Errorf("got %v %v, want n to be 2", o.Err, o.Sets)
	case !reads && (code(o) != steps.Unavailable || o.Acted != steps.ActedNo || o.Err.Next == ""):
		t.Errorf("got %+v, want unavailable and what to install", o)
	}
}

// needs skips a test when what runs a language is not installed.
func needs(t *testing.T, engine string) {
	t.Helper()
	name := "node"
	if engine == "python" {
		name = "python3"
	}
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("needs %s", name)
	}
}
