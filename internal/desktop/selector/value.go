package selector

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/words"
)

// containsWord is the syntax of other tools for a part of a name: name:contains:Sav.
const containsWord = "contains:"

// opposites are states that people name by their negation.
var opposites = map[string]desktop.States{
	"disabled": desktop.Enabled, "unchecked": desktop.Checked,
	"unselected": desktop.Selected, "unfocused": desktop.Focused,
}

// atomWithValue parses the value of an atom.
func (p *parser) atomWithValue(from int, k kind, fold bool) (atom, *SyntaxError) {
	if k.relative() || k == byHas {
		inner, err := p.inner(from, k)
		return atom{kind: k, inner: inner}, err
	}
	if k == byNth || k == byPos {
		return p.number(from, k)
	}
	p.skipBlanks()
	if k == byWindow {
		from := p.pos
		if id, ok := p.windowResult(); ok {
			return atom{kind: k, window: id}, p.checkValueEnd(from)
		}
	}
	at, quoted := p.pos, p.peek(`"`)
	value, err := p.value()
	if err == nil && strings.TrimSpace(value) == "" {
		err = p.errorf(from, p.pos, "", "%s: needs a value", k)
	}
	if err != nil {
		return atom{}, err
	}
	if rest, ok := strings.CutPrefix(value, containsWord); ok && k == byName && !quoted && strings.TrimSpace(rest) != "" {
		value, fold = strings.TrimSpace(rest), true
	}
	if k == byWindow && !quoted && windowNumber.MatchString(value) {
		id, err := strconv.ParseUint(value[1:], 10, 64)
		if err != nil || id == 0 {
			return atom{}, p.errorf(at, p.pos, "", "there is no window with the id %s", value[1:])
		}
		return atom{kind: k, window: desktop.WindowID(id)}, nil
	}
	return p.atomOf(at, k, fold, value)
}

// windowNumber matches the id of a window, written in place of a part of its title.
var windowNumber = regexp.MustCompile(`^#\d+$`)

// windowResult parses the window of a result, which a template writes as JSON.
func (p *parser) windowResult() (desktop.WindowID, bool) {
	var w struct {
		ID desktop.WindowID `json:"id"`
	}
	from := json.NewDecoder(strings.NewReader(p.text[p.pos:]))
	if !p.peek("{") || from.Decode(&w) != nil || w.ID == 0 {
		return 0, false
	}
	p.pos += int(from.InputOffset())
	return w.ID, true
}

// atomOf returns an atom with a value that began at an offset of the text.
func (p *parser) atomOf(at int, k kind, fold bool, value string) (atom, *SyntaxError) {
	a := atom{kind: k, fold: fold && k != byWindow, value: value}
	var ok bool
	var known []string
	switch k {
	case byRole:
		a.role, ok = desktop.WantedRole(value)
		known, a.value = desktop.RoleNames(), ""
	case byState:
		a.state, a.not, ok = parseState(value)
		known, a.value = append(desktop.StateNames(), "disabled", "unchecked", "unselected", "unfocused"), ""
	case byVisible:
		ok = strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
		a.not = strings.EqualFold(value, "false")
		known, a.value = []string{"true", "false"}, ""
	case byAttr:
		if !strings.Contains(value, "=") {
			a.value += "=true"
		}
		return a, nil
	default:
		if a.folded = strings.ToLower(desktop.CollapseSpace(value)); k == byProcess {
			a.folded = desktop.ProgramName(value)
		}
		return a, nil
	}
	if !ok {
		return atom{}, p.errorf(at, at+len(strings.TrimSpace(p.text[at:p.pos])), words.Nearest(value, known), "there is no %s %q", k, value)
	}
	return a, nil
}

func parseState(value string) (s desktop.States, not, ok bool) {
	word := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(value))
	if s, ok = opposites[word]; ok {
		return s, true, true
	}
	s, ok = desktop.ParseState(word)
	return s, false, ok
}

// value parses a quoted value, or a bare one up to the next operator.
func (p *parser) value() (string, *SyntaxError) {
	if p.peek(`"`) {
		v, _, err := p.quoted()
		return v, err
	}
	from := p.pos
	p.pos = p.bareEnd()
	return strings.TrimSpace(p.text[from:p.pos]), nil
}

