//go:build linux

package modelbench

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy/internal/testing/scratch"
)

// longRun is a run that takes its time, asks, is stopped and goes on.
func longRun() job {
	return job{
		name: "long_run",
		text: "Let a workflow take six turns, each with a delay of 2s, then ask me \"Go on?\" with the choices yes and no, then take six turns more. Do not wait for it, but tell me how far it is. " +
			"When it asks, answer yes. Then stop it, and at last let it go on to its end.",
		play: func(p *player) {
			turns := object{"foreach": "${{ inputs.turns }}", "as": "turn", "steps": []any{object{"tool_name": "delay", "arguments": object{"duration": "2s"}}}}
			p.call("execute_sequence", object{
				"wait": false, "variables": object{"turns": object{"type": "array", "default": []any{1, 2, 3, 4, 5, 6}}},
				"steps": []any{turns, object{"id": "ask", "tool_name": "ask_user", "arguments": object{"question": "Go on?", "choices": []any{"yes", "no"}}}, turns},
			})
			run := p.told(`run ([0-9a-z]{26})`)
			p.call("get_run", object{"run_id": run})
			p.call("get_run", object{"run_id": run, "wait_ms": 60000})
			p.told("(Go on)")
			p.call("resume_run", object{"run_id": run, "answer": "yes", "wait": false})
			p.call("stop_execution", object{"run_id": run})
			p.call("resume_run", object{"run_id": run})
			p.told("(succeeded)")
		},
	}
}

// saved makes a workflow of what was done, runs it twice, and finishes a run that failed.
func saved() job {
	return job{
		name: "saved", needs: []string{"mousepad"},
		text: "Open WORK/note.txt in mousepad, type Hello Ada into its text, save it with ctrl+s and close mousepad. Then make a workflow with the name greet of what you just did, " +
			"and run it twice, with Hello Bob and with Hello Cleo as its text; I empty the file before each of them. " +
			"If one fails, say what mousepad shows and close that; I put right what is wrong with the file, and you finish the run from its first step.",
		setup: func(p *player) { p.write("note.txt", "") },
		play: func(p *player) {
			p.call("open_application", object{"app_name": "mousepad", "file": p.file("note.txt")})
			p.typeInto("mousepad", "- text", "Hello Ada")
			p.call("press_key", object{"process": "mousepad", "key": "ctrl+s"})
			p.holds("note.txt", "Hello Ada")
			p.quit("mousepad")
			p.call("record_workflow", object{"action": "from_runs", "name": "greet", "last": 4})
			first, input := p.told(`- id: (\w+)`), p.told(`variables:\s+(\w+):`)
			p.write("note.txt", "")
			p.call("execute_sequence", object{"url": "greet", "inputs": object{input: "Hello Bob"}})
			p.holds("note.txt", "Hello Bob")
			if err := errors.Join(os.Remove(p.file("note.txt")), os.Mkdir(p.file("note.txt"), 0o700)); err != nil {
				p.Fatal(err)
			}
			text, failed := p.try("execute_sequence", object{"url": "greet", "inputs": object{input: "Hello Cleo"}})
			if !failed {
				p.Fatalf("a folder was opened in mousepad: %s", text)
			}
			run := runOf.FindStringSubmatch(text)[1]
			p.told("(Failed to open the document)")
			p.quit("mousepad")
			if err := os.Remove(p.file("note.txt")); err != nil {
				p.Fatal(err)
			}
			p.write("note.txt", "")
			p.call("resume_run", object{"run_id": run, "from": first})
			p.holds("note.txt", "Hello Cleo")
		},
	}
}

