// Package conformance checks the server against the protocol: its tests run the
// official conformance suite against our server with all its layers, to which they add
// the tools, resources and prompts that the suite expects. It contains only tests.
package conformance
