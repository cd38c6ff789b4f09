package house

import (
	"slices"
	"strings"
	"testing"
)

// arrows says, for each package, what it imports of this module, directly. The
// table is exact: an arrow that is listed and not used is refused too, so that
// it says what is and not what once was. Tests may import more: a test puts
// parts together.
var arrows = map[string][]string{
	".": {"internal/cli", "internal/desktop/local"},

	"internal/desktop":              {},
	"internal/desktop/atspi":        {"internal/desktop"},
	"internal/testing/desktoptest":  {"internal/desktop", "internal/desktop/vision", "internal/desktop/winapi", "internal/testing/scratch"},
	"internal/testing/fake":         {"internal/desktop", "internal/desktop/selector"},
	"internal/desktop/devtools":     {"internal/desktop"},
	"internal/desktop/extension":    {"internal/sandbox", "internal/desktop", "internal/desktop/devtools"},
	"internal/desktop/input":        {"internal/desktop"},
	"internal/desktop/local":        {"internal/sandbox", "internal/desktop", "internal/desktop/atspi", "internal/desktop/devtools", "internal/desktop/extension", "internal/desktop/robot", "internal/desktop/uia", "internal/desktop/virtual", "internal/desktop/wayland", "internal/desktop/win32", "internal/desktop/x11"},
	"internal/desktop/uia":          {"internal/desktop", "internal/desktop/winapi"},
	"internal/desktop/winapi":       {},
	"internal/desktop/robot":        {"internal/desktop", "internal/desktop/input"},
	"internal/desktop/win32":        {"internal/desktop", "internal/desktop/input", "internal/desktop/winapi"},
	"internal/desktop/selector":     {"internal/desktop"},
	"internal/desktop/virtual":      {"internal/children", "internal/sandbox", "internal/desktop", "internal/desktop/devtools", "internal/desktop/wayland", "internal/desktop/xauth"},
	"internal/testing/virtualtest":  {"internal/desktop", "internal/testing/scratch", "internal/desktop/virtual", "internal/desktop/wayland"},
	"internal/desktop/vision":       {"internal/desktop"},
	"internal/desktop/wayland":      {"internal/fileio", "internal/desktop", "internal/desktop/input", "internal/desktop/wayland/wire"},
	"internal/desktop/wayland/wire": {"internal/desktop"},
	"internal/desktop/x11":          {"internal/desktop", "internal/desktop/input", "internal/desktop/xauth"},
	"internal/desktop/xauth":        {},

	// observe uses aim to find what it looks at; aim never looks at what came of a press.
	"steps":          {"internal/desktop", "internal/desktop/selector"},
	"steps/confined": {"steps", "internal/desktop"},
	"steps/browse":   {"steps", "internal/desktop", "internal/desktop/selector"},
	"steps/aim":      {"steps", "steps/browse", "steps/confined", "internal/desktop", "internal/desktop/selector", "internal/desktop/vision"},
	"steps/observe":  {"steps", "steps/aim", "steps/browse", "internal/desktop", "internal/desktop/selector", "internal/desktop/vision"},
	// Only internal/cli imports the kinds; others get their list as a value.
	"steps/kinds":             {"steps", "steps/aim", "steps/browse", "steps/confined", "internal/desktop", "internal/desktop/vision", "steps/kinds/pagecontrol", "steps/kinds/shell", "steps/observe"},
	"steps/kinds/pagecontrol": {"steps", "steps/aim", "internal/desktop", "internal/desktop/selector", "steps/observe"},
	"steps/kinds/shell":       {"internal/children", "internal/sandbox", "steps"},

	"workflows":            {"steps", "workflows/dialect", "workflows/expression"},
	"workflows/dialect":    {},
	"workflows/expression": {},

	"engine":                     {"internal/film", "steps", "internal/desktop", "steps/observe", "workflows", "workflows/expression"},
	"store":                      {"engine", "internal/fileio", "store/format"},
	"store/jetstream":            {"engine", "store/format"},
	"store/format":               {"engine"},
	"internal/testing/storetest": {"engine", "internal/testing/scratch", "store/format"},

	"recorder":         {"internal/desktop", "internal/desktop/selector"},
	"recorder/compile": {"recorder", "steps", "internal/desktop", "internal/desktop/selector", "steps/observe", "workflows"},
	"recorder/watch":   {"internal/words", "recorder", "recorder/compile", "internal/desktop", "internal/desktop/input", "internal/desktop/selector", "internal/desktop/vision"},

	"mcpserver":                    {"engine", "internal/audit", "internal/bulk", "internal/inbox", "internal/operations", "internal/repair", "internal/schedules", "internal/telemetry", "internal/fileio", "internal/access", "mcpserver/ask", "mcpserver/auth", "mcpserver/httpd", "mcpserver/tasks", "internal/rfb", "mcpserver/viewer", "recorder", "recorder/compile", "steps", "steps/confined", "internal/desktop", "internal/desktop/virtual", "internal/desktop/vision", "workflows"},
	"internal/access":              {"engine", "steps", "workflows"},
	"mcpserver/ask":                {"engine", "steps", "workflows"},
	"mcpserver/auth":               {"internal/sandbox", "internal/fileio", "steps"},
	"internal/testing/byhand":      {"internal/testing/scratch"},
	"internal/testing/conformance": {},
	"mcpserver/httpd":              {"engine", "internal/telemetry", "internal/access", "mcpserver/auth", "mcpserver/tasks", "steps", "internal/desktop"},
	"mcpserver/tasks":              {},
	"internal/rfb":                 {"internal/desktop", "internal/desktop/input", "steps/observe"},
	"internal/movie":               {"internal/desktop", "internal/desktop/vision", "steps"},
	"mcpserver/viewer":             {"engine", "internal/audit", "internal/bulk", "internal/inbox", "internal/movie", "internal/schedules", "internal/repair", "internal/operations", "mcpserver/auth", "internal/rfb", "recorder", "recorder/compile", "steps", "internal/desktop", "internal/desktop/virtual", "internal/desktop/vision", "workflows"},

	"internal/cli": {
		"engine", "internal/audit", "internal/bulk", "internal/inbox", "internal/clients", "internal/operations", "internal/fleet", "internal/hub", "internal/movie", "internal/notify", "internal/repair", "internal/rundesktops", "internal/sandbox", "internal/schedules", "internal/service", "internal/telemetry", "internal/fileio", "mcpserver", "internal/access", "mcpserver/auth", "mcpserver/viewer", "recorder", "recorder/compile", "recorder/watch", "steps", "steps/aim", "steps/confined", "internal/desktop",
		"internal/desktop/extension", "internal/desktop/selector", "internal/desktop/virtual", "internal/desktop/wayland", "steps/kinds", "steps/observe", "store", "store/jetstream", "workflows", "workflows/dialect", "workflows/expression",
	},
	"internal/children":            {},
	"internal/audit":               {"engine"},
	"internal/bulk":                {"engine", "internal/fileio", "internal/operations", "steps"},
	"internal/inbox":               {"engine", "internal/audit", "internal/desktop/virtual", "internal/operations", "internal/schedules", "steps"},
	"internal/notify":              {"engine", "internal/fileio", "internal/inbox", "internal/operations", "internal/schedules", "internal/words", "steps"},
	"internal/clients":             {"internal/fileio"},
	"internal/operations":          {"internal/fileio", "steps", "internal/desktop", "internal/desktop/virtual", "steps/observe"},
	"internal/testing/modelbench":  {},
	"internal/remote":              {"engine", "steps"},
	"internal/service":             {"engine", "internal/remote", "internal/sandbox", "steps"},
	"internal/testing/crash":       {},
	"internal/testing/e2e":         {},
	"internal/film":                {},
	"internal/fileio":              {},
	"internal/fleet":               {"engine", "internal/remote", "internal/schedules", "internal/telemetry", "internal/access", "internal/rfb", "steps", "internal/desktop", "store", "store/format"},
	"internal/hub":                 {"internal/fileio", "store/jetstream"},
	"internal/telemetry":           {"engine"},
	"internal/schedules":           {"engine", "internal/fileio", "internal/operations", "internal/words", "steps", "workflows"},
	"internal/testing/house":       {},
	"internal/rundesktops":         {"engine", "steps", "internal/desktop", "internal/desktop/virtual"},
	"internal/sandbox":             {},
	"internal/testing/lasting":     {},
	"internal/testing/itself":      {"internal/cli", "internal/desktop/local", "internal/desktop/virtual", "internal/service"},
	"internal/testing/manual":      {},
	"internal/packaging":           {},
	"internal/testing/realclients": {},
	"internal/repair":              {"engine", "internal/fileio", "recorder", "recorder/compile", "steps", "workflows"},
	"internal/testing/scratch":     {},
	"internal/testing/mailbox":     {},
	"internal/testing/attack":      {},
	"internal/testing/testreport":  {},
	"internal/words":               {},
}

