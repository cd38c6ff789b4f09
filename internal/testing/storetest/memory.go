package storetest

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"understudy/engine"
	"understudy/store/format"
)

var (
	_ engine.Store = (*Memory)(nil)
	_ engine.Files = (*Memory)(nil)
)

// Memory is a store that lasts as long as the process, for tests.
type Memory struct {
	// OnAppend is called before each batch is stored. If it returns an error, such
	// as a full disk, the batch is refused. It may be nil.
	OnAppend func(run string, b engine.Batch) error

	mu    sync.Mutex
	runs  map[string]*memoryRun
	files map[memoryFile][]byte
}

type memoryRun struct {
	header   engine.Header
	events   []engine.Event
	snapshot *engine.Snapshot
}

type memoryFile struct {
	sort engine.FileSort
	hash string
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{runs: map[string]*memoryRun{}, files: map[memoryFile][]byte{}}
}

func (m *Memory) Append(ctx context.Context, run string, b engine.Batch) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if b.Wanted != nil {
		return engine.ErrNoQueue
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[run]
	if r == nil {
		r = &memoryRun{}
	}
	if err := b.Check(run, r.header.Attempt, r.header.Seq); err != nil {
		return err
	}
	if m.OnAppend != nil {
		if err := m.OnAppend(run, b); err != nil {
			return err
		}
	}
	for _, ev := range b.Events {
		ev.At = ev.At.UTC().Round(0)
		ev.Data = bytes.Clone(ev.Data)
		r.events = append(r.events, ev)
	}
	r.header = b.Header
	if b.Snapshot != nil {
		r.snapshot = &engine.Snapshot{Seq: b.Snapshot.Seq, State: bytes.Clone(b.Snapshot.State)}
	}
	m.runs[run] = r
	return nil
}

func (m *Memory) Events(ctx context.Context, run string, from uint64) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		m.mu.Lock()
		r := m.runs[run]
		var events []engine.Event
		if r != nil {
			events = r.events[min(max(from, 1)-1, uint64(len(r.events))):] // never changed, only added to
		}
		m.mu.Unlock()
		if r == nil {
			yield(engine.Event{}, fmt.Errorf("run %s: %w", run, engine.ErrNoRun))
			return
		}
		for _, ev := range events {
			if ctx.Err() != nil {
				yield(engine.Event{}, context.Cause(ctx))
				return
			}
			ev.Data = bytes.Clone(ev.Data)
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func (m *Memory) Run(_ context.Context, run string) (engine.Header, *engine.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[run]
	if r == nil {
		return engine.Header{}, nil, fmt.Errorf("run %s: %w", run, engine.ErrNoRun)
	}
	if r.snapshot == nil {
		return r.header, nil, nil
	}
	return r.header, &engine.Snapshot{Seq: r.snapshot.Seq, State: bytes.Clone(r.snapshot.State)}, nil
}

func (m *Memory) Runs(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		left := q.Limit
		for _, h := range m.sorted() {
			if ctx.Err() != nil {
				yield(engine.Header{}, context.Cause(ctx))
				return
			}
			if !wants(q, h) {
				continue
			}
			if !yield(h, nil) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// sorted returns all headers, the newest first.
func (m *Memory) sorted() []engine.Header {
	m.mu.Lock()
	defer m.mu.Unlock()
	var headers []engine.Header
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(m.runs))) {
		headers = append(headers, m.runs[id].header)
	}
	return headers
}

// wants reports whether a query wants a run, written as plainly as possible to compare
// stores with.
func wants(q engine.Query, h engine.Header) bool {
	switch {
	case len(q.Status) > 0 && !slices.Contains(q.Status, h.Status),
		q.Workflow != "" && q.Workflow != h.Workflow,
		q.WorkflowID != "" && q.WorkflowID != h.WorkflowID,
		q.TraceID != "" && q.TraceID != h.TraceID,
		q.ExecutionID != "" && q.ExecutionID != h.ExecutionID,
		q.Schedule != "" && q.Schedule != h.Schedule,
		q.Client != "" && q.Client != h.Client,
		q.Owner != "" && q.Owner != h.Owner,
		!slices.ContainsFunc(texts(h), func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }),
		!q.Since.IsZero() && h.StartedAt.Before(q.Since),
		q.Troubled && h.Errors == 0,
		q.Before != "" && h.ID >= q.Before,
		!q.Calls && h.Call != "":
		return false
	}
	return true
}

// texts returns the texts in which the text of a query is searched.
func texts(h engine.Header) []string {
	texts := []string{h.ID, h.Workflow, h.Call, h.Client, h.ResumeFrom}
	if h.Error != nil {
		texts = append(texts, string(h.Error.Code), h.Error.Message, h.Error.Step)
	}
	return texts
}

func (m *Memory) Remove(_ context.Context, run string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[run] == nil {
		return fmt.Errorf("run %s: %w", run, engine.ErrNoRun)
	}
	delete(m.runs, run)
	return nil
}

func (m *Memory) Put(_ context.Context, sort engine.FileSort, content []byte) (string, error) {
	hash := format.HashOf(content)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[memoryFile{sort, hash}] = bytes.Clone(content)
	return hash, nil
}

func (m *Memory) Get(_ context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.files[memoryFile{sort, hash}]
	if !ok {
		return nil, fmt.Errorf("%s %s: %w", sort, hash, engine.ErrNoFile)
	}
	return bytes.Clone(content), nil
}
