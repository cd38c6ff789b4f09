//go:build linux

package modelbench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

// browser is how the jobs start Chromium, which runs here as root and without a GPU.
const browser = "chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu"

func saveAs() job {
	return job{
		name: "save_as", needs: []string{"mousepad"},
		text: "Open WORK/in.txt in mousepad, save it as WORK/copies/out.txt with the dialog that ctrl+shift+s opens, and close mousepad.",
		setup: func(p *player) {
			p.write("in.txt", "one\ntwo\n")
			if err := os.Mkdir(p.file("copies"), 0o700); err != nil {
				p.Fatal(err)
			}
		},
		play: func(p *player) {
			p.call("open_application", object{"app_name": "mousepad " + p.file("in.txt")})
			p.call("press_key", object{"process": "mousepad", "key": "ctrl+shift+s"})
			p.typeInto("mousepad", `text "Name:"`, p.file("copies/out.txt"))
			for range looks { // the first press may only close the list of names below the field
				p.click("mousepad", "button", "Save")
				if p.sees(`closed: window "Save As"`) {
					break
				}
				if p.sees("may have taken the click") {
					continue
				}
				p.again = true
				if p.call("get_applications_and_windows_list", object{}); !p.sees("Save As") {
					break
				}
			}
			p.holds("copies/out.txt", "one\ntwo")
			p.quit("mousepad")
		},
	}
}

func table() job {
	return job{
		name: "table", needs: []string{"soffice"},
		text: `Open WORK/table.csv in LibreOffice Calc (process soffice.bin, to be started as "soffice --norestore --nologo --nolockcheck --calc WORK/table.csv"), ` +
			"confirm the dialog of the import with OK, go to the cell B3 by the box that shows A1, enter 42, save it with ctrl+s in the format Text CSV, and close it.",
		setup: func(p *player) { p.write("table.csv", "Item,Amount\nApple,10\nPear,0\n") },
		play: func(p *player) {
			p.call("open_application", object{"app_name": "soffice --norestore --nologo --nolockcheck --calc " + p.file("table.csv"), "timeout_ms": 60000})
			p.click("soffice.bin", "button", "OK")
			p.call("type_into_element", object{"ref": p.ref("soffice.bin", `"Formula Tool Bar" \[ref=e\d+\]:\s+- text \[ref=(e\d+)\]`), "text_to_type": "B3{Enter}"})
			if p.tools["type_text"] != nil {
				p.call("type_text", object{"text": "42\n"})
			} else {
				for _, key := range []string{"4", "2", "enter"} {
					p.call("press_key", object{"process": "soffice.bin", "key": key})
				}
			}
			p.call("press_key", object{"process": "soffice.bin", "key": "ctrl+s"})
			p.click("soffice.bin", "button", "Use Text CSV Format")
			p.holds("table.csv", "Item,Amount\nApple,10\nPear,42")
			p.quit("soffice.bin")
		},
	}
}

func record() job {
	return job{
		name: "record", needs: []string{"mousepad"},
		text: "Open WORK/note.txt in mousepad, type Hello Ada into its text, save it with ctrl+s and close mousepad. Then make a workflow with the name greet of what you just did, " +
			"and run it when I have emptied the file.",
		setup: func(p *player) { p.write("note.txt", "") },
		play: func(p *player) {
			p.call("open_application", object{"app_name": "mousepad " + p.file("note.txt")})
			p.typeInto("mousepad", "- text", "Hello Ada")
			p.call("press_key", object{"process": "mousepad", "key": "ctrl+s"})
			p.holds("note.txt", "Hello Ada")
			p.quit("mousepad")
			p.call("record_workflow", object{"action": "from_runs", "name": "greet", "runs": p.runs()})
			p.write("note.txt", "")
			p.call("execute_sequence", object{"url": "greet"})
			p.holds("note.txt", "Hello Ada")
		},
	}
}

