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

// waiting is what is in memory, in the order of its arrival and by run. The lists
// that it gives away do not change.
type waiting struct {
	mu    sync.Mutex
	order []lazyBatch
	byRun map[string][]engine.Batch
}

// add takes a batch, unless there are so many already.
func (w *waiting) add(l lazyBatch, most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.order) >= most {
		return false
	}
	w.put(l)
	return true
}

func (w *waiting) put(l lazyBatch) {
	if w.byRun == nil {
		w.byRun = map[string][]engine.Batch{}
	}
	w.order = append(w.order, l)
	w.byRun[l.run] = append(w.byRun[l.run], l.batch)
}

// drop forgets the batches that say so.
func (w *waiting) drop(gone func(i int, l lazyBatch) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	order := w.order
	w.order, w.byRun = nil, nil
	for i, l := range order {
		if !gone(i, l) {
			w.put(l)
		}
	}
}

// all are those that wait, the oldest first.
func (w *waiting) all() []lazyBatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.order
}

// of is what waits for a run, the oldest first.
func (w *waiting) of(run string) []engine.Batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byRun[run]
}

// headers are those of all runs that wait, as they are now.
func (w *waiting) headers() map[string]engine.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	headers := map[string]engine.Header{}
	for run, batches := range w.byRun {
		headers[run] = batches[len(batches)-1].Header
	}
	return headers
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
	if err == nil {
		if !s.lazy.add(lazyBatch{r.run, ownCopy(r.batch)}, maxLazy) {
			return false
		}
		s.flusher.wake()
	}
	r.done <- err
	return true
}

// position is the header of a run with its lazy batches, empty for a new run.
func (s *Store) position(run string) (engine.Header, error) {
	if waiting := s.lazy.of(run); len(waiting) > 0 {
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

func (s *Store) flush() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	n := len(s.lazy.all())
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
