package workflows

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy/steps"
	"understudy/workflows/expression"
)

// A Finding is a reason why a workflow is not fit to run while nobody is there.
type Finding struct {
	Rule string `json:"rule"`
	Problem
}

// A placedNode is a step as the rules see it: in its document, with its arguments as far as they
// are known, and what follows it.
type placedNode struct {
	*Node
	in    *Program
	args  map[string]any // by the names of their fields; nil for an unknown one
	after *Node          // nil: nothing
}

// unattendedRules are the reasons that steps give. Each says what it found, or nothing.
var unattendedRules = []struct {
	name  string
	mend  string
	found func(placedNode) string
}{
	{"unproven", "add what shows that it was done, such as expect: \"!exists('role:dialog')\", or a wait_for_element after it", placedNode.unproven},
	{"place", "name the element: by its name, its text or its id", placedNode.placed},
	{"fallback", "prove what the fallback does by expect, or end there with fail, so that a person looks", placedNode.actsInstead},
	{"wait", "bound it by timeout, or give the answer as an input", placedNode.waitsLong},
}

// Unattended returns why the program, or one that it calls, is not fit to run while nobody is there,
// in the order of the steps.
func (p *Program) Unattended() []Finding {
	all := []Finding{}
	for _, v := range p.Variables {
		if v.Secret && v.Required {
			all = append(all, p.finding("secret", 1, "declare it with required: false and read it from a file or an environment variable, or start the run where a person can type it",
				"the secret %s has to be typed by a person when the run starts", v.Name))
		}
	}
	seen := map[*Program]bool{}
	var visit func(*Program)
	visit = func(p *Program) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, list := range [][]*Node{p.Steps, p.Troubleshooting, p.Finally} {
			p.eachPlaced(list, nil, func(n placedNode) {
				for _, r := range unattendedRules {
					if what := r.found(n); what != "" {
						all = append(all, p.finding(r.name, n.Line, r.mend, "%s: %s", cmp.Or(n.ID, n.Path), what))
					}
				}
				if n.Call != nil {
					visit(n.Call)
				}
			})
		}
	}
	visit(p)
	return all
}

func (p *Program) finding(rule string, line int, mend, format string, args ...any) Finding {
	return Finding{rule, Problem{File: p.Source.Name, Line: max(line, 1), Column: 1, Message: fmt.Sprintf(format, args...), Hint: mend}}
}

// eachPlaced calls f for each node of a list, which is followed by another node.
func (p *Program) eachPlaced(list []*Node, after *Node, f func(placedNode)) {
	for i, n := range list {
		next := after
		if i+1 < len(list) {
			next = list[i+1]
		}
		f(placedNode{n, p, n.knownArgs(), next})
		p.eachPlaced(n.Steps, next, f)
		p.eachPlaced(n.Retry.Before, n, f)
	}
}

// knownArgs returns the arguments of a step as far as they do not depend on the run.
func (n *Node) knownArgs() map[string]any {
	if n.Kind == nil || n.Args == nil || n.Args.Looks() {
		return nil
	}
	v, _ := n.Args.EvalKnown(context.Background(), &expression.Scope{}, nil)
	args, _ := v.(map[string]any)
	return n.Kind.Spread(args)
}

// unproven finds a step that cannot be taken back, and that nothing proves.
func (n placedNode) unproven() string {
	if n.Kind == nil || n.proven() {
		return ""
	}
	if why := n.irrevocable(); why != "" {
		return why + ", and nothing after it shows that it was done"
	}
	return ""
}

// proven reports whether the step fails when it did not do what was meant.
func (n placedNode) proven() bool {
	if n.Proven() || n.args["verify_element_exists"] != nil || n.args["verify_element_not_exists"] != nil {
		return true
	}
	next := n.after
	for next != nil && next.Type == GroupNode && len(next.Steps) > 0 {
		next = next.Steps[0]
	}
	return next != nil && next.Kind != nil && next.Kind.Checks && !next.ContinueOnError
}

// lasting are words on controls for what cannot be taken back, and lastingKeys the keys of it.
var (
	lasting     = regexp.MustCompile(`(?i)\b(save|send|submit|delete|remove|overwrite|replace|discard|pay|buy|order|publish|post|transfer|confirm|erase|speichern|senden|absenden|löschen|entfernen|ersetzen|verwerfen|bezahlen|bestellen|enregistrer|envoyer|supprimer|remplacer|payer|guardar|enviar|eliminar|borrar|pagar)\b`)
	lastingKeys = regexp.MustCompile(`(?i)^\W*(ctrl\W+(shift\W+)?s|ctrl\W+enter|(shift\W+)?delete)\W*$`)
)

// irrevocable says why what the step does cannot be taken back: by what its kind declares, by its
// author, or by what it presses.
func (n placedNode) irrevocable() string {
	switch {
	case n.OnInterrupt == AskIt:
		return "its author marked it as not to be repeated"
	case n.Kind.Risk == steps.Destructive:
		return n.Kind.Name + " cannot be taken back"
	case n.Kind.Touches != steps.Act || n.Kind.Repeatable() || n.Kind.Has("text_to_type"):
		return ""
	}
	if key, _ := n.args["key"].(string); lastingKeys.MatchString(key) {
		return "the keys " + key + " cannot be taken back"
	}
	for _, s := range n.selectors() {
		if word := lasting.FindString(s); word != "" {
			return fmt.Sprintf("%q cannot be taken back", strings.ToLower(word))
		}
	}
	return ""
}

// selectors returns the selectors of the step's element.
func (n placedNode) selectors() (all []string) {
	for _, name := range []string{"selector", "targets", "alternative_selectors"} {
		switch v := n.args[name].(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, x := range v {
				if s, ok := x.(string); ok {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// placed finds a step that acts on whatever is at a place, or has a number.
func (n placedNode) placed() string {
	if n.Kind == nil || n.Kind.Touches != steps.Act {
		return ""
	}
	all := n.selectors()
	byPlace := func(text string) bool {
		s, err := steps.ParseSelector(steps.Selector(text))
		return err == nil && s.ByPlace()
	}
	if len(all) == 0 && (n.args["x"] != nil || n.args["y"] != nil) && n.args["image"] == nil && n.args["ref"] == nil {
		return "its target is named by position only"
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(s string) bool { return !byPlace(s) }) {
		return "its target is named by position or number only: " + all[0]
	}
	return ""
}

// actsInstead finds a step whose fallback acts, so that the run goes on as nobody saw it.
func (n placedNode) actsInstead() string {
	to, ok := n.in.Node(n.Fallback)
	if !ok {
		return ""
	}
	acts := func(x *Node) bool {
		return x.Kind != nil && x.Kind.Touches == steps.Act && !x.Kind.Reads && !x.Proven()
	}
	if acts(to) || slices.ContainsFunc(to.Steps, acts) {
		return fmt.Sprintf("when it fails, %s acts instead, and nothing checks its effect", n.Fallback)
	}
	return ""
}

// longWait is how long a step may take, at most, without being found.
const longWait = time.Hour

// waitsLong finds a step that may keep a run waiting for hours.
func (n placedNode) waitsLong() string {
	switch {
	case n.Kind == nil || n.in.Options.Timeout > 0:
		return ""
	case n.Kind.Asks:
		return "it waits for a person, as long as that takes"
	case n.Timeout >= longWait:
		return fmt.Sprintf("it may take %s", n.Timeout)
	}
	return ""
}
