// Package engine runs workflows so that they last.
//
// Its main idea: a run is its events. decide looks at the program and at the
// state that the events add up to, and returns the one thing to do next;
// the engine does it, stores what came of it as events, and applies them.
// decide and apply know no clock, no store and no desktop, so a run can be
// folded again from its events at any time, on another day, and goes on where
// it stood.
//
// What it cannot do: know whether an act that was cut short came about. Such
// a step is doubtful, and only its expect, its nature, or a person decides.
package engine
