//go:build !race

package workflows

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"understudy/steps/kinds"
)

// TestMemoryOfTheLargestTexts compiles the texts that grow most while
// they are read.
func TestMemoryOfTheLargestTexts(t *testing.T) {
	for name, c := range map[string]struct{ head, body, tail string }{
		"steps":               {"steps:\n", "- {tool_name: log, arguments: {message: \"${{ run.id }}\"}}\n", ""},
		"steps with mistakes": {"steps:\n", "- {tool_nam: log}\n", ""},
		"a list":              {"steps:\n", "- \n", ""},
		"a flow list":         {"a: [", "a,", "]"},
		"flow keys":           {"a: {", "a,", "}"},
		"lines of text":       {"a: |\n", " x\n", ""},
		"comments":            {"", "#\n", "a: b"},
		"JSON":                {`{"a":[0`, ",0", "]}"},
		"JSON objects":        {`{"a":[0`, ",{}", "]}"},
		"quotes":              {`a: "`, `\"`, `"`},
		"anchors":             {"", "&a ", "b"},
		"colons":              {"", "a:\n", ""},
		"tags":                {"", "!a ", "b"},
		"aliases":             {"a: &b 1\nc: [", "*b,", "]"},
		"quoted texts":        {"a: ", "'a' ", ""},
		"brackets":            {"a: ", "] ", ""},
		"folded lines":        {"a: b\n", " c\n", ""},
		"block lines":         {"a:\n", " b\n", ""},
		"directives":          {"", "%TAG !a! b\n", "--- a"},
		"documents":           {"", "---\n", "a"},
		"templates":           {"output: '", "{{a}}", "'\nsteps: []"},
		"templates in a step": {"steps: [{tool_name: log, arguments: {message: '", "{{a}}", "'}}]"},
		"open templates":      {"steps: [{tool_name: log, arguments: {message: '", "{{", "'}}]"},
		"a long expression":   {"steps: []\noutput: 1", " + 1", ""},
		"parentheses":         {"steps: []\noutput: ", "(", ""},
	} {
		for _, times := range []int{200_000, MaxSize} {
			text := []byte(c.head)
			for i := 0; i < times && len(text)+len(c.body)+len(c.tail) <= MaxSize; i++ {
				text = append(text, c.body...)
			}
			text = append(text, c.tail...)
			t.Run(fmt.Sprintf("%s %d", name, len(text)), func(t *testing.T) {
				debug.FreeOSMemory()
				peak := watch(func() {
					_, _ = Compile(Source{Name: name, Text: text}, CompileOptions{Kinds: kinds.All()})
				})
				if peak > 256<<20 {
					t.Errorf("it took %d MiB", peak>>20)
				}
			})
		}
	}
}

// watch is the most memory that was in use while f ran.
func watch(f func()) (peak uint64) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	tick := time.NewTicker(10 * time.Millisecond)
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
