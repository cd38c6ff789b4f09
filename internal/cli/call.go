package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/steps"
)

func (a *app) call() *cobra.Command {
	var display displayFlags
	var show showFlags
	cmd := &cobra.Command{
		Use:   "call KIND [JSON]",
		Short: "Do one step of a kind; `understudy tools` lists the kinds",
		Args:  several("the name of a kind, and its arguments as JSON"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usage(cmd, "wanted one JSON object, found %q after it; put it in quotes", args[2])
			}
			if _, ok := steps.Find(a.kinds, args[0]); !ok {
				return usage(cmd, "there is no kind %q; %s", args[0], words.DidYouMean(args[0], steps.Names(a.kinds)))
			}
			arguments := map[string]any{}
			if len(args) == 2 {
				_, text, err := a.pair("arguments=" + args[1])
				if err != nil {
					return err
				}
				if err := json.Unmarshal([]byte(text), &arguments); err != nil {
					return usage(cmd, "the arguments are not a JSON object: %w", err)
				}
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			runs, leave, err := a.runs(cmd, &display)
			if err != nil {
				return err
			}
			defer leave()
			h, err := runs.Start(cmd.Context(), engine.Request{
				Call: args[0], Args: arguments, Queue: true, Client: "command line", Dir: dir, Roots: []string{dir}, Environ: os.Environ(),
			})
			if err != nil {
				return err
			}
			return a.answerCall(cmd, runs, h, &show)
		},
	}
	display.add(cmd)
	show.add(cmd)
	return cmd
}

func (a *app) answerCall(cmd *cobra.Command, runs engine.Runs, h engine.Header, f *showFlags) error {
	if f.json || f.output != "" {
		return a.follow(cmd.Context(), runs, h, f)
	}
	quiet := *a
	quiet.quiet = true
	p := newProgress(&quiet, f)
	h, err := p.watch(cmd.Context(), runs, h, 0)
	if err != nil {
		return err
	}
	report, err := runs.Report(cmd.Context(), h.ID, engine.Page{})
	if err != nil {
		return err
	}
	if h.Status != engine.Succeeded {
		if h.Error != nil {
			fmt.Fprintf(a.errOut, "%s %s: %s\n", paintFor(a.errOut).red("understudy:"), h.Error.Code, cleanLines(h.Error.Message))
			if h.Error.Next != "" {
				fmt.Fprintf(a.errOut, "  %s\n", cleanLines(h.Error.Next))
			}
		}
		for _, line := range nextWords(h) {
			fmt.Fprintf(a.errOut, "  %s\n", cleanLines(line))
		}
		return &shownError{codeOf(h)}
	}
	for _, s := range report.Steps {
		return a.document(s.Result)
	}
	return nil
}
