package compile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// TestKindsAreInTheCatalogue holds that each kind that is named here is one.
func TestKindsAreInTheCatalogue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if text, ok := node.(*ast.BasicLit); ok {
			n++
			name, _ := strconv.Unquote(text.Value)
			if _, found := steps.Find(kinds.All(), name); !found {
				t.Errorf("there is no kind %q", name)
			}
		}
		return true
	})
	if n == 0 {
		t.Error("kinds.go names no kind")
	}
}
