package selector

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"understudy/internal/desktop"
	"understudy/internal/words"
)

// Limits of a selector.
const (
	MaxLength = 4 << 10 // bytes
	MaxParts  = 16      // in a chain
	MaxNested = 8       // selectors within selectors
	maxHas    = 2       // has: within has:
)

// A SyntaxError is an error in the text of a selector: its position, and what could be
// written instead.
type SyntaxError struct {
	Offset  int    // of the error, in bytes of the text
	Length  int    // 0 if something is missing there
	Message string // what was expected and found
	Hint    string // a replacement; may be empty
}

func (e *SyntaxError) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("selector, column %d: %s", e.Offset+1, e.Message)
	}
	return fmt.Sprintf("selector, column %d: %s; write %s", e.Offset+1, e.Message, e.Hint)
}

// Parse parses a selector. Its errors are *SyntaxError.
func Parse(text string) (*Selector, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{MaxLength, len(text) - MaxLength, fmt.Sprintf("a selector has at most %d bytes, this one has %d", MaxLength, len(text)), ""}
	}
	if i := words.InvalidUTF8(text); i >= 0 {
		return nil, &SyntaxError{i, 1, "this is not UTF-8", ""}
	}
	s, err := (&parser{text: text}).parseAll()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// MustParse is Parse for constant selectors; it panics on an error.
