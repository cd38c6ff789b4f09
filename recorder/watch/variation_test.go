//go:build unix

package watch_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"understudy/internal/desktop"
)

// The environment of the scenarios.
const (
	// variationsVariable plays each recording in every variation, not only in the first.
	variationsVariable = "UNDERSTUDY_E2E_VARIATIONS"
	// recordedVariable names a file to which each replay adds a line.
	recordedVariable = "UNDERSTUDY_E2E_RECORDED"
)

// variation is how a fresh start differs from that in which was recorded.
type variation struct {
	name      string
	elsewhere bool // the window has another place and size
	screen    desktop.Size
	env       map[string]string
	slow      bool // the program starts late
	otherData bool
}

var variations = []variation{
	{name: "elsewhere", elsewhere: true},
	{name: "other data", otherData: true},
	{name: "as recorded"},
	{name: "larger fonts", env: map[string]string{"GDK_DPI_SCALE": "1.4", "QT_FONT_DPI": "134"}},
	{name: "small screen", screen: desktop.Size{W: 1024, H: 768}},
	{name: "slow start", slow: true},
}

// variationsAsked are those that are played: the first two, or all.
func variationsAsked() []variation {
	if os.Getenv(variationsVariable) == "" {
		return variations[:2]
	}
	return variations
}

// set makes a scene as the variation has it.
func (v *variation) set(t *testing.T, s *scene, c *scenario) {
	t.Helper()
	for name, value := range v.env {
		t.Setenv(name, value)
	}
	if !v.slow {
		return
	}
	bin := filepath.Join(s.root, "bin")
	for _, program := range c.startable() {
		path, err := exec.LookPath(program)
		if err == nil {
			err = os.MkdirAll(bin, 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\nsleep 5\nexec "+path+" \"$@\"\n"), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// replay plays a recording, and looks at what came of it.
func (c *scenario) replay(t *testing.T, v variation, recordedIn, text, fresh, first string) {
	verdict, began := "failed", time.Now()
	defer func() { noteReplay(t, c.name, v.name, verdict, time.Since(began)) }()
	s, again, started := c.begin(t, v)
	if again != fresh && !v.otherData {
		t.Fatalf("a fresh start is not as the first was: %q, and %q then", again, fresh)
	}
	if started != nil && v.elsewhere {
		s.elsewhere(c.title)
	}
	want, given := first, c.given(t)
	switch {
	case v.otherData && c.others != nil:
		want = c.come
	case v.otherData:
		var inputs []string
		inputs, want = otherInputs(text, first)
		given = append(given, inputs...)
	}
	if pictures := os.DirFS(filepath.Join(filepath.Dir(recordedIn), "pictures")); os.CopyFS(filepath.Join(s.root, "pictures"), pictures) != nil {
		t.Log("there are no pictures")
	}
	s.replay(strings.ReplaceAll(text, recordedIn, s.dir), given...)
	verdict = "FALSE SUCCESS"
	defer func() {
		if verdict != "played" {
			t.Logf("wanted %q, found %q", want, c.outcome(s, started))
		}
	}()
	s.wait("the same outcome", func() bool { return c.outcome(s, started) == want })
	verdict = "played"
	s.holdsNo(password)
}

// typedVariable is one that a recording made of a text.
var typedVariable = regexp.MustCompile(`(?m)^  (\w+): \{type: string, default: (.*)\}$`)

// otherInputs are arguments by which other words are typed, and what comes of them where
// the outcome holds the words. What is no word, such as a number, stays: what is reckoned
// with it would be another. So does a path.
func otherInputs(text, outcome string) (args []string, want string) {
	next := func(r rune) rune {
		switch {
		case r == 'z' || r == 'Z':
			return r - 25
		case unicode.IsLetter(r) && r < unicode.MaxASCII:
			return r + 1
		}
		return r
	}
	for _, found := range typedVariable.FindAllStringSubmatch(text, -1) {
		word := strings.Trim(found[2], "'")
		other := strings.Map(next, word)
		typed := strings.Contains(text, "text_to_type: ${{ inputs."+found[1]+" }}")
		if typed && other != word && !strings.ContainsAny(word, `/\'`) && strings.Contains(outcome, word) {
			args = append(args, "--input", found[1]+"="+other)
			outcome = strings.ReplaceAll(outcome, word, other)
		}
	}
	return args, outcome
}

// noteReplay adds a line to the table of what came of each replay.
func noteReplay(t *testing.T, scenario, variation, verdict string, took time.Duration) {
	path := os.Getenv(recordedVariable)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%-28s  %-14s  %-14s  %5.1f s\n", scenario, variation, verdict, took.Seconds()); err != nil {
		t.Error(err)
	}
}