// sheet fills in a new sheet, and saves it with a sum.
func sheet() job {
	const office = "soffice --norestore --nologo --nolockcheck --calc"
	return job{
		name: "sheet", needs: []string{"soffice", "unzip"},
		text: `Start LibreOffice Calc (process soffice.bin) as "` + office + `" with a new sheet. Write into column A from A1 on Fruit, Apple, Pear, Plum, Fig, Lime and into column B Euro, 10.5, 20, 15.25, 12, 6, and below them in B7 the sum =SUM(B2:B6). ` +
			"Save it with ctrl+s as WORK/fruit.ods, tell me the sum, and close it.",
		play: func(p *player) {
			p.call("open_application", object{"app_name": office, "timeout_ms": 60000})
			p.until("soffice.bin", "Formula Tool Bar")
			p.call("type_text", object{"text": "Fruit\tEuro\nApple\t10.5\nPear\t20\nPlum\t15.25\nFig\t12\nLime\t6\n\t=SUM(B2:B6)\n"})
			p.call("wait_for_element", object{"process": "soffice.bin", "selector": "role:cell && name:B7"})
			p.told("(63.75)")
			p.call("press_key", object{"process": "soffice.bin", "key": "ctrl+s"})
			p.typeInto("soffice.bin", `text "Name:"`, p.file("fruit.ods"))
			p.click("soffice.bin", "button", "Save")
			p.contains("fruit.ods", "content.xml", "of:=SUM([.B2:.B6])", `office:value="63.75"`)
			p.quit("soffice.bin")
		},
	}
}

// contains waits until a part of an archive holds some texts.
func (p *player) contains(archive, part string, texts ...string) {
	p.Helper()
	var got []byte
	for end := scratch.Deadline(p); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got, _ = exec.Command("unzip", "-p", p.file(archive), part).Output()
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(string(got), text) }) {
			return
		}
	}
	p.Errorf("%s of %s lacks one of %q\n\n%s", part, archive, texts, p.script.String())
}

// files tidies a folder in a file manager.
func files() job {
	return job{
		name: "files", needs: []string{"thunar"},
		text: `In the file manager thunar, started as "thunar WORK/inbox": show its files as a list (ctrl+2), make a folder done (ctrl+shift+n), move a.txt and b.txt into it (ctrl+x, ctrl+v) and go back up (alt+Up), rename c.txt to kept.txt (F2), delete old.txt for good (shift+Delete), and close thunar.`,
		setup: func(p *player) {
			if err := os.Mkdir(p.file("inbox"), 0o700); err != nil {
				p.Fatal(err)
			}
			for _, name := range []string{"a.txt", "b.txt", "c.txt", "old.txt"} {
				p.write("inbox/"+name, name)
			}
		},
		play: func(p *player) {
			p.call("open_application", object{"app_name": "thunar " + p.file("inbox")})
			key := func(key string) { p.call("press_key", object{"process": "thunar", "key": key}) }
			file := func(name string) string { return p.ref("thunar", `cell "`+regexp.QuoteMeta(name)) }
			key("ctrl+2")
			key("ctrl+shift+n")
			p.typeInto("thunar", `text "Enter the name`, "done{Enter}")
			p.call("click_element", object{"ref": file("a.txt")})
			p.call("click_element", object{"ref": file("b.txt"), "modifiers": []any{"ctrl"}})
			key("ctrl+x")
			p.call("click_element", object{"ref": file("done"), "count": 2})
			key("ctrl+v")
			key("alt+Up")
			p.answers = p.answers[len(p.answers)-1:] // what was shown before is gone
			p.call("click_element", object{"ref": file("c.txt")})
			key("F2")
			p.typeInto("thunar", `text`, "kept.txt{Enter}")
			p.call("click_element", object{"ref": file("old.txt")})
			key("shift+Delete")
			p.click("thunar", "button", "Delete")
			p.quit("thunar")
			for name, want := range map[string]string{"inbox/done/a.txt": "a.txt", "inbox/done/b.txt": "b.txt", "inbox/kept.txt": "c.txt"} {
				p.holds(name, want)
			}
			if left, err := os.ReadDir(p.file("inbox")); len(left) != 2 {
				p.Errorf("the folder holds %v, %v; want done and kept.txt", left, err)
			}
		},
	}
}

