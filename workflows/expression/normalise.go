package expression

import (
	"strings"
	"unicode"

	"github.com/expr-lang/expr/file"
)

// hyphen stands for the hyphen inside a name while expr parses it. It is a letter that
// nobody writes.
const hyphen = "ꟷ"

const hyphenRune = 'ꟷ'

// withHyphens returns a name as it was written.
func withHyphens(name string) string { return strings.ReplaceAll(name, hyphen, "-") }

// maxNesting is the maximum nesting of brackets.
const maxNesting = 100

// A normaliser translates an expression for expr's lexer, character for character, so
// that positions stay the same.
type normaliser struct {
	text     []rune
	names    *Names
	problems []*problem
	depth    int
	braces   bool // {{ begins a template, as ${{ does
	unclosed bool // a template is not closed
	hyphened *hyphened
}

func normalise(text string, names *Names, braces bool) (string, []*problem) {
	n := &normaliser{text: []rune(text), names: names, braces: braces}
	n.unwrap()
	for i := 0; i < len(n.text); {
		i = n.step(i)
	}
	return string(n.text), n.problems
}

func (n *normaliser) wrong(from, to int, message, hint string) {
	n.problems = append(n.problems, &problem{file.Location{From: from, To: to}, message, hint})
}

// unwrap replaces {{ a }} and ${{ a }}, if they are the whole text, by (a).
func (n *normaliser) unwrap() {
	from, to := 0, len(n.text)
	for from < to && isBlank(n.text[from]) {
		from++
	}
	for from < to && isBlank(n.text[to-1]) {
		to--
	}
	if n.at(from) != '{' || n.at(from+1) != '{' {
		return
	}
	if end, ok := templateEnd(n.text, from+2); ok && end+2 == to {
		n.bracket(from, from+2, end)
	}
}

// bracket replaces the marks of a template inside an expression by brackets.
func (n *normaliser) bracket(from, inner, end int) {
	for i := from; i < inner; i++ {
		n.text[i] = ' '
	}
	n.text[from], n.text[end], n.text[end+1] = '(', ')', ' '
}

func (n *normaliser) at(i int) rune {
	if i < 0 || i >= len(n.text) {
		return 0
	}
	return n.text[i]
}

// step reads the token at i, and returns its end.
func (n *normaliser) step(i int) int {
	r := n.text[i]
	switch {
	case isQuote(r):
		return n.quoted(i)
	case r == '/' && n.at(i+1) == '/':
		for i < len(n.text) && n.text[i] != '\n' {
			i++
		}
		return i
	case r == '/' && n.at(i+1) == '*':
		for i += 2; i < len(n.text) && (n.text[i] != '*' || n.at(i+1) != '/'); i++ {
		}
		return i + 2
	case isBlank(r):
		if r != '\n' {
			n.text[i] = ' '
		}
	case isWord(r):
		return n.word(i)
	case hasAt(n.text, i, "${{"):
		n.template(i, i+3)
	case n.braces && hasAt(n.text, i, "{{"):
		n.template(i, i+2)
	}
	return n.nest(i)
}

// nest counts a bracket at i, and returns the position after it.
func (n *normaliser) nest(i int) int {
	switch n.text[i] {
	case '(', '[', '{':
		if n.depth++; n.depth == maxNesting+1 {
			n.wrong(i, i+1, "the brackets nest too deep", "")
		}
	case ')', ']', '}':
		n.depth--
	}
	return i + 1
}

func (n *normaliser) template(i, inner int) {
	if n.unclosed {
		return // one problem is enough
	}
	end, ok := templateEnd(n.text, inner)
	if n.unclosed = !ok; !ok {
		n.wrong(i, inner, string(n.text[i:inner])+" is not closed", "close it with }}")
		return
	}
	n.bracket(i, inner, end)
}

func (n *normaliser) quoted(i int) int {
	end, ok := closingQuote(n.text, i)
	if !ok {
		n.wrong(i, len(n.text), "a string is not closed", "add the quote that closes it")
		return len(n.text)
	}
	inner := n.text[i+1 : end]
	if at := strings.Index(string(inner), "${{"); at >= 0 {
		n.wrong(i, end+1, "a template inside quotes is not replaced here", "write the name without quotes and without ${{ }}")
	}
	if isTypographic(n.text[i]) || isTypographic(n.text[end]) {
		q := delimiter(inner, plainQuote(n.text[i]))
		n.text[i], n.text[end] = q, q
	}
	return end + 1
}