// everyone may import these.
var everyone = []string{"internal/words"}

// owners says which packages may import a library; a name ending in a slash
// stands for everything below it.
var owners = map[string][]string{
	"github.com/go-vgo/robotgo/":        {"internal/desktop/robot", "internal/desktop/x11"},
	"github.com/jezek/xgb":              {"internal/desktop/virtual", "internal/desktop/x11"},
	"github.com/jezek/xgb/":             {"internal/desktop/virtual", "internal/desktop/x11"},
	"github.com/bmatcuk/doublestar/v4":  {"steps/confined"},
	"github.com/gen2brain/shm":          {"internal/desktop/x11"},
	"github.com/oklog/ulid/v2":          {"engine"},
	"github.com/thedatashed/xlsxreader": {"workflows"},
	"golang.org/x/text/":                {"recorder/compile", "internal/desktop/input"},
	"github.com/godbus/dbus/v5":         {"internal/desktop/atspi", "internal/desktop/wayland", "internal/testing/virtualtest", "internal/notify"},
	"github.com/wneessen/go-mail":       {"internal/notify"},
	"github.com/emersion/go-smtp":       {"internal/testing/mailbox"},
	"go.etcd.io/bbolt":                  {"store"},
	"go.etcd.io/bbolt/":                 {"store"},
	"github.com/nats-io/nats-server/":   {"internal/hub"},
	"github.com/nats-io/nkeys":          {"internal/hub"},
	"github.com/nats-io/nats.go":        {"internal/hub", "store/jetstream"},
	"github.com/nats-io/nats.go/":       {"store/jetstream"},
	"github.com/coreos/go-oidc/":        {"mcpserver/auth"},
	"github.com/go-jose/":               {"internal/testing/attack"},
	"github.com/coder/websocket":        {"mcpserver/viewer"},
	"github.com/modelcontextprotocol/":  {"mcpserver", "mcpserver/ask", "mcpserver/httpd", "mcpserver/tasks", "internal/clients"},
	"github.com/spf13/cobra":            {"internal/cli"},
	"github.com/spf13/pflag":            {"internal/cli"},
	"github.com/expr-lang/expr/":        {"workflows/expression"},
	"go.yaml.in/yaml/":                  {"workflows", "internal/clients"},
	"mvdan.cc/sh/":                      {"workflows", "internal/cli"},
	"github.com/tailscale/hujson":       {"internal/clients"},
	"github.com/BurntSushi/toml":        {"internal/clients"},
	"github.com/google/jsonschema-go/":  {"internal/cli", "steps", "workflows", "workflows/expression", "mcpserver"},
	"github.com/rogpeppe/go-internal/":  {"internal/fileio"},
	"github.com/landlock-lsm/":          {"internal/sandbox"},
	"github.com/adhocore/gronx":         {"internal/schedules"},
	"go.opentelemetry.io/otel":          {"internal/telemetry"},
	"go.opentelemetry.io/otel/":         {"internal/telemetry"},
	"golang.org/x/sys/":                 {"internal/children", "internal/fileio", "internal/sandbox", "internal/schedules", "mcpserver/auth", "internal/desktop/extension", "internal/desktop/local", "internal/desktop/wayland", "internal/desktop/uia", "internal/desktop/win32", "internal/desktop/winapi", "internal/testing/desktoptest", "store"},
	"golang.org/x/time/":                {"mcpserver/auth"},
	"golang.org/x/term":                 {"internal/cli"},
	"golang.org/x/image/":               {"recorder/watch", "internal/desktop/input", "internal/desktop/vision", "internal/desktop/wayland", "internal/movie"},
	"github.com/google/go-cmp/":         {"internal/testing/desktoptest", "internal/testing/storetest"},
}

