package mcpserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Mode says what a client may do.
type Mode string

// Ask lets a client look; Act lets it touch.
const (
	Ask Mode = "ask"
	Act Mode = "act"
)

// All is the toolset of everything.
const All steps.Toolset = "all"

// Policy says which tools are offered, and what may be done. The same value
// rules lists, calls, and each step of a sequence.
//
// The toolsets and names choose what is offered, for a model can only keep so
// much in mind: a kind that is not offered may still stand in a sequence. Shell
// commands, files and the clipboard are refused unless they are offered.
type Policy struct {
	Mode     Mode            `json:"mode,omitempty"`
	Toolsets []steps.Toolset `json:"toolsets,omitempty"`  // nil: the core
	Tools    []string        `json:"tools,omitempty"`     // offered beside the toolsets
	Exclude  []string        `json:"exclude,omitempty"`   // refused
	ReadOnly bool            `json:"read_only,omitempty"` // refuses what does not only read
}

func (p Policy) completed() Policy {
	if p.Mode == "" {
		p.Mode = Act
	}
	if len(p.Toolsets) == 0 && len(p.Tools) == 0 {
		p.Toolsets = []steps.Toolset{steps.Core}
	}
	return p
}

// Toolsets are the names that a policy may choose from.
func Toolsets() []steps.Toolset {
	return []steps.Toolset{steps.Core, steps.Desktop, steps.Files, steps.Shell, steps.Vision, steps.Record, steps.Flow, All}
}

// rule is what a policy needs to know of a tool or a kind.
type rule struct {
	name    string
	toolset steps.Toolset
	reads   bool
	always  bool // whatever the mode: the tool looks closer by itself
	risk    steps.Risk
}

func ruleOf(k steps.Kind) rule {
	return rule{name: k.Name, toolset: k.Toolset, reads: k.Reads, risk: k.Risk}
}

// offers says whether a tool is listed.
func (p Policy) offers(r rule) bool {
	return p.chooses(r) && p.refuses(r) == nil
}

func (p Policy) chooses(r rule) bool {
	return r.toolset == steps.Runs || slices.Contains(p.Tools, r.name) ||
		slices.Contains(p.Toolsets, All) || slices.Contains(p.Toolsets, r.toolset)
}

// refusal is why a tool may not be used, and what would change that.
type refusal struct{ why, next string }

func (r *refusal) text(tool string) string { return fmt.Sprintf("%s is not allowed: %s", tool, r.why) }

// denied is the error of a step that may not be used.
func (r *refusal) denied(tool string) error {
	return &steps.Error{Code: steps.Denied, Err: errors.New(r.text(tool)), Next: r.next}
}

// refusedUnlessChosen are the risks of what reaches beyond the desktop.
var refusedUnlessChosen = []steps.Risk{steps.RunsShell, steps.WritesFiles, steps.ReadsPrivate}

// refuses says why a tool may not be used; nil: it may.
func (p Policy) refuses(r rule) *refusal {
	switch {
	case r.always && !slices.Contains(p.Exclude, r.name):
		return nil
	case slices.Contains(p.Exclude, r.name):
		return &refusal{"it is excluded by --exclude-tools", "ask the operator, or do without it"}
	case p.Mode == Ask && !r.reads:
		return &refusal{"this client is in ask mode, in which it may only look", "ask the user to switch to act mode"}
	case p.ReadOnly && !r.reads:
		return &refusal{"this server is read-only", "ask the operator to start it without --read-only"}
	case slices.Contains(refusedUnlessChosen, r.risk) && !p.chooses(r):
		return &refusal{
			fmt.Sprintf("the toolset %s is off", r.toolset),
			fmt.Sprintf("ask the operator to start the server with --toolsets core,%s", r.toolset),
		}
	}
	return nil
}

// narrowed is the policy with further limits; it never allows more.
func (p Policy) narrowed(mode Mode, readOnly bool, toolsets []steps.Toolset) Policy {
	if mode == Ask {
		p.Mode = Ask
	}
	p.ReadOnly = p.ReadOnly || readOnly
	if len(toolsets) > 0 {
		kept := slices.DeleteFunc(slices.Clone(toolsets), func(t steps.Toolset) bool {
			return !slices.Contains(p.Toolsets, t) && !slices.Contains(p.Toolsets, All)
		})
		p.Toolsets, p.Tools = slices.Concat(kept, []steps.Toolset{"none"}), nil
	}
	return p
}

// granted is the policy for who has a credential: as with all limits, it never
// allows more.
func (p Policy) granted(g auth.Grant) Policy {
	toolsets := g.Toolsets
	if slices.Contains(toolsets, All) {
		toolsets = nil
	}
	return p.narrowed(Mode(g.Mode), false, toolsets)
}

// ParseToolsets reads a list such as "core,files".
func ParseToolsets(text string) ([]steps.Toolset, error) {
	var out []steps.Toolset
	for name := range strings.SplitSeq(text, ",") {
		t := steps.Toolset(strings.TrimSpace(name))
		if t == "" {
			continue
		}
		if !slices.Contains(Toolsets(), t) {
			return nil, steps.Errorf(steps.Invalid, "there is no toolset %q: known are %v", t, Toolsets())
		}
		out = append(out, t)
	}
	return out, nil
}

// modes are the modes of clients by name, which an operator can change.
type modes struct {
	mu sync.Mutex
	by map[string]Mode
}

// of is the mode of a name; empty: none was set.
func (m *modes) of(client string) Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.by[client]
}

// all are the modes as they are; nobody changes the map.
func (m *modes) all() map[string]Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.by
}

func (m *modes) set(client string, mode Mode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	by := map[string]Mode{client: mode}
	for name, old := range m.by {
		if name != client {
			by[name] = old
		}
	}
	m.by = by
}
