package recorder

import "time"

// tellsAfter is how long a step is held back that more input could change.
const tellsAfter = 600 * time.Millisecond

// teller tells the steps as they are understood.
type teller struct {
	tell     func(string)
	compiler *compiler
	told     int
	changed  time.Time
}

func (t *teller) say(line string) {
	if t.tell != nil {
		t.tell(line)
	}
}

func (t *teller) add(ev Event) {
	if t.tell == nil {
		return
	}
	t.compiler.add(ev)
	t.changed = time.Now()
	t.upTo(len(t.compiler.steps) - 1)
}

// quiet tells the last step too, when nothing more came.
func (t *teller) quiet(now time.Time) {
	if t.tell != nil && now.Sub(t.changed) > tellsAfter {
		t.upTo(len(t.compiler.steps))
	}
}

func (t *teller) finish() {
	if t.tell != nil {
		t.compiler.finish()
		t.upTo(len(t.compiler.steps))
	}
}

func (t *teller) upTo(n int) {
	t.told = min(t.told, len(t.compiler.steps)) // steps can be taken back
	for ; t.told < n; t.told++ {
		t.tell(t.compiler.steps[t.told].says)
	}
}
