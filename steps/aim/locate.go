package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/words"
	"understudy/steps"
)

// SearchOptions configure a search of the screen.
type SearchOptions struct {
	Hidden   bool          // also elements that do not show
	Likeness float64       // threshold of picture matches; 0 is the default
	Region   *desktop.Rect // look for pictures only here
	windows  WindowOptions // configures the preparation of a window that is searched for a picture
}

// SearchResult is the result of one search.
type SearchResult struct {
	Selector *selector.Selector // the one that matched, or the first
	Roots    []*desktop.Element // the trees that were searched
	Found    []*desktop.Element
	Unread   []string // applications that did not answer
	open     []string // the applications with a window, when no root was found
	tried    []steps.Candidate
	why      error          // of a picture: why not exactly one place was found
	Places   []PictureMatch // of a picture: all matches, the best first
}

// Search matches selectors against the screen as it is now. The first with exactly one
// match is used, else the first with any.
func Search(ctx context.Context, hand *Hand, all []*selector.Selector, m SearchOptions) (SearchResult, error) {
	var best SearchResult
	var tried []steps.Candidate
	var unread []string
	read := map[desktop.Scope]*desktop.Tree{}
	for _, s := range all {
		now, err := searchOne(ctx, hand, s, m, read)
		if err != nil {
			return SearchResult{}, err
		}
		tried = append(tried, steps.Candidate{Selector: s.String(), Matches: len(now.Found)})
		unread = append(unread, now.Unread...)
		if best.Selector == nil || len(best.Found) == 0 && len(now.Found) > 0 || len(now.Found) == 1 {
			best = now
		}
		if len(now.Found) == 1 {
			break
		}
	}
	slices.Sort(unread)
	best.tried, best.Unread = tried, slices.Compact(unread)
	switch {
	case len(best.Found) != 1:
	case len(tried) > 1:
		hand.NoteMatch(fmt.Sprintf("by %s, as %s matched %d elements", best.Selector, all[0], tried[0].Matches))
	case best.Selector.MatchedInPart(best.Found[0]):
		hand.NoteMatch("by a part of its name")
	}
	return best, nil
}

// searchOne matches one selector. Trees that were read already are taken from read.
func searchOne(ctx context.Context, hand *Hand, s *selector.Selector, m SearchOptions, read map[desktop.Scope]*desktop.Tree) (SearchResult, error) {
	if file, ok := s.Image(); ok {
		return searchPicture(ctx, hand, s, steps.Path(file), m)
	}
	scope := s.Scope()
	scope.Hidden = scope.Hidden || m.Hidden
	if s.Counts() && !scope.Hidden {
		if now, ok, err := searchCounted(ctx, hand.Env, s, scope, read); err != nil || ok {
			return now, err
		}
	}
	if quick, inPage, ok := s.Quick(scope); ok && (!inPage || browses(ctx, hand.Desktop)) {
		now, ok, err := searchQuick(ctx, hand.Env, s, quick, read)
		if err != nil || ok && (!inPage || isInPage(now.Found[0])) {
			return now, err
		}
	}
	scope.Full = true
	tree, err := readTree(ctx, hand.Env, scope, read)
	if err != nil {
		return SearchResult{}, err
	}
	now := SearchResult{Selector: s, Roots: tree.Roots, Found: pageFirst(desktop.Distinct(s.Find(tree.Roots), tree.Roots)), Unread: tree.Unread}
	if len(now.Roots) == 0 {
		now.open = applications(ctx, hand.Desktop)
	}
	return now, nil
}

// pageFirst leaves out elements of a browser itself, such as its address bar, where some of a page
// match, too: who names a field on the web means the page.
func pageFirst(found []*desktop.Element) []*desktop.Element {
	if len(found) < 2 || !slices.ContainsFunc(found, isInPage) {
		return found
	}
	pages := map[int]bool{}
	for _, el := range found {
		pages[el.PID] = pages[el.PID] || isInPage(el)
	}
	return slices.DeleteFunc(slices.Clone(found), func(el *desktop.Element) bool { return pages[el.PID] && !isInPage(el) })
}

// browses reports whether a connected browser runs. Else pages are too rare to read twice what shows.
func browses(ctx context.Context, d *desktop.Desktop) bool {
	all, err := d.Browsers(ctx)
	return err == nil && len(all) > 0
}

func isInPage(el *desktop.Element) bool { return el.Enclosing(isPage) != nil }

func isPage(el *desktop.Element) bool { return el.RawRole == "document web" }

// searchCounted matches a selector that counts elements. In a page those count that are scrolled out of
// view: else it would mean another element after a scroll. It reports false if no page is there.
func searchCounted(ctx context.Context, env *steps.Env, s *selector.Selector, scope desktop.Scope, read map[desktop.Scope]*desktop.Tree) (SearchResult, bool, error) {
	tree, err := readTree(ctx, env, scope, read)
	if err != nil || !slices.ContainsFunc(tree.Roots, hasPage) {
		return SearchResult{}, false, err
	}
	scope.Full, scope.Hidden = true, true
	tree, err = readTree(ctx, env, scope, map[desktop.Scope]*desktop.Tree{}) // as it is changed
	if err != nil {
		return SearchResult{}, false, err
	}
	for _, r := range tree.Roots {
		leaveOutConcealed(r)
	}
	return SearchResult{Selector: s, Roots: tree.Roots, Found: pageFirst(desktop.Distinct(s.Find(tree.Roots), tree.Roots)), Unread: tree.Unread}, true, nil
}

