package engine

import "fmt"

// Check says whether a batch may follow a run that is at an attempt and has
// seq events; a run that does not exist is at attempt 0 with none. Every store
// asks it before it writes.
//
// The run must be where the batch says: it has Seq events, and its attempt is
// Attempt, or the one before when the first event already belongs to Attempt.
// The events are numbered without a gap, their attempts never fall, and a
// batch begins at most one new attempt. The header names the run, its last
// event and that event's attempt.
func (b Batch) Check(run string, attempt int, seq uint64) error {
	begins := attempt+1 == b.Attempt && len(b.Events) > 0 && b.Events[0].Attempt == b.Attempt
	if seq != b.Seq || (attempt != b.Attempt && !begins) {
		return &StaleError{Run: run, WantAttempt: b.Attempt, Attempt: attempt, WantSeq: b.Seq, Seq: seq}
	}
	if seq == 0 && len(b.Events) == 0 {
		return fmt.Errorf("run %s: its first batch has no events; begin with one", run)
	}
	last, err := b.checkEvents(run, attempt)
	if err != nil {
		return err
	}
	return b.checkHeader(run, last)
}

// checkEvents is the attempt of the last event, or why the events do not
// follow one another.
func (b Batch) checkEvents(run string, attempt int) (int, error) {
	last := attempt
	for i, ev := range b.Events {
		if want := b.Seq + uint64(i) + 1; ev.Seq != want {
			return 0, fmt.Errorf("run %s: wanted event %d, the batch has %d; number events without a gap", run, want, ev.Seq)
		}
		if ev.Attempt < last || ev.Attempt > attempt+1 || ev.Attempt < 1 {
			return 0, fmt.Errorf("run %s: event %d is of attempt %d after attempt %d; an attempt follows the one before it", run, ev.Seq, ev.Attempt, last)
		}
		last = ev.Attempt
	}
	return last, nil
}

func (b Batch) checkHeader(run string, attempt int) error {
	h, seq := b.Header, b.Seq+uint64(len(b.Events))
	if h.ID != run || h.Seq != seq || h.Attempt != attempt {
		return fmt.Errorf("run %s: wanted its header at attempt %d with %d events, the batch has that of run %q at attempt %d with %d",
			run, attempt, seq, h.ID, h.Attempt, h.Seq)
	}
	if b.Snapshot != nil && b.Snapshot.Seq > seq {
		return fmt.Errorf("run %s: the snapshot is of event %d, the run has %d events", run, b.Snapshot.Seq, seq)
	}
	return nil
}
