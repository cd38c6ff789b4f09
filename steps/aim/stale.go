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

// mostLike is how many elements are offered in place of one that is gone.
const mostLike = 3

// errStale says that an element is gone, so waiting cannot help.
var errStale = errors.New("stale")

// stale is the error of a ref whose element is gone: it says which it was, and offers
// those of now that are like it.
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

// sameRow reports whether what is or is in a row of a list still shows that row, after el
// was read again as now: lists show other rows with the same elements when they change or
// are scrolled.
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

// likest are the elements that are most like one that is gone: of its role and with its
// name or id, or else with the name that is nearest to its own.
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