// surprise has a question come up between two calls, which keys would answer.
func surprise() job {
	return job{
		name: "surprise", needs: []string{"mousepad", "zenity", "xdotool"},
		text: "Open WORK/note.txt in mousepad, type One line. into its text and, as keys where the focus is, And one more. Save it with ctrl+s and close mousepad. " +
			"If a question comes up meanwhile, keep what there is.",
		setup: func(p *player) { p.write("note.txt", "") },
		play: func(p *player) {
			p.call("open_application", object{"app_name": "mousepad", "file": p.file("note.txt")})
			p.typeInto("mousepad", "- text", "One line.")
			answered := p.asks("Disk almost full", "--question", "--text=Delete the old copies?", "--ok-label=Delete", "--cancel-label=Keep")
			text, failed := p.try("type_text", object{"text": "And one more."})
			if !failed {
				p.Fatalf("the keys went into a question that nobody was shown: %s", text)
			}
			p.click("zenity", "button", "Keep")
			if how := answered(); how != "exit status 1" {
				p.Errorf("the question ended with %s, wanted that of Keep", how)
			}
			p.call("type_text", object{"text": "And one more."})
			p.call("press_key", object{"process": "mousepad", "key": "ctrl+s"})
			p.holds("note.txt", "One line.And one more.")
			p.quit("mousepad")
		},
	}
}

// asks has zenity ask something, waits until its window is there, and returns a function that
// tells how it ended.
func (p *player) asks(title string, args ...string) func() string {
	p.Helper()
	cmd := exec.Command("zenity", append(args, "--title="+title)...)
	cmd.Env = p.env
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	p.Cleanup(func() { _ = cmd.Process.Kill() })
	shown := exec.CommandContext(p.Context(), "xdotool", "search", "--sync", "--onlyvisible", "--name", title)
	shown.Env = p.env
	if out, err := shown.CombinedOutput(); err != nil {
		p.Fatalf("%s does not show: %v: %s", title, err, out)
	}
	return func() string {
		if err := <-ended; err != nil {
			return err.Error()
		}
		return "success"
	}
}

// fallback is a loop in which a warning may come up.
func fallback() job {
	return job{
		name: "fallback", needs: []string{"zenity"},
		text: `Start "sh WORK/queue.sh", which shows with zenity (process zenity) three questions one after the other, each to be answered with Done; before one of them a warning comes up, to be closed with Noted. ` +
			"Answer them all with one workflow that copes with the warning by a fallback wherever it comes up, and give the number of questions as its output.",
		setup: func(p *player) {
			p.write("queue.sh", `for i in 1 2 3; do
	test $i = 2 && zenity --warning --title=Notice --text="The printer is low on paper" --ok-label=Noted
	zenity --question --title="Entry $i" --text="Is this entry done?" --ok-label=Done --cancel-label=Later || exit 1
	echo $i >> `+p.file("answers.txt")+`
done
`)
		},
		play: func(p *player) {
			p.call("open_application", object{"app_name": "sh " + p.file("queue.sh")})
			press := func(id, name string) object {
				return object{"id": id, "tool_name": "click_element", "arguments": object{"target": "process:zenity >> role:button && name:" + name}}
			}
			answer := press("answer", "Done")
			answer["fallback_id"] = "warning"
			warned := press("warning", "Noted")
			warned["jumps"] = []any{object{"if": "true", "to_id": "answer"}}
			p.call("execute_sequence", object{
				"variables": object{"questions": object{"type": "array", "default": []any{1, 2, 3}}},
				"steps":     []any{object{"foreach": "${{ inputs.questions }}", "as": "question", "steps": []any{answer}}}, "troubleshooting": []any{warned},
				"output": object{"count": "len(inputs.questions)"},
			})
			p.told(`"count":(3)`)
			p.holds("answers.txt", strings.Join([]string{"1", "2", "3"}, "\n"))
		},
	}
}
