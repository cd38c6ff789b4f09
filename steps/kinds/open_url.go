package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/confined"
	"understudy/steps/observe"
)

// OpenURL opens an address with the user's preferred program.
var OpenURL = steps.Define(steps.Kind{
	Name:    "open_url",
	Summary: "Open an address in the browser or the program for it.",
	Toolset: steps.Core,
	Focus:   steps.Take,
	Beyond:  &steps.Beyond{Argument: "url", Risk: steps.RunsShell, Harmless: isPage},
}, OpenURLArgs{}, openURL)

// OpenURLArgs says which address.
type OpenURLArgs struct {
	URL string `json:"url" jsonschema:"the address, such as https://example.org or mailto:me@example.org"`
}

// OpenURLResult says what came of it.
type OpenURLResult struct {
	URL     string          `json:"url" jsonschema:"the address that was opened"`
	Window  *desktop.Window `json:"window,omitzero" jsonschema:"the window that came, came to the front or changed its title"`
	Checked observe.Checked `json:"checked,omitzero" jsonschema:"whether such a window was seen; one that opens behind others may be missed"`
}

// Validate requires a scheme: anything else would be a guess.
func (a *OpenURLArgs) Validate() error {
	if u, err := url.Parse(a.URL); err != nil || u.Scheme == "" {
		return errors.New("url: wanted an address such as https://example.org")
	}
	return nil
}

// settleFor bounds the wait for a window after the program that opens the address has
// finished.
const settleFor = 3 * time.Second

func openURL(ctx context.Context, env *steps.Env, a OpenURLArgs) (OpenURLResult, error) {
	r := OpenURLResult{URL: a.URL, Checked: observe.NotPossible}
	if err := mayOpen(env, a.URL); err != nil {
		return r, err
	}
	before, err := env.Desktop.Windows(ctx)
	if err != nil {
		return r, err
	}
	seen, opened := make(chan struct{}), make(chan error, 1)
	go func() { opened <- env.Desktop.Do(ctx, desktop.OpenURL{URL: a.URL, Setting: env.Setting(), Seen: seen}) }()
	look := time.NewTicker(aim.LongestPause)
	defer look.Stop()
	var over <-chan time.Time
	for {
		select {
		case err := <-opened:
			if err != nil {
				e := *steps.AsError(err)
				e.Next = cmp.Or(e.Next, "name the program: open_application with its command and the address")
				return r, &e
			}
			over = time.After(settleFor)
		case <-over:
			return r, nil
		case <-look.C:
		}
		now, err := env.Desktop.Windows(ctx)
		if err != nil {
			return r, err
		}
		if r.Window = news(before, now); r.Window == nil {
			continue
		}
		r.Checked = observe.Yes
		env.Keyboard.Name(*r.Window)
		if over == nil { // the program may stay as long as what it opened
			close(seen)
			return r, <-opened
		}
		return r, nil
	}
}

// mayOpen returns an error if the caller may not open an address. Without the right to
// run commands it may open pages, mails, and documents that it may read: other addresses
// start whatever program is registered for them.
func mayOpen(env *steps.Env, address string) error {
	u, err := url.Parse(address)
	if err != nil || isPage(address) {
		return err
	}
	refusal := env.MayUse(RunCommand.Name)
	if refusal == nil {
		return nil
	}
	if strings.EqualFold(u.Scheme, "file") {
		if refusal = env.MayUse(ReadFile.Name); refusal == nil {
			return confined.Document(env, steps.Path(u.Path))
		}
	}
	return &steps.Error{
		Code: steps.Denied, Err: fmt.Errorf("%s: only http, https and mailto, for %w", address, refusal), Next: steps.AsError(refusal).Next,
	}
}

// isPage reports whether an address is a page or a mail.
func isPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(u.Scheme))
}

// news returns a window that opened, came to the front, or has another title.
func news(before, now desktop.Windows) *desktop.Window {
	for _, w := range now {
		was := before.ByID(w.ID)
		if w.Sized() && (was == nil || w.Active && !was.Active || w.Title != was.Title) {
			return &w
		}
	}
	return nil
}
