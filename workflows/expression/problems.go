package expression

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"understudy/internal/words"
)

// goTypes are the names of types in expr's messages, as people call them.
var goTypes = strings.NewReplacer(
	"map[string]interface {}", "object", "map[string]any", "object", "[]interface {}", "list", "[]any", "list",
	"[]string", "list", "[]int", "list", "interface {}", "value", "float64", "number", "bool", "boolean",
	"<nil>", "a missing value", "unknown", "unknown", "int)", "number)", "int ", "number ",
)

// plainWords says an error of expr's in the words of the document.
func plainWords(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	said := strings.TrimPrefix(text, "interface conversion: ")
	if said != text {
		said = strings.TrimPrefix(said, "interface {} is ")
		if found, wanted, ok := strings.Cut(said, ", not "); ok {
			said = fmt.Sprintf("it needs a %s, and got a %s", wanted, strings.Replace(found, "nil", "missing value", 1))
		}
	}
	said = goTypes.Replace(said)
	if said == text {
		return err
	}
	return errors.New(said)
}

var unexpectedToken = regexp.MustCompile(`unexpected token (\w+)\("(.*)"\)`)

// syntaxProblem says what expr's parser could not read.
func syntaxProblem(err error) *problem {
	var at *file.Error
	if !errors.As(err, &at) {
		return &problem{message: err.Error()}
	}
	p := &problem{at: at.Location, message: at.Message}
	switch {
	case strings.Contains(at.Message, "unexpected token EOF"):
		p.message = "the expression ends too early"
	case strings.Contains(at.Message, "literal not terminated"):
		p.message, p.hint = "a string is not closed", "add the quote that closes it"
	case strings.Contains(at.Message, "maximum allowed nodes"):
		p.message = fmt.Sprintf("the expression has more than %d parts", maxNodes)
	}
	if m := unexpectedToken.FindStringSubmatch(at.Message); m != nil {
		p.message, p.hint = fmt.Sprintf("%s is not expected here", m[2]), tokenHints[m[2]]
	}
	return p
}

var tokenHints = map[string]string{
	"=": "write == to compare", "===": "write == to compare", "&": "write && for and", "|": "write || for or",
	"{": "an expression in an expression is written without ${{ }}",
}

var unknownField = regexp.MustCompile(`^unknown field (.*)$`)

// checkProblem says what expr's checker found, and the nearest field when one
// is misspelled.
func checkProblem(err error, tree ast.Node) *problem {
	var at *file.Error
	if !errors.As(err, &at) {
		return &problem{message: plainWords(err).Error()}
	}
	p := &problem{at: at.Location, message: goTypes.Replace(strings.ReplaceAll(at.Message, internal, ""))}
	if m := unknownField.FindStringSubmatch(at.Message); m != nil {
		name := withHyphens(m[1])
		p.message = fmt.Sprintf("there is no field %s", name)
		f := &fieldFinder{at: at.Location}
		ast.Walk(&tree, f)
		p.hint = words.DidYouMean(name, f.known)
	}
	return p
}

// A fieldFinder finds the fields of the object whose member stands at a place.
type fieldFinder struct {
	at    file.Location
	known []string
}

// Visit looks at one node.
func (f *fieldFinder) Visit(n *ast.Node) {
	m, ok := (*n).(*ast.MemberNode)
	if !ok || m.Property.Location() != f.at {
		return
	}
	if data := m.Node.Nature().TypeData; data != nil {
		f.known = keysOf(data.Fields)
	}
}
