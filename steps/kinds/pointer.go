package kinds

import "understudy/internal/desktop"

// PointerResult says where the pointer is.
type PointerResult struct {
	At desktop.Point `json:"at" jsonschema:"where the pointer is"`
}

// countTrue returns how many are true.
func countTrue(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}
