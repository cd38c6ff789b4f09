package observe

import (
	"fmt"
	"sync"

	"understudy/steps/desktop"
)

// treesKept is how many trees a caller can still name refs of.
const treesKept = 32

// ShownTrees remembers the last trees that a caller was shown, so that a ref such as
// e12 can be traced to its element. A ref never means two elements: one that is shown
// again keeps its own, a new one gets the next.
type ShownTrees struct {
	mu    sync.Mutex
	trees []*desktop.Tree // the newest last
	refs  map[desktop.Handle]string
	last  int // the number of the last ref
}

// Keep remembers a tree and assigns refs to its elements.
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
	if len(t.trees) > treesKept {
		t.trees = t.trees[1:]
	}
	t.refs = map[desktop.Handle]string{}
	for _, kept := range t.trees {
		kept.Walk(func(e *desktop.Element) bool {
			if e.Handle != "" {
				t.refs[e.Handle] = e.Ref
			}
			return true
		})
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

// Element returns the element of a ref in the newest tree that has it.
func (t *ShownTrees) Element(ref string) *desktop.Element {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.trees) - 1; i >= 0; i-- {
		var found *desktop.Element
		t.trees[i].Walk(func(e *desktop.Element) bool {
			if e.Ref == ref {
				found = e
			}
			return found == nil
		})
		if found != nil {
			return found
		}
	}
	return nil
}
