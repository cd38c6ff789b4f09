package mcpserver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestAdviceIsForTools finds in the source all advice that a failed run can contain, and
// checks that none of it refers a client to flags of the command line. Advice that says
// so itself is for the person who starts the server.
func TestAdviceIsForTools(t *testing.T) {
	flag := regexp.MustCompile(`--[a-z]`)
	found := 0
	advice := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil || !flag.MatchString(text) || strings.Contains(text, "server") || strings.Contains(text, "to remove it") {
				return true
			}
			found++
			if said := toolAdvice.Replace(text); flag.MatchString(said) {
				t.Errorf("a client is told: %s", said)
			}
			return true
		})
	}
	for _, dir := range []string{"../engine", "../steps", "../workflows"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Next" {
						advice(n.Value)
					}
				case *ast.AssignStmt:
					if at, ok := n.Lhs[0].(*ast.SelectorExpr); ok && at.Sel.Name == "Next" {
						advice(n.Rhs[0])
					}
				case *ast.CallExpr:
					if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "WithNext" {
						advice(n.Args[0])
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 5 {
		t.Errorf("%d pieces of advice name flags, which is too few: the test sees nothing", found)
	}
}
