package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/steps/observe"
)

// treeVariable names a tree of another system: the program is run with its toolkit, with
// this machine's /tmp, /proc and /dev.
const treeVariable = "UNDERSTUDY_TREE"

const inTree = `exec unshare --mount sh -c 'set -e; cd %s; mount --bind /tmp tmp; mount --bind /proc proc; mount --rbind /dev dev; exec chroot . /usr/bin/env GSK_RENDERER=cairo /usr/bin/python3 %s' >%s`

// Buttons in what has paddings are pressed, though GTK 4 counts their boxes without these
// from 4.10 on, and no character of a password shows on a picture. With a newer system it
// is played on demand: `make debian13`.
func TestPaddingsOfGTK4(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3", gtk4Needs)
	s := look(t)
	text, err := os.ReadFile("testdata/paddings.py")
	s.must(err)
	dir := t.TempDir()
	program, run, out := filepath.Join(dir, "paddings.py"), filepath.Join(dir, "run"), filepath.Join(dir, "told")
	command := fmt.Sprintf("exec env GSK_RENDERER=cairo /usr/bin/python3 %s >%s", program, out)
	if tree := os.Getenv(treeVariable); tree != "" {
		command = fmt.Sprintf(inTree, tree, program, out)
	}
	s.must(os.WriteFile(program, text, 0o600))
	s.must(os.WriteFile(run, []byte(command), 0o600))
	s.launch("sh "+run, "Paddings")
	var want []string
	for _, name := range []string{"Plain", "Padded", "Frame", "Row", "Tab"} {
		want = append(want, "clicked "+name)
		selector := "role:button && name~:" + name // GTK adds the label of a frame to the name
		s.well(kinds.ClickElement, "selector", selector, "timeout_ms", 60_000.0)
		s.eventually(name+" is clicked and nothing else", func() (bool, string) {
			told, err := os.ReadFile(out)
			s.must(err)
			return slices.Equal(strings.Split(strings.TrimSpace(string(told)), "\n"), want), string(told)
		})
	}
	screen, err := s.Capture(t.Context(), desktop.Rect{})
	s.must(err)
	seen, _, err := observe.Capture(t.Context(), &steps.Env{Desktop: s.Desktop}, desktop.Rect{})
	s.must(err)
	if shown, left := magenta(screen.Pix), magenta(seen.Pix); shown == 0 || left != 0 {
		t.Errorf("%d points of the passwords show on the screen, and %d on a picture of it", shown, left)
	}
}

// magenta counts the points of the colour of the passwords.
func magenta(pix []byte) (n int) {
	for ; len(pix) >= 4; pix = pix[4:] {
		if pix[0] > pix[1]+60 && pix[2] > pix[1]+60 && pix[1] < 180 {
			n++
		}
	}
	return n
}
