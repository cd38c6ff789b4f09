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
	".": {"internal/cli", "steps/desktop/local"},

	"steps/desktop":                     {},
	"steps/desktop/atspi":               {"steps/desktop"},
	"steps/desktop/desktoptest":         {"steps/desktop"},
	"steps/desktop/fake":                {"steps/desktop", "steps/desktop/selector"},
	"steps/desktop/input":               {"steps/desktop"},
	"steps/desktop/local":               {"internal/sandbox", "steps/desktop", "steps/desktop/atspi", "steps/desktop/robot", "steps/desktop/virtual", "steps/desktop/wayland", "steps/desktop/x11"},
	"steps/desktop/robot":               {"steps/desktop", "steps/desktop/input"},
	"steps/desktop/selector":            {"steps/desktop"},
	"steps/desktop/virtual":             {"internal/children", "internal/sandbox", "steps/desktop", "steps/desktop/wayland", "steps/desktop/xauth"},
	"steps/desktop/virtual/virtualtest": {"internal/scratch", "steps/desktop/virtual"},
	"steps/desktop/vision":              {"steps/desktop"},
	"steps/desktop/vision/visiontest":   {"steps/desktop", "steps/desktop/vision"},
	"steps/desktop/wayland":             {"internal/wholefile", "steps/desktop", "steps/desktop/input", "steps/desktop/wayland/wire"},
	"steps/desktop/wayland/waylandtest": {"steps/desktop", "steps/desktop/virtual/virtualtest", "steps/desktop/wayland"},
	"steps/desktop/wayland/wire":        {"steps/desktop"},
	"steps/desktop/x11":                 {"steps/desktop", "steps/desktop/input", "steps/desktop/xauth"},
	"steps/desktop/xauth":               {},

	// observe uses aim to find what it looks at; aim never looks at what came of a press.
	"steps":          {"steps/desktop", "steps/desktop/selector"},
	"steps/confined": {"steps", "steps/desktop"},
	"steps/aim":      {"steps", "steps/confined", "steps/desktop", "steps/desktop/selector", "steps/desktop/vision"},
	"steps/observe":  {"steps", "steps/aim", "steps/desktop", "steps/desktop/selector"},
	// Only internal/cli imports the kinds; others get their list as a value.
	"steps/kinds":             {"steps", "steps/aim", "steps/confined", "steps/desktop", "steps/desktop/vision", "steps/kinds/pagecontrol", "steps/kinds/shell", "steps/observe"},
	"steps/kinds/pagecontrol": {"steps", "steps/aim", "steps/desktop", "steps/desktop/selector", "steps/observe"},
	"steps/kinds/shell":       {"internal/children", "internal/sandbox", "steps"},

	"workflows":            {"steps", "workflows/expression"},
	"workflows/expression": {},
	"workflows/examples":   {"workflows"},

	"engine":          {"internal/film", "steps", "steps/desktop", "steps/observe", "workflows", "workflows/expression"},
	"store":           {"engine", "internal/filelock", "store/keeping", "store/sealed"},
	"store/jetstream": {"engine", "store/keeping", "store/sealed"},
	"store/keeping":   {"engine"},
	"store/sealed":    {"engine"},
	"store/storetest": {"engine", "store/keeping"},

	"recorder":         {"steps/desktop", "steps/desktop/selector"},
	"recorder/compile": {"recorder", "steps", "steps/desktop", "steps/desktop/selector", "steps/observe", "workflows"},
	"recorder/watch":   {"internal/words", "recorder", "recorder/compile", "steps/desktop", "steps/desktop/input", "steps/desktop/selector", "steps/desktop/vision"},

	"mcpserver":             {"engine", "internal/desktops", "internal/operations", "internal/repair", "internal/schedules", "internal/telemetry", "internal/versions", "internal/wholefile", "mcpserver/access", "mcpserver/ask", "mcpserver/auth", "mcpserver/httpd", "mcpserver/rfb", "mcpserver/viewer", "recorder", "recorder/compile", "steps", "steps/confined", "steps/desktop", "steps/desktop/virtual", "steps/desktop/vision", "workflows"},
	"mcpserver/access":      {"engine", "steps", "workflows"},
	"mcpserver/ask":         {"engine", "steps", "workflows"},
	"mcpserver/auth":        {"internal/sandbox", "internal/wholefile", "steps"},
	"mcpserver/byhand":      {},
	"mcpserver/conformance": {},
	"mcpserver/httpd":       {"engine", "internal/telemetry", "mcpserver/access", "mcpserver/auth", "steps", "steps/desktop"},
	"mcpserver/probe":       {},
	"mcpserver/rfb":         {"steps/desktop", "steps/desktop/input", "steps/observe"},
	"mcpserver/rfb/rfbtest": {},
	"mcpserver/viewer":      {"engine", "internal/repair", "internal/versions", "mcpserver/auth", "mcpserver/rfb", "recorder", "recorder/compile", "steps", "steps/desktop", "steps/desktop/virtual", "steps/desktop/vision", "workflows"},

	"internal/cli": {
		"engine", "internal/clients", "internal/desktops", "internal/fleet", "internal/hub", "internal/operations", "internal/owner", "internal/repair", "internal/rundesktops", "internal/sandbox", "internal/schedules", "internal/telemetry", "internal/versions", "internal/wholefile", "mcpserver", "mcpserver/access", "mcpserver/auth", "mcpserver/probe", "mcpserver/viewer", "recorder", "recorder/compile", "recorder/watch", "steps", "steps/aim", "steps/confined", "steps/desktop",
		"steps/desktop/selector", "steps/desktop/virtual", "steps/desktop/wayland", "steps/kinds", "steps/observe", "store", "store/jetstream", "workflows", "workflows/examples", "workflows/expression",
	},
	"internal/children":    {},
	"internal/clients":     {"internal/wholefile"},
	"internal/desktops":    {"internal/operations", "steps", "steps/desktop", "steps/desktop/virtual", "steps/observe"},
	"internal/modelbench":  {},
	"internal/owner":       {"engine", "internal/sandbox", "mcpserver/access", "steps"},
	"internal/crash":       {},
	"internal/e2e":         {},
	"internal/film":        {},
	"internal/filelock":    {},
	"internal/fleet":       {"engine", "internal/owner", "internal/schedules", "internal/telemetry", "mcpserver/access", "mcpserver/rfb", "steps", "steps/desktop", "store", "store/keeping"},
	"internal/hub":         {"internal/filelock", "internal/wholefile", "store/jetstream"},
	"internal/operations":  {"steps"},
	"internal/telemetry":   {"engine"},
	"internal/schedules":   {"engine", "internal/filelock", "internal/operations", "internal/wholefile", "internal/words", "steps", "workflows"},
	"internal/hostile":     {},
	"internal/house":       {},
	"internal/rundesktops": {"engine", "steps", "steps/desktop", "steps/desktop/virtual"},
	"internal/sandbox":     {},
	"internal/lasting":     {},
	"internal/itself":      {"internal/cli", "steps/desktop/local", "steps/desktop/virtual"},
	"internal/manual":      {},
	"internal/packaging":   {},
	"internal/realclients": {},
	"internal/repair":      {"engine", "internal/versions", "recorder", "recorder/compile", "steps", "workflows"},
	"internal/versions":    {"internal/operations", "internal/wholefile", "steps"},
	"internal/scratch":     {},
	"internal/attack":      {},
	"internal/testreport":  {},
	"internal/wholefile":   {},
	"internal/words":       {},
}

