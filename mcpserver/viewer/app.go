package viewer

import (
	"bytes"
	"sync"
)

// App returns the page that shows a run inside the window of an MCP client. It has no
// data; the client passes them on, and calls tools for it.
var App = sync.OnceValue(func() string {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "app", nil); err != nil {
		panic(err) // impossible: the template takes nothing
	}
	return b.String()
})
