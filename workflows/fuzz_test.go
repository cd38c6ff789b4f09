package workflows

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
	"understudy/steps/kinds"
)

// seeds are documents to start fuzzing from.
func seeds(f *testing.F) {
	for _, pattern := range []string{"examples/*.yaml", "testdata/*.yaml", "testdata/terminator/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	for _, text := range []string{"", "a: &x [*x]", "{<<: {a: 1}}", "? a\n: b", "steps: [{", "a: |\n x\n#c\n", "\ufeff{}", "- - - a", "a: 'b\n\n c'", "{\"a\":\"\\ud83d\\ude00\"}"} {
		f.Add([]byte(text))
	}
}

// FuzzCompile holds that any text gives a program or an explanation, each
// problem at a position of the text.
func FuzzCompile(f *testing.F) {
	seeds(f)
	kinds := kinds.All()
	f.Fuzz(func(t *testing.T, text []byte) {
		end := scratch.Deadline(t)
		p, err := Compile(Source{Name: "fuzz", Text: text}, CompileOptions{Kinds: kinds, Load: func(string, Source) (Source, error) {
			return Source{Name: "other", Text: text}, nil
		}})
		if late := time.Since(end); late > 0 {
			t.Fatalf("it ended %s after the deadline", late)
		}
		if err == nil {
			if p == nil {
				t.Fatal("neither a program nor an error")
			}
			return
		}
		invalid, ok := errors.AsType[*InvalidError](err)
		if !ok || len(invalid.Problems) == 0 {
			t.Fatalf("the error is %T %v", err, err)
		}
		lines := len(newFile(Source{Text: text}).lines)
		for _, x := range invalid.Problems {
			if x.Line < 1 || x.Line > lines+1 || x.Column < 1 || x.Message == "" {
				t.Fatalf("the text has %d lines, the problem is %+v", lines, x)
			}
		}
	})
}

// FuzzFormat holds that formatting twice is the same as once, and changes
// neither meaning nor comments.
func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) { checkStable(t, text) })
}

// TestAtLengthManyMistakesAreReportedSoon has thousands of names that lead nowhere, in
// documents with thousands of names that they could have meant.
func TestAtLengthManyMistakesAreReportedSoon(t *testing.T) {
	for say, step := range map[string]string{
		"targets":     "- {id: step_%d, tool_name: capture_screenshot, fallback_id: stop_%[1]d}\n",
		"expressions": "- {id: step_%d, tool_name: capture_screenshot, if: stop_%[1]d_result}\n",
		"kinds":       "- {id: step_%d, tool_name: kind_%[1]d}\n",
		"arguments":   "- {id: step_%d, tool_name: capture_screenshot, arguments: {key_%[1]d: 1}}\n",
	} {
		t.Run(say, func(t *testing.T) {
			text := []byte("variables: {}\nsteps:\n")
			for i := range MaxSteps {
				text = fmt.Appendf(text, step, i)
			}
			end := scratch.Deadline(t)
			if _, err := Compile(Source{Text: text}, CompileOptions{Kinds: kinds.All()}); err == nil {
				t.Error("there is nothing wrong with it")
			}
			if late := time.Since(end); late > 0 {
				t.Errorf("it ended %s after the deadline", late)
			}
		})
	}
}
