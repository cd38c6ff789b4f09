// Package observe looks at the screen around an action: what is to be shown before
// it, what it must have brought about, and what the caller wants to see afterwards
// (differences, elements with refs, pictures with the password fields blanked).
//
// It finds elements with aim. It never decides what a step does.
package observe
