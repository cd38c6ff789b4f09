package engine

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"understudy/workflows"
)

// journal is the state and the events of a run. A recorded event is applied to the
// state at once, and stored by the next flush.
type journal struct {
	e       *Engine
	id      string
	program *workflows.Program
	layout  *layout
	s       State
	header  Header

	pending   []Event       // recorded, but not stored
	facts     []any         // their data, if Observe is set
	stored    uint64        // number of stored events
	base      int           // attempt of the last stored event
	flushed   time.Time     // a time before the last append
	wanted    *Wanted       // in a fleet: the next flush puts the run into the queue
	waits     *Wanted       // what the run wants in the queue now, to which it must not be added again; nil: it is not there
	snapped   uint64        // number of the event of the last snapshot
	room      int           // how much more the run may keep at least; see mayKeep
	excluded  bool          // the clocks exclude a time of which no event tells
	uncounted atomic.Int64  // bytes not yet counted in the header
	first     chan struct{} // receives when the first events of a new run are stored; closed with done
}

// snapshotEvery is the number of events between snapshots of the state: few enough to
// resume quickly, many enough for the cost not to matter.
const snapshotEvery = 5000

func (j *journal) record(t EventType, path string, data any) error {
	return j.recordAs(t, path, data, data)
}

// recordAs is like record, with data whose encoded form differs.
func (j *journal) recordAs(t EventType, path string, data, written any) error {
	ev, err := newEvent(t, path, written)
	if err != nil {
		return err
	}
	ev.fact = data
	return j.append(ev)
}

func (j *journal) append(ev Event) error {
	ev.Seq, ev.Attempt, ev.At = j.s.Seq+1, j.s.Attempt, time.Now().UTC()
	if ev.Type == EvResumed || ev.Type == EvCreated {
		ev.Attempt++
	}
	if err := apply(&j.s, ev); err != nil {
		return fmt.Errorf("run %s: %w", j.id, err)
	}
	j.uncounted.Add(int64(len(ev.Data)))
	j.room -= keptPerByte * len(ev.Data)
	if c, ok := ev.fact.(Captured); ok {
		j.uncounted.Add(int64(c.Bytes))
	}
	if j.e.Observe != nil {
		j.facts = append(j.facts, ev.fact)
	}
	ev.fact = nil
	j.pending = append(j.pending, ev)
	return nil
}

// commit records an event and stores it at once.
func (j *journal) commit(t EventType, path string, data any) error {
	if err := j.record(t, path, data); err != nil {
		return err
	}
	return j.flush(false)
}

// flush stores the recorded events. With lazy set, a crash may lose them.
func (j *journal) flush(lazy bool) error {
	if len(j.pending) == 0 {
		return nil
	}
	uncounted := j.uncounted.Swap(0)
	j.header = headerOf(&j.s, j.header, j.layout)
	j.header.Bytes += uncounted
	j.e.today.add(j.s.Created.Owner, uncounted)
	b := Batch{Attempt: j.base, Seq: j.stored, Events: j.pending, Lazy: lazy}
	if j.wanted != nil {
		j.header.Status = Queued
		if !reflect.DeepEqual(j.wanted, j.waits) {
			b.Wanted = j.wanted
		}
	}
	b.Header = j.header
	asked := time.Now() // taken before the append: the process may be suspended during it
	if j.s.Seq-j.snapped >= cmp.Or(j.e.every, snapshotEvery) || j.excluded && (j.s.Status == Paused || j.s.Status == Waiting) {
		snap, err := snapshot(&j.s)
		if err != nil {
			return err
		}
		b.Snapshot, j.snapped = snap, j.s.Seq
	}
	if err := j.e.Store.Append(context.Background(), j.id, b); err != nil {
		return fmt.Errorf("run %s: storing %d events: %w", j.id, len(b.Events), err)
	}
	if j.stored == 0 {
		j.first <- struct{}{}
	}
	for i, fact := range j.facts {
		j.e.Observe(j.header, j.pending[i], fact)
	}
	j.stored, j.base, j.pending, j.facts, j.flushed, j.wanted = j.s.Seq, j.s.Attempt, nil, nil, asked, nil
	j.e.Notify(j.id)
	return nil
}

// exclude excludes a time from all limits. If the run pauses or asks after it, a snapshot
// tells so whoever continues the run.
func (j *journal) exclude(d time.Duration) {
	j.s.shiftClocks(d)
	j.excluded = j.excluded || d > 0
}

// interval is how long events may wait to be synced with durability: interval.
const interval = 100 * time.Millisecond

// flushBefore stores what must be durable before a step starts.
func (j *journal) flushBefore(n *workflows.Node) error {
	if j.program.Options.Durability == workflows.Interval && n.Repeatable() && time.Since(j.flushed) < interval {
		return nil
	}
	return j.flush(j.lazy())
}

// lazy reports whether the run may be lost in a crash: it is a single call that only
// reads.
func (j *journal) lazy() bool { return j.header.Call != "" && j.header.Reads }
