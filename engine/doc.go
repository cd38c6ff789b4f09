// Package engine executes workflows durably.
//
// Its main idea: a run is its events. decide looks at the program and at the state
// that the events add up to, and returns the one thing to do next; the engine does
// it, stores the result as events, and applies them. decide and apply use no clock,
// no store and no desktop, so a run can be folded from its events at any time, on
// another day, and continues where it stood.
//
// What it cannot do: know whether an action that was interrupted took place. Such a
// step is doubtful, and only its expect, its nature, or a person decides.
package engine
