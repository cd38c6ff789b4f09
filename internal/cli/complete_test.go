package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"understudy/steps/kinds"
)

// TestEveryArgumentIsCompleted looks that each word of a usage has something
// that completes it, and that each completion belongs to a flag.
func TestEveryArgumentIsCompleted(t *testing.T) {
	a := &app{library: library{kinds: kinds.All()}}
	root := a.root()
	byWord, byFlag := completer{a}.arguments(), completer{a}.flags()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		names, _, _ := arguments(cmd)
		for _, name := range names {
			if x := byWord[name]; x.what == "" || x.complete == nil {
				t.Errorf("%s: nothing explains or completes %s", cmd.CommandPath(), name)
			}
		}
		for name := range byFlag {
			if cmd.Flag(name) != nil {
				delete(byFlag, name)
			}
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	for name := range byFlag {
		t.Errorf("no command has the flag --%s that is completed", name)
	}
}

func TestArguments(t *testing.T) {
	for use, want := range map[string]string{
		"run FILE|NAME":        "FILE|NAME",
		"fork RUN --from STEP": "RUN",
		"call KIND [JSON]":     "KIND JSON?",
		"rm RUN...":            "RUN repeated",
		"version":              "",
	} {
		names, least, repeated := arguments(&cobra.Command{Use: use})
		got := strings.Join(names, " ") + strings.Repeat("?", len(names)-least)
		if repeated {
			got += " repeated"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", use, got, want)
		}
	}
}
