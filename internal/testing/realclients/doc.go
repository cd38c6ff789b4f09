// Package realclients lets MCP clients that others wrote, as npm has them, use
// the program as their users would: over its standard input and output, and
// over HTTP. It holds only tests; `make clients` runs them.
//
// Which clients, and in which versions, is pinned in testdata/package-lock.json.
package realclients
