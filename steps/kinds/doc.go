// Package kinds declares every kind of step, each in a file of its own that has its
// name. All lists them. How elements are found and pressed is in package aim, what
// is looked at before and after an action in package observe.
package kinds
