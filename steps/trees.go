package steps

import (
	"sync"

	"understudy/steps/desktop"
)

// treesKept is how many trees a caller can still name refs of.
const treesKept = 8

// Trees remembers the last trees that a caller was shown, so that a ref such
// as e12 can be traced to the element that it named.
type Trees struct {
	mu    sync.Mutex
	trees []*desktop.Tree // the newest last
}

// Keep remembers a tree.
func (t *Trees) Keep(tree *desktop.Tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trees = append(t.trees, tree)
	if len(t.trees) > treesKept {
		t.trees = t.trees[1:]
	}
}

// Element is the element that a ref names in the newest tree that was shown;
// stale says that only an older tree has it.
func (t *Trees) Element(ref string) (e *desktop.Element, stale bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.trees) - 1; i >= 0; i-- {
		t.trees[i].Walk(func(x *desktop.Element) bool {
			if x.Ref == ref {
				e = x
			}
			return e == nil
		})
		if e != nil {
			return e, i < len(t.trees)-1
		}
	}
	return nil, false
}
