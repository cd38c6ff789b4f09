package kinds

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
)

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Each rule holds for every kind that there is.
var rules = []struct {
	say   string
	holds func(steps.Kind) bool
}{
	{"its name is in snake case", func(k steps.Kind) bool { return snakeCase.MatchString(k.Name) }},
	{"its summary is a sentence", func(k steps.Kind) bool { return sentence(k.Summary) }},
	{"its details are sentences", func(k steps.Kind) bool { return k.Details == "" || sentence(k.Details) }},
	{"it belongs to a toolset", func(k steps.Kind) bool {
		return k.Toolset != "" && k.Toolset != steps.Runs && k.Toolset != steps.Record
	}},
	{"it has a default timeout", func(k steps.Kind) bool { return k.Timeout > 0 }},
	{"what reads does not act", func(k steps.Kind) bool { return !k.Reads || k.Touches != steps.Act }},
	{"what reads has no risk but that what it reads is private", func(k steps.Kind) bool { return !k.Reads || k.Risk == steps.Normal || k.Risk == steps.ReadsPrivate }},
	{"what is in the files toolset has a risk", func(k steps.Kind) bool { return k.Toolset != steps.Files || k.Risk != steps.Normal }},
	{"what reads need not say that it is idempotent", func(k steps.Kind) bool { return !k.Reads || !k.Idempotent }},
	{"what takes the focus acts", func(k steps.Kind) bool { return k.Focus != steps.Take || k.Touches == steps.Act }},
	{"what asks does nothing itself", func(k steps.Kind) bool { return !k.Asks || k.Reads && k.Touches == steps.None }},
	{"what destroys is not repeated", func(k steps.Kind) bool { return k.Risk != steps.Destructive || !k.Repeatable() }},
	{"what runs programs is in the shell toolset", func(k steps.Kind) bool { return (k.Risk == steps.RunsShell) == (k.Toolset == steps.Shell) }},
	{"what writes files is in the files toolset", func(k steps.Kind) bool { return k.Risk != steps.WritesFiles || k.Toolset == steps.Files }},
	{"its arguments are closed", func(k steps.Kind) bool { return k.Args().AdditionalProperties != nil }},
}

func sentence(s string) bool {
	return strings.HasSuffix(s, ".") && strings.ToUpper(s[:1]) == s[:1]
}

func TestEveryKind(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			if seen[k.Name] {
				t.Error("the name is taken twice")
			}
			seen[k.Name] = true
			for _, r := range rules {
				if !r.holds(k) {
					t.Errorf("it does not hold that %s", r.say)
				}
			}
			described(t, "argument", k.Args())
			described(t, "result", k.Result())
			for name, d := range k.Defaults() {
				if p := steps.CheckValue(k.Args().Properties[name], d); len(p) > 0 {
					t.Errorf("the default of %s does not fit its own schema: %v", name, p)
				}
			}
		})
	}
}

func described(t *testing.T, what string, s *jsonschema.Schema) {
	t.Helper()
	for name, p := range s.Properties {
		if !snakeCase.MatchString(name) {
			t.Errorf("the %s %s is not in snake case", what, name)
		}
		if p.Description == "" || strings.HasSuffix(p.Description, ".") {
			t.Errorf("the %s %s wants a description without a full stop, found %q", what, name, p.Description)
		}
	}
}

func TestCoreIsSmall(t *testing.T) {
	n := 0
	for _, k := range All() {
		if k.Toolset == steps.Core {
			n++
		}
	}
	if n > 16 {
		t.Errorf("core has %d kinds; with the ten run tools it must not have more than 26 tools, so 16 kinds", n)
	}
}

func TestCoreIsBrief(t *testing.T) {
	const limit = 18 << 10 // bytes, of which about four make a token
	size := 0
	for _, k := range All() {
		if k.Toolset != steps.Core {
			continue
		}
		b, err := json.Marshal(k.ToolArgs())
		if err != nil {
			t.Fatal(err)
		}
		size += len(k.Name) + len(k.Summary) + len(k.Details) + len(b)
	}
	t.Logf("the tools of core take %d bytes", size)
	if size > limit {
		t.Errorf("the tools of core take %d bytes, want at most %d", size, limit)
	}
}

func TestSelectorsInOneString(t *testing.T) {
	for _, c := range []struct {
		say, text string
		want      steps.Selectors
	}{
		{"one", `"role:button"`, steps.Selectors{"role:button"}},
		{"several", `"role:button, name:OK,nth:0"`, steps.Selectors{"role:button", "name:OK", "nth:0"}},
		{"a comma in a name is part of it", `"name:Yes, please, name:No"`, steps.Selectors{"name:Yes, please", "name:No"}},
		{"a comma in parentheses separates alternatives of one selector", `"(name:Yes, name:No) && role:button, name:OK"`, steps.Selectors{"(name:Yes, name:No) && role:button", "name:OK"}},
		{"a point is one selector", `"pos:10,20"`, steps.Selectors{"pos:10,20"}},
		{"a list", `["name:a, name:b", "name:c"]`, steps.Selectors{"name:a, name:b", "name:c"}},
		{"none", `""`, nil},
		{"null", `null`, nil},
	} {
		t.Run(c.say, func(t *testing.T) {
			var got steps.Selectors
			if err := got.UnmarshalJSON([]byte(c.text)); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q %v, want %q", got, err, c.want)
			}
		})
	}
}
