package cli

import (
	"context"
	"os"

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
		Args:  exactly(2, "the id of a run and the answer; - is the standard input"),
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
				seen := h.Seq
				if h, err = runs.Answer(ctx, id, answerTo(h.Question, text)); err != nil {
					return err
				}
				return a.follow(ctx, runs, h, seen, &f.showFlags)
			})
		},
	}, &f)
}

func answerTo(q *engine.Question, text string) engine.Answer {
	r := engine.Answer{Value: text, Environ: os.Environ(), By: "command line"}
	if q == nil {
		return r
	}
	switch q.Sort {
	case engine.AskDoubt:
		r.Choice = text
	case engine.AskSecret:
		r.Value, r.Secrets = nil, map[string]string{q.Choices[0]: text}
	}
	return r
}
