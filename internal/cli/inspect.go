package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
	"understudy/steps/observe"
)

type inspectFlags struct {
	display  displayFlags
	scope    desktop.Scope
	selector string
	at       string
	pick     bool
	json     bool
	limit    int
}

func (a *app) inspect() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect [SELECTOR]",
		Short: "Show the elements on the screen, and how to name them",
		Long: "Show the elements on the screen as a tree. With a selector, show how many elements\n" +
			"each of its parts matches, and what nearly matches. With --pick, point at an element\n" +
			"and press Ctrl: the selectors that name it are shown, the best first.",
		Args: atMost(1, "one selector"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.selector = args[0]
			}
			return a.look(cmd, &f)
		},
	}
	f.display.add(cmd)
	cmd.Flags().StringVar(&f.scope.Process, "process", "", "only this application")
	cmd.Flags().StringVar(&f.scope.Title, "title", "", "only windows whose title holds this text")
	cmd.Flags().IntVar(&f.scope.Depth, "depth", 0, "at most this many levels")
	cmd.Flags().BoolVar(&f.scope.Hidden, "hidden", false, "also what does not show")
	cmd.Flags().BoolVar(&f.pick, "pick", false, "name the element under the pointer when Ctrl is pressed")
	cmd.Flags().StringVar(&f.at, "at", "", "name the element at x,y of the screen")
	cmd.Flags().BoolVar(&f.json, "json", false, "as one JSON document, with everything that is known")
	cmd.Flags().IntVar(&f.limit, "limit", 64<<10, "show at most so many bytes of the tree")
	return cmd
}

func (a *app) look(cmd *cobra.Command, f *inspectFlags) error {
	d, err := a.openDisplay(cmd.Context(), cmd, &f.display)
	if err != nil {
		return err
	}
	defer d.Close()
	switch {
	case f.at != "":
		at, err := parsePoint(f.at)
		if err != nil {
			return usage(cmd, "--at: %w", err)
		}
		return a.name(cmd.Context(), d, at, f.json)
	case f.pick:
		if err := seated(cmd.Context(), d); err != nil {
			return err
		}
		return a.pick(cmd.Context(), d, f.json)
	}
	return a.tree(cmd.Context(), d, f)
}

func parsePoint(text string) (p desktop.Point, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%d,%d%s", &p.X, &p.Y, &rest); n != 2 {
		return p, fmt.Errorf("%q: wanted x,y in pixels, such as 300,200", text)
	}
	return p, nil
}

func (a *app) tree(ctx context.Context, d *desktop.Desktop, f *inspectFlags) error {
	t, err := observe.ShowTree(ctx, &steps.Env{Desktop: d}, f.scope, observe.TreeOptions{TreeMaxDepth: steps.Count(f.scope.Depth)})
	if err != nil {
		return err
	}
	if f.selector != "" {
		return a.trace(t, f.selector, f.json)
	}
	if f.json {
		return a.document(t)
	}
	text, omitted := t.Outline(f.limit)
	fmt.Fprint(a.out, cleanLines(text))
	if omitted > 0 {
		fmt.Fprintf(a.errOut, "%s left out; narrow it with --process, --title or --depth\n", count(omitted, "element"))
	}
	for _, app := range t.Unread {
		fmt.Fprintf(a.errOut, "%s did not answer, so its elements are not shown\n", clean(app))
	}
	if err := a.mute(ctx, d, f.scope, t); err != nil {
		return err
	}
	if len(t.Roots) == 0 {
		return a.bare(ctx, d)
	}
	return nil
}

// bare says on which display nothing of what was asked for shows.
func (a *app) bare(ctx context.Context, d *desktop.Desktop) error {
	i, err := d.Info(ctx)
	if err != nil {
		return err
	}
	which := "the display " + i.Display
	if i.Virtual {
		which = "a virtual display that was started just now; `understudy doctor` says why not yours"
	}
	fmt.Fprintf(a.errOut, "no such elements show on %s\n", which)
	return nil
}

