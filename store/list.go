package store

import (
	"context"
	"iter"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// Runs yields the headers that a query wants, the newest first. A status is
// what was stored: a run that was cut short is still running here, and whoever
// knows that nobody runs it calls it interrupted.
func (s *Store) Runs(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		left := q.Limit
		for h, err := range s.merged(ctx, q) {
			if !yield(h, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// merged are the stored headers, and in their places those of runs that still
// wait in memory.
func (s *Store) merged(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		lazy := s.lazy.headers()
		var waiting []engine.Header // the newest last
		for _, h := range lazy {
			if q.Wants(&h) {
				waiting = append(waiting, h)
			}
		}
		slices.SortFunc(waiting, func(a, b engine.Header) int { return strings.Compare(a.ID, b.ID) })
		last := func() engine.Header { return waiting[len(waiting)-1] }
		for h, err := range s.stored(ctx, q) {
			for err == nil && len(waiting) > 0 && last().ID >= h.ID {
				if !yield(last(), nil) {
					return
				}
				waiting = waiting[:len(waiting)-1]
			}
			if _, replaced := lazy[h.ID]; replaced && err == nil {
				continue
			}
			if !yield(h, err) || err != nil {
				return
			}
		}
		for _, h := range slices.Backward(waiting) {
			if !yield(h, nil) {
				return
			}
		}
	}
}

// stored are the headers in the database, read in pieces.
func (s *Store) stored(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		size := pieceRuns
		if q.Limit > 0 {
			size = min(size, q.Limit)
		}
		for {
			if ctx.Err() != nil {
				yield(engine.Header{}, context.Cause(ctx))
				return
			}
			var piece []engine.Header
			err := s.view(func(tx *bolt.Tx) (err error) {
				piece, err = listPiece(tx, q, size)
				return err
			})
			for _, h := range piece {
				if !yield(h, nil) {
					return
				}
				q.Before = h.ID
			}
			if err != nil {
				yield(engine.Header{}, err)
				return
			}
			if len(piece) < size {
				return
			}
		}
	}
}

// listPiece walks the parts of the index side by side, and takes the newest
// run of them each time.
func listPiece(tx *bolt.Tx, q engine.Query, size int) ([]engine.Header, error) {
	var trails []*trail
	for _, prefix := range prefixesFor(q) {
		trails = append(trails, newTrail(tx, prefix, q.Before))
	}
	var piece []engine.Header
	for len(piece) < size {
		t := newest(trails)
		if t == nil {
			break
		}
		id, wanted := string(t.id), fits(q, t.value)
		t.next()
		if !wanted {
			continue
		}
		h, err := readHead(tx, id)
		if err != nil {
			return piece, err
		}
		if q.Wants(&h.Header) {
			piece = append(piece, h.Header)
		}
	}
	return piece, nil
}

// newest is the trail that stands at the newest run, or nil when all ended.
func newest(trails []*trail) *trail {
	var best *trail
	for _, t := range trails {
		if t.id != nil && (best == nil || string(t.id) > string(best.id)) {
			best = t
		}
	}
	return best
}
