package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"understudy/steps"
	"understudy/workflows"
)

// Bundle is a document together with all documents that it calls: everything a run
// needs of them, now and when it is resumed.
type Bundle struct {
	Main  workflows.Source   `json:"main"`
	Calls []workflows.Loaded `json:"calls,omitempty"`
}

// Pack compiles a document and collects the documents that it calls.
func Pack(src workflows.Source, kinds []steps.Kind, load workflows.Loader) (Bundle, *workflows.Program, error) {
	p, err := workflows.Compile(src, workflows.CompileOptions{Kinds: kinds, Load: load})
	if err != nil {
		return Bundle{}, nil, err
	}
	return Bundle{Main: src, Calls: p.Loaded}, p, nil
}

// Compile compiles the document as it was stored.
func (b *Bundle) Compile(kinds []steps.Kind) (*workflows.Program, error) {
	return workflows.Compile(b.Main, workflows.CompileOptions{Kinds: kinds, Load: workflows.LoaderOf(b.Calls)})
}

func (b *Bundle) keep(ctx context.Context, f Files) (string, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	return f.Put(ctx, Documents, raw)
}

// BundleOf returns the stored document of a run with the documents that it calls.
func BundleOf(ctx context.Context, runs Runs, h Header) (b Bundle, err error) {
	raw, err := runs.File(ctx, Documents, h.Document)
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil {
		return b, fmt.Errorf("run %s: reading its document: %w", h.ID, err)
	}
	return b, nil
}

// replaceDocument compiles another document for the run. Unless forced, steps that have
// been executed must be the same in both documents.
func (j *journal) replaceDocument(ctx context.Context, b *Bundle, force bool) error {
	p, err := b.Compile(j.e.Kinds)
	if err != nil {
		return err
	}
	var executed []string
	if !force {
		if executed, err = done(ctx, j.e.Store, j.id); err != nil {
			return err
		}
	}
	is := newLayout(p)
	for _, path := range executed {
		a, b := j.layout.nodeAt(path), is.nodeAt(path)
		if a == nil || b != nil && a.Digest == b.Digest {
			continue
		}
		return steps.Errorf(steps.Invalid, "step %s was already executed and differs in the new document", name(a, path)).
			WithNext("leave it unchanged, or use --force if the difference does not matter")
	}
	j.program, j.layout = p, is
	return nil
}

// done returns the paths of the steps that succeeded, in the order of their first
// execution. A step whose last execution failed is not included: it is repeated, so
// it may differ.
func done(ctx context.Context, st Store, id string) ([]string, error) {
	var order []string
	success := map[string]bool{}
	err := endings(ctx, st, id, func(ev Event, end Ended) {
		if _, known := success[ev.Path]; !known {
			order = append(order, ev.Path)
		}
		success[ev.Path] = end.Outcome.Status == Success
	})
	return slices.DeleteFunc(order, func(path string) bool { return !success[path] }), err
}

// endings calls f for the end of each try of a run.
func endings(ctx context.Context, st Store, id string, f func(Event, Ended)) error {
	for ev, err := range st.Events(ctx, id, 1) {
		if err != nil {
			return err
		}
		if ev.Type != EvEnded {
			continue
		}
		end, err := factOf[Ended](ev)
		if err != nil {
			return err
		}
		f(ev, end)
	}
	return nil
}
