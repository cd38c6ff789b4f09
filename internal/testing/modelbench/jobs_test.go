//go:build linux

package modelbench

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

func TestMain(m *testing.M) { itself.Main(m) }

// job is what a person asks for. WORK stands for the folder of the job.
type job struct {
	name  string
	needs []string
	text  string
	setup func(*player)
	play  func(*player)
}

// TestJobs plays every job, writes down what was said, and prints what it cost.
func TestJobs(t *testing.T) {
	if os.Getenv("UNDERSTUDY_MODEL_JOBS") == "" {
		t.Skip("make bench-model plays the jobs")
	}
	var lines []string
	var all cost
	for _, j := range jobs() {
		t.Run(j.name, func(t *testing.T) {
			virtualtest.Need(t, j.needs...)
			p := played(t, j)
			p.keep(j.name)
			lines = append(lines, row(j.name, p.cost))
			all = sum(all, p.cost)
		})
	}
	fmt.Print(heading + strings.Join(lines, "") + row("all", all))
}

// heading is that of the table of what jobs cost. An answer in whole is all that a
// client gets: some show their model the text of it, some all of it.
const heading = "| job | calls | bytes | tokens: list | calls | answers as text | answers in whole | sum | seconds |\n|---|---|---|---|---|---|---|---|---|\n"

func row(name string, c cost) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %.1f |\n", name, c.calls, c.bytes, c.list, c.asked, c.said, c.wire, c.list+c.asked+c.wire, c.took.Seconds())
}

func sum(a, b cost) cost {
	return cost{a.calls + b.calls, a.bytes + b.bytes, a.list + b.list, a.asked + b.asked, a.said + b.said, a.wire + b.wire, a.took + b.took}
}

// keep writes down what was said where a reader finds it, with what differs from run
// to run covered.
func (p *player) keep(name string) {
	folder := os.Getenv("UNDERSTUDY_MODEL_JOBS")
	if filepath.IsAbs(folder) {
		if err := os.WriteFile(filepath.Join(folder, name+".txt"), []byte(p.covered()), 0o600); err != nil {
			p.Fatal(err)
		}
	}
}

// covered is the transcript without what differs from run to run.
func (p *player) covered() string { return p.cover(p.script.String()) }

func (p *player) cover(text string) string {
	text = strings.ReplaceAll(text, p.dir, "WORK")
	for _, m := range masks {
		text = m.what.ReplaceAllString(text, m.by)
	}
	return text
}

func jobs() []job {
	return []job{calculate(), saveAs(), replaceText(), table(), fillForm(), repair(), record(), page(), rows(), pad(), survey(), alert(), order(), figures(), sheet(), files(), saved(), fallback(), surprise(), longRun()}
}

func calculate() job {
	return job{
		name: "calculate", needs: []string{"galculator"},
		text: "Compute 17.5 * 4 - 3 with the application galculator, by its buttons, tell me the result, and close galculator.",
		play: func(p *player) {
			p.call("open_application", object{"app_name": "galculator", "include_tree_after_action": true})
			for _, key := range []string{"1", "7", ".", "5", "*", "4", "-", "3", "="} {
				p.click("galculator", "togglebutton", key)
			}
			p.until("galculator", `"67"`)
			p.quit("galculator")
		},
	}
}

func replaceText() job {
	return job{
		name: "replace", needs: []string{"mousepad"},
		text:  "Open WORK/in.txt in mousepad, replace foo by bar in all of it with the dialog that ctrl+r opens, save it with ctrl+s, and close mousepad.",
		setup: func(p *player) { p.write("in.txt", "foo one\ntwo foo\nfoo foo three\n") },
		play: func(p *player) {
			p.call("open_application", object{"app_name": "mousepad " + p.file("in.txt")})
			p.call("press_key", object{"process": "mousepad", "key": "ctrl+r"})
			p.typeInto("mousepad", `text "Search for:"`, "foo")
			p.typeInto("mousepad", `text "Replace with:"`, "bar")
			p.click("mousepad", "checkbox", "Replace all in")
			p.click("mousepad", "button", "Replace All")
			p.click("mousepad", "button", "Close")
			p.call("press_key", object{"process": "mousepad", "key": "ctrl+s"})
			p.holds("in.txt", "bar one\ntwo bar\nbar bar three")
			p.quit("mousepad")
		},
	}
}

