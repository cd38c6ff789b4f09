package engine

import (
	"context"
	"slices"

	"understudy/steps"
	"understudy/workflows"
)

// replace takes another document for a run. Steps that were executed must be
// the same in both, unless it is forced; the others may differ.
func (e *Engine) replace(ctx context.Context, id string, old *workflows.Program, b *Bundle, force bool) (*workflows.Program, error) {
	p, err := b.Compile(e.Kinds)
	if err != nil || force {
		return p, err
	}
	was, is := executedNodes(newLayout(old)), executedNodes(newLayout(p))
	done, err := done(ctx, e.Store, id)
	if err != nil {
		return nil, err
	}
	for _, path := range done {
		a, b := was[plain(path)], is[plain(path)]
		if a == nil || b != nil && a.Digest == b.Digest {
			continue
		}
		return nil, steps.Errorf(steps.Invalid, "step %s was executed, and is not the same in the new document", name(a, path)).
			WithNext("leave it as it was, or use --force if the difference does not matter")
	}
	return p, nil
}

// done are the paths of the steps that succeeded, in the order in which they
// first did. One that failed last is done again, so it may be another.
func done(ctx context.Context, st Store, id string) ([]string, error) {
	var order []string
	success := map[string]bool{}
	for ev, err := range st.Events(ctx, id, 1) {
		if err != nil {
			return nil, err
		}
		if ev.Type != EvEnded {
			continue
		}
		end, err := factOf[Ended](ev)
		if err != nil {
			return nil, err
		}
		if _, known := success[ev.Path]; !known {
			order = append(order, ev.Path)
		}
		success[ev.Path] = end.Outcome.Status == Success
	}
	return slices.DeleteFunc(order, func(path string) bool { return !success[path] }), nil
}

// executedNodes are the nodes of a layout by their paths, without rounds.
func executedNodes(l *layout) map[string]*workflows.Node {
	out := map[string]*workflows.Node{}
	var document func(key, base string)
	var walk func(key, base string)
	walk = func(key, base string) {
		x := l.lists[key]
		if x == nil {
			return
		}
		for i, n := range x.nodes {
			path := pathOf(&Frame{Base: base, Next: i})
			out[path] = n
			walk(childKey(key, i), path+".")
			walk(beforeKey(key, i), path+".before.")
			if n.Call != nil {
				document(callKey(key, i), path+"/")
			}
		}
	}
	document = func(key, base string) {
		walk(key+bodyKey, base)
		walk(key+troubleKey, base+"troubleshooting.")
		walk(key+finallyKey, base+"finally.")
	}
	document("", "")
	return out
}

// plain is a path without the rounds of loops.
func plain(path string) string {
	out := make([]byte, 0, len(path))
	depth := 0
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '[':
			depth++
		case path[i] == ']':
			depth--
		case depth == 0:
			out = append(out, path[i])
		}
	}
	return string(out)
}
