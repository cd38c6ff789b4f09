package local_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop"
	"understudy/steps/kinds"
)

// Qt tells the registry of accessibility of each key before it handles it, and its
// shortcuts do not wait for that. When the registry is busy, a text must still be
// there before it is saved.
func TestAShortcutDoesNotOvertakeWhatWasTyped(t *testing.T) {
	for _, row := range []struct {
		name, want string
		do         []desktop.Action
	}{
		{"after a text", "I have some words\n", []desktop.Action{desktop.Type{Text: "some words\n"}}},
		{"after a key", "I have some word\n", []desktop.Action{desktop.Type{Text: "some words"}, desktop.Press{Chord: desktop.Chord{Key: "backspace"}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := look(t, "featherpad")
			file := filepath.Join(t.TempDir(), "note.txt")
			s.must(os.WriteFile(file, nil, 0o600))
			s.starts("featherpad --standalone " + file)
			const field = "process:featherpad >> role:text && state:multi_line"
			s.well(kinds.ActivateElement, "selector", field, "timeout_ms", 60_000.0)
			s.well(kinds.TypeIntoElement, "selector", field, "text_to_type", "I have ") // so that there is something to save
			pid := s.registry()
			s.must(syscall.Kill(pid, syscall.SIGSTOP))
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			for _, a := range append(row.do, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "s"}}) {
				s.must(s.Do(t.Context(), a))
			}
			s.eventually("the file holds the text", func() (bool, string) {
				got, err := os.ReadFile(file)
				s.must(err)
				return string(got) == row.want, string(got)
			})
		})
	}
}

// registry is the process of the registry of accessibility on this desktop.
func (s *sight) registry() int {
	s.t.Helper()
	info, err := s.Info(s.t.Context())
	s.must(err)
	all, err := filepath.Glob("/proc/[0-9]*/comm")
	s.must(err)
	for _, path := range all {
		name, _ := os.ReadFile(path)
		environment, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if strings.HasPrefix(string(name), "at-spi2-registr") && strings.Contains("\x00"+string(environment), "\x00DISPLAY="+info.Display+"\x00") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			s.must(err)
			return pid
		}
	}
	s.t.Fatalf("no registry of accessibility runs on %s", info.Display)
	return 0
}
