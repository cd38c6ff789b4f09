package aim

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

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

// sameRow reports whether an element in a row of a list, read again as now, still shows
// the same row: lists reuse their elements for other rows when they change or scroll.
func sameRow(el, now *desktop.Element) bool {
	if el.Name == "" || now.Name == el.Name {
		return true
	}
	for p := el; p != nil; p = p.Parent {
		if p.Role.Is(desktop.Recycled) {
			return false
		}
	}
	return true
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
