package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// query is a Target, understood.
type query struct {
	within    Within
	ref       string
	first     []*selector.Selector // tried together
	fallbacks []*selector.Selector // tried when those found nothing in time
	likeness  float64              // how like a picture its place must be; 0 is the usual
}

// manner is how the screen is looked at.
type manner struct {
	hidden   bool          // also what does not show
	likeness float64       // how like a picture its place must be; 0 is the usual
	region   *desktop.Rect // look for pictures only here
	windows  WindowOptions // what to do with a window in which a picture is looked for
}

// query understands what names an element.
func (t *Target) query() (query, error) {
	q := query{within: t.Within, ref: t.Ref}
	var texts []Selector
	if t.Selector != "" {
		texts = append(texts, t.Selector)
	}
	texts = append(append(texts, t.Targets...), t.AlternativeSelectors...)
	var err error
	if q.first, err = t.Within.inside(texts); err != nil {
		return q, err
	}
	if q.fallbacks, err = t.Within.inside(t.FallbackSelectors); err != nil {
		return q, err
	}
	if len(q.first) == 1 {
		if ref, ok := q.first[0].Ref(); ok {
			q.ref = ref
		}
	}
	if q.ref == "" && len(q.first) == 0 && len(q.fallbacks) == 0 {
		window, err := t.Within.selector()
		if err != nil {
			return q, err
		}
		q.first = []*selector.Selector{window}
	}
	return q, nil
}

// selector is the window that is meant, nil when any is.
func (w Within) selector() (*selector.Selector, error) {
	var window *selector.Selector
	if w.WindowSelector != "" {
		s, err := selector.Parse(string(w.WindowSelector))
		if err != nil {
			return nil, &Error{Code: Invalid, Err: fmt.Errorf("window_selector: %w", err)}
		}
		window = s
	}
	s, err := selector.In(selector.Process(w.Process), window)
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return s, nil
}

// inside understands selectors, each inside the window that is meant.
func (w Within) inside(texts []Selector) ([]*selector.Selector, error) {
	all, err := parseAll(texts)
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	window, err := w.selector()
	if err != nil {
		return nil, err
	}
	for i, s := range all {
		if _, ref := s.Ref(); ref {
			continue
		}
		if all[i], err = selector.In(window, s); err != nil {
			return nil, &Error{Code: Invalid, Err: err}
		}
	}
	return all, nil
}

// sight is what was seen of selectors at one time.
type sight struct {
	selector *selector.Selector // the one that counts: it matched, or is the first
	roots    []*desktop.Element // what it was matched against
	found    []*desktop.Element
	unread   []string
	open     []string // the applications with a window, when no root was found
	tried    []Candidate
	why      error   // of a picture: why not exactly one place was found
	places   []place // of a picture: all places that are like it, the best first
}

// look matches selectors against what is on the screen now. The first that
// matches one element counts; without one, the first that matches several.
func (e *Env) look(ctx context.Context, all []*selector.Selector, m manner) (sight, error) {
	var best sight
	var tried []Candidate
	read := map[desktop.Scope]*desktop.Tree{}
	for _, s := range all {
		now, err := e.lookFor(ctx, s, m, read)
		if err != nil {
			return sight{}, err
		}
		tried = append(tried, Candidate{Selector: s.String(), Matches: len(now.found)})
		if best.selector == nil || len(best.found) == 0 && len(now.found) > 0 || len(now.found) == 1 {
			best = now
		}
		if len(now.found) == 1 {
			break
		}
	}
	best.tried = tried
	return best, nil
}

// lookFor matches one selector.
func (e *Env) lookFor(ctx context.Context, s *selector.Selector, m manner, read map[desktop.Scope]*desktop.Tree) (sight, error) {
	if file, ok := s.Image(); ok {
		return e.lookForPicture(ctx, s, Path(file), m)
	}
	scope := s.Scope()
	scope.Hidden = scope.Hidden || m.hidden
	if !scope.Full {
		if now, ok, err := e.glance(ctx, s, scope, read); err != nil || ok {
			return now, err
		}
	}
	scope.Full = true
	tree, err := e.read(ctx, scope, read)
	if err != nil {
		return sight{}, err
	}
	now := sight{selector: s, roots: tree.Roots, found: s.Find(tree.Roots), unread: tree.Unread}
	if len(now.roots) == 0 {
		now.open = e.applications(ctx)
	}
	return now, nil
}

// applications are those that have a window, each once, the topmost first.
func (e *Env) applications(ctx context.Context) (names []string) {
	windows, err := e.Desktop.Windows.Windows(ctx)
	if err != nil {
		return nil // they are only told as a help
	}
	for _, w := range slices.Backward(windows) {
		if !w.Popup && w.Process != "" && !slices.Contains(names, w.Process) {
			names = append(names, w.Process)
		}
	}
	return names
}

