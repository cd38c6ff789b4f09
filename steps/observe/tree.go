package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/browse"
)

const (
	treeBytes    = 24 << 10 // bounds the length of a tree in a result
	mostElements = 1500     // bounds the elements that are read, of which blank cells are none
)

// TreeOptions configure how elements are shown.
type TreeOptions struct {
	TreeMaxDepth              steps.Count    `json:"tree_max_depth,omitzero" as:"depth" use:"rare" jsonschema:"how many levels to show; mere containers do not count"`
	TreeFromSelector          steps.Selector `json:"tree_from_selector,omitzero" as:"below" use:"rare" jsonschema:"show only what is below this element"`
	IncludeDetailedAttributes bool           `json:"include_detailed_attributes,omitzero" as:"details" use:"rare" jsonschema:"with verbose_json: also show descriptions, actions and attributes"`
	TreeOutputFormat          TreeFormat     `json:"tree_output_format,omitzero" as:"format" use:"rare" jsonschema:"how to write the elements; clustered_yaml is compact_yaml, as all come from one place"`
}

// DefaultTreeOptions are the defaults of TreeOptions.
var DefaultTreeOptions = TreeOptions{TreeMaxDepth: 30, TreeOutputFormat: CompactYAML}

// TreeFormat is how elements are written.
type TreeFormat string

func (TreeFormat) Words() []string {
	return []string{"compact_yaml", "verbose_json", "clustered_yaml"}
}

// The ways to write elements.
const (
	CompactYAML TreeFormat = "compact_yaml"
	VerboseJSON TreeFormat = "verbose_json"
)

// ShowTree reads a tree for a caller that asked for it, with the words that some windows
// show; its refs can be used in later steps.
func ShowTree(ctx context.Context, env *steps.Env, scope desktop.Scope, o TreeOptions, words desktop.Windows) (*desktop.Tree, error) {
	t, err := keepTree(ctx, env, scope, o, words)
	if err == nil && env.Effects {
		tellWindows(ctx, env, t.Roots)
	}
	return t, err
}

func keepTree(ctx context.Context, env *steps.Env, scope desktop.Scope, o TreeOptions, words desktop.Windows) (*desktop.Tree, error) {
	t, err := readTree(ctx, env, scope, o)
	if err != nil {
		return nil, err
	}
	markOpaque(ctx, env.Desktop, t)
	noteAway(ctx, env, t)
	if err := addWords(ctx, env, t, words); err != nil {
		return nil, err
	}
	if env.Trees != nil {
		env.Trees.Keep(t)
	}
	return t, nil
}

// noteAway notes on the pages of connected browsers what they have out of view.
func noteAway(ctx context.Context, env *steps.Env, t *desktop.Tree) {
	t.Walk(func(e *desktop.Element) bool {
		page := e.RawRole == "document web" && e.Enclosing(func(p *desktop.Element) bool { return p.RawRole == "document web" }) == nil
		blank := e.Name == "" && len(e.Children) == 0 // a page of the browser's own, which nobody sees
		if page && !blank && e.Note == "" && e.States.Has(desktop.Showing) {
			e.Note = hidden(env, browse.Away(ctx, env, e))
		}
		return true
	})
}

// tellWindows notes that the caller is shown the windows of elements.
func tellWindows(ctx context.Context, env *steps.Env, roots []*desktop.Element) {
	windows, err := env.Desktop.Windows(ctx)
	if err != nil {
		return
	}
	for _, w := range windows {
		if slices.ContainsFunc(roots, func(e *desktop.Element) bool { return e.Window == w.ID }) {
			env.Keyboard.Tell(w)
		}
	}
}

// readTree reads the elements of a window, or of a part of it.
func readTree(ctx context.Context, env *steps.Env, scope desktop.Scope, o TreeOptions) (*desktop.Tree, error) {
	scope.Depth, scope.Full, scope.Limit = int(o.TreeMaxDepth), true, cmp.Or(scope.Limit, mostElements)
	if o.TreeFromSelector != "" {
		s, err := steps.ParseSelector(o.TreeFromSelector)
		if err != nil {
			return nil, err
		}
		root, err := rootOf(ctx, env.Desktop, s, scope)
		if err != nil {
			return nil, err
		}
		scope.Root = root
	}
	t, err := env.Desktop.Tree(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("reading the elements: %w", err)
	}
	selector.FillLabels(t.Roots)
	t.Walk(func(e *desktop.Element) bool {
		e.Name, e.Label, e.Text = hidden(env, e.Name), hidden(env, e.Label), hidden(env, e.Text)
		return true
	})
	return t, nil
}

// hidden returns a text of an element. It replaces one that holds a secret and is not
// shown as it is: a part of a secret is not recognised as one.
func hidden(env *steps.Env, text string) string {
	if env.IsSecret(text) && desktop.Shown(text) != strings.TrimSpace(text) {
		return "a text that holds a secret"
	}
	return text
}

// rootOf returns the handle of the element below which a tree is to be shown.
func rootOf(ctx context.Context, d *desktop.Desktop, s *selector.Selector, scope desktop.Scope) (desktop.Handle, error) {
	scope.Depth = 0
	t, err := d.Tree(ctx, scope)
	if err != nil {
		return "", fmt.Errorf("reading the elements: %w", err)
	}
	el, err := aim.SearchResult{Selector: s, Roots: t.Roots, Found: s.Find(t.Roots), Unread: t.Unread}.One()
	if err != nil {
		return "", err
	}
	return el.Handle, nil
}

// Write writes a tree in the format that was asked for, and returns how many elements
// were left out.
func (o TreeOptions) Write(t *desktop.Tree) (string, int, error) {
	if o.TreeOutputFormat == VerboseJSON {
		roots := t.Roots
		if !o.IncludeDetailedAttributes {
			roots = essentials(roots)
		}
		b, err := json.MarshalIndent(roots, "", "  ")
		if err != nil {
			return "", 0, fmt.Errorf("writing the elements: %w", err)
		}
		if len(b) > 10*treeBytes { // the indents of a deep tree are most of it
			b, _ = json.Marshal(roots)
		}
		if len(b) > 10*treeBytes {
			return "", 0, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("the elements are %d bytes long as JSON", len(b)), Next: "ask for fewer with tree_from_selector or tree_max_depth, or use compact_yaml"}
		}
		return string(b), t.Omitted, nil
	}
	text, omitted := t.Outline(treeBytes)
	return text, omitted + t.Omitted, nil
}

// essentials returns copies of elements without the fields that most readers do not
// need.
func essentials(all []*desktop.Element) []*desktop.Element {
	less := make([]*desktop.Element, len(all))
	for i, e := range all {
		c := *e
		c.Description, c.RawRole, c.Actions, c.Attributes = "", "", nil, nil
		c.Children = essentials(e.Children)
		less[i] = &c
	}
	return less
}
