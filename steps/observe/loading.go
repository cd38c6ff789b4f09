package observe

import (
	"context"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
)

// pageTimeout bounds the wait for a page that is being loaded. Some stay blank.
const pageTimeout = 3 * time.Second

// WaitForPage waits until no document of the active window is blank, as the page of a
// browser is while it is being loaded.
func WaitForPage(ctx context.Context, env *steps.Env, scope desktop.Scope) {
	_ = aim.WaitUntil(ctx, pageTimeout, func(ctx context.Context) error {
		t, err := readTree(ctx, env.Desktop, scope, TreeOptions{})
		if err == nil && hasBlankPage(t) {
			err = steps.Errorf(steps.Timeout, "the page is blank")
		}
		return err
	})
}

// hasBlankPage reports whether a document in an active frame shows nothing.
func hasBlankPage(t *desktop.Tree) (blank bool) {
	for _, root := range t.Roots {
		if root.States.Has(desktop.Active) {
			root.Walk(func(e *desktop.Element) bool {
				blank = blank || e.Role == "document" && e.Text == "" && len(e.Children) == 0
				return !blank
			})
		}
	}
	return blank
}
