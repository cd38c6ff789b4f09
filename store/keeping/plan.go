// Package keeping decides what a store keeps: which runs go by a retention, and which
// files the events of the others name. It reads and removes nothing itself.
package keeping

import (
	"time"

	"understudy/engine"
)

// A Plan decides from the newest run to the oldest which of them go.
type Plan struct {
	engine.Retention
	Now       time.Time
	Doomed    []Doomed // the newest first
	Resumable int      // runs past a bound that stay, for they can be resumed

	count int
	bytes int64
}

// Doomed is a run that goes, with the bytes of its events.
type Doomed struct {
	ID   string
	Size int64
}

// Visit decides on a run by the bytes of its events, and of files that no newer one
// names.
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
