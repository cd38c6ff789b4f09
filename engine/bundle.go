package engine

import (
	"context"
	"encoding/json"
	"errors"

	"understudy/steps"
	"understudy/workflows"
)

// Bundle is a document with every document that it calls: all that a run
// needs to know of them, now and when it is resumed.
type Bundle struct {
	Main  workflows.Source `json:"main"`
	Calls []Called         `json:"calls,omitempty"`
}

// Called is a document that another one calls.
type Called struct {
	From   string           `json:"from"` // the name of the caller
	Ref    string           `json:"ref"`  // what the caller calls it
	Source workflows.Source `json:"source"`
}

// Pack compiles a document and gathers what it calls.
func Pack(src workflows.Source, kinds []steps.Kind, load workflows.Loader) (Bundle, *workflows.Program, error) {
	b := Bundle{Main: src}
	o := workflows.CompileOptions{Kinds: kinds}
	if load != nil {
		o.Load = func(ref string, from workflows.Source) (workflows.Source, error) {
			s, err := load(ref, from)
			if err == nil && !b.has(from.Name, ref) {
				b.Calls = append(b.Calls, Called{from.Name, ref, s})
			}
			return s, err
		}
	}
	p, err := workflows.Compile(src, o)
	return b, p, err
}

func (b *Bundle) has(from, ref string) bool {
	_, err := b.load(ref, workflows.Source{Name: from})
	return err == nil
}

func (b *Bundle) load(ref string, from workflows.Source) (workflows.Source, error) {
	for _, c := range b.Calls {
		if c.From == from.Name && c.Ref == ref {
			return c.Source, nil
		}
	}
	return workflows.Source{}, errors.New("the document was not kept with the run")
}

// Compile compiles the document as it was kept.
func (b *Bundle) Compile(kinds []steps.Kind) (*workflows.Program, error) {
	return workflows.Compile(b.Main, workflows.CompileOptions{Kinds: kinds, Load: b.load})
}

// keep stores the bundle and gives its hash.
func (b *Bundle) keep(ctx context.Context, f Files) (string, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	return f.Put(ctx, Documents, raw)
}

// loadBundle reads a bundle that was kept.
func loadBundle(ctx context.Context, f Files, hash string) (Bundle, error) {
	var b Bundle
	raw, err := f.Get(ctx, Documents, hash)
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(raw, &b)
}
