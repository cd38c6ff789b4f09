package words

import (
	"encoding/json"
	"strings"
)

// JSON is a value as JSON that is on no page, so that <, > and & stay what they are.
// With an indent each value has a line.
func JSON(v any, indent string) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
