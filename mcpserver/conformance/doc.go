// Package conformance holds the server to the protocol: its tests run the
// official conformance suite against a server that is ours, with all its layers,
// and has the tools, resources and prompts beside its own that the suite wants to
// find. It has no code of its own beyond tests.
package conformance
