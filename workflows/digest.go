package workflows

import (
	"crypto/sha256"
	"encoding/hex"
)

// digest is a hash of what a step says, without the steps inside it and
// without what people read: two steps with one digest do the same.
func digest(v *value) string {
	m, ok := v.plain().(map[string]any)
	if !ok {
		return ""
	}
	for _, inner := range []string{"steps", "group_name", "expected_ui_changes", "screenshots"} {
		delete(m, inner)
	}
	if r, ok := m["retry"].(map[string]any); ok {
		delete(r, "before")
	}
	sum := sha256.Sum256([]byte(encode(m)))
	return hex.EncodeToString(sum[:8])
}
