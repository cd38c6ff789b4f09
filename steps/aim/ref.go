package aim

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/words"
	"understudy/steps"
)

// ErrNoRef means that the ref was never assigned. Waiting cannot help, and nothing is
// known of the element.
var ErrNoRef = errors.New("no tree that was shown has the ref")

// ByRef reads the element that a ref of an earlier tree names.
func ByRef(ctx context.Context, env *steps.Env, ref string) (*desktop.Element, error) {
	var known *desktop.Element
	if env.Trees != nil {
		known = env.Trees.Element(ref)
	}
	if known == nil {
		return nil, steps.Errorf(steps.NotFound, "%w %s", ErrNoRef, ref).WithNext("look at the elements with get_window_tree, and use a ref of that tree")
	}
	if known.Read != nil {
		return wordByRef(ctx, env, known)
	}
	now, err := env.Desktop.Refresh(ctx, known.Handle)
	switch {
	case errors.Is(err, desktop.ErrNotFound), err == nil && !sameRow(known, now):
		return nil, stale(ctx, env, known)
	case err != nil:
		return nil, err
	}
	return inTree(now, known), nil
}

// mostLike bounds the elements that are offered in place of one that is gone.
const mostLike = 3

// errStale means that an element is gone, so waiting cannot help.
var errStale = errors.New("stale")

// stale returns the error of a ref whose element is gone. It describes the element and
// offers similar ones.
func stale(ctx context.Context, env *steps.Env, gone *desktop.Element) error {
	e := steps.Errorf(steps.NotFound, "the ref %s is %w: %s is gone", gone.Ref, errStale, Describe(gone)).
		WithNext("look at the elements with get_window_tree, and use a ref of that tree")
	t, err := env.Desktop.Tree(ctx, desktop.Scope{Process: gone.Process, PID: gone.PID, Full: true})
	if err != nil {
		return e
	}
	selector.FillLabels(t.Roots)
	env.Trees.Keep(t)
	var like []string
	for _, el := range likest(gone, t) {
		like = append(like, el.Headline())
	}
	if len(like) > 0 {
		e.Next = "like it now: " + strings.Join(like, ", ")
	}
	return e
}

// likest returns the elements that are most similar to one that is gone: of its role and
// with its name or id, or else with the nearest name.
func likest(gone *desktop.Element, t *desktop.Tree) (same []*desktop.Element) {
	byName := map[string]*desktop.Element{}
	t.Walk(func(e *desktop.Element) bool {
		if e.Role != gone.Role || !e.States.Has(desktop.Showing) {
			return true
		}
		name := selector.NameOf(e)
		if len(same) < mostLike && (name == selector.NameOf(gone) || gone.ID != "" && e.ID == gone.ID) {
			same = append(same, e)
		}
		if byName[name] == nil {
			byName[name] = e
		}
		return true
	})
	if len(same) > 0 {
		return same
	}
	if near := byName[words.Nearest(selector.NameOf(gone), slices.Sorted(maps.Keys(byName)))]; near != nil {
		return []*desktop.Element{near}
	}
	return nil
}
