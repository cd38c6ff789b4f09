// Package aim finds the one element that a step means, waits until it can be reached and
// is still, and presses there.
//
// At is the whole pipeline. It is repeated until the target's time is over:
//
//  1. locate.go and picture.go search the screen for the selectors of a Target, or
//     for a picture. Several matches are an error that names better selectors.
//     When nothing shows, reveal.go scrolls an element into view that is there, as
//     it does later with one that is said to show outside of what it is in; wheel.go
//     turns the wheel for one that its application does not scroll to.
//  2. window.go raises the element's window, once.
//  3. reachable.go checks that the point is on a screen, in the element's own
//     window, and under no other window. A tooltip in the way is dismissed by
//     the pointer (tooltip.go).
//  4. stable.go waits until the element has kept its place for StillTime. Browsers
//     report moves late, so it asks a page itself.
//  5. The hit test at the point must give the element, or something inside it.
//
// Press then clicks, unless the element or its window has moved since (press.go).
// The last condition that did not hold is the error.
//
// A Hand caches what an attempt has learnt. The package knows no kind of step, and does
// not check the effect of an action: that is observe.
package aim
