package virtual

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/testing/scratch"
)

// command starts a program on a desktop and returns its process.
func command(t testing.TB, k Kept, dir string, args ...string) (pid int) {
	t.Helper()
	a, err := Attach(k)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	pid, _, err = a.Start(Program{Args: args, Env: append(os.Environ(), "HOME="+dir), Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// keys presses keys on a desktop.
func keys(t testing.TB, k Kept, args ...string) {
	t.Helper()
	if out, err := display(k, "xdotool", args...).CombinedOutput(); err != nil {
		t.Fatalf("xdotool %q: %v\n%s", args, err, out)
	}
}

// An application that has not read the key for saving yet saves before its desktop ends. Here it
// reads nothing until the end has begun.
func TestADesktopThatEndsLetsItsApplicationSave(t *testing.T) {
	need(t, "mousepad", "xdotool")
	k := keepOne(t, Options{Name: "work"})
	dir := scratch.Dir(t)
	editor := command(t, k, dir, "mousepad", "out.txt")
	keys(t, k, "search", "--sync", "--onlyvisible", "--class", "mousepad", "windowfocus", "--sync")
	keys(t, k, "type", "kept")
	// it does not save before it has read the text
	scratch.Until(t, "the text is in the title", func() bool {
		out, _ := display(k, "xdotool", "search", "--onlyvisible", "--name", `^\*.*Mousepad`).Output()
		return len(out) > 0
	})
	_ = syscall.Kill(editor, syscall.SIGSTOP)
	keys(t, k, "key", "ctrl+s")
	ended := make(chan error, 1)
	go func() { ended <- End(k, "enough") }()
	scratch.Until(t, "the end has begun", func() bool {
		_, found := FindClosing(filepath.Dir(k.Dir), k.Birth)
		return found
	})
	_ = syscall.Kill(editor, syscall.SIGCONT)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out.txt")); err != nil || strings.TrimSpace(string(text)) != "kept" {
		t.Errorf("it saved %q, %v", text, err)
	}
}

// What a program writes after waiting for another one is written too.
func TestADesktopThatEndsLetsScriptsGoOn(t *testing.T) {
	need(t, "zenity", "xdotool")
	k := keepOne(t, Options{Name: "work"})
	dir := scratch.Dir(t)
	command(t, k, dir, "sh", "-c", "zenity --info --text hello; echo closed >out.txt")
	keys(t, k, "search", "--sync", "--onlyvisible", "--class", "zenity", "windowactivate", "--sync")
	if err := End(k, "enough"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out.txt")); err != nil || string(text) != "closed\n" {
		t.Errorf("it wrote %q, %v", text, err)
	}
}

// An application that asks whether to save, or that hangs, delays the end, which fails after
// endPatience, but not for ever.
func TestDesktopEndsWhileAnApplicationHangs(t *testing.T) {
	need(t, "mousepad", "xdotool")
	for _, row := range []struct {
		sentence string
		then     func(t *testing.T, k Kept, editor int)
	}{
		{"it asks whether to save", func(t *testing.T, k Kept, _ int) { keys(t, k, "type", "lost") }},
		{"it hangs", func(_ *testing.T, _ Kept, editor int) { _ = syscall.Kill(editor, syscall.SIGSTOP) }},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			k := keepOne(t, Options{Name: "work"})
			editor := command(t, k, scratch.Dir(t), "mousepad", "out.txt")
			keys(t, k, "search", "--sync", "--onlyvisible", "--class", "mousepad", "windowfocus", "--sync")
			row.then(t, k, editor)
			if err := End(k, "enough"); err != nil {
				t.Fatal(err)
			}
			if startOf(editor) != 0 {
				t.Error("the editor runs")
			}
		})
	}
}
