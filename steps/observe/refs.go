package observe

import (
	"fmt"
	"slices"
	"sync"

	"understudy/internal/desktop"
	"understudy/steps/aim"
)

const (
	// treesKept bounds the trees that are kept whole.
	treesKept = 32
	// elementsKept bounds the elements of older trees that keep their refs.
	elementsKept = 5000
)

// ShownTrees keeps the trees that a caller was shown, to find the element of a ref such
// as e12. A ref never means two elements: an element that is shown again keeps its ref, a
// new one gets the next.
type ShownTrees struct {
	mu    sync.Mutex
	trees []*desktop.Tree // the newest last
	refs  map[desktop.Handle]string
	older []*desktop.Element // of trees before these, without their relatives, the newest last
	last  int                // the number of the last ref
}

// Keep keeps a tree and assigns refs to its elements.
func (t *ShownTrees) Keep(tree *desktop.Tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tree.Walk(func(e *desktop.Element) bool {
		if e.Ref = t.refs[e.Handle]; e.Ref == "" {
			t.last++
			e.Ref = fmt.Sprintf("e%d", t.last)
		}
		return true
	})
	t.trees = append(t.trees, tree)
	var gone *desktop.Tree
	if len(t.trees) > treesKept {
		gone, t.trees = t.trees[0], t.trees[1:]
	}
	t.refs = map[desktop.Handle]string{}
	for _, kept := range t.trees {
		kept.Walk(func(e *desktop.Element) bool { return t.know(e) })
	}
	t.age(gone)
}

// know notes the ref of an element that can be read again.
func (t *ShownTrees) know(e *desktop.Element) bool {
	if e.Handle != "" {
		t.refs[e.Handle] = e.Ref
	}
	return true
}

// age keeps the elements of a dropped tree, because they may still be there.
func (t *ShownTrees) age(gone *desktop.Tree) {
	if gone != nil {
		gone.Walk(func(e *desktop.Element) bool {
			if e.Handle != "" {
				t.older = append(t.older, aim.Plain(e))
			}
			return true
		})
	}
	t.older = slices.DeleteFunc(t.older, func(e *desktop.Element) bool { return t.refs[e.Handle] != "" })
	t.older = t.older[max(0, len(t.older)-elementsKept):]
	for _, e := range t.older {
		t.know(e)
	}
}

// Name sets the refs of the elements of a tree that is not shown to those that the
// caller knows.
func (t *ShownTrees) Name(tree *desktop.Tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tree.Walk(func(e *desktop.Element) bool {
		e.Ref = t.refs[e.Handle]
		return true
	})
}

// Element returns the element of a ref as it was shown last.
func (t *ShownTrees) Element(ref string) *desktop.Element {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tree := range slices.Backward(t.trees) {
		var found *desktop.Element
		tree.Walk(func(e *desktop.Element) bool {
			if e.Ref == ref {
				found = e
			}
			return found == nil
		})
		if found != nil {
			return found
		}
	}
	if i := slices.IndexFunc(t.older, func(e *desktop.Element) bool { return e.Ref == ref }); i >= 0 {
		return t.older[i]
	}
	return nil
}
