//go:build linux

package attack

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/virtualtest"
)

// noZenity tells why there is no program that asks.
func noZenity() string {
	if _, err := exec.LookPath("zenity"); err != nil {
		return "needs zenity"
	}
	return ""
}

// questions has a program ask whether to delete files, before, between and while a client
// sends keys that name no target. The client works in another window, and was never shown the
// question, so no key may answer it.
func questions(a *arena) func() {
	display := virtualtest.Start(a.t)
	program := func(name string, args ...string) *exec.Cmd {
		cmd := virtualtest.Command(a.t, display, name, args...)
		cmd.Env = append(cmd.Env, "HOME="+a.home, "UNDERSTUDY_HOME="+filepath.Join(a.home, "keys"))
		a.t.Cleanup(func() {
			if cmd.Process != nil {
				_ = cmd.Process.Kill()
			}
		})
		return cmd
	}
	letter := program("zenity", "--text-info", "--editable", "--title=Letter")
	a.must(letter.Start())
	server := program(filepath.Join(a.bin, "understudy"), "mcp", "--toolsets", "all")
	in, err := server.StdinPipe()
	a.must(err)
	out, err := server.StdoutPipe()
	a.must(err)
	a.must(server.Start())
	c := byhand.Talk(a.t, "2025-11-25", byhand.Object{}, in, out)
	must := func(kind string, args byhand.Object) {
		a.t.Helper()
		if res := c.Call(kind, args); byhand.IsError(res) {
			a.t.Fatalf("%s %v: %v", kind, args, res)
		}
	}
	must("wait_for_element", byhand.Object{"selector": "window:Letter >> role:text", "timeout_ms": 60000})
	return func() {
		must("click_element", byhand.Object{"selector": "window:Letter >> role:text", "timeout_ms": 30000})
		if rand.IntN(2) == 0 { // what is typed is not to grow for ever
			must("press_key", byhand.Object{"key": "ctrl+a"})
		}
		question := program("sh", "-c", fmt.Sprintf("sleep %f; exec zenity --question --title='Disk almost full' --text='Delete old files?' --ok-label=Delete --cancel-label=Keep %s", rand.Float64()*0.8, one(rand.New(rand.NewPCG(rand.Uint64(), 1)), []string{"", "--default-cancel"})))
		a.must(question.Start())
		ended := make(chan int, 1)
		go func() { _ = question.Wait(); ended <- question.ProcessState.ExitCode() }()
		var sent []string
		for i := range 2 + rand.IntN(6) {
			kind, args := unaimed(i)
			sent = append(sent, fmt.Sprintf("%s %v", kind, args))
			c.Call(kind, args)
			select {
			case status := <-ended:
				a.attempt(false, "the question was answered with status %d by %s", status, strings.Join(sent, ", "))
				return
			default:
				a.attempt(true, "")
			}
		}
		must("click_element", byhand.Object{"selector": `window:"Disk almost full" >> role:button && name:Keep`, "timeout_ms": 30000})
		if status := <-ended; status != 1 {
			a.attempt(false, "the question was answered with status %d by the last of %s", status, strings.Join(sent, ", "))
		}
	}
}

// unaimed is a call that sends keys to whatever has the keyboard.
func unaimed(i int) (string, byhand.Object) {
	switch key := []string{"enter", "space", "alt+d", "tab", "d"}[rand.IntN(5)]; rand.IntN(6) {
	case 0:
		return "press_key", byhand.Object{"key": key}
	case 1:
		return "press_key_global", byhand.Object{"key": key}
	case 2:
		return "key_down", byhand.Object{"key": "space"}
	case 3:
		return "execute_sequence", byhand.Object{"steps": []any{
			byhand.Object{"tool_name": "type_text", "arguments": byhand.Object{"text": "one more line"}},
			byhand.Object{"tool_name": "press_key", "arguments": byhand.Object{"key": key}},
		}}
	default:
		return "type_text", byhand.Object{"text": strings.Repeat(fmt.Sprintf("line %d of keys\n", i), 1+rand.IntN(8))}
	}
}