// bareEnd returns where a bare value at pos ends. A parenthesis ends it only if
// it closes one that was opened before.
func (p *parser) bareEnd() int {
	level := 0
	for i := p.pos; i < len(p.text); i++ {
		switch rest := p.text[i:]; {
		case rest[0] == '|', strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, ">>"):
			return i
		case rest[0] == ',' && level == 0 && commaBeforeAtom.MatchString(rest):
			return i
		case rest[0] == '(':
			level++
		case rest[0] == ')' && level == 0 && p.parens > 0:
			return i
		case rest[0] == ')':
			level--
		}
	}
	return len(p.text)
}

// quoted parses a quoted value, and returns the offset of each of its bytes.
func (p *parser) quoted() (string, []int, *SyntaxError) {
	from := p.pos
	var value []byte
	var places []int
	for p.pos++; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		if c == '"' {
			p.pos++
			return string(value), append(places, p.pos-1), p.checkValueEnd(from)
		}
		if c == '\\' && (p.text[p.pos+1:] != "" && strings.IndexByte(`"\`, p.text[p.pos+1]) >= 0) {
			p.pos++
			c = p.text[p.pos]
		}
		value, places = append(value, c), append(places, p.pos)
	}
	return "", nil, p.errorf(from, len(p.text), p.text[from:]+`"`, "this quote is not closed")
}

// checkValueEnd returns an error if something other than an operator follows a
// closing quote.
func (p *parser) checkValueEnd(from int) *SyntaxError {
	for _, op := range []string{"&&", "|", ">>", ")", ","} {
		if p.accept(op) {
			p.pos -= len(op)
			return nil
		}
	}
	p.skipBlanks()
	if p.pos == len(p.text) {
		return nil
	}
	return p.errorf(p.pos, p.bareEnd(), "", "after the quoted value %s only an operator can stand", strings.TrimSpace(p.text[from:p.pos]))
}

// inner parses the selector after rightof:, has: and their like.
func (p *parser) inner(from int, k kind) (*Selector, *SyntaxError) {
	p.nested++
	if p.depth++; p.depth > MaxNested {
		return nil, p.errorf(from, p.pos, "", "selectors within selectors go at most %d deep", MaxNested)
	}
	defer func() { p.nested, p.depth = p.nested-1, p.depth-1 }()
	if k == byHas {
		if p.inHas++; p.inHas > maxHas { // each multiplies what must be compared
			return nil, p.errorf(from, p.pos, "", "has: goes at most %d deep", maxHas)
		}
		defer func() { p.inHas-- }()
	}
	p.skipBlanks()
	switch at := p.pos; {
	case p.peek(`"`):
		return p.innerQuoted()
	case p.accept("("):
		p.parens++
		s, err := p.chain()
		if err != nil {
			return nil, err
		}
		return s, p.close(at)
	}
	if p.pos == len(p.text) {
		return nil, p.errorf(from, p.pos, "", "%s: needs a selector, such as %s:name:Age", k, k)
	}
	at := p.pos
	a, err := p.atom()
	if err != nil {
		return nil, err
	}
	s := &Selector{}
	if err := p.check(s, part{a}, at); err != nil {
		return nil, err
	}
	s.parts = []part{{a}}
	return s, nil
}

// innerQuoted parses a quoted selector; errors keep their offset in the text.
func (p *parser) innerQuoted() (*Selector, *SyntaxError) {
	value, places, err := p.quoted()
	if err != nil {
		return nil, err
	}
	q := &parser{text: value, nested: p.nested, depth: p.depth, inHas: p.inHas}
	s, err := q.parseAll()
	if err != nil {
		end := places[min(err.Offset+err.Length, len(places)-1)]
		err.Offset = places[min(err.Offset, len(places)-1)]
		err.Length = max(0, end-err.Offset)
		err.Hint = escaped.Replace(err.Hint)
		return nil, err
	}
	return s, nil
}

// number parses the value of nth and pos.
func (p *parser) number(from int, k kind) (atom, *SyntaxError) {
	at := p.pos
	value, err := p.value()
	if err != nil {
		return atom{}, err
	}
	if k == byNth {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return atom{}, p.errorf(at, p.pos, "", "%q: nth is written nth:0 for the first and nth:-1 for the last", p.text[from:p.pos])
		}
		return atom{kind: byNth, n: int(n)}, nil
	}
	x, y, _ := strings.Cut(value, ",")
	px, errX := strconv.ParseInt(strings.TrimSpace(x), 10, 32)
	py, errY := strconv.ParseInt(strings.TrimSpace(y), 10, 32)
	if errX != nil || errY != nil {
		return atom{}, p.errorf(at, p.pos, "", "%q is no point: wanted two whole numbers, such as pos:100,200", value)
	}
	return atom{kind: byPos, at: desktop.Point{X: int(px), Y: int(py)}}, nil
}
