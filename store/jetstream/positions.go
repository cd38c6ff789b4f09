package jetstream

import (
	"sync"

	"understudy/store/format"
)

// positions is what a process remembers about the messages of runs. The zero value
// is ready to use.
type positions struct {
	mu    sync.Mutex
	heads map[string]head
	marks map[string][]mark
}

// A mark is a position to read from: the number of the event that follows a message.
type mark struct {
	next   uint64
	stream uint64
	sum    uint32
}

// mark returns the position after the message of a head.
func (h head) mark() mark { return mark{next: h.seq + 1, stream: h.stream, sum: h.sum} }

const (
	// mostKnown is how many runs are remembered.
	mostKnown = 4096
	// markEvery is the number of events between two marks.
	markEvery = 256
)

// head returns the last known head of a run.
func (p *positions) head(run string) (h head, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, known = p.heads[run]
	return h, known
}

func (p *positions) remember(run string, h head) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heads == nil || len(p.heads) >= mostKnown {
		p.heads = map[string]head{}
	}
	p.heads[run] = h
}

// advance notes that a run has moved from one head to the next.
func (p *positions) advance(run string, from, to head) {
	p.remember(run, to)
	if from.stream > 0 && !from.removed {
		p.mark(run, from.mark())
	}
	p.mark(run, to.mark())
}

// mark adds a mark, and drops the last one if that is close to the one before it.
// The newest mark is always kept, because followers of a run read on from there.
func (p *positions) mark(run string, m mark) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.marks == nil || len(p.marks) >= mostKnown {
		p.marks = map[string][]mark{}
	}
	marks := p.marks[run]
	n := len(marks)
	if n > 0 && marks[n-1].next >= m.next {
		return
	}
	if n > 1 && marks[n-1].next < marks[n-2].next+markEvery {
		marks = marks[:n-1]
	}
	p.marks[run] = append(marks, m)
}

// markBefore returns the last mark that is not behind an event.
func (p *positions) markBefore(run string, event uint64) mark {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := mark{next: 1, sum: format.Seed(run)}
	for _, m := range p.marks[run] {
		if m.next > event {
			break
		}
		at = m
	}
	return at
}

func (p *positions) forget(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.heads, run)
	delete(p.marks, run)
}
