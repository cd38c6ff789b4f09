package workflows

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/kinds"
)

var update = flag.Bool("update", false, "write the golden files anew")

// options compile against every declared kind, and load from a few texts.
func options(files map[string]string) CompileOptions {
	return CompileOptions{Kinds: kinds.All(), Load: func(ref string, _ Source) (Source, error) {
		text, ok := files[ref]
		if !ok {
			return Source{}, fmt.Errorf("there is no file %s", ref)
		}
		return Source{Name: ref, Text: []byte(text)}, nil
	}}
}

// compile compiles a text that has to be right.
func compile(t testing.TB, text string) *Program {
	t.Helper()
	p, err := Compile(Source{Name: "test.yaml", Text: []byte(text)}, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// problems are what is wrong with a text, one line each.
func problems(t testing.TB, text string, files map[string]string) []string {
	t.Helper()
	_, err := Compile(Source{Name: "test.yaml", Text: []byte(text)}, options(files))
	return lines(t, err)
}

func lines(t testing.TB, err error) (lines []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*InvalidError](err)
	if !ok {
		t.Fatalf("wanted an InvalidError, found %T: %v", err, err)
	}
	for _, p := range invalid.Problems {
		line := fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Message)
		if p.File != "test.yaml" {
			line = p.File + ":" + line
		}
		if p.Hint != "" {
			line += "; " + p.Hint
		}
		lines = append(lines, line)
	}
	return lines
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}
