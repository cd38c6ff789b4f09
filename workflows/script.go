package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"understudy/workflows/expression"
)

// scriptPart is a script with expressions in it. Each value is given to the script
// as a variable, to which the script refers where the expression stood. So a value is
// always data, even if readScript misread the code around it.
type scriptPart struct {
	*expression.Text
	script string
	inText []bool // whether each value stands inside a string of the script, and is text there
}

func (s scriptPart) eval(e *evaluation) (any, error) {
	values, err := s.Values(e.ctx, e.scope, e.probe, func(i int) bool { return s.inText[i] })
	if err != nil {
		return nil, err
	}
	e.variables = map[string]any{}
	for i, v := range values {
		e.variables[valueName(i)] = v
	}
	return s.script, nil
}

// scriptReader writes a script with references to variables in place of its values. It
// tells code from strings and comments, and refuses a value where a reference would
// mean something else.
type scriptReader struct {
	code   []rune // the script, with a mark for each value
	at     int
	out    strings.Builder
	inText []bool
	before string // the previous token, which tells a division from a regular expression
	err    error
}

// readScript returns a script with references, and which of its values stand inside
// strings.
func readScript(t *expression.Text, engine string) (script string, inText []bool, err error) {
	if plain := t.Outline(func(int) string { return "" }); strings.ContainsRune(plain, mark) {
		return "", nil, errors.New("a script with values cannot hold the character NUL")
	}
	r := &scriptReader{code: []rune(t.Outline(func(int) string { return string(mark) }))}
	if engine == "python" {
		r.python()
	} else {
		r.javaScript()
		r.refuseRest("after a } that closes nothing")
	}
	for i, inText := range r.inText {
		if r.err == nil && !inText && t.Calls(i, "toJSON") {
			r.err = errors.New("in a script an expression is the value itself, and no text that is read as code; leave out toJSON()")
		}
	}
	return r.out.String(), r.inText, r.err
}

// refuse sets the error for a value at a place where none can be. The first error is
// kept.
func (r *scriptReader) refuse(where string) {
	if r.err == nil {
		r.err = fmt.Errorf("a value cannot be put %s; name it instead: inputs.NAME, env.NAME, or a name that the argument env gives it", where)
	}
}

// refuseRest copies the rest, and refuses any values in it.
func (r *scriptReader) refuseRest(where string) {
	if slices.Contains(r.code[r.at:], mark) {
		r.refuse(where)
	}
	r.take(len(r.code) - r.at)
}

func (r *scriptReader) more() bool { return r.err == nil && r.at < len(r.code) }

// has reports whether a text comes next.
func (r *scriptReader) has(text string) bool {
	return strings.HasPrefix(string(r.code[r.at:min(len(r.code), r.at+len(text))]), text)
}

// take copies n characters.
func (r *scriptReader) take(n int) {
	r.out.WriteString(string(r.code[r.at : r.at+n]))
	r.at += n
}

// takeTo copies up to and including a text, or the rest. It refuses values on the way.
func (r *scriptReader) takeTo(end, where string) {
	for r.more() && !r.has(end) {
		if r.code[r.at] == mark {
			r.refuse(where)
			return
		}
		r.take(1)
	}
	r.take(min(len([]rune(end)), len(r.code)-r.at))
}

// reference writes a reference to the next value.
func (r *scriptReader) reference(before, after string, inText bool) {
	r.out.WriteString(before + valueName(len(r.inText)) + after)
	r.inText = append(r.inText, inText)
	r.at++
}

// inCode writes a reference in code.
func (r *scriptReader) inCode() {
	if r.at > 0 && partOfName(r.code[r.at-1]) || r.at+1 < len(r.code) && partOfName(r.code[r.at+1]) ||
		strings.HasSuffix(r.out.String(), ".") && !strings.HasSuffix(r.out.String(), "...") {
		r.refuse("into a name of a script")
		return
	}
	r.reference("", "", false)
	r.before = "value"
}

