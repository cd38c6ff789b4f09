// Package access answers one question: may this client use this tool? The server's
// policy, narrowed by what limits the client (its credential, the mode of its name,
// the path and headers of its request), refuses a tool or a kind by its name,
// toolset, risk and whether it only reads. The same answer rules lists, calls, each
// step of a document and each step of a run.
//
// It decides from values alone. Which folders a step may reach is decided by
// package steps, where files are opened.
package access

import (
	"cmp"
	"slices"
	"strings"

	"understudy/steps"
)

// Mode is what a client may do at most.
type Mode string

// Ask lets a client only look; Act also lets it act.
const (
	Ask Mode = "ask"
	Act Mode = "act"
)

func (m Mode) Valid() bool { return m == Ask || m == Act }

// All stands for every toolset.
const All steps.Toolset = "all"

// Policy selects the tools that are offered, and limits what may be done.
//
// Toolsets and Tools keep the list short enough for a model: a kind that is not
// offered may still be a step of a sequence. Only shell commands, files and the
// clipboard are refused unless they are offered.
type Policy struct {
	Mode     Mode            `json:"mode,omitempty"`
	Toolsets []steps.Toolset `json:"toolsets,omitempty"`  // nil: the core
	Tools    []string        `json:"tools,omitempty"`     // offered in addition to the toolsets
	Exclude  []string        `json:"exclude,omitempty"`   // refused
	ReadOnly bool            `json:"read_only,omitempty"` // refuses everything that does more than read
	Blocked  []string        `json:"blocked,omitempty"`   // refused in ask mode, even if they only read
}

// WithDefaults returns the policy with act mode and the core toolset where none is set.
func (p Policy) WithDefaults() Policy {
	p.Mode = cmp.Or(p.Mode, Act)
	if len(p.Toolsets) == 0 && len(p.Tools) == 0 {
		p.Toolsets = []steps.Toolset{steps.Core}
	}
	return p
}

// Limits narrow a policy. Their zero value limits nothing.
type Limits struct {
	Mode     Mode
	ReadOnly bool
	Blocked  []string        // in ask mode
	Toolsets []steps.Toolset // nil or All: those of the policy
}

// Narrowed returns the policy within further limits; it never allows more.
func (p Policy) Narrowed(l Limits) Policy {
	if l.Mode == Ask {
		p.Mode, p.Blocked = Ask, slices.Concat(p.Blocked, l.Blocked)
	}
	p.ReadOnly = p.ReadOnly || l.ReadOnly
	if len(l.Toolsets) > 0 && !slices.Contains(l.Toolsets, All) {
		kept := slices.DeleteFunc(slices.Clone(l.Toolsets), func(t steps.Toolset) bool {
			return !slices.Contains(p.Toolsets, t) && !slices.Contains(p.Toolsets, All)
		})
		p.Toolsets, p.Tools = slices.Concat(kept, []steps.Toolset{"none"}), nil
	}
	return p
}

// Toolsets returns the names that a policy may choose from.
func Toolsets() []steps.Toolset {
	return []steps.Toolset{steps.Core, steps.Desktop, steps.Files, steps.Shell, steps.Vision, steps.Browser, steps.Record, steps.Flow, steps.Desktops, steps.Schedules, All}
}

// ParseToolsets reads a list such as "core,files". If there is no toolset of a name, it
// returns an error besides the list.
func ParseToolsets(text string) (out []steps.Toolset, err error) {
	for name := range strings.SplitSeq(text, ",") {
		t := steps.Toolset(strings.TrimSpace(name))
		if t == "" {
			continue
		}
		if out = append(out, t); err == nil && !slices.Contains(Toolsets(), t) {
			err = steps.Errorf(steps.Invalid, "there is no toolset %q: known are %v", t, Toolsets())
		}
	}
	return out, err
}
