package desktoptest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"understudy/internal/desktop"
)

//go:embed application.py
var source []byte

// python is the interpreter that has the bindings of GTK.
const python = "/usr/bin/python3"

// A Program is the application as a GTK 3 program. It implements App.
type Program struct {
	Process *os.Process
	script  string
	mu      sync.Mutex // one command at a time
	in      io.Writer
	answers chan string
	said    sync.Mutex
	lines   []string
}

// Start starts the application on the desktop that the environment names. It is
// killed when the test ends.
func Start(t testing.TB, env []string) *Program {
	t.Helper()
	p := &Program{script: filepath.Join(t.TempDir(), "application.py"), answers: make(chan string, 1)}
	if err := os.WriteFile(p.script, source, 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(t, exec.Command(python, p.script), env)
	return p
}

// run starts the application, and ends it with the test.
func (p *Program) run(t testing.TB, cmd *exec.Cmd, env []string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env, cmd.Stderr = append(cmd.Environ(), env...), os.Stderr
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	p.Process, p.in = cmd.Process, in
	var reading sync.WaitGroup
	reading.Go(func() { p.read(out) })
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		reading.Wait()
		_ = cmd.Wait()
	})
}

// Another returns a command line that shows a window of another program.
func (p *Program) Another(title string) string {
	return fmt.Sprintf("%s %s --window %s", python, p.script, title)
}

// read splits the output of the application into replies and received lines.
func (p *Program) read(out io.Reader) {
	defer close(p.answers)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if answer, ok := strings.CutPrefix(lines.Text(), "="); ok {
			p.answers <- strings.TrimSpace(answer)
			continue
		}
		p.said.Lock()
		p.lines = append(p.lines, lines.Text())
		p.said.Unlock()
	}
}

func (p *Program) ask(command string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return "", fmt.Errorf("telling the application to %s: %w", command, err)
	}
	answer, ok := <-p.answers
	if !ok {
		return "", fmt.Errorf("the application ended instead of an answer to %s", command)
	}
	return answer, nil
}

func (p *Program) Do(command string) error {
	_, err := p.ask(command)
	if command == "reset" {
		p.said.Lock()
		p.lines = nil
		p.said.Unlock()
	}
	return err
}

// Boxes returns where the application draws its elements and windows.
func (p *Program) Boxes() (map[string]desktop.Rect, error) {
	answer, err := p.ask("boxes")
	if err != nil {
		return nil, err
	}
	var told map[string][4]int
	if err := json.Unmarshal([]byte(answer), &told); err != nil {
		return nil, fmt.Errorf("the application said that its boxes are %q: %w", answer, err)
	}
	boxes := map[string]desktop.Rect{}
	for name, b := range told {
		boxes[name] = desktop.Rect{X: b[0], Y: b[1], W: b[2], H: b[3]}
	}
	return boxes, nil
}

// Received lists what reached the application.
func (p *Program) Received() []string {
	p.said.Lock()
	defer p.said.Unlock()
	return slices.Clone(p.lines)
}