func partOfName(c rune) bool {
	return c == '_' || c == '$' || c == '\\' || c == '#' || c == '@' || c == mark || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// word returns the name, keyword or number that comes next.
func (r *scriptReader) word() []rune {
	rest := r.code[r.at:]
	if end := slices.IndexFunc(rest, func(c rune) bool { return c == mark || !partOfName(c) }); end >= 0 {
		return rest[:end]
	}
	return rest
}

// javaScript copies code of JavaScript or TypeScript, up to its closing brace or to
// the end.
func (r *scriptReader) javaScript() {
	depth := 0
	for r.more() {
		c := r.code[r.at]
		switch {
		case c == mark:
			r.inCode()
		case c == '"' || c == '\'':
			r.quoted("", string(c), "`", "`", "${", "}")
			r.before = "value"
		case c == '`':
			r.templateLiteral()
		case r.has("//"):
			r.takeTo("\n", "into a comment")
		case r.has("/*"):
			r.takeTo("*/", "into a comment")
		case r.has("<!--") || r.has("-->"):
			r.refuseRest("after <!-- or -->")
		case c == '/':
			r.slash()
		case c == '}' && depth == 0:
			return
		case partOfName(c):
			word := r.word()
			r.before = string(word)
			r.take(len(word))
		default:
			depth += map[rune]int{'{': 1, '}': -1}[c]
			if !unicode.IsSpace(c) {
				r.before = string(c)
			}
			r.take(1)
		}
	}
}

// beforePattern are the words that a regular expression may follow.
var beforePattern = []string{"", "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "yield", "await"}

// slash copies a division or a regular expression.
func (r *scriptReader) slash() {
	switch last := r.before; {
	case strings.ContainsAny(last, ")}+-"):
		r.refuseRest("after a / that may divide or begin a pattern")
	case last == "]" || partOfName([]rune(last + "\n")[0]) && !slices.Contains(beforePattern, last):
		r.take(1)
		r.before = "/"
	default:
		r.pattern()
	}
}

// pattern copies a regular expression.
func (r *scriptReader) pattern() {
	r.take(1)
	for inClass := false; r.more(); {
		switch c := r.code[r.at]; {
		case c == mark || c == '\n':
			r.refuseRest("into a pattern")
			return
		case c == '\\':
			r.escape()
			continue
		case c == '/' && !inClass:
			r.take(1)
			r.before = "value"
			return
		case c == '[' || c == ']':
			inClass = c == '['
		}
		r.take(1)
	}
}

// templateLiteral copies a text between backticks.
func (r *scriptReader) templateLiteral() {
	r.take(1)
	for r.more() {
		switch {
		case r.code[r.at] == mark:
			r.reference("${", "}", true)
		case r.code[r.at] == '\\':
			r.escape()
		case r.has("${"):
			r.take(2)
			r.before = ""
			r.javaScript()
			r.take(min(1, len(r.code)-r.at))
		case r.has("`"):
			r.take(1)
			r.before = "value"
			return
		default:
			r.take(1)
		}
	}
}

// escape copies a backslash and the character after it.
func (r *scriptReader) escape() {
	if r.at+1 < len(r.code) && r.code[r.at+1] == mark {
		r.refuse("after a backslash")
		return
	}
	r.take(min(2, len(r.code)-r.at))
}

func (r *scriptReader) python() {
	for r.more() {
		switch c := r.code[r.at]; {
		case c == mark:
			r.inCode()
		case c == '#':
			r.takeTo("\n", "into a comment")
		case c == '"' || c == '\'':
			r.pythonText("")
		case partOfName(c):
			r.pythonWord()
		default:
			r.take(1)
		}
	}
}

// pythonWord copies a word, or the string of which it is the prefix.
func (r *scriptReader) pythonWord() {
	word := r.word()
	if end := r.at + len(word); end < len(r.code) && strings.ContainsRune(`'"`, r.code[end]) {
		r.at = end
		r.pythonText(string(word))
		return
	}
	r.take(len(word))
}

// pythonText copies a string of Python. One with values becomes an f-string.
func (r *scriptReader) pythonText(prefix string) {
	quote := string(r.code[r.at])
	if triple := strings.Repeat(quote, 3); r.has(triple) {
		quote = triple
	}
	switch kind := strings.ToLower(prefix); {
	case strings.ContainsAny(kind, "bt"):
		r.quoted(prefix, quote, "", "", "", "")
	case strings.Contains(kind, "f"):
		r.formatted(prefix, quote)
	default:
		r.quoted(prefix, quote, strings.Trim(prefix, "uU")+"f"+quote, quote, "{", "}")
	}
}

// quoted copies a string. One with values is written between begin and end instead of
// its quotes, with before and after around each reference; if before is empty, the
// values are refused.
func (r *scriptReader) quoted(prefix, quote, begin, end, before, after string) {
	from := r.at
	r.at += len(quote)
	length, values, closed := r.length(quote)
	r.at = from
	switch {
	case !closed:
		r.out.WriteString(prefix)
		r.refuseRest("after a quotation mark that is not closed")
		return
	case values == 0:
		r.out.WriteString(prefix)
		r.take(len(quote) + length + len(quote))
		return
	case before == "":
		r.refuse("into a text of bytes")
		return
	}
	r.out.WriteString(begin)
	r.at += len(quote)
	for stop := r.at + length; r.err == nil && r.at < stop; {
		switch c := r.code[r.at]; {
		case c == mark:
			r.reference(before, after, true)
		case r.has(`\N{`):
			r.refuse(`into a text with \N{`)
		case c == '\\':
			r.escape()
		default:
			r.out.WriteString(requoted(c, before))
			r.at++
		}
	}
	r.out.WriteString(end)
	r.at += len(quote)
	if rest := strings.TrimLeft(string(r.code[r.at:min(len(r.code), r.at+40)]), " \t\r\n)"); before == "{" && strings.HasPrefix(rest, ".format") {
		r.refuse("into a text that is formatted")
	}
}

// requoted returns a character as it is written between the other quotes.
func requoted(c rune, before string) string {
	switch {
	case before == "{" && (c == '{' || c == '}'):
		return string([]rune{c, c})
	case before == "${" && (c == '`' || c == '$'):
		return `\` + string(c)
	}
	return string(c)
}

// length returns the length of a string up to its closing quotes, and the number of
// values in it.
func (r *scriptReader) length(quote string) (n, values int, closed bool) {
	for from := r.at; r.at < len(r.code); r.at++ {
		switch c := r.code[r.at]; {
		case r.has(quote):
			return r.at - from, values, true
		case c == mark:
			values++
		case c == '\\':
			if r.at+1 < len(r.code) && r.code[r.at+1] == mark {
				values++
			}
			r.at++
		case c == '\n' && len(quote) == 1:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// formatted copies an f-string. It refuses values in the code between braces, which
// the versions of Python read differently.
func (r *scriptReader) formatted(prefix, quote string) {
	r.out.WriteString(prefix)
	r.take(len(quote))
	for depth := 0; r.more(); {
		c := r.code[r.at]
		switch {
		case r.has(quote) && depth == 0:
			r.take(len(quote))
			return
		case r.has(quote), c == '\n' && len(quote) == 1:
			r.refuseRest("after a quotation mark between the braces of an f-string")
			return
		case c == mark && depth > 0:
			r.refuse("between the braces of an f-string")
		case c == mark:
			r.reference("{", "}", true)
		case c == '\\':
			r.escape()
		case depth == 0 && (r.has("{{") || r.has("}}")):
			r.take(2)
		default:
			depth += map[rune]int{'{': 1, '}': -1}[c]
			r.take(1)
		}
	}
}
