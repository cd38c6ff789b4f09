package observe

import (
	"testing"

	"understudy/steps/desktop"
)

func TestWhatWasNotShownHasNoRef(t *testing.T) {
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
	for range 2 * treesKept { // what is remembered is bounded
		trees.Keep(tree("d"))
	}
	if len(trees.trees) != treesKept || len(trees.refs) != 1 || trees.Element("e2") != nil {
		t.Errorf("%d trees and %v are kept", len(trees.trees), trees.refs)
	}
}
