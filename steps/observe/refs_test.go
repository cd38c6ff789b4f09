package observe

import (
	"fmt"
	"testing"

	"understudy/internal/desktop"
)

func TestRefsAreOnlyForElementsThatWereShown(t *testing.T) {
	trees := &ShownTrees{}
	tree := func(handles ...desktop.Handle) *desktop.Tree {
		root := &desktop.Element{Ref: "e1"}
		for _, h := range handles {
			root.Children = append(root.Children, &desktop.Element{Handle: h, Ref: "e2"})
		}
		return &desktop.Tree{Roots: []*desktop.Element{root}}
	}
	shown := tree("a", "b")
	trees.Keep(shown)
	looked := tree("b", "c")
	trees.Name(looked)
	root := looked.Roots[0]
	if root.Ref != "" || root.Children[0].Ref != shown.Roots[0].Children[1].Ref || root.Children[1].Ref != "" {
		t.Errorf("refs %q, %q, %q; want only that of the one that was shown", root.Ref, root.Children[0].Ref, root.Children[1].Ref)
	}
	ref := shown.Roots[0].Children[0].Ref
	for range 2 * treesKept {
		trees.Keep(tree("d"))
	}
	if known := trees.Element(ref); len(trees.trees) != treesKept || known == nil || known.Handle != "a" || known.Parent != nil {
		t.Errorf("%d trees are kept; the ref %s, whose element may still be there, is %+v", len(trees.trees), ref, known)
	}
	again := tree("a")
	trees.Keep(again)
	if got := again.Roots[0].Children[0].Ref; got != ref {
		t.Errorf("an element that was shown as %s long ago is shown as %s", ref, got)
	}
	var many []desktop.Handle
	for i := range elementsKept + 1 {
		many = append(many, desktop.Handle(fmt.Sprint("x", i)))
	}
	trees.Keep(tree(many...))
	for range treesKept { // what is remembered is bounded
		trees.Keep(tree("d"))
	}
	if len(trees.older) != elementsKept || trees.Element(ref) != nil {
		t.Errorf("%d elements are kept, and %s is %v", len(trees.older), ref, trees.Element(ref))
	}
}
