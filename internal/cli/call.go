package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

func callCommand(a *app) *cobra.Command {
	f := struct {
		displayFlags
		showFlags
	}{displayFlags: defaultDisplay()}
	return withFlags(&cobra.Command{
		Use:   "call KIND [JSON]",
		Short: "Execute one step of a kind; `understudy tools` lists the kinds",
		RunE: func(cmd *cobra.Command, args []string) error {
			if why := workflows.ToolRefusal(args[0]); why != "" {
				return usage(cmd, "there is no kind %q: %s", args[0], why)
			}
			if _, err := a.kind(cmd, workflows.ToolName(args[0])); err != nil {
				return err
			}
			arguments := map[string]any{}
			if len(args) == 2 {
				text, err := a.value("JSON", args[1])
				if err != nil {
					return err
				}
				err = json.Unmarshal([]byte(text), &arguments)
				if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
					return usage(cmd, "the arguments are not a JSON object, but of the type %s", other.Value)
				}
				if err != nil {
					return usage(cmd, "the arguments are not a JSON object: %w", err)
				}
			}
			kind, arguments := workflows.ForeignCall(a.kinds, args[0], arguments)
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			return a.withRuns(cmd, &f.displayFlags, func(runs engine.Runs) error {
				h, err := runs.Start(cmd.Context(), engine.Request{
					Call: kind, Args: arguments, Queue: true, Environ: os.Environ(),
					Terms: engine.Terms{Client: engine.CommandLine, Dir: dir, Roots: []string{dir}},
				})
				if err != nil {
					return err
				}
				return a.answerCall(cmd, runs, h, &f.showFlags)
			})
		},
	}, &f)
}

// kind returns the kind that an argument names.
func (a *app) kind(cmd *cobra.Command, name string) (steps.Kind, error) {
	k, ok := steps.Find(a.kinds, name)
	if !ok {
		return k, unknown(cmd, fmt.Sprintf("there is no kind %q", name), name, steps.Names(a.kinds))
	}
	return k, nil
}

func (a *app) answerCall(cmd *cobra.Command, runs engine.Runs, h engine.Header, f *showFlags) error {
	if f.JSON || f.Output != "" {
		return a.follow(cmd.Context(), runs, h, 0, f)
	}
	p := newProgress(&a.console, f)
	p.quiet = true
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
			a.showError(paintFor(a.errOut).red("understudy:"), h.Error)
		}
		a.showLines(nextWords(h)...)
		return &shownError{codeOf(h)}
	}
	for _, s := range report.Steps {
		return a.document(s.Result)
	}
	return nil
}