func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		allowed, listed := arrows[p.Name]
		if !listed {
			t.Errorf("package %s is not listed: say in arrows what it may import", p.Name)
			continue
		}
		for _, name := range p.Inside {
			if slices.Contains(allowed, name) || slices.Contains(everyone, name) {
				continue
			}
			t.Errorf("package %s imports %s, which the table does not allow: it may import %s", p.Name, name, list(allowed))
		}
		for _, name := range allowed {
			if !slices.Contains(p.Inside, name) {
				t.Errorf("package %s may import %s, and does not: remove the arrow from the table", p.Name, name)
			}
		}
	}
}

func TestArrowsAreOfPackagesThatExist(t *testing.T) {
	existing := map[string]bool{}
	for _, p := range packages(t) {
		existing[p.Name] = true
	}
	for name := range arrows {
		if !existing[name] {
			t.Errorf("the table lists package %s, which does not exist", name)
		}
	}
}

func TestOneOwnerPerLibrary(t *testing.T) {
	for _, p := range packages(t) {
		for _, library := range p.Outside {
			allowed, listed := ownersOf(library)
			switch {
			case !listed:
				t.Errorf("package %s imports %s, which has no owner: name one in owners", p.Name, library)
			case !slices.Contains(allowed, p.Name):
				t.Errorf("package %s imports %s, which belongs to %s", p.Name, library, list(allowed))
			}
		}
	}
}

