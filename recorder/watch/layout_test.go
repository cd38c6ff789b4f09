//go:build unix

package watch_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/testing/virtualtest"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// long is how many characters are typed in each layout.
const long = 1000

func TestAThousandCharactersAreExactInEachLayout(t *testing.T) {
	virtualtest.Need(t, "setxkbmap")
	for _, c := range []struct {
		layout, text string
		keys         []string // that type the text; nothing: they are found by its characters
	}{
		{"us", `Quick brown fox, "0-9" & {braces}? `, nil},
		{"de", "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich (42 €). ", nil},
		{"ru", "Съешь же ещё этих мягких французских булок, да выпей чаю. ", nil},
		{"us -variant intl", "^'´`éàôñü", []string{"dead_circumflex", "space", "dead_acute", "space", "dead_acute", "dead_acute", "dead_grave", "dead_grave", "dead_acute", "e", "dead_grave", "a", "dead_circumflex", "o", "dead_tilde", "n", "dead_diaeresis", "u"}},
	} {
		t.Run(c.layout, func(t *testing.T) {
			if !inChild(t) {
				return
			}
			s := newScene(t, "zenity")
			s.start("Line", "zenity", "--text-info", "--editable", "--title=Line")
			s.tool("setxkbmap", strings.Fields("-layout "+c.layout)...)
			want := strings.Repeat(c.text, long/len([]rune(c.text))+1)
			p := s.watch()
			p.clicks("text", "")
			if c.keys == nil {
				p.does("type", "--delay", "4", want)
			} else {
				p.does(append([]string{"key", "--delay", "4"}, slices.Repeat(c.keys, len([]rune(want))/len([]rune(c.text)))...)...)
			}
			p.sees("the text", func() bool { return s.text("text") == want })
			seen, err := p.session.Stop()
			if err != nil {
				t.Fatal(err)
			}
			if got := keysIn(seen); got != want {
				t.Errorf("the keys that were seen make\n%q, wanted\n%q", got, want)
			}
			if got := typed(t, seen); got != want {
				t.Errorf("the workflow types\n%q, wanted\n%q", got, want)
			}
		})
	}
}

// keysIn is the text of the keys of a recording.
func keysIn(seen []recorder.Event) string {
	var b strings.Builder
	for _, ev := range seen {
		b.WriteString(ev.Text)
	}
	return b.String()
}

// typed is the value of the only variable of a recording's workflow.
func typed(t *testing.T, seen []recorder.Event) string {
	t.Helper()
	text, _, err := compile.Events(seen, compile.Options{Kinds: kinds.All(), Name: "typed"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := workflows.Compile(workflows.Source{Name: "typed", Text: text}, workflows.CompileOptions{Kinds: kinds.All()})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Variables) != 1 {
		t.Fatalf("the workflow has %d variables:\n%s", len(p.Variables), text)
	}
	value, _ := p.Variables[0].Default.(string)
	return value
}

func TestFloodOfInputIsRecordedCompletely(t *testing.T) {
	if !inChild(t) {
		return
	}
	const turns = 20_000
	s := newScene(t, "zenity")
	s.start("List", "zenity", "--list", "--title=List", "--column=Name", "one", "two")
	p := s.watch()
	p.pointsAt(p.finds("cell", "one", 0))
	p.tool("xdotool", "click", "--repeat", strconv.Itoa(turns), "--delay", "0", "5")
	// The display may still have to read what xdotool left behind, and the log is
	// written last: what is in it was lost nowhere on the way.
	onDisk := turned{path: filepath.Join(s.root, "seen.events.jsonl")}
	p.sees("the flood in the log", func() bool { return onDisk.count(t) >= turns })
	seen, err := p.session.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := onDisk.count(t); got != turns {
		t.Errorf("%d of %d turns of the wheel are in the log", got, turns)
	}
	got := 0
	for _, ev := range seen {
		if ev.Type == recorder.Turned {
			got += ev.DY
		}
	}
	if got != turns {
		t.Errorf("%d of %d turns of the wheel were seen", got, turns)
	}
}

// turned counts the turns of the wheel in a log that grows.
type turned struct {
	path string
	read int64
	n    int
}

func (c *turned) count(t *testing.T) int {
	t.Helper()
	f, err := os.Open(c.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(c.read, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return c.n // the last line is not whole yet
		}
		c.read += int64(len(line))
		var ev recorder.Event
		if err := json.Unmarshal(line, &ev); err != nil {
			t.Fatal(err)
		}
		if ev.Type == recorder.Turned {
			c.n += ev.DY
		}
	}
}
