package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// measures is the file with the function that measures pictures before it decodes them.
const measures = "internal/desktop/picture.go"

// TestPicturesAreMeasuredBeforeTheyAreDecoded checks that nothing else decodes pictures:
// a file of 100 kB can hold a picture of gigabytes.
func TestPicturesAreMeasuredBeforeTheyAreDecoded(t *testing.T) {
	found := false
	for _, file := range files(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, call := range decoders(t, file) {
			found = found || file == measures
			if file != measures {
				t.Errorf("%s calls %s: call desktop.DecodePicture, which measures the picture first", file, call)
			}
		}
	}
	if !found {
		t.Errorf("%s decodes nothing: correct this test", measures)
	}
}

// decoders lists the calls of functions that decode whole pictures, whatever the names
// of their packages in the file.
func decoders(t *testing.T, file string) (calls []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), 0)
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]bool{}
	for _, i := range f.Imports {
		from, _ := strconv.Unquote(i.Path.Value)
		if from != "image" && !strings.HasPrefix(from, "image/") && !strings.HasPrefix(from, "golang.org/x/image/") {
			continue
		}
		name := path.Base(from)
		if i.Name != nil {
			name = i.Name.Name
		}
		formats[name] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Decode" && s.Sel.Name != "DecodeAll" {
			return true
		}
		if p, ok := s.X.(*ast.Ident); ok && formats[p.Name] {
			calls = append(calls, p.Name+"."+s.Sel.Name)
		}
		return true
	})
	return calls
}