func TestOwnersUseTheirLibraries(t *testing.T) {
	for library, allowed := range owners {
		used := map[string]bool{}
		for _, p := range packages(t) {
			for _, path := range p.Outside {
				if path == library || strings.HasSuffix(library, "/") && strings.HasPrefix(path, library) {
					used[p.Name] = true
				}
			}
		}
		for _, name := range allowed {
			if !used[name] {
				t.Errorf("package %s owns %s, and does not import it: remove it from owners", name, library)
			}
		}
	}
}

func TestOwnersOf(t *testing.T) {
	for _, c := range []struct {
		say, library string
		listed       bool
	}{
		{"a package of a listed library", "github.com/go-vgo/robotgo/x11", true},
		{"the root of a library of which only the parts are listed", "github.com/go-vgo/robotgo", false},
		{"a library whose name begins like a listed one", "go.etcd.io/bbolt2", false},
		{"an unknown library", "example.com/left-pad", false},
	} {
		t.Run(c.say, func(t *testing.T) {
			if _, listed := ownersOf(c.library); listed != c.listed {
				t.Errorf("%s listed: %t, want %t", c.library, listed, c.listed)
			}
		})
	}
}

func ownersOf(library string) (allowed []string, listed bool) {
	for name, packages := range owners {
		if library == name || strings.HasSuffix(name, "/") && strings.HasPrefix(library, name) {
			allowed, listed = append(allowed, packages...), true
		}
	}
	return allowed, listed
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}
