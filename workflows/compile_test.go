package workflows

import "testing"
import "understudy/steps"

func TestX(t *testing.T) {
	p, err := Compile(Source{Name: "a.yaml", Text: []byte("steps:\n  - {id: a, tool_name: delay, arguments: {duration: 1s}}\n  - tool_nme: x\n")}, CompileOptions{Kinds: steps.All()})
	t.Log(p, err)
	t.Log(len(Schema(steps.All())))
}