// glance matches a selector against the least that decides it, and reads in
// full only what it found: that is most of the work less. It says false when
// that is not exactly one element, or one that only the words beside it name:
// then all must be read, to say what there is.
func (e *Env) glance(ctx context.Context, s *selector.Selector, scope desktop.Scope, read map[desktop.Scope]*desktop.Tree) (sight, bool, error) {
	tree, err := e.read(ctx, scope, read)
	if err != nil {
		return sight{}, false, err
	}
	found := s.Find(tree.Roots)
	if len(found) != 1 {
		return sight{}, false, nil
	}
	el := found[0]
	now, err := e.Desktop.Refresh(ctx, el.Handle)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return sight{}, false, nil
	case err != nil:
		return sight{}, false, fmt.Errorf("reading %s: %w", inWords(el), err)
	case now.Name != el.Name || now.Role != el.Role || selector.NeedsLabel(now):
		return sight{}, false, nil
	}
	now.Ref, now.Parent, now.Children, now.Index = el.Ref, el.Parent, el.Children, el.Index
	return sight{selector: s, roots: tree.Roots, found: []*desktop.Element{now}, unread: tree.Unread}, true, nil
}

// read reads a part of the screen, once for equal needs.
func (e *Env) read(ctx context.Context, scope desktop.Scope, read map[desktop.Scope]*desktop.Tree) (*desktop.Tree, error) {
	if t := read[scope]; t != nil {
		return t, nil
	}
	t, err := e.Desktop.Tree(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("reading the elements: %w", err)
	}
	if scope.Full {
		selector.FillLabels(t.Roots)
	}
	if e.Trees != nil {
		e.Trees.Name(t)
	}
	read[scope] = t
	return t, nil
}

// one is the only element that was found, or says why there is not one.
func (s sight) one() (*desktop.Element, error) {
	if len(s.found) == 1 {
		return s.found[0], nil
	}
	if s.why != nil {
		return nil, s.pictureError()
	}
	err := &Error{Code: NotFound, Err: errors.New(s.selector.Explain(s.roots)), Candidates: s.tried}
	if len(s.found) > 1 {
		err.Code = Ambiguous
		err.Next = "use one of these selectors, or add nth:0"
	} else if len(s.unread) > 0 {
		err.Next = strings.Join(s.unread, ", ") + " did not answer, so its elements are not known"
	} else if len(s.roots) == 0 {
		err.Next = "what it looks in is not open on this desktop: open it first (a run begins again at the step that opens it with --from STEP)"
		if len(s.open) > 0 {
			err.Next += "; open are " + strings.Join(s.open, ", ")
		}
	} else if dialog := dialogInFront(s.roots); dialog != "" {
		err.Next = dialog + "; if it is in the way, answer it first, else look at the elements with get_window_tree"
	} else {
		err.Next = "look at the elements with get_window_tree"
	}
	for _, n := range s.selector.Nearest(s.roots) {
		err.Candidates = append(err.Candidates, Candidate{Selector: n.Selector, Matches: 1, Element: inWords(n.Element)})
	}
	return nil, err
}

// none fails unless nothing was found, and it is certain that nothing is
// there: an application that does not answer may well show it.
func (s sight) none() error {
	if len(s.found) > 0 {
		return Errorf(Unexpected, "%s is still there: %s", s.selector, inWords(s.found[0]))
	}
	if len(s.unread) > 0 {
		return Errorf(Timeout, "whether %s is there is not known: %s did not answer", s.selector, strings.Join(s.unread, ", "))
	}
	return nil
}

// byRef is the element that a ref of an earlier tree names, as it is now.
func (e *Env) byRef(ctx context.Context, ref string) (*desktop.Element, error) {
	if e.Trees == nil {
		return nil, unknownRef(ref)
	}
	known := e.Trees.Element(ref)
	if known == nil {
		return nil, unknownRef(ref)
	}
	now, err := e.Desktop.Refresh(ctx, known.Handle)
	if errors.Is(err, desktop.ErrNotFound) {
		return nil, &Error{
			Code: NotFound,
			Err:  fmt.Errorf("the ref %s is stale: %s is gone", ref, inWords(known)),
			Next: "look at the elements with get_window_tree, and use a ref of that tree",
		}
	}
	if err != nil {
		return nil, err
	}
	now.Ref, now.Parent, now.Children, now.Index = ref, known.Parent, known.Children, known.Index
	return now, nil
}

// errNoRef says that a ref was never given out, so that waiting for it is in vain.
var errNoRef = errors.New("no tree that was shown has the ref")

func unknownRef(ref string) error {
	return &Error{
		Code: NotFound,
		Err:  fmt.Errorf("%w %s", errNoRef, ref),
		Next: "look at the elements with get_window_tree, and use a ref of that tree",
	}
}

// inWords is an element as a person would name it.
func inWords(e *desktop.Element) string {
	text := string(e.Role)
	if name := selector.NameOf(e); name != "" {
		text += " " + fmt.Sprintf("%q", name)
	}
	if e.WindowTitle != "" && e.WindowTitle != e.Name {
		text += fmt.Sprintf(" in %q", e.WindowTitle)
	}
	return text
}

// plain is an element without those around it, as results show it.
func plain(e *desktop.Element) *desktop.Element {
	if e == nil {
		return nil
	}
	c := *e
	c.Parent, c.Children = nil, nil
	return &c
}
