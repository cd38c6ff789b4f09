package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"understudy/recorder"
	"understudy/steps"
)

func (a *app) compile() *cobra.Command {
	var f compileFlags
	var file string
	cmd := &cobra.Command{
		Use:   "compile EVENTS",
		Short: "Make a workflow of the events of a recording",
		Args:  exactly(1, "the file of a recording's events"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			seen, err := readEvents(args[0])
			if err != nil {
				return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file that `understudy record` wrote, ending in .events.jsonl"}
			}
			return a.understand(seen, file, args[0], &f)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of the standard output")
	f.add(cmd)
	return cmd
}

func readEvents(path string) ([]recorder.Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	events, err := recorder.ReadEvents(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return events, nil
}
