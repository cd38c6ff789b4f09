//go:build linux

package attack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/internal/sandbox"
	"understudy/internal/testing/byhand"
)

// shell serves a client that may run commands.
func (a *arena) shell() byhand.Visitor {
	token := a.token("shell", "--mode", "act", "--toolsets", "core,shell")
	a.environ = append(a.environ, fmt.Sprintf("UNDERSTUDY_MAX_CONCURRENT=%d", 2*attackers))
	return a.client(a.serve("--toolsets", "core,shell,flow", "--root", a.work), byhand.Modern, token)
}

// commands put values that do harm into commands and scripts: each comes out as it
// is, and where a shell would evaluate it, the document is refused.
func commands(a *arena) func() {
	c := a.shell()
	given := func(v string, steps []any, output string) (int, byhand.Object) {
		return a.call(c, "execute_sequence", byhand.Object{"variables": byhand.Object{"v": byhand.Object{"type": "string"}}, "inputs": byhand.Object{"v": v}, "steps": steps, "output": output})
	}
	command := func(i int, args byhand.Object) byhand.Object {
		return byhand.Object{"id": fmt.Sprintf("s%d", i), "tool_name": "run_command", "arguments": args}
	}
	return func() {
		a.parallel(40, func(r *rand.Rand) {
			v, i := value(r), r.IntN(3)
			switch i {
			case 0: // data
				var steps []any
				var outputs []string
				for i, d := range Data {
					steps = append(steps, command(i, byhand.Object{"run": d.Command, "shell": one(r, []string{"sh", "bash"})}))
					outputs = append(outputs, fmt.Sprintf("steps.s%d.result.stdout", i))
				}
				_, res := given(v, steps, "["+strings.Join(outputs, ",")+"]")
				got, _ := byhand.Dig(res, "result", "structuredContent", "output").([]any)
				for i, d := range Data {
					if i < len(got) && got[i] == nil {
						got[i] = "" // it printed nothing
					}
					a.attempt(i < len(got) && got[i] == d.Prefix+v+d.Suffix, "%q in %s: %v: %v", v, d.Command, got, res)
				}
			case 1: // a script
				_, res := given(v, []any{command(0, byhand.Object{"engine": "python", "run": "return [${{ v }}, '${{ v }}', f'<${{ v }}>']"})}, "steps.s0.result.result")
				got, _ := byhand.Dig(res, "result", "structuredContent", "output").([]any)
				for i, want := range []string{v, v, "<" + v + ">"} {
					a.attempt(i < len(got) && got[i] == want, "%q in a script: %v: %v", v, got, res)
				}
			default: // code
				for range 20 {
					line := one(r, Code)
					_, res := given(v, []any{command(0, byhand.Object{"run": line, "shell": "bash"})}, "1")
					a.attempt(byhand.IsError(res) && strings.Contains(fmt.Sprint(res), "code:invalid"), "%q in %s: %v", v, line, res)
				}
			}
		})
		if left := a.left(a.work); len(left) > 0 {
			a.attempt(false, "a value made %v", left)
			_ = os.RemoveAll(filepath.Join(a.work, left[0]))
		}
	}
}

// value is one that does harm, or several of them in one.
func value(r *rand.Rand) string {
	all := slices.Concat(Values, Scripts, []string{"a[$(touch hacked)]", "-va[$(touch hacked)]", "$(touch ${PWD}/hacked)"})
	var v strings.Builder
	v.WriteString(one(r, all))
	for range r.IntN(3) {
		v.WriteString(one(r, all))
	}
	return strings.NewReplacer("\x00", "", "{{", "{ {").Replace(v.String()) // no input holds a NUL or a template
}

func noSandbox() string {
	if _, mend := sandbox.Report(); mend != "" {
		return "needs a kernel with Landlock: " + mend
	}
	return ""
}

// sandboxEscapes are commands of a client that write outside of its folders.
func sandboxEscapes(a *arena) func() {
	c := a.shell()
	wraps := []string{"%s", "sh -c %s", "env sh -c %s", "nice sh -c %s", "echo %s | sh", "python3 -c 'import os,sys; sys.exit(os.system(sys.argv[1]) and 1)' %s", "xargs -0 sh -c <<X\nX\nsh -c %s"}
	return func() {
		a.parallel(100, func(r *rand.Rand) {
			outside := a.folder(a.home, fmt.Sprintf("outside%d", r.Uint64()))
			a.must(os.Chmod(outside, 0o777))
			a.put(filepath.Join(outside, "kept"), "kept")
			line, wrap := one(r, Escapes), one(r, wraps)
			if wrap != "%s" {
				line = fmt.Sprintf(wrap, "'"+strings.ReplaceAll(line, "'", `'\''`)+"'")
			}
			_, res := a.call(c, "run_command", byhand.Object{"run": line, "env": byhand.Object{"OUTSIDE": outside}})
			text, err := os.ReadFile(filepath.Join(outside, "kept"))
			a.attempt(err == nil && string(text) == "kept" && len(a.left(outside)) == 1 && byhand.IsError(res), "%s: outside there is %v, %q, %v: %v", line, a.left(outside), text, err, res)
			a.must(os.RemoveAll(outside))
		})
	}
}

