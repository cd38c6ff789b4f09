package store

import (
	"context"
	"iter"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// Runs yields the headers that a query wants, the newest first, with those of
// lazy batches in their places. The status is the stored one: a run that was cut
// short is still running here, and the caller reports it as interrupted if it
// knows that no worker executes it.
func (s *Store) Runs(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		left, lazy := q.Limit, s.lazy.headers()
		give := func(h engine.Header) (more bool) {
			left--
			return yield(h, nil) && left != 0
		}
		var waiting []engine.Header // the newest last
		for _, id := range slices.Sorted(maps.Keys(lazy)) {
			if h := lazy[id]; q.Wants(&h) {
				waiting = append(waiting, h)
			}
		}
		// giveNewer yields the waiting headers that are not older than a run.
		giveNewer := func(than string) (more bool) {
			for more = true; more && len(waiting) > 0 && waiting[len(waiting)-1].ID >= than; {
				more = give(waiting[len(waiting)-1])
				waiting = waiting[:len(waiting)-1]
			}
			return more
		}
		for h, err := range s.stored(ctx, q) {
			if err != nil {
				yield(h, err)
				return
			}
			if !giveNewer(h.ID) {
				return
			}
			if _, replaced := lazy[h.ID]; !replaced && !give(h) {
				return
			}
		}
		giveNewer("")
	}
}

// stored yields the headers in the database, read in pieces.
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

// listPiece merges the parts of the index, from the newest run on.
func listPiece(tx *bolt.Tx, q engine.Query, size int) ([]engine.Header, error) {
	var trails []*trail
	for _, prefix := range prefixesFor(q) {
		trails = append(trails, newTrail(tx, prefix, q.Before))
	}
	var piece []engine.Header
	for t := newest(trails); t != nil && len(piece) < size; t = newest(trails) {
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

// newest returns the trail whose run is the newest, or nil if all have ended.
func newest(trails []*trail) *trail {
	var best *trail
	for _, t := range trails {
		if t.id != nil && (best == nil || string(t.id) > string(best.id)) {
			best = t
		}
	}
	return best
}
