package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// A saved workflow may be listed as a tool of its own. A call of it is one of
// execute_sequence, which checks rights, asks for what is missing and runs it.

// savedTools are the tools of saved workflows whose names match a pattern.
type savedTools struct {
	library  *library
	patterns []string
	cache    *savedCache
}

// savedCache keeps compiled workflows between two lists, until the folder changes: each
// message of some clients asks for the list.
type savedCache struct {
	mu       sync.Mutex
	stamp    string
	programs map[string]*workflows.Program // by the owner who sees it and its name; nil: it does not compile
	compiled int                           // how often one was compiled
}

// program returns a saved workflow as a subject sees it, or nil.
func (t savedTools) program(name, stamp string, who access.Subject) *workflows.Program {
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	if t.cache.stamp != stamp || t.cache.programs == nil {
		t.cache.stamp, t.cache.programs = stamp, map[string]*workflows.Program{}
	}
	key := fmt.Sprintf("%q %t %s", who.Owner, who.All, name)
	p, known := t.cache.programs[key]
	if known {
		return p
	}
	view := t.library.viewFor(who)
	if src, err := view.get(name); err == nil {
		if _, compiled, err := view.pack(name, src.Dir, src.Text); err == nil {
			p = compiled
		}
	}
	t.cache.programs[key] = p
	t.cache.compiled++
	return p
}

// savedPrefix begins the names of these tools, so that none is that of another.
const savedPrefix = "workflow_"

const (
	longestToolName = 64    // some clients take no longer name
	mostSavedBytes  = 10000 // of the list, which models read as a whole
	mostSummary     = 300   // bytes of a description
)

// workflow returns the saved workflow that the name of a tool means.
func (t savedTools) workflow(tool string) (name string, ok bool) {
	name, ok = strings.CutPrefix(tool, savedPrefix)
	return name, ok && len(tool) <= longestToolName && validName.MatchString(name) && slices.ContainsFunc(t.patterns, func(pattern string) bool {
		match, err := path.Match(pattern, name)
		return err == nil && match
	})
}

// translate makes a call of a tool of a saved workflow one of execute_sequence.
func (t savedTools) translate(p *mcp.CallToolParamsRaw) bool {
	name, ok := t.workflow(p.Name)
	if !ok {
		return false
	}
	inputs := p.Arguments
	if len(inputs) == 0 {
		inputs = json.RawMessage("{}")
	}
	raw, err := json.Marshal(map[string]any{"url": name, "inputs": inputs})
	if err == nil {
		p.Name, p.Arguments = sequenceName, raw
	}
	return err == nil
}

// addTo adds the tools that a subject may call to a list that holds execute_sequence, as
// far as they fit. The description of list_workflows tells of the others.
func (t savedTools) addTo(list *mcp.ListToolsResult, who access.Subject) {
	if len(t.patterns) == 0 || !slices.ContainsFunc(list.Tools, func(d *mcp.Tool) bool { return d.Name == sequenceName }) {
		return
	}
	names, _ := t.library.viewFor(who).Names()
	size, others, stamp := 0, 0, t.library.stamp()
	for _, name := range names {
		d, n := t.declaration(name, stamp, who)
		switch {
		case d == nil:
		case size+n > mostSavedBytes:
			others++
		default:
			size += n
			list.Tools = append(list.Tools, d)
		}
	}
	if others > 0 {
		mentionOthers(list.Tools, others)
	}
}

func mentionOthers(tools []*mcp.Tool, n int) {
	i := slices.IndexFunc(tools, func(d *mcp.Tool) bool { return d.Name == "list_workflows" })
	if i >= 0 {
		d := *tools[i]
		d.Description += fmt.Sprintf(" %d have no tool of their own.", n)
		tools[i] = &d
	}
}

// declaration returns the tool of a saved workflow, and its size in a list; nil if there is
// none for the subject. The text of a tool is an instruction to models, so a workflow of
// another client has none.
func (t savedTools) declaration(name, stamp string, who access.Subject) (*mcp.Tool, int) {
	owner := t.library.owner(name)
	if _, ok := t.workflow(savedPrefix + name); !ok || owner != "" && owner != who.Owner {
		return nil, 0
	}
	p := t.program(name, stamp, who)
	if p == nil || who.MayRun(p) != nil {
		return nil, 0
	}
	does := hintsOf(p)
	d := &mcp.Tool{
		Name: savedPrefix + name, Title: words.Line(cmp.Or(p.Name, name)), Description: summaryOf(name, p), InputSchema: words.VisibleIn(asAny(inputSchema(p))),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: does.reads, OpenWorldHint: &does.openWorld},
		Meta:        appMeta(),
	}
	if !does.reads {
		d.Annotations.DestructiveHint = &does.destructive
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, 0
	}
	return d, len(raw)
}

func asAny(v any) (out any) {
	if raw, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(raw, &out) // what was just encoded can be decoded
	}
	return out
}

func summaryOf(name string, p *workflows.Program) string {
	if p.Description == "" {
		return fmt.Sprintf("Run the saved workflow %s.", name)
	}
	return words.Line(words.Shorten(p.Description, mostSummary))
}

// inputSchema returns the schema of the inputs of a workflow. The run itself asks for
// secrets.
func inputSchema(p *workflows.Program) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, v := range p.Variables {
		if v.Secret {
			continue
		}
		one := *v.Schema
		if raw, err := json.Marshal(v.Default); v.HasDefault && err == nil {
			one.Default = raw
		}
		s.Properties[v.Name] = &one
		s.PropertyOrder = append(s.PropertyOrder, v.Name)
	}
	for _, v := range p.Missing(nil) {
		if !v.Secret {
			s.Required = append(s.Required, v.Name)
		}
	}
	return s
}

// hints tell what the steps of a workflow do at most.
type hints struct{ reads, destructive, openWorld bool }

func hintsOf(p *workflows.Program) hints {
	does := hints{reads: true}
	p.Walk(func(n *workflows.Node) {
		var one hints
		switch {
		case n.Call != nil:
			one = hintsOf(n.Call)
		case n.Kind != nil:
			one = hints{n.Kind.Reads, destroys(*n.Kind), reachesOut(*n.Kind)}
		default:
			return
		}
		does = hints{does.reads && one.reads, does.destructive || one.destructive, does.openWorld || one.openWorld}
	})
	return does
}

// destroys reports whether a kind may destroy what a person has.
func destroys(k steps.Kind) bool { return k.Risk == steps.Destructive || k.RunsCode() }

// reachesOut reports whether a kind reaches beyond the desktop of this machine.
func reachesOut(k steps.Kind) bool { return k.Risk == steps.RunsShell || k.Toolset == steps.Browser }

// savedInterval is how often the folder of saved workflows is read, which a person edits.
const savedInterval = 2 * time.Second

// watch calls changed after each change of the folder, until the context ends.
func (t savedTools) watch(ctx context.Context, interval time.Duration, changed func()) {
	for last := t.library.stamp(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
		if now := t.library.stamp(); now != last {
			last = now
			changed()
		}
	}
}
