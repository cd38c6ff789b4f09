package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// treeBytes is how long a tree that is shown may be.
const treeBytes = 24 << 10

// shown reads elements to show them: their refs can be used in later steps.
func (e *Env) shown(ctx context.Context, scope desktop.Scope, o TreeOptions) (*desktop.Tree, error) {
	t, err := e.tree(ctx, scope, o)
	if err == nil && e.Trees != nil {
		e.Trees.Keep(t)
	}
	return t, err
}

// tree reads the elements of a window, or of a part of it.
func (e *Env) tree(ctx context.Context, scope desktop.Scope, o TreeOptions) (*desktop.Tree, error) {
	scope.Depth, scope.Full = int(o.TreeMaxDepth), true
	if o.TreeFromSelector != "" {
		s, err := parsed(o.TreeFromSelector)
		if err != nil {
			return nil, err
		}
		root, err := e.rootOf(ctx, s, scope)
		if err != nil {
			return nil, err
		}
		scope.Root = root
	}
	t, err := e.Desktop.Tree(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("reading the elements: %w", err)
	}
	selector.FillLabels(t.Roots)
	return t, nil
}

// rootOf is the element below which a tree is to be shown.
func (e *Env) rootOf(ctx context.Context, s *selector.Selector, scope desktop.Scope) (desktop.Handle, error) {
	scope.Depth = 0
	t, err := e.Desktop.Tree(ctx, scope)
	if err != nil {
		return "", fmt.Errorf("reading the elements: %w", err)
	}
	el, err := sight{selector: s, roots: t.Roots, found: s.Find(t.Roots), unread: t.Unread}.one()
	if err != nil {
		return "", err
	}
	return el.Handle, nil
}

// write writes a tree in the form that was asked for, and says how many
// elements it left out.
func (o TreeOptions) write(t *desktop.Tree) (string, int, error) {
	if o.TreeOutputFormat == VerboseJSON {
		roots := t.Roots
		if !o.IncludeDetailedAttributes {
			roots = essentials(roots)
		}
		b, err := json.MarshalIndent(roots, "", "  ")
		if err != nil {
			return "", 0, fmt.Errorf("writing the elements: %w", err)
		}
		if len(b) > 10*treeBytes {
			return "", 0, &Error{Code: Invalid, Err: fmt.Errorf("the elements are %d bytes long as JSON", len(b)), Next: "ask for fewer with tree_from_selector or tree_max_depth, or use compact_yaml"}
		}
		return string(b), t.Omitted, nil
	}
	text, omitted := t.Outline(treeBytes)
	return text, omitted + t.Omitted, nil
}

// essentials are elements without what most readers need not know of them.
func essentials(all []*desktop.Element) []*desktop.Element {
	less := make([]*desktop.Element, len(all))
	for i, e := range all {
		c := *e
		c.Description, c.RawRole, c.Actions, c.Attributes = "", "", nil, nil
		c.Children = essentials(e.Children)
		less[i] = &c
	}
	return less
}

const (
	// settleEvery is the pause between two looks for changes.
	settleEvery = 50 * time.Millisecond
	// settleWithin is how long to look for changes that do not come.
	settleWithin = 500 * time.Millisecond
)

// changes waits until what an action changed has come to rest: until a tree
// differs from the one before and then is the same twice. Without any change
// it gives up soon.
func (e *Env) changes(ctx context.Context, before *desktop.Tree, scope desktop.Scope, o TreeOptions) ([]desktop.Change, *desktop.Tree, error) {
	var last *desktop.Tree
	for start := time.Now(); ; {
		now, err := e.tree(ctx, scope, o)
		if err != nil {
			return nil, nil, err
		}
		diff := desktop.DiffTrees(before, now)
		still := last != nil && len(desktop.DiffTrees(last, now)) == 0
		if late := time.Since(start) >= settleWithin; len(diff) > 0 && still || late {
			if e.Trees != nil {
				e.Trees.Keep(now)
			}
			return diff, now, nil
		}
		last = now
		if err := Sleep(ctx, settleEvery); err != nil {
			return nil, nil, err
		}
	}
}
