// Package mcpserver offers the kinds of steps, and the runs of workflows, to
// clients of the Model Context Protocol, over the standard input and output and
// over HTTP. Each kind becomes a tool; each call of one is a run, so that a
// single click and a long workflow share one history. Around every call stand
// the same layers, in layers.go.
//
// It drives no desktop and opens no store: steps act through engine.Runs, which is
// opened by the first call that needs it. Of desktops it knows those that last, which
// it lists and starts, and their pictures, which people look at.
package mcpserver
