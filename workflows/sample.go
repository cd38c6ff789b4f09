package workflows

import _ "embed"

// Sample is a commented document for someone who writes the first one.
func Sample() []byte { return append([]byte(nil), sample...) }

//go:embed sample.yaml
var sample []byte
