package watch

import (
	"context"
	"time"

	"understudy/recorder"
)

// maxNameTries bounds the reads of the tree for the selectors of one element.
const maxNameTries = 10

// unnamedElements are used elements whose selectors could not be read. They are retried
// when there is time.
type unnamedElements struct {
	elements []*recorder.Seen
	fields   []int // their numbers as fields; 0: none
	tries    int
}

// add queues an element whose selectors are not known yet.
func (u *unnamedElements) add(t *recorder.Seen, field int) {
	const most = 16
	if t == nil || t.Handle == "" || len(t.Selectors) > 0 || len(u.elements) >= most {
		return
	}
	u.elements, u.fields, u.tries = append(u.elements, t), append(u.fields, field), 0
}

// findSelectors finds the selectors of an element that lacks them. The newest comes
// first, as it is most likely still there.
func (k *keyboard) findSelectors(ctx context.Context) {
	n := &k.unnamed
	if len(n.elements) == 0 || k.paused || k.queue.hasAction() || time.Now().Before(k.readAgain) {
		return
	}
	last := len(n.elements) - 1
	t, field := n.elements[last], n.fields[last]
	named := *t
	roots := k.readProgram(ctx, &named.Element)
	if n.tries++; roots == nil && n.tries < maxNameTries {
		return
	}
	n.elements, n.fields, n.tries = n.elements[:last], n.fields[:last], 0
	found := same(roots, &t.Element)
	if found == nil {
		return
	}
	named.Label, named.In, named.Selectors = found.Label, ancestors(found), candidates(found, roots)
	if field > 0 {
		known := *k.focus.of(field) // it may be a secret now
		known.Label, known.In, known.Selectors = named.Label, named.In, named.Selectors
		k.focus.fields[field-1] = &known
	}
	k.write(recorder.Event{Type: recorder.Named, Time: time.Now(), Field: field, Element: &named})
}
