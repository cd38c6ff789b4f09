package selector

import (
	"regexp"
	"strings"

	"understudy/internal/desktop"
)

// commaBeforeAtom matches a comma that separates alternatives, unlike one in a value: an
// atom follows it.
var commaBeforeAtom, commaWithin = regexp.MustCompile(`^` + beforeAtom), regexp.MustCompile(beforeAtom)

var beforeAtom = `(?i:,[\s(!]{0,20}(?:(?:` + strings.Join(Atoms(), "|") + `)(?:[~?]?:|=|-\d)|#[\w-]+))`

// startsAtom matches a text that begins like an atom.
var startsAtom = regexp.MustCompile(`(?i)^(?:(?:` + strings.Join(Atoms(), "|") + `)(?:[~?]?:|[=-]|$)|[(!])`)

// atAtom reports whether an atom with its word is next.
func (p *parser) atAtom() bool {
	return startsAtom.MatchString(p.text[p.pos:]) || p.checkAtom() != nil || isRef(strings.TrimSpace(p.text[p.pos:p.bareEnd()]))
}

// legacy parses what other tools write without a word of ours: #id, Button, Button:Save,
// and the role before a pipe. It returns nil for anything else.
func (p *parser) legacy() (part, *SyntaxError) {
	from, end := p.pos, p.bareEnd()
	text := strings.TrimSpace(p.text[from:end])
	if id, ok := strings.CutPrefix(text, "#"); ok && id != "" {
		p.pos = end
		return p.part(from+1, byID, false, id)
	}
	name, rest, named := strings.Cut(text, ":")
	if first, _, several := strings.Cut(name, ","); several && isRole(first) {
		name, named, end = first, false, from+len(first)
	}
	if named && (kinds[strings.ToLower(strings.TrimRight(name, "~?"))] != "" || strings.TrimSpace(rest) == "") {
		return nil, nil
	}
	role, ok := desktop.WantedRole(name)
	if !ok {
		return nil, nil
	}
	all := part{{kind: byRole, role: role}}
	if !named {
		p.pos = end
		return all, nil
	}
	p.pos += len(name) + 1
	p.skipBlanks()
	of, err := p.bareName()
	return append(all, of...), err
}

func isRole(name string) bool {
	_, ok := desktop.WantedRole(strings.TrimSpace(name))
	return ok
}

// bareName parses a name without name: before it. It means name?:, because the tools that
// write it so look for a part of the name.
func (p *parser) bareName() (part, *SyntaxError) {
	at, quoted := p.pos, p.peek(`"`)
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(value, containsWord); ok && !quoted && strings.TrimSpace(rest) != "" {
		return p.part(at, byName, true, strings.TrimSpace(rest))
	}
	all, err := p.part(at, byName, true, value)
	all[0].either = true
	return all, err
}

// part returns the part of one atom with a value that began at an offset of the text.
func (p *parser) part(at int, k kind, fold bool, value string) (part, *SyntaxError) {
	a, err := p.atomOf(at, k, fold, value)
	return part{a}, err
}
