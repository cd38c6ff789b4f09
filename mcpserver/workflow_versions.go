package mcpserver

import (
	"context"
	"os"
	"path/filepath"

	"understudy/internal/operations"
	"understudy/internal/versions"
	"understudy/mcpserver/access"
	"understudy/steps"
)

// versionOperations are those on the versions of saved workflows.
func (s workflowTools) versionOperations() (all []operation) {
	for _, op := range versions.Operations() {
		all = append(all, operation{
			Declaration: op.Declaration, group: "workflows", toolset: steps.Runs, unlisted: true,
			do: func(ctx context.Context, who caller, _ access.Tool, args any) (operations.Result, error) {
				return op.Do(ctx, versionShelf{s, who, s.of(who.Subject)}, struct{}{}, args)
			},
		})
	}
	return all
}

// versionShelf is the saved workflows that somebody may see.
type versionShelf struct {
	s     workflowTools
	who   caller
	saved *library
}

func (v versionShelf) Path(name string) (string, error) {
	if _, err := v.saved.get(name); err != nil {
		return "", err
	}
	for _, ending := range endings {
		path := filepath.Join(v.saved.folder, name+ending)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", steps.Errorf(steps.NotFound, "the saved workflow %s is gone", name)
}

func (v versionShelf) Save(ctx context.Context, name string, text []byte) error {
	_, p, err := v.saved.pack(name, v.saved.folder, text)
	if err != nil {
		return err
	}
	if err := v.who.MaySave(p, v.s.kinds).Denied(); err != nil {
		return err
	}
	_, isNew, err := v.saved.save(name, text, true)
	if err == nil {
		v.s.resources.workflowSaved(ctx, name, isNew)
	}
	return err
}
