package input

import "cmp"

// LetGo calls release for each key or button that is down, and returns the first error.
func LetGo[K comparable](down map[K]bool, release func(K) error) (first error) {
	for k, is := range down {
		if is {
			first = cmp.Or(first, release(k))
		}
	}
	return first
}
