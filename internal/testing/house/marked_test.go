package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTextForModelsIsMarked checks that what others chose cannot get into an answer
// unmarked: only package words makes marked text of a string, only these files say that
// a text is our own, and one function makes the content of answers.
func TestTextForModelsIsMarked(t *testing.T) {
	ours := []string{"mcpserver/failure.go", "mcpserver/guide.go", "mcpserver/prompts.go", "mcpserver/workflow_tools.go"}
	contents := 0
	for _, file := range files(t, ".go") {
		if strings.HasSuffix(file, "_test.go") || filepath.Dir(file) == "internal/words" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				switch {
				case is(x.Fun, "words", "Marked") && !isConstant(x.Args):
					t.Errorf("%s makes marked text of a string: use words.Say, Quoted, Fenced or Told", file)
				case is(x.Fun, "words", "Ours") && !slices.Contains(ours, file):
					t.Errorf("%s says that a text is our own: use words.Say, Quoted, Fenced or Told", file)
				}
			case *ast.CompositeLit:
				if is(x.Type, "mcp", "TextContent") {
					contents++
				}
			}
			return true
		})
	}
	if contents != 1 {
		t.Errorf("%d places make the text of answers, wanted one: contentOf of mcpserver", contents)
	}
}

// is reports whether an expression is a name of a package.
func is(x ast.Expr, from, name string) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	p, ok := s.X.(*ast.Ident)
	return ok && p.Name == from
}

func isConstant(args []ast.Expr) bool {
	_, ok := args[0].(*ast.BasicLit)
	return ok
}