// mute tells of the windows of which there are no elements.
func (a *app) mute(ctx context.Context, d *desktop.Desktop, s desktop.Scope, t *desktop.Tree) error {
	windows, err := d.Windows(ctx)
	if errors.Is(err, desktop.ErrUnavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	speak := map[desktop.WindowID]bool{}
	for _, r := range t.Roots {
		speak[r.Window] = true
	}
	for _, w := range windows {
		if !s.Admits(&w) || speak[w.ID] || w.Minimized || w.Hidden || w.Popup || slices.Contains(t.Unread, w.Process) {
			continue
		}
		fmt.Fprintf(a.errOut, "the window %q of %s shows no elements: start the program again now that accessibility is on, or name what it shows by a picture or a point\n", w.Title, w.Process)
	}
	return nil
}

func (a *app) trace(t *desktop.Tree, text string, asJSON bool) error {
	s, err := selector.Parse(text)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err}
	}
	found := s.Find(t.Roots)
	if asJSON {
		return a.document(map[string]any{"selector": s, "matches": found, "trace": s.Trace(t.Roots)})
	}
	if err := a.table(func(w io.Writer) {
		for _, c := range s.Trace(t.Roots) {
			fmt.Fprintf(w, "%d\t%s\n", c.Matches, clean(fmt.Sprint(c.Selector)))
		}
	}); err != nil {
		return err
	}
	if len(found) == 1 {
		return nil
	}
	fmt.Fprintln(a.out, cleanLines(s.Explain(t.Roots)))
	if len(found) > 1 {
		return &shownError{steps.Ambiguous}
	}
	return &shownError{steps.NotFound}
}

// seated fails on a display that nobody sits at.
func seated(ctx context.Context, d *desktop.Desktop) error {
	i, err := d.Info(ctx)
	if err == nil && i.Virtual {
		err = steps.Errorf(steps.Unavailable, "nobody can point at anything on a virtual display").
			WithNext("name the display that you sit at with --display, or a point with --at")
	}
	return err
}

// pick waits until Ctrl is pressed, and names what is under the pointer.
func (a *app) pick(ctx context.Context, d *desktop.Desktop, asJSON bool) error {
	fmt.Fprintln(a.errOut, "point at an element and press Ctrl; Ctrl-C here ends")
	watch, done := context.WithCancelCause(ctx)
	defer done(nil)
	pressed := errors.New("pressed")
	err := d.Watch(watch, func(e desktop.InputEvent) {
		if e.Type == desktop.KeyPress && e.Key == desktop.Ctrl {
			done(pressed)
		}
	})
	if !errors.Is(context.Cause(watch), pressed) {
		return err
	}
	at, err := d.PointerPosition(ctx)
	if err != nil {
		return err
	}
	return a.name(ctx, d, at, asJSON)
}

type picked struct {
	At        desktop.Point        `json:"at"`
	Element   *desktop.Element     `json:"element"`
	Selectors []selector.Candidate `json:"selectors"`
}

// nameWithin is how long naming an element may take.
const nameWithin = 10 * time.Second

// name shows the selectors that name what is at a point, the best first.
func (a *app) name(ctx context.Context, d *desktop.Desktop, at desktop.Point, asJSON bool) error {
	ctx, cancel := context.WithTimeout(ctx, nameWithin)
	defer cancel()
	e, err := d.ElementAt(ctx, at)
	if err != nil {
		return fmt.Errorf("at %s: %w", at, err)
	}
	t, err := d.Tree(ctx, desktop.Scope{Full: true})
	if err != nil {
		return err
	}
	selector.FillLabels(t.Roots)
	p := picked{At: at, Element: e, Selectors: selector.For(e, t.Roots)}
	if asJSON {
		return a.document(p)
	}
	fmt.Fprintf(a.out, "%s %q in %q of %s, %s\n", e.Role, selector.NameOf(e), e.WindowTitle, clean(e.Process), e.Bounds)
	return a.table(func(w io.Writer) {
		for _, c := range worth(p.Selectors) {
			fmt.Fprintf(w, "%d\t%s\n", c.Matches, clean(fmt.Sprint(c.Selector)))
		}
	})
}

// worth are the selectors that a person chooses from: those first that match
// one element; and those that only count elements when there is no other.
func worth(all []selector.Candidate) []selector.Candidate {
	counts := func(c selector.Candidate) bool { return selector.MustParse(c.Selector).Counts() }
	alone := func(c selector.Candidate) bool { return c.Matches == 1 }
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b selector.Candidate) int { return cmp.Compare(a.Matches, b.Matches) })
	if slices.ContainsFunc(list, func(c selector.Candidate) bool { return alone(c) && !counts(c) }) {
		list = slices.DeleteFunc(list, counts)
	}
	return list
}