// sandboxDoors are commands of a client that have what runs outside the sandbox do what they
// may not: the owner of the data folder, the keeper of a desktop, its bus, another server.
func sandboxDoors(a *arena) func() {
	c := a.shell()
	wraps := []string{"%s", "setsid sh -c %s", "sh -c %s & wait $!", "env -i HOME=$HOME PATH=$PATH OUTSIDE=$OUTSIDE DATA=$DATA SERVER=$SERVER sh -c %s", "prlimit --pid $$ --locks=unlimited; sh -c %s"}
	doors := []string{
		"understudy --home $DATA run out.yaml --input to=$OUTSIDE/new",
		"understudy --home $DATA call run_command '{\"run\":\"touch '$OUTSIDE'/new\"}'",
	}
	keeper := []string{
		"understudy --home $DATA desktop run doors -- touch $OUTSIDE/new",
		"understudy --home $DATA desktop stop doors",
		"for b in $(find $DATA /tmp -path '*desktop-doors/bus' 2>/dev/null); do dbus-send --bus=unix:path=$b --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.UpdateActivationEnvironment dict:string:string:LD_PRELOAD,$PWD/x.so && exit 0; done; exit 1",
	}
	if out, err := a.command(a.t.Context(), ownerUID, "understudy", "desktop", "start", "doors").CombinedOutput(); err == nil {
		doors = append(slices.Concat(doors, keeper), a.pipes()...)
		a.t.Cleanup(func() { _ = a.command(context.Background(), ownerUID, "understudy", "desktop", "stop", "doors").Run() })
	} else { // a bus wants a user whom the system knows
		a.t.Logf("no desktop is attacked: %v: %s", err, out)
	}
	if detail, _ := sandbox.Report(); !strings.Contains(detail, "signals") {
		doors = append(doors, "kill -STOP $SERVER", "kill -KILL $SERVER")
	}
	a.put(filepath.Join(a.work, "out.yaml"), "variables: {to: {type: string}}\nsteps: [{tool_name: run_command, arguments: {run: 'touch ${{ inputs.to }}'}}]\n")
	return func() {
		a.parallel(40, func(r *rand.Rand) {
			outside := a.folder(a.home, fmt.Sprintf("outside%d", r.Uint64()))
			a.must(os.Chmod(outside, 0o777))
			line, wrap := one(r, doors), one(r, wraps)
			line = fmt.Sprintf(wrap, "'"+strings.ReplaceAll(line, "'", `'\''`)+"'")
			if wrap == "%s" {
				line = "sh -c " + line
			}
			_, res := a.call(c, "run_command", byhand.Object{"run": line, "env": byhand.Object{"OUTSIDE": outside, "DATA": a.data, "SERVER": fmt.Sprint(a.pid)}})
			a.attempt(len(a.left(outside)) == 0 && byhand.IsError(res), "%s: outside there is %v: %v", line, a.left(outside), res)
			a.must(os.RemoveAll(outside))
		})
	}
}

// pipes start a browser on the desktop doors, and are ways to its pipe.
func (a *arena) pipes() (doors []string) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		a.t.Log("no browser is attacked: ", err)
		return nil
	}
	a.understudy("desktop", "run", "doors", "--", browser, "--no-sandbox", "--no-first-run", "--password-store=basic", "--disable-gpu", "--user-data-dir="+filepath.Join(a.home, "profile"), "about:blank")
	ways := waysToPipes(a.data)
	a.closed(ways[:2]...)
	for _, way := range ways {
		doors = append(doors, fmt.Sprintf("stranger \"%s\" | grep :.done", way))
	}
	return doors
}

// waysToPipes are attempts to use the pipe of a browser on a desktop in a data folder: by its
// keeper, by the file that the browser reads, and by its memory.
func waysToPipes(data string) []string {
	return []string{"browse " + data, "pipe", "memory"}
}

// programsWithoutShell has a client without the toolset shell start what runs commands.
func programsWithoutShell(a *arena) func() {
	token := a.token("core", "--mode", "act", "--toolsets", "core")
	a.environ = append(a.environ, fmt.Sprintf("UNDERSTUDY_MAX_CONCURRENT=%d", 2*attackers))
	c := a.client(a.serve("--toolsets", "core,shell", "--root", a.work, "--display", "virtual"), byhand.Modern, token)
	programs := []string{"gview", "gvimdiff", "koi8rxterm", "emacs-gtk", "vim.tiny"}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		for _, pattern := range []string{"*vi", "*view", "*vim*", "*term*", "*emacs*", "*sh", "python*", "idle*", "sway", "run*", "*-run*", "*-terminal*", "perl*", "lua*", "*launch*"} {
			found, _ := filepath.Glob(filepath.Join(folder, pattern))
			for _, file := range found {
				programs = append(programs, filepath.Base(file))
			}
		}
	}
	forms := []string{"%s", "%s.desktop", "%s -e id", "/usr/bin/%s", "debian-%s", "org.gnome.%s", "%s.DESKTOP", " %s ", "env %s"}
	return func() {
		a.parallel(40, func(r *rand.Rand) {
			name := fmt.Sprintf(one(r, forms), one(r, programs))
			_, res := a.call(c, "open_application", byhand.Object{"app_name": name, "timeout_ms": 2000})
			a.attempt(byhand.IsError(res) || res["error"] != nil, "%s: %v", name, res)
		})
	}
}
