package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words are words with the one meaning that a type of this name has, and the
// packages that may declare one. A word without a package is one that once
// meant several things, and names no type any more. A word with several packages is
// held to those: a further type is named for what it is.
var words = map[string]struct {
	meaning  string
	packages []string
}{
	// The words of docs/architecture.md.
	"workflow": {"", nil}, // a document is workflows.Document, a compiled one workflows.Program
	"step":     {"one entry of a workflow: as it is written, executed and recorded", []string{"engine", "recorder/compile", "workflows"}},
	"kind":     {"a sort of step; of a selector's part, what it asks for", []string{"steps", "internal/desktop/selector"}},
	"event":    {"a stored fact: of a run, of a recording, of a test run", []string{"engine", "internal/testing/testreport", "recorder"}},
	"effect":   {"what the engine does next", []string{"engine"}},
	"element":  {"a thing on the screen", []string{"internal/desktop"}},
	"lease":    {"the right to act on a desktop", []string{"engine"}},
	"mode":     {"ask or act, per client", []string{"internal/access"}},

	// Words that name several types, each of which is its room's own, and no further one.
	"call":      {"one call of a tool or a kind, as the layer that handles it needs it", []string{"mcpserver", "mcpserver/ask", "mcpserver/viewer", "recorder/compile", "workflows"}},
	"client":    {"who calls a server: of MCP, of AT-SPI, of UI Automation, of X, of VNC, of a browser, of a folder or of a fleet", []string{"internal/clients", "internal/desktop/atspi", "internal/desktop/devtools", "internal/desktop/uia", "internal/desktop/virtual", "internal/fleet", "internal/service", "internal/testing/byhand", "recorder/watch"}},
	"desktops":  {"those that an owner hands out or keeps", []string{"engine", "internal/operations", "internal/rundesktops"}},
	"entry":     {"one line of a list that is stored", []string{"engine", "internal/clients", "internal/desktop", "internal/schedules", "workflows"}},
	"hub":       {"the NATS server of a fleet", []string{"internal/hub"}},
	"keeper":    {"the process that holds a lasting desktop", []string{"internal/desktop/virtual"}},
	"keyboard":  {"the device, in a driver and in a recording; of steps, which windows get its keys", []string{"internal/desktop/wayland", "internal/desktop/wayland/wire", "internal/desktop/x11", "recorder/compile", "recorder/watch", "steps"}},
	"operation": {"what can be done with kept things, declared once; of mcpserver, one with its tool and address", []string{"internal/operations", "internal/schedules", "mcpserver"}},
	"pointer":   {"the device, in a driver and in a recording", []string{"internal/desktop", "internal/desktop/wayland", "internal/desktop/wayland/wire", "internal/desktop/x11", "recorder/compile", "recorder/watch"}},
	"problem":   {"what is wrong with a document, an expression, arguments or a store", []string{"engine", "steps", "workflows", "workflows/expression"}},
	"recording": {"what a person does, while it is recorded and for those who show it", []string{"internal/cli", "internal/rfb", "mcpserver", "mcpserver/viewer", "recorder/watch", "store"}},
	"report":    {"the result of a run, of a check of a document, of a test run", []string{"engine", "internal/testing/testreport", "workflows"}},
	"session":   {"the time that a person or a viewer has a desktop", []string{"internal/desktop", "internal/desktop/local", "internal/rfb", "internal/testing/virtualtest", "recorder/watch"}},
	"state":     {"what is known of a thing that changes: a run, a schedule, a worker, a folder, a page", []string{"engine", "internal/fleet", "internal/schedules", "mcpserver/ask", "steps/browse"}},
	"store":     {"where runs or schedules are kept", []string{"engine", "internal/fleet", "internal/schedules", "store", "store/jetstream"}},

	// Words that each named several types.
	"answer":   {"what a person says to a waiting run", []string{"engine"}},
	"door":     {"", nil},
	"expected": {"", nil},
	"gate":     {"", nil},
	"guard":    {"", nil},
	"news":     {"", nil},
	"patience": {"", nil},
	"place":    {"", nil},
	"seat":     {"the pointers and keyboards of one person, as the protocol of Wayland has it", []string{"internal/desktop/wayland/wire"}},
	"spot":     {"", nil},
	"strike":   {"", nil},
	"telling":  {"", nil},
	"turn":     {"", nil},
	"walk":     {"", nil},
	"watch":    {"", nil},
}

// TestAWordNamesOneThing holds the table of words: the second `type place` is
// refused, and so is a row that is not true any more.
func TestAWordNamesOneThing(t *testing.T) {
	declared := typesByName(t)
	for word, allowed := range words {
		found := slices.Sorted(maps.Keys(declared[word]))
		for _, p := range found {
			if !slices.Contains(allowed.packages, p) {
				t.Errorf("package %s declares a type %q: that word is kept for %q; name the type for what it is", p, word, allowed.meaning)
			}
		}
		for _, p := range allowed.packages {
			if !slices.Contains(found, p) {
				t.Errorf("package %s declares no type %q: correct the table of words", p, word)
			}
		}
	}
}

// typesByName lists the packages that declare a type of each name, in lower
// case.
func typesByName(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all, fset := map[string]map[string]bool{}, token.NewFileSet()
	for _, path := range files(t, ".go") {
		f, err := parser.ParseFile(fset, path, read(t, path), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				name := strings.ToLower(s.(*ast.TypeSpec).Name.Name)
				if all[name] == nil {
					all[name] = map[string]bool{}
				}
				all[name][filepath.ToSlash(filepath.Dir(path))] = true
			}
		}
	}
	return all
}
