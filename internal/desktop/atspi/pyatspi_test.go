//go:build linux

package atspi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// A pyatspi is another reader of the accessibility tree, that of Debian's
// python3-pyatspi, to compare ours with.
type pyatspi struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Reader
}

// openPyatspi starts one on the desktop of the tests.
func openPyatspi(t testing.TB) *pyatspi {
	t.Helper()
	d := onDesk(t, python)
	if exec.Command(python, "-c", "import pyatspi").Run() != nil {
		const needs = "needs python3-pyatspi: /usr/bin/python3 cannot import it"
		if os.Getenv("UNDERSTUDY_REQUIRE_DESKTOP") != "" {
			t.Fatal(needs)
		}
		t.Skip(needs)
	}
	c := d.command(python, testFile(t, "pyatspi_reader.py"))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	d.launch(t, c)
	return &pyatspi{t, in, bufio.NewReader(out)}
}

// do has it do one thing, and hands on what it said before the number at the
// end.
func (p *pyatspi) do(command string, pid int, args ...string) (said []string, number int) {
	p.t.Helper()
	fmt.Fprintln(p.in, strings.Join(append([]string{command, strconv.Itoa(pid)}, args...), " "))
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%s: %v", command, err)
		}
		if number, err = strconv.Atoi(strings.TrimSpace(line)); err == nil {
			return said, number
		}
		said = append(said, strings.TrimSpace(line))
	}
}

// benchmarkPyatspi measures one command that answers with a number, with
// nothing kept and with what pyatspi keeps.
func benchmarkPyatspi(b *testing.B, name string, pid, want int, command string, args ...string) {
	for _, keeps := range []string{"cold", "kept"} {
		b.Run(name+"/pyatspi-"+keeps, func(b *testing.B) {
			p := openPyatspi(b)
			p.do(command, pid, args...)
			for b.Loop() {
				if keeps == "cold" {
					p.do("forget", pid)
				}
				_, got := p.do(command, pid, args...)
				wants(b, want, got)
			}
		})
	}
}

// seen is what both readers say of an element.
type seen struct {
	Role, Name string
	Box        desktop.Rect
	Actions    int
	Text       string
}

func TestPyatspiSeesTheSame(t *testing.T) {
	s := openSandbox(t, 40)
	s.desk.settle(t, s.Cmd)
	p := openPyatspi(t)
	var want, got []seen
	eventually(t, "nothing moves meanwhile", func() bool {
		want = want[:0]
		lines, _ := p.do("list", s.Process.Pid)
		for _, l := range lines {
			want = append(want, parseSeen(t, l))
		}
		again, _ := p.do("list", s.Process.Pid)
		return slices.Equal(lines, again)
	}, &want)
	s.tree(desktop.Scope{Hidden: true, Full: true}).Walk(func(e *desktop.Element) bool {
		got = append(got, seen{e.RawRole, e.Name, e.Bounds, len(e.Actions), e.Text})
		return true
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-pyatspi +ours):\n%s", diff)
	}
}

// parseSeen reads a line of pyatspi_reader.py.
func parseSeen(t *testing.T, line string) (s seen) {
	t.Helper()
	var box [4]int
	row := []any{&s.Role, &s.Name, &box, &s.Actions, &s.Text}
	if err := json.Unmarshal([]byte(line), &row); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	const nowhere = -1 << 31 // of what has no place on the screen
	if box[0] != nowhere {
		s.Box = desktop.Rect{X: box[0], Y: box[1], W: box[2], H: box[3]}
	}
	return s
}
