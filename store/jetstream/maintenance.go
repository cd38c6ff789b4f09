package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/engine"
	"understudy/store/format"
)

// Check reads everything that is stored, from any server, and reports events that do
// not follow the one before, and files whose content does not fit their name.
func (s *Store) Check(ctx context.Context) (*engine.Checkup, error) {
	r := &engine.Checkup{}
	note := func(run string, err error) {
		r.Problems = append(r.Problems, engine.Problem{Run: run, What: err.Error()})
	}
	for h, err := range s.Runs(ctx, engine.Query{}) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.Runs++
		if err != nil {
			note(h.ID, err)
			continue
		}
		s.positions.forget(h.ID) // or Events would not read it from the first message
		last := uint64(0)
		for ev, err := range s.Events(ctx, h.ID, 1) {
			if errors.Is(err, engine.ErrNoRun) { // it was removed meanwhile
				last = h.Seq
				break
			}
			if err != nil {
				note(h.ID, err)
				break
			}
			r.Events++
			last = ev.Seq
		}
		if last < h.Seq {
			note(h.ID, fmt.Errorf("events %d to %d are missing", last+1, h.Seq))
		}
	}
	files, err := s.FileNames(ctx)
	missing := map[string]error{}
	for sort, hashes := range files {
		for _, hash := range hashes {
			if r.Files++; ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if _, err := s.Get(ctx, sort, hash); errors.Is(err, engine.ErrNoFile) {
				missing[hash] = err
			} else if err != nil {
				note("", err)
			}
		}
	}
	if err == nil && len(missing) > 0 {
		files, err = s.FileNames(ctx) // without those that were removed meanwhile
	}
	for _, hashes := range files {
		for _, hash := range hashes {
			if missing[hash] != nil {
				note("", missing[hash])
			}
		}
	}
	return r, err
}

// collectAfter is how long a file may exist before an event names it.
const collectAfter = time.Hour

var errActive = errors.New("it waits for a worker or has one")

func refuseActive(h engine.Header) error {
	if h.Status == engine.Queued || h.Status == engine.Running {
		return errActive
	}
	return nil
}

// Prune removes what a retention does not keep: runs, then files that no run names.
// Runs that wait for a worker or have one are kept.
func (s *Store) Prune(ctx context.Context, r engine.Retention) (done engine.Pruned, err error) {
	plan, named, counted := &format.Plan{Retention: r, Now: time.Now()}, map[string][]string{}, map[string]bool{}
	for h, err := range s.Runs(ctx, engine.Query{}) {
		if err != nil {
			return done, err // a run that cannot be read may name any file
		}
		events, hashes, err := s.measure(ctx, h.ID)
		if errors.Is(err, engine.ErrNoRun) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return done, err
		}
		named[h.ID] = hashes
		if refuseActive(h) != nil {
			continue
		}
		files := int64(0)
		if r.Bytes > 0 {
			for _, hash := range hashes {
				if !counted[hash] {
					counted[hash] = true
					files += s.sizeOf(ctx, hash)
				}
			}
		}
		plan.Visit(h, events, files)
	}
	done.Resumable = plan.Resumable
	for _, d := range slices.Backward(plan.Doomed) {
		err := s.Remove(ctx, d.ID, refuseActive)
		if errors.Is(err, errActive) || errors.Is(err, engine.ErrNoRun) { // somebody has resumed or removed it
			continue
		}
		if err != nil {
			return done, err
		}
		delete(named, d.ID)
		done.Runs, done.Bytes = done.Runs+1, done.Bytes+d.Size
	}
	return done, s.collect(ctx, named, &done)
}

// measure reads a run, and returns the size of its events and the files that it
// names.
func (s *Store) measure(ctx context.Context, run string) (size int64, hashes []string, err error) {
	look := func(data []byte) {
		size += int64(len(data))
		for hash := range format.HashesIn(data) {
			hashes = append(hashes, string(hash))
		}
	}
	last, err := s.last(ctx, run)
	for at := uint64(0); err == nil && at < last.seq; {
		var page []*message
		page, err = s.page(ctx, s.subject(run), at+1)
		for _, m := range page {
			at = m.seq
			look(m.data)
			for _, name := range []string{runHeader, snapshotHeader, eventsHeader} {
				look([]byte(m.header.Get(name)))
			}
			if hash := m.header.Get(eventsHeader); hash != "" {
				content, err := s.Get(ctx, engine.Artifacts, hash)
				if err != nil {
					return 0, nil, fmt.Errorf("run %s: %w", run, err)
				}
				look(content)
			}
		}
	}
	return size, hashes, err
}

// sizeOf returns the size of the files of all sorts with a hash.
func (s files) sizeOf(ctx context.Context, hash string) (size int64) {
	for _, sort := range []engine.FileSort{engine.Documents, engine.Captures, engine.Artifacts} {
		content, _ := s.Get(ctx, sort, hash) // of a sort that has none there is nothing to count
		size += int64(len(content))
	}
	return size
}

// collect removes the files that no run names.
func (s *Store) collect(ctx context.Context, runs map[string][]string, done *engine.Pruned) error {
	named := map[string]bool{}
	for _, hashes := range runs {
		for _, hash := range hashes {
			named[hash] = true
		}
	}
	files, err := s.FileNames(ctx)
	if err != nil {
		return err
	}
	begun, err := s.fileNames(ctx, ".0") // those whose upload was cut short have nothing else
	if err != nil {
		return err
	}
	for sort, hashes := range begun {
		files[sort] = append(files[sort], hashes...)
	}
	for sort, hashes := range files {
		for _, hash := range hashes {
			if named[hash] {
				continue
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			file := s.fileSubject(sort, hash)
			if young, err := s.young(ctx, file); err != nil {
				return err
			} else if young {
				continue
			}
			content, _ := s.Get(ctx, sort, hash) // a damaged one goes too
			if err := errors.Join(s.purge(ctx, filesStream, file), s.purge(ctx, filesStream, file+".*")); err != nil {
				return fmt.Errorf("removing %s %s: %w", sort, hash, err)
			}
			done.Files, done.Bytes = done.Files+1, done.Bytes+int64(len(content))
		}
	}
	return nil
}
