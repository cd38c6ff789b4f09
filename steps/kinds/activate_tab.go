package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/browse"
)

// ActivateTab shows a tab.
var ActivateTab = steps.Define(steps.Kind{
	Name:       "activate_tab",
	Summary:    "Show a tab of a connected browser, and bring its window to the front.",
	Toolset:    steps.Browser,
	Focus:      steps.Take,
	Idempotent: true,
}, TabArgs{}, aim.With(activateTab))

func activateTab(ctx context.Context, hand *aim.Hand, a TabArgs) (TabResult, error) {
	return onTab(ctx, hand.Env, a, func(link *browse.Link, tab browse.Tab) error {
		if err := hand.Act(func() error { return link.Activate(ctx, tab) }); err != nil {
			return err
		}
		_, err := raiseBrowser(ctx, hand, link, tab)
		return err
	})
}
