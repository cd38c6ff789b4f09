package workflows

import (
	"fmt"
	"strings"
	"testing"

	"understudy/steps/kinds"
)

// BenchmarkCompile reads, checks and compiles 1,000 steps with two expressions
// each.
func BenchmarkCompile(b *testing.B) {
	var text strings.Builder
	text.WriteString("variables: {who: {type: string}}\nsteps:\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "  - id: step_%d\n    tool_name: type_into_element\n    arguments:\n      selector: role:text && name:Field %d\n      text_to_type: \"Dear ${{ inputs.who }}, this is line %d\"\n    if: run.attempt > 1 || who != 'nobody'\n    timeout: 5s\n", i, i, i)
	}
	src := Source{Name: "bench", Text: []byte(text.String())}
	o := CompileOptions{Kinds: kinds.All()}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(src, o); err != nil {
			b.Fatal(err)
		}
	}
}
