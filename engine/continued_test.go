package engine

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContinuedRunGainsNoFolders continues runs for somebody with other folders.
func TestContinuedRunGainsNoFolders(t *testing.T) {
	p := func(path string) string { return filepath.FromSlash("/" + path) }
	for _, c := range []struct {
		say         string
		run, theirs []string
		want        []string
	}{
		{"the same folders stay", []string{p("a")}, []string{p("a")}, []string{p("a")}},
		{"one that the other has not is lost", []string{p("a"), p("b")}, []string{p("b")}, []string{p("b")}},
		{"one that only the other has is not gained", []string{p("a")}, []string{p("a"), p("c")}, []string{p("a")}},
		{"one above gives no more than the run has", []string{p("a/b")}, []string{p("a")}, []string{p("a/b")}},
		{"one below is all that stays", []string{p("a")}, []string{p("a/b")}, []string{p("a/b")}},
		{"one that only begins alike is another", []string{p("ab")}, []string{p("a")}, nil},
		{"without folders there are none", []string{p("a")}, nil, nil},
	} {
		t.Run(c.say, func(t *testing.T) {
			run := Created{Terms: Terms{Roots: c.run, Private: []string{p("x")}}}
			run.restrict(&Bounds{Roots: c.theirs, Private: []string{p("y")}})
			if diff := cmp.Diff(Created{Terms: Terms{Roots: c.want, Private: []string{p("x"), p("y")}}}, run); diff != "" {
				t.Error(diff)
			}
			run.restrict(nil)
			if diff := cmp.Diff(c.want, run.Roots); diff != "" {
				t.Errorf("continued at the machine: %s", diff)
			}
		})
	}
}
