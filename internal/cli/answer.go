package cli

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/engine"
)

func answerCommand(a *app) *cobra.Command {
	f := struct {
		displayFlags
		showFlags
	}{displayFlags: defaultDisplay()}
	return withFlags(&cobra.Command{
		Use:   "answer RUN ANSWER",
		Short: "Answer the question of a waiting run",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.value("ANSWER", args[1])
			if err != nil {
				return err
			}
			return a.withRun(cmd, &f.displayFlags, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
				h, err := runs.Get(ctx, id)
				if err != nil {
					return err
				}
				answer, err := answerTo(cmd, h.Question, text)
				if err != nil {
					return err
				}
				seen := h.Seq
				if h, err = runs.Answer(ctx, id, answer); err != nil {
					return err
				}
				return a.follow(ctx, runs, h, seen, &f.showFlags)
			})
		},
	}, &f)
}

// answerTo returns a text as the answer to a question; one with fields is answered by a
// JSON object.
func answerTo(cmd *cobra.Command, q *engine.Question, text string) (engine.Answer, error) {
	r := engine.Answer{Value: text, Environ: os.Environ(), By: "command line"}
	switch {
	case q == nil:
	case q.Sort == engine.AskDoubt:
		r.Choice = text
	case q.Sort == engine.AskSecret:
		r.Value, r.Secrets = nil, map[string]string{q.Choices[0]: text}
	case q.Fields != nil:
		var values map[string]any
		if json.Unmarshal([]byte(text), &values) != nil || values == nil {
			return r, usage(cmd, "wanted a JSON object with %s", fieldsOf(q))
		}
		r.Value = values
	}
	return r, nil
}

// fieldsOf names the values for which a question asks.
func fieldsOf(q *engine.Question) string {
	return strings.Join(slices.Sorted(maps.Keys(q.Fields)), ", ")
}
