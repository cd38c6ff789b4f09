package engine

// Limits say how many runs with a label may act at a time. Labels without a limit are not
// limited. The mutex of the lease guards what is taken.
type Limits struct {
	Most map[string]int

	taken map[string]int
}

// take counts a run for its labels, unless one of them is at its limit.
func (l *Limits) take(labels []string) (release func(), ok bool) {
	for _, label := range labels {
		if most, limited := l.Most[label]; limited && l.taken[label] >= most {
			return func() {}, false
		}
	}
	l.count(labels, 1)
	return func() { l.count(labels, -1) }, true
}

func (l *Limits) count(labels []string, by int) {
	l.taken = orEmpty(l.taken)
	for _, label := range labels {
		if l.taken[label] += by; l.taken[label] == 0 {
			delete(l.taken, label)
		}
	}
}