// leaveOutConcealed removes the elements below another that a person does not see, not even by scrolling.
func leaveOutConcealed(e *desktop.Element) {
	e.Children = slices.DeleteFunc(e.Children, func(c *desktop.Element) bool {
		leaveOutConcealed(c)
		return len(c.Children) == 0 && !c.States.Has(desktop.Showing) && !scrolledAway(c)
	})
}

// applications returns the applications that have a window, the topmost first.
func applications(ctx context.Context, d *desktop.Desktop) (names []string) {
	windows, err := d.Windows(ctx)
	if err != nil {
		return nil // they are only a hint
	}
	for _, w := range slices.Backward(windows) {
		if !w.Popup && w.Process != "" && !slices.Contains(names, w.Process) {
			names = append(names, w.Process)
		}
	}
	return names
}

// searchQuick matches s against the cheapest tree that can decide it, and reads only
// the match in full. It reports false unless there is exactly one match that its own
// name and role decide; then the caller must read everything.
func searchQuick(ctx context.Context, env *steps.Env, s *selector.Selector, scope desktop.Scope, read map[desktop.Scope]*desktop.Tree) (SearchResult, bool, error) {
	tree, err := readTree(ctx, env, scope, read)
	if err != nil {
		return SearchResult{}, false, err
	}
	found := s.Find(tree.Roots)
	if len(found) != 1 {
		return SearchResult{}, false, nil
	}
	el := found[0]
	now, err := env.Desktop.Refresh(ctx, el.Handle)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return SearchResult{}, false, nil
	case err != nil:
		return SearchResult{}, false, fmt.Errorf("reading %s: %w", Describe(el), err)
	case now.Name != el.Name || now.Role != el.Role || selector.NeedsLabel(now):
		return SearchResult{}, false, nil
	}
	return SearchResult{Selector: s, Roots: tree.Roots, Found: []*desktop.Element{inTree(now, el)}, Unread: tree.Unread}, true, nil
}

// inTree returns an element that was read again, with the ref and the place in the tree
// that it had.
func inTree(now, was *desktop.Element) *desktop.Element {
	now.Ref, now.Parent, now.Children, now.Index = was.Ref, was.Parent, was.Children, was.Index
	return now
}

// readTree reads a scope, at most once per search.
func readTree(ctx context.Context, env *steps.Env, scope desktop.Scope, read map[desktop.Scope]*desktop.Tree) (*desktop.Tree, error) {
	if t := read[scope]; t != nil {
		return t, nil
	}
	t, err := env.Desktop.Tree(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("reading the elements: %w", err)
	}
	if scope.Full {
		selector.FillLabels(t.Roots)
	}
	if env.Trees != nil {
		env.Trees.Name(t)
	}
	read[scope] = t
	return t, nil
}

// One returns the only match. If there is not exactly one, the error lists candidates
// and advises what to do next.
func (s SearchResult) One() (*desktop.Element, error) {
	if len(s.Found) == 1 {
		return s.Found[0], nil
	}
	if s.why != nil {
		return nil, s.pictureError()
	}
	why, near := s.Selector.Explain(s.Roots)
	err := &steps.Error{Code: steps.NotFound, Err: errors.New(why), Candidates: s.tried}
	if len(s.Found) > 1 {
		err.Code = steps.Ambiguous
		err.Next = "use one of these selectors, or add nth:0"
	} else if len(s.Unread) > 0 {
		err.Next = string(words.List(s.Unread)) + " did not answer, so its elements are not known"
	} else if len(s.Roots) == 0 {
		err.Next = "its application or window is not open on this desktop: open it first (a run begins again at the step that opens it with --from STEP)"
		if len(s.open) > 0 {
			err.Next += "; open are " + string(words.List(s.open))
		}
	} else if dialog, title := DialogHint(s.Roots); dialog != "" {
		err.Blocker = title
		err.Next = dialog + "; if it is in the way, answer it first, else look at the elements with get_window_tree"
	} else {
		err.Next = "look at the elements with get_window_tree"
	}
	for _, n := range near {
		err.Candidates = append(err.Candidates, steps.Candidate{Selector: n.Selector, Matches: n.Matches, Element: Describe(n.Element)})
	}
	return nil, err
}

// None returns an error unless nothing matches. If an application did not answer,
// absence is not proven, and that is an error too.
func (s SearchResult) None() error {
	if len(s.Found) > 0 {
		return steps.Errorf(steps.Unexpected, "%s is still there: %s", s.Selector, Describe(s.Found[0]))
	}
	if len(s.Unread) > 0 {
		return steps.Errorf(steps.Timeout, "whether %s is there is not known: %s did not answer", s.Selector, words.List(s.Unread))
	}
	return nil
}
