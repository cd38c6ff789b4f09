package engine

import (
	"context"
	"encoding/json"

	"understudy/steps"
	"understudy/workflows"
)

// Bundle is a document with every document that it calls: all that a run
// needs to know of them, now and when it is resumed.
type Bundle struct {
	Main  workflows.Source   `json:"main"`
	Calls []workflows.Loaded `json:"calls,omitempty"`
}

// Pack compiles a document and gathers what it calls.
func Pack(src workflows.Source, kinds []steps.Kind, load workflows.Loader) (Bundle, *workflows.Program, error) {
	p, err := workflows.Compile(src, workflows.CompileOptions{Kinds: kinds, Load: load})
	if err != nil {
		return Bundle{}, nil, err
	}
	return Bundle{Main: src, Calls: p.Loaded}, p, nil
}

// Compile compiles the document as it was kept.
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

// ReadBundle reads a bundle as it was kept.
func ReadBundle(raw []byte) (Bundle, error) {
	var b Bundle
	err := json.Unmarshal(raw, &b)
	return b, err
}