// everyone may import these.
var everyone = []string{"internal/words"}

// owners says which packages may import a library; a name ending in a slash
// stands for everything below it.
var owners = map[string][]string{
	"github.com/go-vgo/robotgo/":       {"steps/desktop/robot", "steps/desktop/x11"},
	"github.com/jezek/xgb":             {"steps/desktop/virtual", "steps/desktop/x11"},
	"github.com/jezek/xgb/":            {"steps/desktop/virtual", "steps/desktop/x11"},
	"github.com/bmatcuk/doublestar/v4": {"steps/confined"},
	"github.com/gen2brain/shm":         {"steps/desktop/x11"},
	"github.com/oklog/ulid/v2":         {"engine"},
	"golang.org/x/text/":               {"recorder/compile", "steps/desktop/input"},
	"github.com/godbus/dbus/v5":        {"steps/desktop/atspi", "steps/desktop/wayland", "steps/desktop/wayland/waylandtest"},
	"go.etcd.io/bbolt":                 {"store"},
	"go.etcd.io/bbolt/":                {"store"},
	"github.com/nats-io/nats-server/":  {"internal/hub"},
	"github.com/nats-io/nkeys":         {"internal/hub"},
	"github.com/nats-io/nats.go":       {"internal/hub", "store/jetstream"},
	"github.com/nats-io/nats.go/":      {"store/jetstream"},
	"github.com/coreos/go-oidc/":       {"mcpserver/auth"},
	"github.com/go-jose/":              {"internal/hostile"},
	"github.com/coder/websocket":       {"mcpserver/viewer"},
	"github.com/modelcontextprotocol/": {"mcpserver", "mcpserver/ask", "mcpserver/httpd", "mcpserver/probe"},
	"github.com/spf13/cobra":           {"internal/cli"},
	"github.com/spf13/pflag":           {"internal/cli"},
	"github.com/expr-lang/expr/":       {"workflows/expression"},
	"go.yaml.in/yaml/":                 {"workflows"},
	"mvdan.cc/sh/":                     {"workflows"},
	"github.com/tailscale/hujson":      {"internal/clients"},
	"github.com/google/jsonschema-go/": {"internal/cli", "steps", "workflows", "workflows/expression", "mcpserver"},
	"github.com/rogpeppe/go-internal/": {"internal/versions"},
	"github.com/landlock-lsm/":         {"internal/sandbox"},
	"github.com/adhocore/gronx":        {"internal/schedules"},
	"go.opentelemetry.io/otel":         {"internal/telemetry"},
	"go.opentelemetry.io/otel/":        {"internal/telemetry"},
	"golang.org/x/sys/":                {"internal/children", "internal/filelock", "internal/sandbox", "internal/schedules", "mcpserver/auth", "steps/desktop/local", "steps/desktop/wayland", "store"},
	"golang.org/x/time/":               {"mcpserver/auth"},
	"golang.org/x/term":                {"internal/cli"},
	"golang.org/x/image/":              {"recorder/watch", "steps/desktop/input", "steps/desktop/vision", "steps/desktop/wayland"},
	"github.com/google/go-cmp/":        {"steps/desktop/desktoptest", "store/storetest"},
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
