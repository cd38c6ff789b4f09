package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps"
)

// onRun does something with the run that a person names, on its desktop.
func (a *app) onRun(cmd *cobra.Command, display *displayFlags, name string, do func(ctx context.Context, runs engine.Runs, id string) error) error {
	runs, leave, err := a.runs(cmd, display)
	if err != nil {
		return err
	}
	defer leave()
	id, err := a.find(cmd.Context(), runs, name)
	if err != nil {
		return err
	}
	return do(cmd.Context(), runs, id)
}

// find is the run whose id begins with a text; "last" is the newest.
func (a *app) find(ctx context.Context, runs engine.Runs, text string) (string, error) {
	if len(text) == 26 {
		return text, nil
	}
	all, err := runs.List(ctx, engine.Query{Calls: true, Limit: 10_000})
	if err != nil {
		return "", err
	}
	var found []string
	for _, h := range all {
		if text == "last" {
			return h.ID, nil
		}
		if len(text) >= 4 && len(h.ID) >= len(text) && h.ID[:len(text)] == text {
			found = append(found, h.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("there is no run %q", text), Next: "`understudy runs ls` lists them; last is the newest"}
	}
	return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%q begins the ids of %d runs", text, len(found)), Next: "write more of the id"}
}
