package kinds

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
)

// reserved are the fields of a script's result that describe the script and are not
// values of the run; those of the last two are values themselves.
var reserved = []string{"status", "error", "logs", "duration_ms", "set_env", "env"}

// valuesOf returns what a script sets in the run: by lines that it printed, and by the
// fields of the object that it returned.
func valuesOf(result any, printed string) map[string]any {
	values, fields := printedValues(printed), fieldsOf(result)
	for name, v := range fields {
		if !slices.Contains(reserved, name) {
			values[name] = v
		}
	}
	for _, name := range []string{"env", "set_env"} {
		set, _ := fields[name].(map[string]any)
		maps.Copy(values, set)
	}
	return values
}

// fieldsOf returns the fields of an object, or of one in a string of JSON.
func fieldsOf(result any) map[string]any {
	fields, _ := fromJSON(result).(map[string]any)
	return fields
}

// fromJSON returns the object or the list in a string of JSON; any other value is
// returned as it is.
func fromJSON(v any) any {
	text, ok := v.(string)
	if t := strings.TrimSpace(text); !ok || !strings.HasPrefix(t, "{") && !strings.HasPrefix(t, "[") {
		return v
	}
	var inner any
	if json.Unmarshal([]byte(text), &inner) != nil {
		return v
	}
	return inner
}

// setLine matches a printed line that sets a value, as in the workflow commands of
// GitHub Actions.
var setLine = regexp.MustCompile(`(?m)^[ \t]*::set-env name=([^:\r\n]+)::([^\r\n]*)`)

func printedValues(printed string) map[string]any {
	values := map[string]any{}
	for _, m := range setLine.FindAllStringSubmatch(printed, -1) {
		if name := strings.TrimSpace(m[1]); name != "" {
			values[name] = m[2]
		}
	}
	return values
}

// reported returns the failure that a script reports by the status that it returns.
// Other words than these two are values.
func reported(result any) error {
	if status, _ := fieldsOf(result)["status"].(string); status == "failed" || status == "error" {
		return statedFailure(result, "status "+status)
	}
	return nil
}

func statedFailure(result any, stated string) error {
	fields := fieldsOf(result)
	why := cmp.Or(asReason(fields["error"]), asReason(fields["message"]), asReason(fields["reason"]), "it did not say why")
	return steps.Errorf(steps.Unexpected, "the script returned %s: %s", stated, words.Shorten(why, 2000))
}

// asReason returns a text, or the JSON of another value.
func asReason(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, _ := json.Marshal(v)
	return string(b)
}