func page() job {
	shop := &shop{}
	return job{
		name: "page", needs: []string{"chromium"},
		text:  "In chromium (process chromium, to be started as \"" + browser + "\"), open the catalogue whose address stands in WORK/address.txt, press the link \"open 42\", and tell me what the article costs.",
		setup: shop.serve,
		play: func(p *player) {
			p.known += "\n" + shop.address
			p.call("open_application", object{"app_name": browser + " " + shop.address, "timeout_ms": 60000})
			p.until("chromium", "open 1")
			p.call("click_element", object{"process": "chromium", "selector": "role:link && name:open 42", "timeout_ms": 20000})
			p.until("chromium", "84 euro")
		},
	}
}

// shop is a page with many rows.
type shop struct{ address string }

func (s *shop) serve(p *player) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if n, ok := strings.CutPrefix(r.URL.Path, "/article/"); ok {
			fmt.Fprintf(w, "<title>Article</title><h1>Article %s</h1><p>It costs %s euro.", n, map[string]string{"42": "84"}[n])
			return
		}
		fmt.Fprint(w, "<title>Catalogue</title><h1>Catalogue</h1><table>")
		for i := range 60 {
			fmt.Fprintf(w, "<tr><td>Article %d<td><a href='/article/%d'>open %d</a>", i+1, i+1, i+1)
		}
	}))
	p.Cleanup(server.Close)
	s.address = server.URL
	p.write("address.txt", s.address)
}

func rows() job {
	form := &form{again: true}
	return job{
		name: "rows", needs: []string{"chromium"},
		text: "In chromium (process chromium, to be started as \"" + browser + "\"), open the page whose address stands in WORK/address.txt. For each line of WORK/people.csv " +
			"(print it with cat), which has a name and a size, fill in the form (name, size) and press Send; the page then shows the form again.",
		setup: func(p *player) {
			form.serve(p)
			p.write("people.csv", "Ada Lovelace,Large\nAlan Turing,Medium\nGrace Hopper,Small\n")
		},
		play: func(p *player) {
			p.known += "\n" + form.address
			said := p.call("run_command", object{"run": "cat " + p.file("people.csv")})
			p.call("open_application", object{"app_name": browser + " " + form.address, "timeout_ms": 60000})
			p.until("chromium", `combobox "Size"`)
			var people []any
			for line := range strings.Lines(said) {
				if name, size, ok := strings.Cut(strings.TrimSpace(line), ","); ok && slices.Contains([]string{"Large", "Medium", "Small"}, size) {
					people = append(people, object{"name": name, "size": size})
				}
			}
			on := func(selector string, args object) object {
				args["process"], args["selector"] = "chromium", selector
				return args
			}
			text, failed := p.try("execute_sequence", object{
				"variables": object{"people": object{"type": "array", "default": people}},
				"steps": []any{object{"foreach": "${{ inputs.people }}", "as": "person", "steps": []any{
					object{"tool_name": "type_into_element", "arguments": on("role:entry && name:Your name", object{"text_to_type": "${{ person.name }}"})},
					object{"tool_name": "select_option", "arguments": on("role:combobox && name:Size", object{"option_name": "${{ person.size }}"})},
					object{"tool_name": "click_element", "arguments": on("role:button && name:Send", object{})},
				}}},
			})
			for range looks { // the page may have come again while it was filled in
				if failed {
					p.again = true
					text, failed = p.try("resume_run", object{"run_id": runOf.FindStringSubmatch(text)[1]})
				}
			}
			if failed {
				p.Fatalf("the form is not filled in: %s", text)
			}
			want := []url.Values{}
			for _, row := range [][2]string{{"Ada Lovelace", "L"}, {"Alan Turing", "M"}, {"Grace Hopper", "S"}} {
				want = append(want, url.Values{"who": {row[0]}, "size": {row[1]}, "secret": {""}})
			}
			form.received(p, want...)
		},
	}
}

