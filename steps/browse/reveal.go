package browse

import (
	"context"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
)

// revealTime bounds each question of where words are. A page that has just been read is busy, and
// its tree would take much longer.
const revealTime = 10 * time.Second

// Reveal has the pages that show scroll to what a selector may mean, and reports whether one did.
// The tree of a page with a thousand rows takes longer to read than a step has, and the page finds
// words in it at once. It does so only where all words of the selector are in one place: else only
// the tree can tell which is meant. Whether that is a match, a search of what shows tells then.
func Reveal(ctx context.Context, env *steps.Env, s *selector.Selector) (bool, error) {
	words := s.Words()
	if len(words) == 0 || s.Counts() {
		return false, nil
	}
	all, err := env.Desktop.Browsers(ctx)
	scope := s.Scope()
	called := desktop.Program(scope.Process)
	all = slices.DeleteFunc(all, func(p desktop.BrowserProcess) bool { return scope.Process != "" && !called(p.PID, p.Name, nil) })
	if err != nil || len(all) != 1 {
		return false, err
	}
	b, err := env.Desktop.Browse(ctx, all[0].PID)
	if err != nil {
		return false, err
	}
	l := &Link{b, all[0]}
	defer l.Close()
	places, err := l.witnesses(ctx, scope.Title)
	for _, w := range places {
		defer w.page.Detach()
	}
	if err != nil {
		return false, err
	}
	return revealIn(ctx, places, words)
}

// witnesses returns one for each page that shows in a window whose title contains a text, and for
// each frame of another site in it.
func (l *Link) witnesses(ctx context.Context, title string) (all []*Witness, err error) {
	title = strings.ToLower(title)
	pages, err := l.shownPages(ctx, func(t target) bool { return strings.Contains(strings.ToLower(t.Title), title) })
	if err != nil {
		return nil, err
	}
	for _, t := range pages {
		page, err := l.attachTo(ctx, Tab{ID: t.ID, PID: l.Process.PID}, "Page.enable")
		if err != nil {
			return all, err
		}
		all = append(all, &Witness{page: page, limit: revealTime})
		frames, err := page.frames(ctx)
		if err != nil {
			return all, err
		}
		for _, f := range frames {
			if f.id == "" {
				all = append(all, &Witness{page: f.place, limit: revealTime})
			}
		}
	}
	return all, nil
}

// revealIn scrolls to the words in the only place that has them.
func revealIn(ctx context.Context, places []*Witness, words []selector.Word) (revealed bool, err error) {
	var in *Witness
	for _, w := range places {
		world, err := w.world(ctx)
		if err != nil {
			return false, err
		}
		count := 0
		if err := w.call(ctx, world, "countPlaces", words, &count); err != nil {
			return false, err
		}
		if count > 1 || count == 1 && in != nil {
			return false, nil
		}
		if count == 1 {
			in = w
		}
	}
	if in == nil {
		return false, nil
	}
	err = in.call(ctx, in.last, "reveal", words, &revealed)
	return revealed, err
}
