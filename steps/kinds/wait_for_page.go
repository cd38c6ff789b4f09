package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/browse"
)

// WaitForPage waits until a page is as it is wanted.
var WaitForPage = steps.Define(steps.Kind{
	Name:    "wait_for_page",
	Summary: "Wait until a page has an address, a title or a text, and has settled.",
	Toolset: steps.Browser,
	Reads:   true,
	Checks:  true,
	Timeout: 10 * time.Minute,
}, WaitForPageArgs{Idle: true, TimeoutMS: 30_000}, waitForPageKind)

// WaitForPageArgs says which page, and what to wait for.
type WaitForPageArgs struct {
	TabArgs
	URL       string       `json:"url,omitzero" jsonschema:"wait until its address contains this"`
	Title     string       `json:"title,omitzero" jsonschema:"wait until its title contains this"`
	Text      string       `json:"text,omitzero" jsonschema:"wait until the page shows this text"`
	Idle      bool         `json:"idle,omitzero" jsonschema:"wait until it is loaded and stands still"`
	TimeoutMS steps.Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait"`
}

// PageResult says which page is open.
type PageResult struct {
	Title  string `json:"title" jsonschema:"of the page"`
	URL    string `json:"url" jsonschema:"its address"`
	Status int    `json:"status,omitzero" jsonschema:"the status that the server answered with"`
	Tab    string `json:"tab" jsonschema:"the id of its tab"`
}

func waitForPageKind(ctx context.Context, env *steps.Env, a WaitForPageArgs) (r PageResult, err error) {
	_, err = onTab(ctx, env, a.TabArgs, func(link *browse.Link, tab browse.Tab) error {
		page, err := link.Attach(ctx, tab)
		if err != nil {
			return err
		}
		defer page.Detach()
		r.Tab = tab.ID
		end := time.Now().Add(a.TimeoutMS.Std())
		return aim.WaitUntil(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
			s, err := page.State(ctx)
			if a.Idle && err == nil {
				s, err = page.Settle(ctx, time.Until(end))
			}
			if err != nil {
				return err
			}
			r.Title, r.URL, r.Status = s.Title, s.URL, s.Status
			return a.check(ctx, page, s)
		})
	})
	return r, err
}

// check returns an error unless the page is as it is wanted.
func (a *WaitForPageArgs) check(ctx context.Context, page *browse.Page, s browse.State) error {
	var missing []string
	for _, x := range []struct{ what, is, wanted string }{{"address", s.URL, a.URL}, {"title", s.Title, a.Title}} {
		if !strings.Contains(x.is, x.wanted) {
			missing = append(missing, fmt.Sprintf("its %s is %q, wanted one with %q", x.what, x.is, x.wanted))
		}
	}
	if a.Text != "" {
		there, err := page.Shows(ctx, a.Text)
		if err != nil {
			return err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("it does not show %q", a.Text))
		}
	}
	if a.Idle && !s.Settled {
		missing = append(missing, "it is still loading or changing")
	}
	if len(missing) == 0 {
		return nil
	}
	return &steps.Error{Code: steps.Timeout, Err: errors.New("the page is not as it is wanted: " + strings.Join(missing, "; ")), Next: "look at it with read_page"}
}
