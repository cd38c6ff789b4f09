package store

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// A lazyBatch waits in memory for the next commit, or for the flusher. It is
// readable at once, and lost in a crash. bbolt is never asked to write without
// a sync: that can ruin the file.
type lazyBatch struct {
	run   string
	batch engine.Batch
}

// waiting is what is in memory, in the order of its arrival and by run.
type waiting struct {
	order []lazyBatch
	byRun map[string][]engine.Batch
}

func (w *waiting) add(l lazyBatch) {
	if w.byRun == nil {
		w.byRun = map[string][]engine.Batch{}
	}
	w.order = append(w.order, l)
	w.byRun[l.run] = append(w.byRun[l.run], l.batch)
}

// keep makes anew what waits: the lists that were given away do not change.
func (w *waiting) keep(order []lazyBatch) {
	*w = waiting{}
	for _, l := range order {
		w.add(l)
	}
}

// maxLazy is how many batches may wait: when the disk stays full they would
// fill the memory, so from then on they are refused like others.
const maxLazy = 1024

// appendLazily takes a batch into memory, or says that it must be written.
func (s *Store) appendLazily(r *request) bool {
	s.writing.Lock() // no commit may move the run meanwhile
	defer s.writing.Unlock()
	h, err := s.position(r.run)
	if err == nil {
		err = r.batch.Check(r.run, h.Attempt, h.Seq)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && len(s.lazy.order) >= maxLazy {
		return false
	}
	if err == nil {
		s.lazy.add(lazyBatch{r.run, ownCopy(r.batch)})
		s.flusher.wake()
	}
	r.done <- err
	return true
}

// position is the header of a run with its lazy batches, empty for a new run.
func (s *Store) position(run string) (engine.Header, error) {
	if waiting := s.lazyOf(run); len(waiting) > 0 {
		return waiting[len(waiting)-1].Header, nil
	}
	var h head
	err := s.view(func(tx *bolt.Tx) (err error) {
		h, err = readHead(tx, run)
		return err
	})
	if errors.Is(err, engine.ErrNoRun) {
		err = nil
	}
	return h.Header, err
}

// ownCopy is a batch that the caller's later changes do not reach.
func ownCopy(b engine.Batch) engine.Batch {
	b.Events = slices.Clone(b.Events)
	for i, ev := range b.Events {
		b.Events[i].At = ev.At.UTC().Round(0)
		b.Events[i].Data = bytes.Clone(ev.Data)
	}
	if b.Snapshot != nil {
		b.Snapshot = &engine.Snapshot{Seq: b.Snapshot.Seq, State: bytes.Clone(b.Snapshot.State)}
	}
	return b
}

// lazyOf is what waits for a run, the oldest first.
func (s *Store) lazyOf(run string) []engine.Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lazy.byRun[run]
}

// lazyHeaders are the headers of all runs that wait, as they are now.
func (s *Store) lazyHeaders() map[string]engine.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	headers := map[string]engine.Header{}
	for run, batches := range s.lazy.byRun {
		headers[run] = batches[len(batches)-1].Header
	}
	return headers
}

// dropLazy forgets the first batches, which are durable now.
func (s *Store) dropLazy(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lazy.keep(s.lazy.order[n:])
}

func (s *Store) flush() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	n := len(s.lazy.order)
	s.mu.Unlock()
	if n == 0 {
		return nil
	}
	err := s.commit(nil)
	if err != nil {
		s.log.Warn("lazy events are not stored yet", "batches", n, "error", err)
	}
	return err
}

// A flusher calls a function some time after it was woken, from one goroutine,
// and again until the function succeeds.
type flusher struct {
	woken   chan struct{}
	closing chan struct{}
	done    sync.WaitGroup
	once    sync.Once
}

func (f *flusher) start(after time.Duration, do func() error) {
	f.woken, f.closing = make(chan struct{}, 1), make(chan struct{})
	f.done.Go(func() {
		for {
			select {
			case <-f.closing:
				return
			case <-f.woken:
			}
			select {
			case <-f.closing:
				return
			case <-time.After(after):
			}
			if do() != nil {
				f.wake()
			}
		}
	})
}

func (f *flusher) wake() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

func (f *flusher) stop() {
	f.once.Do(func() { close(f.closing) })
	f.done.Wait()
}

// forgetLazy forgets what waits for runs that were removed.
func (s *Store) forgetLazy(runs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lazy.keep(slices.DeleteFunc(slices.Clone(s.lazy.order), func(l lazyBatch) bool { return slices.Contains(runs, l.run) }))
}
