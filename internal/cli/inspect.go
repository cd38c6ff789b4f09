package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/observe"
)

// inspection is the command inspect. Its tagged fields are its flags.
type inspection struct {
	*app
	screenFlags
	Process string `flag:"process" usage:"only this application"`
	Title   string `flag:"title" usage:"only windows whose title contains this text"`
	Depth   int    `flag:"depth" usage:"show at most this many levels"`
	Hidden  bool   `flag:"hidden" usage:"also elements that are not visible"`
	Pick    bool   `flag:"pick" usage:"when Ctrl is pressed, show the selectors of the element under the pointer"`
	At      string `flag:"at" usage:"show the selectors of the element at x,y of the screen"`
	JSON    bool   `flag:"json" usage:"print one JSON document, with all attributes"`
	Server  bool   `flag:"server" usage:"show what an MCP server offers instead: the words after -- start it, or are its address"`
	Limit   int    `flag:"limit" usage:"show at most this many bytes of the tree"`
}

func inspectCommand(a *app) *cobra.Command {
	i := &inspection{app: a, screenFlags: screenFlags{Display: "auto"}, Limit: 64 << 10}
	return withFlags(&cobra.Command{
		Use:   "inspect [SELECTOR...]",
		Short: "Show the elements on the screen and their selectors",
		Long: "Show the elements on the screen as a tree. With a selector, show how many elements\n" +
			"each of its parts matches, and what nearly matches. With --pick, point at an element\n" +
			"and press Ctrl: its selectors are shown, the best first.\n\n" +
			"With --server, show the tools, prompts and resources of any MCP server instead. It is\n" +
			"started or called as a client does that, and no tool is called.",
		Example: "  understudy inspect --process mousepad\n  understudy inspect --server -- npx -y @modelcontextprotocol/server-memory\n  understudy inspect --server http://127.0.0.1:8765/mcp",
		RunE: func(cmd *cobra.Command, args []string) error {
			if i.Server {
				return i.server(cmd, args)
			}
			if len(args) > 1 {
				return usage(cmd, "wanted one selector, found %q", args[1])
			}
			d, err := i.openDisplay(cmd.Context(), cmd, &i.screenFlags)
			if err != nil {
				return err
			}
			defer d.Close()
			switch {
			case i.At != "":
				at, err := parsePoint(i.At)
				if err != nil {
					return usage(cmd, "--at: %w", err)
				}
				return i.name(cmd.Context(), d, at)
			case i.Pick:
				if err := seated(cmd.Context(), d); err != nil {
					return err
				}
				return i.pick(cmd.Context(), d)
			}
			return i.tree(cmd.Context(), d, strings.Join(args, ""))
		},
	}, i)
}

func parsePoint(text string) (p desktop.Point, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%d,%d%s", &p.X, &p.Y, &rest); n != 2 {
		return p, fmt.Errorf("%q: wanted x,y in pixels, such as 300,200", text)
	}
	return p, nil
}

func (i *inspection) tree(ctx context.Context, d *desktop.Desktop, selector string) error {
	scope := desktop.Scope{Process: i.Process, Title: i.Title, Depth: i.Depth, Hidden: i.Hidden}
	t, err := observe.ShowTree(ctx, &steps.Env{Desktop: d}, scope, observe.TreeOptions{TreeMaxDepth: steps.Count(i.Depth)}, nil)
	if err != nil {
		return err
	}
	if selector != "" {
		return i.trace(t, selector)
	}
	if i.JSON {
		return i.document(t)
	}
	text, omitted := t.Outline(i.Limit)
	fmt.Fprint(i.out, cleanLines(text))
	if omitted > 0 {
		fmt.Fprintf(i.errOut, "%s left out; narrow it with --process, --title or --depth\n", count(omitted, "element"))
	}
	for _, app := range t.Unread {
		fmt.Fprintf(i.errOut, "%s did not answer, so its elements are not shown\n", clean(app))
	}
	if err := i.reportWithoutElements(ctx, d, scope, t); err != nil {
		return err
	}
	if len(t.Roots) == 0 {
		return i.reportEmpty(ctx, d)
	}
	return nil
}

