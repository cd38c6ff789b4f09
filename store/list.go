package store

import (
	"bytes"
	"context"
	"iter"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// Runs yields the headers that a query wants, the newest first. Lazy batches are
// written before, or left out if they cannot be. The status is the stored one: a run
// that was cut short is still running here, and the caller reports it as interrupted if
// it knows that no worker executes it.
func (s *Store) Runs(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		_ = s.flush() // it is logged
		left := q.Limit
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
				if left--; !yield(h, nil) || left == 0 {
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
	var cursors []*indexCursor
	for _, prefix := range prefixesFor(q) {
		cursors = append(cursors, newIndexCursor(tx, prefix, q.Before))
	}
	var piece []engine.Header
	for t := newest(cursors); t != nil && len(piece) < size; t = newest(cursors) {
		id, wanted := string(t.id), fits(q, t.value)
		t.next()
		if !wanted {
			continue
		}
		if q.Troubled && !mayBeTroubled(tx, id) {
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

// troubledKey is in the text of a header that counts failures. Most have none, and
// decoding a header takes fifty times as long as looking for it.
var troubledKey = []byte(`"errors":`)

func mayBeTroubled(tx *bolt.Tx, id string) bool {
	return bytes.Contains(tx.Bucket(bucketHeaders).Get([]byte(id)), troubledKey)
}

// newest returns the cursor whose run is the newest, or nil if all have ended.
func newest(cursors []*indexCursor) *indexCursor {
	var best *indexCursor
	for _, t := range cursors {
		if t.id != nil && (best == nil || string(t.id) > string(best.id)) {
			best = t
		}
	}
	return best
}
