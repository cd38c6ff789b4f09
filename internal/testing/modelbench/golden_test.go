//go:build linux

package modelbench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the transcripts of the jobs again")

// mostPlays is how often a job is played until it goes as it is written down. What an
// application shows at a time is not always the same.
const mostPlays = 3

// exchange is a call and its answer.
type exchange struct {
	call, answer string
	early        bool // the answer came before what it should show, which another look showed
}

// note keeps an exchange, and of a look again that it was needed.
func (p *player) note(e exchange, again bool) {
	if again && len(p.said) > 0 {
		p.said[len(p.said)-1].early = true
		return
	}
	p.said = append(p.said, e)
}

// played plays a job until what is said is as it is written down.
func played(t *testing.T, j job) (p *player) {
	file := filepath.Join("testdata", j.name+".txt")
	for i := range mostPlays {
		p = newPlayer(t, j)
		j.play(p)
		if t.Failed() || os.Getenv(serverVariable) != "" {
			return p
		}
		if *update {
			if err := os.WriteFile(file, []byte(p.cover(writtenDown(j, p.said))), 0o600); err != nil {
				t.Fatal(err)
			}
			return p
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		diff := p.differs(string(raw))
		if diff == "" {
			return p
		}
		t.Logf("play %d differs from what is written down in %s (-want +got; UPDATE=1 writes it again):\n%s", i+1, file, diff)
	}
	t.Errorf("%d plays differ from what is written down", mostPlays)
	return p
}

// writtenDown is a transcript as people read it.
func writtenDown(j job, said []exchange) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", j.text)
	for _, e := range said {
		fmt.Fprintf(&b, "\n> %s\n", e.call)
		for line := range strings.Lines(e.answer) {
			fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, "\n"))
		}
	}
	return b.String()
}

// refs are the numbers of elements, which depend on how often was looked.
var refs = regexp.MustCompile(`\be\d+\b`)

// differs compares what was said with what is written down: the calls, and the answers
// line by line. Of an answer that came early only the first line counts.
func (p *player) differs(written string) string {
	want := strings.Split(written, "\n> ")[1:]
	var got []string
	for _, e := range p.said {
		got = append(got, strings.TrimPrefix(p.cover(writtenDown(job{}, []exchange{e})), "\n\n> "))
	}
	if len(want) == len(got) {
		for i, e := range p.said {
			if e.early {
				want[i], got[i] = firstLines(want[i]), firstLines(got[i])
			}
		}
	}
	return cmp.Diff(steady(want), steady(got))
}

func firstLines(text string) string {
	lines := strings.SplitN(text, "\n", 3)
	return strings.Join(lines[:min(2, len(lines))], "\n")
}

// closing is how a window closed, which may take an application that saves longer than
// it is waited for.
var closing = regexp.MustCompile(`(?m)(close_window: .*, checked: ).*`)

func steady(said []string) (lines []string) {
	for _, text := range said {
		lines = append(lines, strings.Split(strings.TrimRight(closing.ReplaceAllString(refs.ReplaceAllString(text, "eN"), "$1…"), "\n"), "\n")...)
	}
	return lines
}