// delimiter returns a quote that does not occur in a string, the wanted one if
// possible.
func delimiter(inner []rune, wanted rune) rune {
	for _, q := range []rune{wanted, '"', '\'', '`'} {
		if !strings.ContainsRune(string(inner), q) {
			return q
		}
	}
	return wanted
}

// maxHyphened is the maximum length of a name with hyphens. It bounds the search for one in
// a long subtraction.
const maxHyphened = 100

// word reads a name at i, and returns its end. It includes hyphens as far as a name with
// them is known.
func (n *normaliser) word(i int) int {
	end := i
	for isWord(n.at(end)) {
		end++
	}
	if n.at(end) != '-' || unicode.IsDigit(n.text[i]) {
		return end
	}
	if n.hyphened == nil {
		n.hyphened = n.names.hyphened()
	}
	known := n.hyphened.bare
	if n.at(i-1) == '.' {
		known = n.hyphened.fields
	}
	longest, last := end, end
	for len(known) > 0 && n.at(last) == '-' && isWord(n.at(last+1)) && last-i < maxHyphened {
		for last++; isWord(n.at(last)); last++ {
		}
		if known[string(n.text[i:last])] {
			longest = last
		}
	}
	for j := end; j < longest; j++ {
		if n.text[j] == '-' {
			n.text[j] = hyphenRune
		}
	}
	return longest
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isBlank reports whether r is white space, including the kinds without width, which
// come with copied text.
func isBlank(r rune) bool {
	switch r {
	case '\u180e', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsSpace(r)
}

const (
	doubleQuotes = "“”„‟«»"
	singleQuotes = "‘’‚‛´‹›"
)

func isTypographic(r rune) bool { return strings.ContainsRune(doubleQuotes+singleQuotes, r) }

func isQuote(r rune) bool { return r == '"' || r == '\'' || r == '`' || isTypographic(r) }

func plainQuote(r rune) rune {
	switch {
	case strings.ContainsRune(doubleQuotes, r):
		return '"'
	case strings.ContainsRune(singleQuotes, r):
		return '\''
	}
	return r
}

// closingQuote returns the end of the string that begins at i. A typographic quote ends
// only a string that began with one, or that no plain quote ends.
func closingQuote(text []rune, i int) (int, bool) {
	open := text[i]
	fancy, plain := -1, -1
	for j := i + 1; j < len(text) && (text[j] != '\n' || open == '`'); j++ {
		switch r := text[j]; {
		case r == '\\' && open != '`':
			j++
		case open == '`' && r == '`' && j+1 < len(text) && text[j+1] == '`':
			j++
		case r == plainQuote(open) && plain < 0:
			plain = j
		case isTypographic(r) && plainQuote(r) == plainQuote(open) && fancy < 0 && !isApostrophe(text, j):
			fancy = j
		}
		if plain >= 0 && open == plainQuote(open) {
			return plain, true
		}
		if fancy >= 0 && open != plainQuote(open) {
			return fancy, true
		}
	}
	return max(fancy, plain), max(fancy, plain) >= 0
}

// isApostrophe reports whether the quote at i is inside a word.
func isApostrophe(text []rune, i int) bool {
	return plainQuote(text[i]) == '\'' && i+1 < len(text) && unicode.IsLetter(text[i-1]) && unicode.IsLetter(text[i+1])
}

// templateEnd returns the position of the }} that closes a template whose inside begins
// at i. It skips quoted texts and pairs of braces.
func templateEnd(text []rune, i int) (int, bool) {
	depth, unpaired := 0, ""
	for ; i < len(text); i++ {
		switch r := text[i]; {
		case isQuote(r) && !strings.ContainsRune(unpaired, plainQuote(r)):
			if end, ok := closingQuote(text, i); ok {
				i = end
			} else {
				unpaired += string(plainQuote(r))
			}
		case r == '{':
			depth++
		case r == '}' && depth > 0:
			depth--
		case r == '}' && i+1 < len(text) && text[i+1] == '}':
			return i, true
		}
	}
	return 0, false
}
