package telemetry

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"understudy/engine"
)

// traces makes a trace of each run and a span of each try of a step. A run that waits, is
// paused or is continued later has a span for each stretch in which it was executed. All
// are in one trace, also if several processes executed them, because the id of the trace
// is that of the run.
type traces struct {
	tracer trace.Tracer

	mu   sync.Mutex
	runs map[string]*stretch // the runs that are being executed
}

// A stretch is an uninterrupted part of a run.
type stretch struct {
	ctx   context.Context
	span  trace.Span
	tries map[string]trace.Span // by the path of the step
}

// runKey is the key of the id of the run in a context, for the ids of its spans.
type runKey struct{}

// ids generates the ids of spans.
type ids struct{}

// NewIDs implements trace.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	run, _ := ctx.Value(runKey{}).(string)
	id, ok := engine.IDBytes(run)
	if !ok {
		binary.BigEndian.PutUint64(id[:], rand.Uint64())
		binary.BigEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id, ids{}.NewSpanID(ctx, id)
}

// NewSpanID implements trace.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], 1+rand.Uint64N(1<<63))
	return id
}

func (t *traces) observe(h engine.Header, ev engine.Event, fact any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.runs[h.ID]
	switch f := fact.(type) {
	case engine.Created, engine.Assigned:
		t.begin(h, ev)
		return
	case engine.Started:
		if s == nil {
			s = t.begin(h, ev)
		}
		s.start(t.tracer, ev, f)
	case engine.Ended:
		s.end(ev, f)
	case engine.Finished:
		if s == nil {
			s = t.begin(h, ev)
		}
		t.rest(h.ID, s, ev, f.Status, f.Error)
	case engine.Question:
		t.rest(h.ID, s, ev, engine.Waiting, nil)
	default:
		if ev.Type == engine.EvPaused {
			t.rest(h.ID, s, ev, engine.Paused, nil)
		}
	}
}

// close ends the stretches that are under way.
func (t *traces) close(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for run, s := range t.runs {
		t.rest(run, s, engine.Event{At: time.Now()}, engine.Interrupted, nil)
	}
	return nil
}

// begin begins a stretch of a run, linked to the span of the caller that began the run,
// which may be in another process.
func (t *traces) begin(h engine.Header, ev engine.Event) *stretch {
	t.rest(h.ID, t.runs[h.ID], ev, engine.Interrupted, nil) // another worker had the run meanwhile
	options := []trace.SpanStartOption{
		trace.WithTimestamp(ev.At), trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(
			attribute.String("understudy.run", h.ID), attribute.Int("understudy.attempt", ev.Attempt), attribute.String("understudy.workflow", h.Workflow),
			attribute.String("understudy.client", h.Client), attribute.String("understudy.schedule", h.Schedule),
		),
	}
	caller := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": h.TraceParent})
	if link := trace.LinkFromContext(caller); link.SpanContext.IsValid() {
		options = append(options, trace.WithLinks(link))
	}
	s := &stretch{tries: map[string]trace.Span{}}
	s.ctx, s.span = t.tracer.Start(context.WithValue(context.Background(), runKey{}, h.ID), "run "+cmp.Or(h.Call, h.Workflow), options...)
	t.runs[h.ID] = s
	return s
}

// start begins a try of a step.
func (s *stretch) start(tracer trace.Tracer, ev engine.Event, f engine.Started) {
	_, s.tries[ev.Path] = tracer.Start(s.ctx, f.Kind, trace.WithTimestamp(ev.At), trace.WithAttributes(
		attribute.String("understudy.step", f.ID), attribute.String("understudy.path", ev.Path),
		attribute.String("understudy.kind", f.Kind), attribute.Int("understudy.try", f.Try),
	))
}

// end ends a try of a step.
func (s *stretch) end(ev engine.Event, f engine.Ended) {
	if s == nil || s.tries[ev.Path] == nil {
		return
	}
	span := s.tries[ev.Path]
	span.SetAttributes(attribute.String("understudy.status", f.Outcome.Status), attribute.String("understudy.acted", string(f.Outcome.Acted)))
	finish(span, ev, f.Outcome.Error)
	delete(s.tries, ev.Path)
}

// rest ends a stretch of a run.
func (t *traces) rest(run string, s *stretch, ev engine.Event, status engine.Status, failed *engine.ErrorRecord) {
	if s == nil {
		return
	}
	for _, span := range s.tries { // a question is asked within its step
		span.End(trace.WithTimestamp(ev.At))
	}
	s.span.SetAttributes(attribute.String("understudy.status", string(status)))
	finish(s.span, ev, failed)
	delete(t.runs, run)
}

func finish(span trace.Span, ev engine.Event, failed *engine.ErrorRecord) {
	if failed != nil {
		span.SetAttributes(attribute.String("error.type", string(failed.Code)))
		span.SetStatus(codes.Error, string(failed.Code))
	}
	span.End(trace.WithTimestamp(ev.At))
}
