package selector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/words"
)

// maxSuggestions is the maximum number of suggested elements.
const maxSuggestions = 5

// A Suggestion is an element that may have been meant, and the best selector of it, which
// matches no other if there is such a one.
type Suggestion struct {
	Candidate
	Element *desktop.Element
}

// Trace counts the matches of each part of the chain, up to the first part
// without any. For that part it also counts the matches of each of its atoms
// alone.
func (s *Selector) Trace(roots []*desktop.Element) []Candidate {
	var trace []Candidate
	for i, p := range s.parts {
		step := &Selector{s.parts[:i+1]}
		if p[0].kind == byImage {
			break
		}
		n := len(step.Find(roots))
		trace = append(trace, Candidate{step.String(), n})
		if n > 0 {
			continue
		}
		for _, a := range p {
			if len(p) > 1 && a.kind != byNth {
				alone := &Selector{append(slices.Clip(s.parts[:i]), part{a})}
				trace = append(trace, Candidate{alone.String(), len(alone.Find(roots))})
			}
		}
		break
	}
	return trace
}

// Explain returns why a selector does not match exactly one element, and the elements that
// may have been meant: the first matches, or without any those most similar to the part
// that failed. It returns "" if the selector matches one.
func (s *Selector) Explain(roots []*desktop.Element) (why string, near []Suggestion) {
	found := s.Find(roots)
	if len(found) == 1 {
		return "", nil
	}
	meant := found
	if len(found) == 0 {
		meant = s.similar(roots)
	}
	for _, e := range meant[:min(len(meant), maxSuggestions)] {
		near = append(near, Suggestion{bestSelector(e, roots), e})
	}
	return s.explain(found, near, roots), near
}

func (s *Selector) explain(found []*desktop.Element, near []Suggestion, roots []*desktop.Element) string {
	var b strings.Builder
	if len(found) > 0 {
		fmt.Fprintf(&b, "%d elements match %s and one was wanted:", len(found), s)
	} else {
		fmt.Fprintf(&b, "nothing matches %s", s)
		if t := s.Trace(roots); len(t) > 1 {
			fmt.Fprintf(&b, " (%s)", counts(t))
		}
		if len(near) > 0 {
			b.WriteString("; nearest:")
		}
	}
	for _, n := range near {
		fmt.Fprintf(&b, "\n  %s: %s", describe(n.Element), n.Selector)
	}
	if more := len(found) - len(near); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

func counts(trace []Candidate) string {
	words := make([]string, len(trace))
	for i, c := range trace {
		words[i] = fmt.Sprintf("%s: %d", c.Selector, c.Matches)
	}
	return strings.Join(words, "; ")
}

func describe(e *desktop.Element) string {
	var text strings.Builder
	text.WriteString(string(cmp.Or(e.ParticularRole(), e.Role)))
	if name := NameOf(e); name != "" {
		fmt.Fprintf(&text, " %q", name)
	}
	for _, m := range e.Marks() { // to tell apart elements of the same name
		text.WriteString(" [" + m + "]")
	}
	if t := inherited(e, title); t != "" && t != e.Name {
		fmt.Fprintf(&text, " in %q", t)
	}
	return text.String()
}

// A scored element has a similarity of up to 1 to a part of a selector.
type scored struct {
	element *desktop.Element
	score   float64
}

// similar returns the elements most similar to the first part that matches
// none.
func (s *Selector) similar(roots []*desktop.Element) []*desktop.Element {
	found, self := roots, true
	for i, p := range s.parts {
		next := (&Selector{s.parts[:i+1]}).Find(roots)
		if len(next) == 0 {
			return p.similar(outermost(found), self)
		}
		found, self = next, p.scopeOnly()
	}
	return nil
}

func (p part) similar(tops []*desktop.Element, self bool) []*desktop.Element {
	p = p.withPrograms()
	var all []scored
	for _, t := range tops {
		t.Walk(func(e *desktop.Element) bool {
			if score := p.score(e); score >= 0.5 && (self || e != t) {
				all = append(all, scored{e, score})
			}
			return !p.scopeOnly() || len(all) < maxSuggestions
		})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	found := make([]*desktop.Element, len(all))
	for i, l := range all {
		found[i] = l.element
	}
	if p.scopeOnly() {
		in := setOf(found)
		found = slices.DeleteFunc(found, func(e *desktop.Element) bool { return in[e.Parent] })
	}
	return found
}

// score returns the share of a part that an element fulfils, from 0 to 1.
func (p part) score(e *desktop.Element) float64 {
	sum, n := 0.0, 0
	for i := range p {
		a := &p[i]
		if !a.local() {
			continue
		}
		n++
		if a.matches(e) != a.not {
			sum++
		} else if !a.not {
			sum += a.similarity(e)
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// similarity scores the text of an element against the value of an atom.
func (a *atom) similarity(e *desktop.Element) float64 {
	switch a.kind {
	case byName:
		return textSimilarity(a.folded, NameOf(e))
	case byText:
		return max(textSimilarity(a.folded, e.Text), textSimilarity(a.folded, e.Name))
	case byID:
		return textSimilarity(a.folded, e.ID)
	case byClass:
		return textSimilarity(a.folded, e.Class)
	case byProcess:
		return textSimilarity(a.folded, inherited(e, process))
	case byWindow:
		return textSimilarity(a.folded, inherited(e, title))
	case anyOf:
		best := 0.0
		for _, p := range a.any {
			best = max(best, p.score(e))
		}
		return best
	}
	return 0
}

// textSimilarity scores a text, or one of its words, against a word, from 0 to
// less than 1: the share of letter pairs that they have in common. Less than
// half counts as none.
func textSimilarity(word, text string) float64 {
	text = strings.ToLower(desktop.CollapseSpace(text))
	if text == "" || word == "" || len(text) > 200 {
		return 0
	}
	best := pairsShared(word, text)
	for w := range strings.FieldsSeq(text) {
		best = max(best, pairsShared(word, w))
	}
	if strings.Contains(text, word) || strings.Contains(word, text) && len(text) > 2 {
		best = max(best, 0.75)
	}
	if best < 0.5 && words.Nearest(word, []string{text}) != "" {
		best = 0.5 // a typo in a short word leaves few pairs of letters
	}
	if best < 0.5 {
		return 0
	}
	return (best + pairsShared(word, text)) / 2 * 0.95 // only a match scores 1
}

func pairsShared(a, b string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	have := map[string]int{}
	for i := range len(a) - 1 {
		have[a[i:i+2]]++
	}
	shared := 0
	for i := range len(b) - 1 {
		if have[b[i:i+2]] > 0 {
			have[b[i:i+2]]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b)-2)
}
