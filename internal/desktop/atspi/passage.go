//go:build linux

package atspi

import "strings"

// embedded stands in a text for a child that is more than words.
const embedded = "\ufffc"

// A passage is a part of the text of an editor in a page, each of whose lines may be
// an element of its own.
type passage struct {
	text   string     // with embedded in the places of what is inside
	words  bool       // it is in the text of its parent already
	secret bool       // it is a password
	block  bool       // it begins and ends a line
	most   int        // characters that are kept; 0 is all
	inside []*passage // the children of the element
}

// askInside requests the passages inside the passage of an object at a level.
func (t *passage) askInside(p *pipeline, o object, level int) {
	if !strings.Contains(t.text, embedded) || level == maxDepth {
		return
	}
	p.want(o, ifaceAccessible+".GetChildren", func(body []any) {
		for _, c := range objectsOf(first[any](body)) {
			part := &passage{}
			t.inside = append(t.inside, part)
			p.want(c, ifaceAccessible+".GetRole", func(b []any) {
				role := roleName(first[uint32](b))
				part.words, part.secret = role == "static", roleOf(role) == "password"
			})
			p.want(c, ifaceAccessible+".GetAttributes", func(b []any) {
				display := first[map[string]string](b)["display"]
				part.block = display != "" && !strings.HasPrefix(display, "inline")
			})
			p.want(c, ifaceText+".GetText", func(b []any) {
				part.text = first[string](b)
				part.askInside(p, c, level+1)
			}, int32(0), int32(-1))
		}
	})
}

// String returns the text with what is inside in its places, and line breaks around
// blocks.
func (t *passage) String() string {
	text := t.whole()
	if all := []rune(text); t.most > 0 && len(all) > t.most {
		return string(all[:t.most])
	}
	return text
}

func (t *passage) whole() string {
	if t.secret {
		return shown("password", t.text)
	}
	var b strings.Builder
	begun, afterBlock := false, false
	add := func(text string, block bool) {
		if text == "" && !block {
			return
		}
		if begun && (block || afterBlock) {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		begun, afterBlock = true, block
	}
	inside := t.inside
	for rest, more := t.text, true; more; {
		var text string
		text, rest, more = strings.Cut(rest, embedded)
		add(text, false)
		for more && len(inside) > 0 {
			part := inside[0]
			inside = inside[1:]
			if !part.words {
				add(part.String(), part.block)
				break
			}
		}
	}
	if t.block { // an empty line consists of its break
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}