func fillForm() job {
	form := &form{}
	return job{
		name: "form", needs: []string{"chromium"},
		text:  "In chromium (process chromium, to be started as \"" + browser + "\"), open the page whose address stands in WORK/address.txt, enter the name Ada Lovelace, tick \"As a gift\", choose the size Large, press Send, and tell me what the page answers.",
		setup: form.serve,
		play: func(p *player) {
			p.known += "\n" + form.address
			p.call("open_application", object{"app_name": browser + " " + form.address, "timeout_ms": 60000})
			p.typeInto("chromium", `entry "Your name"`, "Ada Lovelace")
			p.click("chromium", "checkbox", "As a gift")
			p.call("select_option", object{"ref": p.ref("chromium", `combobox "Size"`), "option_name": "Large"})
			p.click("chromium", "button", "Send")
			p.until("chromium", "Thank you")
			form.received(p, url.Values{"who": {"Ada Lovelace"}, "gift": {"yes"}, "size": {"L"}, "secret": {""}})
		},
	}
}

// form is a page that we serve, and what was sent by it.
type form struct {
	page    string // its file; "" is that of the tests of applications
	again   bool   // it is shown again when it was sent
	address string
	mu      sync.Mutex
	sent    []url.Values
}

func (f *form) serve(p *player) {
	f.sent = nil // of the play before
	page, err := os.ReadFile(cmp.Or(f.page, "../e2e/testdata/form.html"))
	if err != nil {
		p.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Method == http.MethodPost {
			_ = r.ParseForm()
			f.sent = append(f.sent, r.PostForm)
			if !f.again {
				fmt.Fprint(w, "<title>Order form</title><h1>Thank you</h1>")
				return
			}
		}
		_, _ = w.Write(page)
	}))
	p.Cleanup(server.Close)
	f.address = server.URL
	p.write("address.txt", f.address)
}

// received waits until the page has sent what is wanted.
func (f *form) received(p *player, want ...url.Values) {
	p.Helper()
	got := ""
	for end := scratch.Deadline(p); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		f.mu.Lock()
		got = fmt.Sprint(f.sent)
		f.mu.Unlock()
		if got == fmt.Sprint(want) {
			return
		}
	}
	p.Errorf("the page sent %s, wanted %s", got, want)
}

func repair() job {
	return job{
		name: "repair", needs: []string{"mousepad"},
		text: "Make a workflow that opens WORK/note.txt in mousepad, types hello into its text (the element Text), saves it with ctrl+s and closes mousepad with ctrl+q. " +
			"My colleague says that the step that types is type_into_element on name:Text; see whether that is so, mend it, and finish the run that you began.",
		setup: func(p *player) { p.write("note.txt", "") },
		play: func(p *player) {
			steps := func(selector string) []any {
				return []any{
					object{"id": "open", "tool_name": "open_application", "arguments": object{"app_name": "mousepad " + p.file("note.txt")}},
					object{"id": "type", "tool_name": "type_into_element", "arguments": object{"process": "mousepad", "selector": selector, "text_to_type": "hello"}},
					object{"id": "save", "tool_name": "press_key", "arguments": object{"process": "mousepad", "key": "ctrl+s"}},
					object{"id": "close", "tool_name": "press_key", "arguments": object{"process": "mousepad", "key": "ctrl+q"}},
				}
			}
			text, failed := p.try("execute_sequence", object{"steps": steps("name:Text")})
			if !failed {
				p.Fatalf("the wrong step succeeded: %s", text)
			}
			run := p.told(`run ([0-9a-z]{26})`)
			if !p.sees("role:text") {
				p.look("mousepad")
			}
			role := p.told(`\b(text)\b[^\n]*\[ref=e\d+\]`)
			p.call("resume_run", object{"run_id": run, "workflow": object{"steps": steps("role:" + role)}})
			p.holds("note.txt", "hello")
		},
	}
}
