package expression

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"understudy/internal/words"
)

var goTypes = regexp.MustCompile(`map\[string\](interface \{\}|any)|\[\](interface \{\}|any|string|int)|interface \{\}|\b(float64|int|bool|string)\b|<nil>|\bnil\b`)

// inWords translates a message of expr into the words of the document.
func inWords(message string) string {
	message = strings.ReplaceAll(withHyphens(message), internal, "")
	return goTypes.ReplaceAllStringFunc(message, func(t string) string {
		switch {
		case t == "float64" || t == "int":
			return "number"
		case t == "bool":
			return "boolean"
		case t == "string":
			return "string"
		case strings.HasPrefix(t, "map"):
			return "object"
		case strings.HasPrefix(t, "[]"):
			return "list"
		case t == "interface {}":
			return "value"
		}
		return "missing value"
	})
}

// panicked returns the error of a panic, in the words of the document.
func panicked(r any) error {
	err, ok := r.(error)
	if !ok {
		return errors.New(inWords(fmt.Sprint(r)))
	}
	var fault runtime.Error
	if !errors.As(err, &fault) {
		return err
	}
	said := strings.TrimPrefix(err.Error(), "interface conversion: interface {} is ")
	if found, wanted, ok := strings.Cut(said, ", not "); ok {
		return fmt.Errorf("it needs a %s and got a %s", inWords(wanted), inWords(found))
	}
	return errors.New(inWords(strings.TrimPrefix(said, "runtime error: ")))
}

var unexpectedToken = regexp.MustCompile(`unexpected token (\w+)\("(.*)"\)`)

// syntaxProblem translates an error of expr's parser.
func syntaxProblem(err error) *problem {
	var at *file.Error
	if !errors.As(err, &at) {
		return &problem{message: err.Error()}
	}
	p := &problem{at: at.Location, message: at.Message}
	switch {
	case strings.Contains(at.Message, "unexpected token EOF"):
		p.message = "the expression ends too early"
	case strings.Contains(at.Message, "coalesce expressions (??) cannot be mixed"):
		p.message, p.hint = "?? with && or || needs brackets", "write (a ?? b) || c"
	case strings.Contains(at.Message, ": strconv."):
		p.message, _, _ = strings.Cut(at.Message, ": strconv.")
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
	"{": "an expression in an expression is written without ${{ }}", ":": "an object in a predicate stands in brackets: ({…})",
}

// reworded are better wordings of messages of the checker.
var reworded = []struct {
	said          *regexp.Regexp
	message, hint string
}{
	{regexp.MustCompile(`^builtin (\w+) takes only array \(got (.*)\)$`), "$1() takes a list, not a $2", ""},
	{regexp.MustCompile(`^type (\w+) has no field (.*)$`), "a $1 has no field $2", ""},
	{regexp.MustCompile(`^array elements can only be selected using an integer \(got .*\)$`), "the elements of a list have numbers, not names", "write [0] for the first"},
	{regexp.MustCompile(`^type string\[.*\] is undefined$`), "a string has no elements", "write [0:1] for the first character"},
	{regexp.MustCompile(`^type (\w+)\[.*\] is undefined$`), "a $1 has no elements", ""},
	{regexp.MustCompile(`^invalid argument for len \(type (\w+)\)$`), "len() takes a string, a list or an object, not a $1", ""},
	{regexp.MustCompile(`^invalid operation: in \(.*\)$`), "in looks into a list or an object", "use contains to look into text"},
	{regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types? (.*)\)$`), "$1 does not work on $2", ""},
}

var unknownField = regexp.MustCompile(`^unknown field (.*)$`)

// checkProblem translates an error of expr's checker. For a misspelled field the hint
// is the nearest one.
func checkProblem(err error, tree ast.Node) *problem {
	var at *file.Error
	if !errors.As(err, &at) {
		return &problem{message: inWords(err.Error())}
	}
	p := &problem{at: at.Location, message: strings.TrimSpace(inWords(at.Message))}
	for _, r := range reworded {
		if r.said.MatchString(p.message) {
			p.message, p.hint = r.said.ReplaceAllString(p.message, r.message), r.hint
		}
	}
	f := &fieldFinder{at: at.Location}
	ast.Walk(&tree, f)
	if m := unknownField.FindStringSubmatch(at.Message); m != nil {
		name := withHyphens(m[1])
		p.message, p.hint = fmt.Sprintf("there is no field %s", name), words.DidYouMean(name, f.known)
	} else if f.name == "length" || f.name == "size" {
		p.hint = "write len(…) around it"
	}
	return p
}

// A fieldFinder finds the member at a position, and the fields of its object.
type fieldFinder struct {
	at    file.Location
	name  string
	known []string
}

func (f *fieldFinder) Visit(n *ast.Node) {
	m, ok := (*n).(*ast.MemberNode)
	if !ok || m.Property.Location() != f.at {
		return
	}
	if property, ok := m.Property.(*ast.StringNode); ok {
		f.name = property.Value
	}
	if data := m.Node.Nature().TypeData; data != nil {
		f.known = keysOf(data.Fields)
	}
}

// inBytes converts the positions of problems from characters to bytes.
func inBytes(text string, problems []*problem) []*Problem {
	slices.SortStableFunc(problems, func(a, b *problem) int { return a.at.From - b.at.From })
	var found []*Problem
	for _, p := range problems {
		from, to := byteOffset(text, p.at.From), byteOffset(text, p.at.To)
		if p.at == (file.Location{}) {
			to = len(text)
		}
		found = append(found, &Problem{Offset: from, Length: max(to-from, 0), Message: p.message, Hint: p.hint})
	}
	return found
}

func byteOffset(text string, characters int) int {
	offset := 0
	for ; characters > 0 && offset < len(text); characters-- {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}
