// Package observe looks at the screen before and after an action: it checks the effect,
// and returns what the caller asked for (differences, elements with refs, pictures with
// the password fields blanked).
//
// It finds elements with aim. It never decides what a step does.
package observe
