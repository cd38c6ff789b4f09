// Package house holds the rules of this repository, as tests. The tables in
// arrows_test.go declare which package may import which, and which package
// owns which library; what they do not list is refused. The other tests hold
// the rules of the pages: links that lead somewhere, decisions that are dated,
// packages that say what they are.
//
// It has no code of its own, and cannot see what a build tag hides from all
// three systems that we build for.
package house
