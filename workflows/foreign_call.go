package workflows

import (
	"understudy/steps"
	"understudy/workflows/dialect"
)

// ToolName returns the name that a tool of other programs has here; any other name is
// returned as it is.
func ToolName(tool string) string {
	now := dialect.Plain(tool)
	if row, ok := dialect.Find(dialect.Tool, "", now); ok && row.Now != "" {
		return row.Now
	}
	return now
}

// ToolRefusal returns what to do in place of a tool of other programs that has no
// counterpart here, or "".
func ToolRefusal(tool string) string {
	if row, ok := dialect.Find(dialect.Tool, "", dialect.Plain(tool)); ok && row.Refused {
		return row.Why
	}
	return ""
}

// ForeignCall returns a call of a tool of other programs as a call of ours.
func ForeignCall(kinds []steps.Kind, tool string, args map[string]any) (name string, ours map[string]any) {
	if args == nil {
		args = map[string]any{}
	}
	x := made(map[string]any{"tool_name": tool, "arguments": args}, position{})
	t := &translator{report: &report{}, kinds: map[string]*steps.Kind{}}
	for i := range kinds {
		t.kinds[kinds[i].Name] = &kinds[i]
	}
	t.tool(x)
	ours, _ = x.get("arguments").plain().(map[string]any)
	return x.get("tool_name").str(), ours
}

// FindKind returns the kind that a name means, which may be one of another program or of
// an earlier version, and the arguments of a call of it.
func FindKind(kinds []steps.Kind, name string, args map[string]any) (k steps.Kind, ours map[string]any, ok bool) {
	if k, ok = steps.Find(kinds, name); ok {
		return k, args, true
	}
	name, ours = ForeignCall(kinds, name, args)
	k, ok = steps.Find(kinds, name)
	return k, ours, ok
}
