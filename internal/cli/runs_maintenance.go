package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/steps"
	"understudy/store"
)

func runsPrune(a *app) *cobra.Command {
	r := store.DefaultRetention()
	cmd := a.ofRuns(&cobra.Command{
		Use: "prune", Short: "Remove old runs and the pictures that no run needs",
		Long: "Remove runs beyond an age, a number or a size, the oldest first, and the pictures\n" +
			"that no run needs any more. A run that could still be resumed stays, unless forced.\n" +
			"Pictures of recordings are removed after a day, if no saved workflow names them.",
	}, func(ctx context.Context, runs engine.Runs, _ []string) error {
		p, err := runs.Prune(ctx, r)
		if err != nil {
			return err
		}
		if p.Runs > 0 {
			err = a.keepOwnAct(audit.Act{Verb: audit.Removed, Detail: count(p.Runs, "run") + " beyond a limit"})
		}
		fmt.Fprintf(a.out, "removed %s and %s, %d bytes\n", count(p.Runs, "run"), count(p.Files, "file"), p.Bytes)
		if p.Resumable > 0 {
			fmt.Fprintf(a.errOut, "%s beyond a limit were kept, because they can be resumed; --force removes them\n", count(p.Resumable, "run"))
		}
		return err
	})
	cmd.Flags().DurationVar(&r.Age, "age", r.Age, "remove runs that ended longer ago than this; 0 keeps all")
	cmd.Flags().IntVar(&r.Count, "count", r.Count, "keep at most this many runs; 0 keeps all")
	cmd.Flags().Int64Var(&r.Bytes, "bytes", r.Bytes, "keep at most this many bytes; 0 keeps all")
	cmd.Flags().DurationVar(&r.Reads, "reads", r.Reads, "remove single calls that only read after this time")
	cmd.Flags().BoolVar(&r.Force, "force", false, "also runs that could still be resumed")
	return cmd
}

func runsBackup(a *app) *cobra.Command {
	return a.ofRuns(&cobra.Command{
		Use: "backup FOLDER", Short: "Copy all runs to a new folder, even while runs are executed",
	}, func(ctx context.Context, runs engine.Runs, args []string) error {
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if err := runs.Backup(ctx, dir); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s\n", dir)
		return nil
	})
}

func runsCheck(a *app) *cobra.Command {
	var f jsonFlag
	return withFlags(a.ofRuns(&cobra.Command{
		Use: "check", Short: "Verify everything that is stored",
	}, func(ctx context.Context, runs engine.Runs, _ []string) error {
		c, err := runs.Check(ctx)
		if err != nil {
			return err
		}
		err = a.show(f.JSON, c, func(line func(...any)) {
			for _, p := range c.Problems {
				line(p)
			}
			line(fmt.Sprintf("%s, %s, %s: %s", count(c.Runs, "run"), count(c.Events, "event"), count(c.Files, "file"), count(len(c.Problems), "problem")))
		})
		if err != nil || c.Clean() {
			return err
		}
		return &shownError{steps.Internal}
	}), &f)
}

func runsRestore(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "restore FOLDER", Short: "Restore the runs of a backup, and put the present database aside",
		Long: "Restore the runs of a backup, and put the present database aside. With --fleet: add\n" +
			"them to the runs of the fleet. Runs that were being executed become interrupted,\n" +
			"because they may have done more since the backup.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err != nil { // restoring could create it
				return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a folder that `understudy runs backup` wrote"}
			}
			if a.Fleet != "" {
				return a.restoreFleet(cmd, args[0])
			}
			dir, err := a.folder()
			if err != nil {
				return err
			}
			aside, err := store.Restore(cmd.Context(), dir, args[0], store.Options{Log: a.log()})
			if err != nil {
				return notReady(err)
			}
			if aside != "" {
				fmt.Fprintf(a.errOut, "the database that was there is now %s\n", aside)
			}
			return nil
		},
	}
}

// restoreFleet adds the runs of a backup to the fleet.
func (a *app) restoreFleet(cmd *cobra.Command, dir string) error {
	c, end, err := a.fleetRuns(cmd, nil)
	if err != nil {
		return err
	}
	defer end()
	r, err := c.Restore(cmd.Context(), dir)
	if err != nil {
		err = notReady(err)
	}
	fmt.Fprintf(a.out, "restored %s with %s and %s; %d were there already, %d rest as interrupted\n", count(r.Runs, "run"), count(r.Events, "event"), count(r.Files, "file"), r.There, r.Interrupted)
	return err
}
