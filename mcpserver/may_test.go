package mcpserver

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/mcpserver/access"
	"understudy/mcpserver/auth"
	"understudy/steps"
	"understudy/workflows"
)

// classOf is the row of a kind in the table of TestMayIt.
func classOf(k steps.Kind) string {
	switch k.Risk {
	case steps.RunsShell, steps.WritesFiles:
		return string(k.Risk)
	case steps.ReadsPrivate:
		return "private " + string(k.Toolset)
	}
	if k.Reads {
		return "looks"
	}
	return "acts"
}

// TestMayIt compares what every credential may do, with every kind and by every way
// to one, with one table. A kind without a row fails.
func TestMayIt(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
	of := func(mode string, toolsets ...steps.Toolset) *auth.Grant {
		return &auth.Grant{Name: "x", Mode: mode, Toolsets: toolsets, AllRuns: mode == auth.Act}
	}
	callers := map[string]caller{}
	for name, g := range map[string]*auth.Grant{
		"person": nil, "operator": {Name: "boss", Mode: auth.Act, Operator: true, AllRuns: true},
		"act": of(auth.Act), "act core": of(auth.Act, steps.Core), "act core,files": of(auth.Act, steps.Core, steps.Files),
		"ask": of(auth.Ask), "ask core": of(auth.Ask, steps.Core), "signed act": {Name: "me@id.example.com", Mode: auth.Act}, "signed ask": {Name: "me@id.example.com", Mode: auth.Ask},
	} {
		callers[name] = caller{name: name, grant: g, Subject: st.clients.subject(g)}
	}
	gone := callers["act"]
	gone.Gone = errors.New("the token of x was taken back")
	callers["revoked"] = gone

	acting := []string{"person", "operator", "act", "act core", "act core,files", "signed act"}
	wide := []string{"person", "operator", "act", "signed act"}
	table := map[string][]string{
		"looks":           append([]string{"ask", "ask core", "signed ask"}, acting...),
		"acts":            acting,
		"shell":           wide,
		"files":           append([]string{"act core,files"}, wide...),
		"private files":   append([]string{"act core,files", "ask", "signed ask"}, wide...),
		"private desktop": append([]string{"ask", "signed ask"}, wide...),
	}
	ways := map[string]func(c *call, k steps.Kind) error{
		"a tool by its name":   func(c *call, k steps.Kind) error { return c.blocked(c.May(st.tools.named[k.Name].Tool)) },
		"a step of a sequence": func(c *call, k steps.Kind) error { return c.permitProgram(programOf(k)) },
		"a step of a called document": func(c *call, k steps.Kind) error {
			return c.permitProgram(&workflows.Program{Steps: []*workflows.Node{{Call: programOf(k)}}})
		},
		"a step that is saved": func(c *call, k steps.Kind) error { return c.blocked(c.MaySave(programOf(k), st.o.Kinds)) },
		"a step of a run, resumed or forgotten": func(c *call, k steps.Kind) error {
			st.inflight.noteRun("run", c.caller)
			defer st.inflight.forgetRun("run")
			return st.clients.allow("run", c.id(), k)
		},
	}
	for _, k := range st.o.Kinds {
		row, ok := table[classOf(k)]
		if !ok {
			t.Errorf("the kind %s has no row: it is of the class %q", k.Name, classOf(k))
			continue
		}
		for way, may := range ways {
			for name, c := range callers {
				want := false
				for _, who := range row {
					want = want || who == name
				}
				if err := may(&call{caller: c}, k); (err == nil) != want {
					t.Errorf("%s as %s, for %s: %v, want allowed: %t", k.Name, way, name, err, want)
				}
			}
		}
	}
}

func programOf(k steps.Kind) *workflows.Program {
	return &workflows.Program{Steps: []*workflows.Node{{Path: "steps[0]", Kind: &k}}}
}

// TestEveryWayAsks holds where the question is asked and where runs are given out.
// A new place is a new way to a kind or a run: it wants a row in the table of
// TestMayIt, or in TestRightsFollowTheData.
func TestEveryWayAsks(t *testing.T) {
	known := map[string]int{}
	for place := range strings.FieldsSeq(waysThatAsk) {
		file, n, _ := strings.Cut(place, ":")
		known[file] = len(n)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, asks := range []string{".May(", ".MayRun(", ".MaySave(", "runs.get(ctx)", ".runsOf(ctx, c)", ".runsFor(", ".RunsFor("} {
			n += strings.Count(string(raw), asks)
		}
		if n != known[file] {
			t.Errorf("%s asks or gives out runs at %d places, the table knows %d: %s", file, n, known[file], strings.Repeat("*", n))
		}
	}
}

// waysThatAsk is a star for each place in a file.
const waysThatAsk = `
	caller.go:** complete.go:* execute_sequence.go:** failure.go:* guide.go:* layers.go:*** library.go:* prompts.go:* record_tool.go:***
	resources.go:***** rights.go:* run_tools.go:****** server.go:* subscriptions.go:** tool.go:**** workflow_tools.go:***
`
