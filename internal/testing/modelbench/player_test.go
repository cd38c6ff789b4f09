//go:build linux

package modelbench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// serverVariable names the program to measure, to compare versions of it; without it
// the test program itself is the server.
const serverVariable = "UNDERSTUDY_MODEL_SERVER"

// player plays one job: it calls tools, counts what that costs, and writes it down.
type player struct {
	*testing.T
	dir    string
	env    []string // of programs on the display
	client *byhand.Client
	tools  map[string]object // the arguments that the list names of each
	count  func(string) int

	known   string   // the job and all that was answered, for what a call may say
	answers []string // the texts of the answers, the newest last
	cost    cost
	script  strings.Builder // what was said, for people
	again   bool            // the next call looks again, as an answer came too early
	said    []exchange      // what was said, without the looks again
}

// cost is what a job takes.
type cost struct {
	calls, bytes int
	list         int // tokens of the list of tools
	asked, said  int // tokens of the calls, and of the texts of the answers
	wire         int // tokens of the answers with all that they hold
	took         time.Duration
}

// newPlayer starts a display, and a server whose client it is.
func newPlayer(t *testing.T, j job) *player {
	display := virtualtest.Start(t)
	root := scratch.Dir(t)
	p := &player{T: t, dir: filepath.Join(root, "work"), tools: map[string]object{}, count: tokens(t)}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := itself.Command(exec.CommandContext(t.Context(), self, "mcp", "--toolsets", "core,shell"))
	if other := os.Getenv(serverVariable); other != "" {
		cmd.Path = other
	}
	cmd.Env = append(append(os.Environ(), display.Env()...), "HOME="+filepath.Join(root, "home"), "XDG_CONFIG_HOME="+filepath.Join(root, "config"),
		"XDG_CACHE_HOME="+filepath.Join(root, "cache"), "XDG_DATA_HOME="+filepath.Join(root, "share"), "GSETTINGS_BACKEND=memory", "LC_ALL=C.UTF-8",
		"UNDERSTUDY_HOME="+filepath.Join(root, "data"))
	for _, dir := range []string{"work", "home", "config", "cache", "share", "data"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Dir, p.env = p.dir, cmd.Env
	p.talk(cmd, j)
	return p
}

// talk starts a server, and the job.
func (p *player) talk(cmd *exec.Cmd, j job) {
	p.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		p.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	if j.setup != nil {
		j.setup(p)
	}
	p.client = byhand.Talk(p.T, "2025-11-25", byhand.Object{}, in, out)
	p.begin(j)
}

// begin reads the list of tools and the job.
func (p *player) begin(j job) {
	listed := p.client.Ask("tools/list", byhand.Object{})["result"]
	text := plain(p.T, listed)
	p.cost.list = p.count(text)
	for _, tool := range byhand.Dig(listed, "tools").([]any) {
		properties, _ := byhand.Dig(tool, "inputSchema", "properties").(object)
		p.tools[byhand.Dig(tool, "name").(string)] = properties
	}
	told := strings.ReplaceAll(j.text, "WORK", p.dir)
	p.known = told + "\n" + text
	fmt.Fprintf(&p.script, "%s\n", strings.TrimSpace(told))
}

// tokens counts as the newest vocabulary does whose words are public.
func tokens(t *testing.T) func(string) int {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// shown is an answer without what is for programs only.
func shown(result any) any {
	answer := maps.Clone(result.(object))
	delete(answer, "_meta")
	return answer
}

func plain(t testing.TB, v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// object is the arguments of a call.
type object = byhand.Object

// call calls a tool that must succeed, and returns the text of the answer.
func (p *player) call(tool string, args object) string {
	p.Helper()
	text, failed := p.try(tool, args)
	if failed {
		p.Fatalf("%s %s: %s\n\n%s", tool, plain(p.T, args), text, p.script.String())
	}
	return text
}

// thought is the least that a model takes between an answer and its next call. It is
// no part of the time that is measured.
const thought = 300 * time.Millisecond

// try calls a tool that may fail.
func (p *player) try(tool string, args object) (text string, failed bool) {
	p.Helper()
	if _, listed := p.tools[tool]; !listed {
		p.Fatalf("%s is called, which is not listed\n\n%s", tool, p.script.String())
	}
	args = p.listed(tool, args)
	p.justify(tool, args, args)
	again := p.again
	p.again = false
	time.Sleep(thought)
	began := time.Now()
	res := p.client.Call(tool, args)
	p.cost.took += time.Since(began)
	text, failed = byhand.Said(res), byhand.IsError(res) || res["error"] != nil
	whole := plain(p.T, shown(res["result"]))
	p.cost.calls++
	p.cost.bytes += len(whole)
	p.cost.asked += p.count(tool + plain(p.T, args))
	p.cost.said += p.count(text)
	p.cost.wire += p.count(whole)
	p.known += "\n" + text
	p.answers = append(p.answers, text)
	p.note(exchange{call: tool + " " + plain(p.T, args), answer: text}, again)
	fmt.Fprintf(&p.script, "\n> %s %s\n", tool, plain(p.T, args))
	for line := range strings.Lines(text) {
		fmt.Fprintf(&p.script, "  %s\n", strings.TrimRight(line, "\n"))
	}
	return text, failed
}

// free are the arguments that a caller makes up.
var free = []string{"id", "description", "output", "as"}

// word is what a call may be made of: what has such words in it must have been
// said before.
var (
	word     = regexp.MustCompile(`[\pL\pN_./-]*[\pL\pN]`)
	template = regexp.MustCompile(`\{\{.*?\}\}`)
	quotes   = regexp.MustCompile(`(?:name|text|label)~?:"?([^"&|>]+)`)
)

// justify fails unless all that a call says stands in the job, in the list of tools
// or in an earlier answer: its names in selectors as they are, the rest word for word.
func (p *player) justify(tool string, args object, v any) {
	p.Helper()
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(free, name) {
				p.justify(tool, args, v[name])
			}
		}
	case []any:
		for _, x := range v {
			p.justify(tool, args, x)
		}
	case string:
		unknown := ""
		for _, name := range quotes.FindAllStringSubmatch(v, -1) {
			if name := strings.TrimSpace(name[1]); !strings.Contains(p.known, name) {
				unknown = name
			}
		}
		for _, w := range word.FindAllString(template.ReplaceAllString(v, ""), -1) {
			if !strings.Contains(p.known, w) {
				unknown = w
			}
		}
		if unknown != "" {
			p.Fatalf("%s %s: nothing has told of %q\n\n%s", tool, plain(p.T, args), unknown, p.script.String())
		}
	}
}

// looks is how often a reader looks again for what does not show yet.
const looks = 10

// runLine is where an answer names a run.
var runLine = regexp.MustCompile(`(?m)^(?:run )?(01[0-9a-hjkmnp-tv-z]{24})\b`)

// ref is the newest ref that an answer shows behind what a pattern matches, or in it,
// and a fresh look at the application when none does.
func (p *player) ref(process, pattern string) string {
	p.Helper()
	if !strings.Contains(pattern, "ref=") {
		pattern += `[^\n]*?\[ref=(e\d+)\]`
	}
	line := regexp.MustCompile(pattern)
	for range looks {
		for _, text := range slices.Backward(p.answers) {
			if m := line.FindStringSubmatch(text); m != nil {
				return m[1]
			}
		}
		p.lookAgain(process)
	}
	p.Fatalf("no answer shows %s\n\n%s", pattern, p.script.String())
	return ""
}

// look reads the elements of an application.
func (p *player) look(process string) string {
	p.Helper()
	return p.call("get_window_tree", object{"process": process})
}

// lookAgain looks for what the last answer should have shown.
func (p *player) lookAgain(process string) {
	p.Helper()
	p.again = true
	p.look(process)
}

// sees says whether the last answer says something.
func (p *player) sees(text string) bool {
	return strings.Contains(p.answers[len(p.answers)-1], text)
}

// until looks at an application until it shows something.
func (p *player) until(process, text string) {
	p.Helper()
	for range looks {
		if p.sees(text) {
			return
		}
		p.lookAgain(process)
	}
	p.Fatalf("%q never shows\n\n%s", text, p.script.String())
}

// told takes what a pattern finds in the last answers, the newest first.
func (p *player) told(pattern string) string {
	p.Helper()
	for _, text := range slices.Backward(p.answers) {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	p.Fatalf("no answer tells of %s\n\n%s", pattern, p.script.String())
	return ""
}

// file is a path of the job's folder.
func (p *player) file(name string) string { return filepath.Join(p.dir, name) }

// write writes a file that the job begins with.
func (p *player) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// holds waits until a file holds a text, but for line ends.
func (p *player) holds(name, want string) {
	p.Helper()
	var got []byte
	for end := scratch.Deadline(p); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got, _ = os.ReadFile(p.file(name)); strings.TrimRight(string(got), "\n") == want {
			return
		}
	}
	p.Errorf("%s holds %q, wanted %q\n\n%s", name, got, want, p.script.String())
}
