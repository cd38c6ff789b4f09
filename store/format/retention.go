package format

import (
	"time"

	"understudy/engine"
)

// A Plan decides which runs a retention removes, from the newest to the oldest. It removes
// nothing itself.
type Plan struct {
	engine.Retention
	Now       time.Time
	Doomed    []Doomed // the newest first
	Resumable int      // the number of runs past a bound that are kept because they can be resumed

	count int
	bytes int64
}

// Doomed is a run to be removed.
type Doomed struct {
	ID   string
	Size int64 // of its events, in bytes
}

// Visit decides about a run with the sizes of its events, and of the files that no newer
// run names.
func (p *Plan) Visit(h engine.Header, events, files int64) {
	size := events + files
	past := p.past(h, size)
	switch {
	case p.Active != nil && p.Active(h.ID), !past:
	case engine.Resumable(h) && !p.Force:
		p.Resumable++
	default:
		p.Doomed = append(p.Doomed, Doomed{h.ID, events})
		return
	}
	p.count++
	p.bytes += size
}

func (p *Plan) past(h engine.Header, size int64) bool {
	end := h.EndedAt
	if end.IsZero() {
		end = h.UpdatedAt
	}
	age := p.Now.Sub(end)
	return p.Age > 0 && age > p.Age ||
		p.Reads > 0 && h.Call != "" && h.Reads && age > p.Reads ||
		p.Count > 0 && p.count >= p.Count ||
		p.Bytes > 0 && p.bytes+size > p.Bytes
}
