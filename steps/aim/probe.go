package aim

import (
	"cmp"
	"context"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
)

// Probe answers what expressions ask of the desktop. It opens the desktop on first
// use.
type Probe struct {
	Open func(context.Context) (*desktop.Desktop, error)
	// Dir and Roots are where the pictures of selectors are, as in an Env.
	Dir   string
	Roots []string
}

// Exists reports whether a selector matches anything that shows. If nothing matches
// and an application did not answer, that is an error.
func (p Probe) Exists(ctx context.Context, text string) (bool, error) {
	s, err := p.look(ctx, text)
	if err != nil || len(s.Found) > 0 {
		return len(s.Found) > 0, err
	}
	d, err := p.Open(ctx)
	if err != nil {
		return false, err
	}
	if away, err := p.away(ctx, d, s); err != nil || away {
		return away, err
	}
	bare, err := windowsWithoutElements(ctx, d, s.Roots)
	if err != nil || len(s.Selector.Find(bare)) > 0 {
		return err == nil, err
	}
	return false, s.None()
}

// away reports whether a selector matches what is scrolled out of view.
func (p Probe) away(ctx context.Context, d *desktop.Desktop, s SearchResult) (bool, error) {
	found, err := SearchAway(ctx, newHand(&steps.Env{Desktop: d, Folders: steps.Folders{Dir: p.Dir, Roots: p.Roots}}), []*selector.Selector{s.Selector}, s)
	return len(found.Found) > 0, err
}

// Text returns the text of the one element that a selector matches.
func (p Probe) Text(ctx context.Context, text string) (string, error) {
	s, err := p.look(ctx, text)
	if err != nil {
		return "", err
	}
	e, err := s.One()
	if err != nil {
		return "", err
	}
	return cmp.Or(e.Text, e.Name, selector.WordsIn(e)), nil // a list has its words in its rows
}

func (p Probe) look(ctx context.Context, text string) (SearchResult, error) {
	s, err := steps.ParseSelector(steps.Selector(text))
	if err != nil {
		return SearchResult{}, err
	}
	d, err := p.Open(ctx)
	if err != nil {
		return SearchResult{}, err
	}
	env := &steps.Env{Desktop: d, Folders: steps.Folders{Dir: p.Dir, Roots: p.Roots}}
	return Search(ctx, newHand(env), []*selector.Selector{s}, SearchOptions{})
}