func pad() job {
	return job{
		name: "pad", needs: []string{"featherpad"},
		text:  `Open WORK/list.txt in featherpad (to be started as "featherpad --standalone WORK/list.txt"), go to its end with ctrl+end, type milk, save it with ctrl+s and close featherpad.`,
		setup: func(p *player) { p.write("list.txt", "bread\n") },
		play: func(p *player) {
			p.call("open_application", object{"app_name": "featherpad --standalone " + p.file("list.txt")})
			p.call("press_key", object{"process": "featherpad", "key": "ctrl+end"})
			if p.tools["type_text"] != nil {
				p.call("type_text", object{"text": "milk"})
			} else {
				p.call("type_into_element", object{"ref": p.ref("featherpad", "- text"), "text_to_type": "milk", "clear_before_typing": false})
			}
			p.call("press_key", object{"process": "featherpad", "key": "ctrl+s"})
			p.holds("list.txt", "bread\nmilk")
			p.quit("featherpad")
		},
	}
}

func survey() job {
	return job{
		name: "survey", needs: []string{"zenity"},
		text: `Start "sh WORK/ask.sh", which asks with zenity (process zenity): enter the name Ada and the city London, and press OK.`,
		setup: func(p *player) {
			p.write("ask.sh", "zenity --forms --title=Survey --text=Survey --add-entry=Name --add-entry=City > "+p.file("answer.txt")+"\n")
		},
		play: func(p *player) {
			p.call("open_application", object{"app_name": "sh " + p.file("ask.sh")})
			p.typeInto("zenity", `text "Name`, "Ada")
			p.typeInto("zenity", `text "City`, "London")
			p.click("zenity", "button", "OK")
			p.holds("answer.txt", "Ada|London")
		},
	}
}

func alert() job {
	return job{
		name: "alert", needs: []string{"zenity"},
		text: `Start "sh WORK/code.sh", which asks with zenity (process zenity) for a code: enter A-1 and press OK. If it is refused, tell me why, close the alert with its OK, enter 4711 instead and press OK.`,
		setup: func(p *player) {
			p.write("code.sh", `while code=$(zenity --entry --title=Code --text="The code:"); do
	case $code in
	*[!0-9]*) zenity --error --title=Refused --text="Only digits are allowed" ;;
	*) echo "$code" > `+p.file("code.txt")+`; exit ;;
	esac
done
`)
		},
		play: func(p *player) {
			p.call("open_application", object{"app_name": "sh " + p.file("code.sh")})
			p.typeInto("zenity", `text "The code:"`, "A-1")
			p.click("zenity", "button", "OK")
			p.awaits("role:label")
			p.until("zenity", "Only digits are allowed")
			p.click("zenity", "button", "OK")
			p.awaits("role:text && name:The code:")
			p.typeInto("zenity", `text "The code:"`, "4711")
			p.click("zenity", "button", "OK")
			p.holds("code.txt", "4711")
		},
	}
}

// awaits waits for the next window of zenity, unless the last answer shows it.
func (p *player) awaits(selector string) {
	p.Helper()
	_, opened, shown := strings.Cut(p.answers[len(p.answers)-1], "opened: window")
	if p.answers = []string{opened}; !shown { // what was shown before is gone
		p.again = true
		p.call("wait_for_element", object{"process": "zenity", "selector": selector})
	}
}

// runOf is the run that an answer says how to resume.
var runOf = regexp.MustCompile(`resume_run {"run_id": "([0-9a-z]+)"`)

// runs are the runs of the calls that acted, in their order.
func (p *player) runs() (ids []any) {
	p.Helper()
	for _, text := range p.answers {
		if m := runLine.FindStringSubmatch(text); m != nil {
			ids = append(ids, m[1])
		}
	}
	if len(ids) > 0 {
		return ids
	}
	for _, m := range runLine.FindAllStringSubmatch(p.call("list_runs", object{"calls": true}), -1) { // the newest first
		ids = append([]any{m[1]}, ids...)
	}
	return ids
}