func MustParse(text string) *Selector {
	s, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// A parser parses text from pos on.
type parser struct {
	text   string
	pos    int
	parens int // open parentheses
	nested int // enclosing selectors
	depth  int // both together
	inHas  int // enclosing has:
}

func (p *parser) errorf(from, to int, hint, format string, args ...any) *SyntaxError {
	return &SyntaxError{from, to - from, fmt.Sprintf(format, args...), hint}
}

// parseAll parses the text to its end.
func (p *parser) parseAll() (*Selector, *SyntaxError) {
	s, err := p.chain()
	if err == nil && p.pos < len(p.text) {
		return nil, p.errorf(p.pos, p.pos+1, "", "this parenthesis closes nothing")
	}
	return s, err
}

// chain parses parts joined by ">>".
func (p *parser) chain() (*Selector, *SyntaxError) {
	s := &Selector{}
	for {
		p.skipBlanks()
		from := p.pos
		atoms, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		if err := p.check(s, atoms, from); err != nil {
			return nil, err
		}
		s.parts = append(s.parts, atoms)
		if !p.accept(">>") {
			return s, nil
		}
		if _, ok := s.Image(); ok {
			return nil, p.errorf(from, p.pos, "", "a picture has nothing inside: image: stands in the last part")
		}
	}
}

// alternatives parses lists of atoms separated by "||" or commas.
func (p *parser) alternatives() (part, *SyntaxError) {
	var all []part
	for {
		p.skipBlanks()
		from := p.pos
		atoms, err := p.atoms()
		if err != nil {
			return nil, err
		}
		more := p.accept("||") || p.accept(",")
		if all = append(all, atoms); more || len(all) > 1 {
			if err := p.checkAlternative(atoms, from); err != nil {
				return nil, err
			}
		}
		if !more {
			return either(all), nil
		}
	}
}

// checkAlternative returns an error for what only a whole part can be.
func (p *parser) checkAlternative(atoms part, from int) *SyntaxError {
	switch {
	case atoms.has(byImage):
		return p.errorf(from, p.pos, "", "a picture is no alternative: give several selectors in targets")
	case atoms.has(parent), atoms.has(byPath):
		return p.errorf(from, p.pos, "", "%s is no alternative: join it by >>", choose(atoms.has(parent), "..", "a path"))
	}
	return p.check(&Selector{}, atoms, from)
}

// atoms parses atoms joined by "&&" or "|".
func (p *parser) atoms() (part, *SyntaxError) {
	var all part
	pipe := false
	for {
		some, err := p.item(pipe, all)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if p.next("||") || !p.accept("&&") && !p.next("|") {
			return all, nil
		}
		pipe = p.accept("|")
	}
}

// item parses an atom, a negated one, or several in parentheses; after a pipe and a role,
// it may be a bare name.
func (p *parser) item(pipe bool, before part) (part, *SyntaxError) {
	p.skipBlanks()
	from := p.pos
	if p.accept("(") {
		return p.group(from)
	}
	if p.accept("!") {
		return p.negation(from)
	}
	if pipe && len(before) == 1 && before[0].kind == byRole && !p.atAtom() {
		return p.bareName()
	}
	if !pipe {
		if legacy, err := p.legacy(); legacy != nil || err != nil {
			return legacy, err
		}
	}
	a, err := p.atom()
	if err != nil {
		return nil, err
	}
	return part{a}, nil
}

// negation parses what stands after "!".
func (p *parser) negation(from int) (part, *SyntaxError) {
	if p.depth++; p.depth > MaxNested {
		return nil, p.errorf(from, from+1, "", "negations go at most %d deep", MaxNested)
	}
	defer func() { p.depth-- }()
	all, err := p.item(false, nil)
	if err != nil {
		return nil, err
	}
	for a := range all.each() {
		if !a.kind.local() {
			return nil, p.errorf(from, from+1, "", "%s cannot be turned round by !", a.kind)
		}
	}
	return all.negated(), nil
}

// group parses atoms in parentheses.
func (p *parser) group(from int) (part, *SyntaxError) {
	p.parens++
	if p.depth++; p.depth > MaxNested {
		return nil, p.errorf(from, from+1, "", "parentheses go at most %d deep", MaxNested)
	}
	defer func() { p.depth-- }()
	all, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	at := p.pos
	if p.accept(">>") {
		return nil, p.errorf(at, p.pos, "", "a chain stands in parentheses only after rightof: and its like")
	}
	return all, p.close(from)
}

func (p *parser) close(from int) *SyntaxError {
	if !p.accept(")") {
		return p.errorf(from, from+1, "", "this parenthesis is not closed")
	}
	p.parens--
	return nil
}

// check validates the combination of atoms in a part, and its position.
func (p *parser) check(s *Selector, atoms part, from int) *SyntaxError {
	if len(s.parts) == MaxParts {
		return p.errorf(from, p.pos, "", "a chain has at most %d parts", MaxParts)
	}
	count := map[kind]int{}
	for _, a := range atoms {
		count[a.kind]++
	}
	switch {
	case count[parent] > 0 && len(s.parts) == 0:
		return p.errorf(from, p.pos, "", ".. is the parent of what stands before it, and nothing does")
	case count[byNth] == len(atoms) && len(s.parts) == 0:
		return p.errorf(from, p.pos, "", "nth picks from what is matched, and nothing says what")
	case (count[parent] > 0 || count[byImage] > 0 || count[byPath] > 0) && len(atoms) > 1:
		return p.errorf(from, p.pos, "", "%s stands alone in its part: join it by >>", choose(count[parent] > 0, "..", choose(count[byPath] > 0, "a path", "image:")))
	case count[byNth] > 1 || count[byPos] > 1:
		return p.errorf(from, p.pos, "", "%s stands only once in a part", choose(count[byNth] > 1, "nth", "pos:"))
	case count[byImage] > 0 && p.nested > 0:
		return p.errorf(from, p.pos, "", "image: cannot stand within another atom")
	}
	return nil
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// atom parses "word:value" and its few other forms.
func (p *parser) atom() (atom, *SyntaxError) {
	from := p.pos
	if err := p.checkAtom(); err != nil {
		return atom{}, err
	}
	if p.peek("/") {
		return p.path()
	}
	bare := p.bareEnd()
	text := strings.TrimSpace(p.text[from:bare])
	switch {
	case text == "..":
		p.pos = bare
		return atom{kind: parent}, nil
	case isRef(text):
		p.pos = bare
		return p.atomOf(from, byRef, false, text)
	}
	word := p.word()
	k, known := kinds[strings.ToLower(word)]
	if known && k == byNth && p.peek("-") {
		return p.number(from, byNth)
	}
	either := known && k == byName && p.accept("?:")
	fold := either || p.accept("~:")
	if !fold && !p.accept(":") && !((k == byRef || k == byNth) && p.accept("=")) {
		return atom{}, p.errNoPrefix(from, word, text, known)
	}
	if !known {
		return atom{}, p.errUnknown(from, word, text)
	}
	if fold && !k.foldable() {
		return atom{}, p.errorf(from, p.pos, string(k)+":", "%s is compared as it is, so ~ cannot stand after it", k)
	}
	a, err := p.atomWithValue(from, k, fold)
	a.either = either && a.fold
	return a, err
}

// checkAtom returns an error where an atom is missing.
func (p *parser) checkAtom() *SyntaxError {
	for _, op := range []string{"&&", "||", "|", ">>", ")", ","} {
		if p.peek(op) {
			return p.errorf(p.pos, p.pos+len(op), "", "an atom such as role:button is missing before %s", op)
		}
	}
	if p.pos == len(p.text) {
		return p.errorf(p.pos, p.pos, "", "an atom such as role:button is missing here")
	}
	return nil
}

// errNoPrefix explains a text without a word and colon before it.
func (p *parser) errNoPrefix(from int, word, text string, known bool) *SyntaxError {
	if known && p.peek("=") {
		return p.errorf(from, p.pos+1, strings.ToLower(word)+":", "an atom is written with a colon")
	}
	msg := fmt.Sprintf("%q does not say what it is, as role:, name: or text: would", text)
	if from > 0 && strings.ContainsAny(p.text[:from], "|&>") {
		msg += "; if it belongs to the value before it, quote that value"
	}
	return p.errorf(from, from+len(text), suggestSelector(text), "%s", msg)
}

// errUnknown explains an unknown word before a colon.
func (p *parser) errUnknown(from int, word, text string) *SyntaxError {
	if near := words.Nearest(word, Atoms()); near != "" {
		return p.errorf(from, from+len(word), near, "there is no atom %s:", word)
	}
	return p.errorf(from, from+len(text), suggestSelector(text), "there is no atom %s:", choose(word == "", text, word))
}

// suggestSelector returns the probable meaning of a text without a prefix.
func suggestSelector(text string) string {
	text = strings.TrimSpace(text)
	word, rest, colon := strings.Cut(text, ":")
	if id, ok := strings.CutPrefix(text, "#"); ok && id != "" {
		return "id:" + Quote(id)
	}
	if r, ok := desktop.WantedRole(word); ok && (!colon || strings.TrimSpace(rest) != "") {
		if !colon {
			return "role:" + string(r)
		}
		return "role:" + string(r) + " && name:" + Quote(unquoted(strings.TrimSpace(rest)))
	}
	return "name:" + Quote(unquoted(text))
}

func unquoted(text string) string {
	if len(text) > 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

func isRef(text string) bool {
	return len(text) > 1 && text[0] == 'e' && strings.Trim(text[1:], "0123456789") == ""
}

// word parses the letters at pos.
func (p *parser) word() string {
	from := p.pos
	for p.pos < len(p.text) && (p.text[p.pos]|0x20 >= 'a' && p.text[p.pos]|0x20 <= 'z' || p.text[p.pos] == '_') {
		p.pos++
	}
	return p.text[from:p.pos]
}

func (p *parser) skipBlanks() {
	rest := strings.TrimLeftFunc(p.text[p.pos:], unicode.IsSpace)
	p.pos = len(p.text) - len(rest)
}

// next reports whether an operator is next, after blanks.
func (p *parser) next(op string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(p.text[p.pos:], unicode.IsSpace), op)
}

func (p *parser) peek(op string) bool { return strings.HasPrefix(p.text[p.pos:], op) }

// accept consumes an operator, and the blanks before it, if it is next.
func (p *parser) accept(op string) bool {
	from := p.pos
	if !slices.Contains([]string{":", "~:", "="}, op) {
		p.skipBlanks()
	}
	if !p.peek(op) {
		p.pos = from
		return false
	}
	p.pos += len(op)
	return true
}
