package cli

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/notify"
	"understudy/steps"
)

// notifier returns who is told how the runs of a data folder go. A mistake in the
// configuration stops no run.
func (a *app) notifier(home string, e *engine.Engine) *notify.Notifier {
	c, err := notify.Load(home)
	if err != nil {
		a.log().Error("notifications are off", "error", err)
	}
	if a.Fleet != "" { // who serves the fleet begins the runs of its schedules
		return notify.New(c, e, nil, a.log())
	}
	return notify.New(c, e, schedulesFolder(home).List, a.log())
}

func notifyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "notify", Short: "Tell people how runs go"}
	cmd.AddCommand(&cobra.Command{
		Use: "test [RECEIVER]", Short: "Send a message to the receivers of " + notify.FileName,
		Args: cobra.MaximumNArgs(1),
		RunE: a.testReceivers,
	})
	return cmd
}

func (a *app) testReceivers(cmd *cobra.Command, args []string) error {
	home, err := a.folder()
	if err != nil {
		return err
	}
	c, err := notify.Load(home)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(c.Receivers))
	if len(args) == 1 {
		names = slices.DeleteFunc(names, func(n string) bool { return n != args[0] })
	}
	if len(names) == 0 {
		return steps.Errorf(steps.NotFound, "%s in %s names no such receiver", notify.FileName, home).WithNext("add it under receivers")
	}
	failed := 0
	for _, name := range names {
		said := "was notified"
		if err := c.Receivers[name].Try(cmd.Context(), c.Address, time.Now()); err != nil {
			failed, said = failed+1, "was not notified: "+cleanLines(err.Error())
		}
		fmt.Fprintf(a.out, "%s %s\n", clean(name), said)
	}
	if failed > 0 {
		return steps.Errorf(steps.Unavailable, "%s not notified", count(failed, "receiver"))
	}
	return nil
}
