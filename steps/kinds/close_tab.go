package kinds

import (
	"context"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/browse"
)

// CloseTab closes a tab.
var CloseTab = steps.Define(steps.Kind{
	Name:    "close_tab",
	Summary: "Close a tab of a connected browser.",
	Details: "A page that asks whether to leave it stays, and the step fails.",
	Toolset: steps.Browser,
	Risk:    steps.Destructive,
}, TabArgs{}, closeTab)

// closingTime bounds the wait for a tab to close.
const closingTime = 3 * time.Second

func closeTab(ctx context.Context, env *steps.Env, a TabArgs) (TabResult, error) {
	return onTab(ctx, env, a, func(link *browse.Link, tab browse.Tab) error {
		if err := env.Act(func() error { return link.Shut(ctx, tab) }); err != nil {
			return err
		}
		return aim.WaitUntil(ctx, closingTime, func(ctx context.Context) error {
			open, err := link.IsOpen(ctx, tab)
			if err == nil && open {
				err = steps.Errorf(steps.Unexpected, "the tab %q is still open: its page may ask whether to leave it", tab.Title).
					WithNext("look at the screen, and answer the question by click_element or press_key")
			}
			return err
		})
	})
}