// reportEmpty says on which display no element was found.
func (i *inspection) reportEmpty(ctx context.Context, d *desktop.Desktop) error {
	on, err := d.Info(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(i.errOut, "no such elements are visible on %s\n", which(on))
	return nil
}

// which names a desktop, and why it is looked at when nobody asked for it.
func which(on desktop.Info) string {
	switch {
	case on.Name != "":
		return "the desktop " + on.Name
	case on.Virtual:
		return "a virtual display that was started just now; `understudy doctor` says why not yours"
	}
	return "the display " + on.Display
}

// reportWithoutElements names the windows that show no elements.
func (i *inspection) reportWithoutElements(ctx context.Context, d *desktop.Desktop, s desktop.Scope, t *desktop.Tree) error {
	windows, err := d.Windows(ctx)
	if errors.Is(err, desktop.ErrUnavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	shows := map[desktop.WindowID]bool{}
	for _, r := range t.Roots {
		shows[r.Window] = true
	}
	for _, w := range windows {
		if !s.Admits(&w) || shows[w.ID] || w.Minimized || w.Hidden || w.Popup || slices.Contains(t.Unread, w.Process) {
			continue
		}
		fmt.Fprintf(i.errOut, "the window %q of %s shows no elements: start the program again now that accessibility is on, or name what it shows by a picture or a point\n", w.Title, clean(w.Process))
	}
	return nil
}

// trace shows how many elements each part of a selector matches.
func (i *inspection) trace(t *desktop.Tree, text string) error {
	s, err := selector.Parse(text)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err}
	}
	found := s.Find(t.Roots)
	parts := s.Trace(t.Roots)
	err = i.show(i.JSON, map[string]any{"selector": s, "matches": found, "trace": parts}, func(line func(...any)) {
		for _, c := range parts {
			line(c.Matches, c.Selector)
		}
	})
	if err != nil || i.JSON || len(found) == 1 {
		return err
	}
	why, _ := s.Explain(t.Roots)
	fmt.Fprintln(i.out, cleanLines(why))
	if len(found) > 1 {
		return &shownError{steps.Ambiguous}
	}
	return &shownError{steps.NotFound}
}

// seated fails on a display at which nobody sits.
func seated(ctx context.Context, d *desktop.Desktop) error {
	i, err := d.Info(ctx)
	if err == nil && i.Virtual {
		err = steps.Errorf(steps.Unavailable, "nobody can point at anything on a virtual display").
			WithNext("give your own display with --display, or a point with --at")
	}
	return err
}

// pick waits until Ctrl is pressed, and names the element under the pointer.
func (i *inspection) pick(ctx context.Context, d *desktop.Desktop) error {
	fmt.Fprintln(i.errOut, "point at an element and press Ctrl; press Ctrl-C here to end")
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
	return i.name(ctx, d, at)
}

type picked struct {
	At        desktop.Point        `json:"at"`
	Element   *desktop.Element     `json:"element"`
	Selectors []selector.Candidate `json:"selectors"`
}

// nameWithin bounds the search for the selectors of an element.
const nameWithin = 10 * time.Second

// name shows the selectors of the element at a point, the best first.
func (i *inspection) name(ctx context.Context, d *desktop.Desktop, at desktop.Point) error {
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
	return i.show(i.JSON, p, func(line func(...any)) {
		line(fmt.Sprintf("%s %q in %q of %s, %s", e.Role, selector.NameOf(e), e.WindowTitle, e.Process, e.Bounds))
		for _, c := range worth(p.Selectors) {
			line(c.Matches, c.Selector)
		}
	})
}

// worth returns the selectors that a person chooses from: those that match one element
// first, and those that count elements only if no other matches one.
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
