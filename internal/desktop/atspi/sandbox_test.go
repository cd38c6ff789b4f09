//go:build linux

package atspi

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"testing"

	"understudy/internal/desktop"
)

// python is the interpreter that Debian's python3-gi belongs to.
const python = "/usr/bin/python3"

// A sandbox is a GTK 3 application that does what the test tells it.
type sandbox struct {
	*exec.Cmd
	t    testing.TB
	in   io.Writer
	out  *bufio.Reader
	desk *desk
}

// openSandbox starts a sandbox with that many rows.
func openSandbox(t testing.TB, rows int) *sandbox {
	t.Helper()
	d := onDesk(t, python)
	if exec.Command(python, "-c", "import gi; gi.require_version('Gtk', '3.0')").Run() != nil {
		lacks(t, "python3-gi with gir1.2-gtk-3.0")
	}
	s := &sandbox{Cmd: d.command(python, testFile(t, "sandbox.py"), strconv.Itoa(rows)), t: t, desk: d}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if s.in, err = s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	d.launch(t, s.Cmd)
	eventually(t, "the sandbox shows", func() bool { return find(s.tree(desktop.Scope{}), named("button", "Ask")) != nil }, nil)
	return s
}

// do runs a line of Python in the sandbox and returns when it is done.
func (s *sandbox) do(line string) {
	s.t.Helper()
	fmt.Fprintln(s.in, line)
	if got, err := s.out.ReadString('\n'); got != "done\n" {
		s.t.Fatalf("%s: %q, %v", line, got, err)
	}
}

// tree reads the sandbox.
func (s *sandbox) tree(scope desktop.Scope) *desktop.Tree {
	s.t.Helper()
	scope.PID = s.Process.Pid
	tree, err := s.desk.client.Tree(s.t.Context(), scope)
	if err != nil {
		s.t.Fatal(err)
	}
	return tree
}

// element finds an element of the sandbox, read in full.
func (s *sandbox) element(want func(*desktop.Element) bool) *desktop.Element {
	s.t.Helper()
	return s.desk.element(s.t, s.Cmd, want)
}
