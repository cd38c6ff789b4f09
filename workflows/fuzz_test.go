package workflows

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"understudy/steps"
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
// problem at a place of the text.
func FuzzCompile(f *testing.F) {
	seeds(f)
	kinds := steps.All()
	f.Fuzz(func(t *testing.T, text []byte) {
		start := time.Now()
		p, err := Compile(Source{Name: "fuzz", Text: text}, CompileOptions{Kinds: kinds, Load: func(string, Source) (Source, error) {
			return Source{Name: "other", Text: text}, nil
		}})
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("it took %s", took)
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

// TestTheLargestTextsStayWithinMemory compiles the texts that grow most while
// they are read.
func TestTheLargestTextsStayWithinMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads several texts of 4 MiB")
	}
	fill := func(head, body string) []byte {
		text := []byte(head)
		for len(text)+len(body) <= MaxSize {
			text = append(text, body...)
		}
		return text
	}
	for name, text := range map[string][]byte{
		"steps":         fill("steps:\n", "- {tool_name: log, arguments: {message: \"${{ run.id }}\"}}\n"),
		"a list":        fill("steps:\n", "- \n"),
		"a flow list":   fill("a: [", "a,"),
		"keys":          fill("a: {", "a,"),
		"lines of text": fill("a: |\n", " x\n"),
		"comments":      fill("", "#\n"),
		"JSON":          append(fill(`{"a":[0`, ",0"), "]}"...),
		"quotes":        fill(`a: "`, `\"`),
		"anchors":       fill("", "&a "),
		"colons":        fill("", "a:\n"),
		"tags":          fill("", "!a "),
		"aliases":       fill("a: &b 1\nc: [", "*b "),
		"quoted texts":  fill("a: ", "'a' "),
		"brackets":      fill("a: ", "] "),
		"folded lines":  fill("a: b\n", " c\n"),
		"block keys":    fill("a:\n", " b\n"),
		"directives":    fill("", "%TAG !a! b\n"),
		"documents":     fill("", "---\n"),
	} {
		t.Run(name, func(t *testing.T) {
			debug.FreeOSMemory()
			peak := watch(func() {
				if _, err := Compile(Source{Name: name, Text: text}, CompileOptions{Kinds: steps.All()}); err == nil {
					t.Error("there is nothing wrong with it")
				}
			})
			if peak > 256<<20 {
				t.Errorf("it took %d MiB", peak>>20)
			}
		})
	}
}

// watch is the most memory that was in use while f ran.
func watch(f func()) (peak uint64) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	var m runtime.MemStats
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse+m.StackInuse)
		}
	}
}
