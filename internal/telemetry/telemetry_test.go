package telemetry

import (
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traced "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/steps"
	"understudy/workflows"
)

// receiver receives OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	asked   int
	spans   []*traced.Span
	service string
	metrics map[string]bool
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{metrics: map[string]bool{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked++
		body := io.Reader(q.Body)
		if q.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(q.Body)
		}
		raw, err := io.ReadAll(body)
		if err == nil {
			err = r.take(q.URL.Path, raw)
		}
		if err != nil {
			t.Errorf("%s: %v", q.URL.Path, err)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(path string, raw []byte) error {
	if path == "/v1/metrics" {
		var m collectmetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(raw, &m); err != nil {
			return err
		}
		for _, res := range m.ResourceMetrics {
			for _, scope := range res.ScopeMetrics {
				for _, x := range scope.Metrics {
					r.metrics[x.Name] = true
				}
			}
		}
		return nil
	}
	var m collecttraces.ExportTraceServiceRequest
	if err := proto.Unmarshal(raw, &m); err != nil {
		return err
	}
	for _, res := range m.ResourceSpans {
		for _, a := range res.Resource.Attributes {
			if a.Key == "service.name" {
				r.service = a.Value.GetStringValue()
			}
		}
		for _, scope := range res.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	return nil
}

type nothing struct{}

// newEngine returns an observed engine, with a kind that succeeds and one that fails.
func newEngine(t *testing.T, by *Telemetry) *engine.Engine {
	t.Helper()
	kind := func(name string, err error) steps.Kind {
		return steps.Define(steps.Kind{Name: name, Summary: "For tests.", Toolset: steps.Flow, Reads: true}, nothing{},
			func(context.Context, *steps.Env, nothing) (nothing, error) { return nothing{}, err })
	}
	ask := steps.Define(steps.Kind{Name: "ask_user", Summary: "For tests.", Toolset: steps.Flow, Reads: true, Asks: true}, question{},
		func(context.Context, *steps.Env, question) (nothing, error) { return nothing{}, nil })
	store := storetest.NewMemory()
	e := &engine.Engine{
		Store: store, Files: store, Observe: by.Observe,
		Kinds: []steps.Kind{kind("works", nil), kind("fails", steps.Errorf(steps.NotFound, "the secret of the house")), ask},
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return e
}

type question struct {
	Question string `json:"question"`
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// play plays a document until the run ends or rests.
func play(t *testing.T, e *engine.Engine, document string) engine.Header {
	t.Helper()
	b := engine.Bundle{Main: workflows.Source{Name: "it.yaml", Text: []byte(document)}}
	h, err := e.Start(t.Context(), engine.Request{Bundle: b, Terms: engine.Terms{Client: "laptop", TraceParent: parent}})
	if err == nil {
		h, err = e.Wait(t.Context(), h.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestARunIsATrace plays a run that asks and then fails, and tests what a receiver gets.
func TestARunIsATrace(t *testing.T) {
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	t.Setenv("OTEL_SERVICE_NAME", "desk-7")
	o := New(t.Context(), "1.2.3", quiet())
	if err := o.SendMetrics(t.Context(), func(context.Context) []Reading { return o.Readings() }); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, o)
	h := play(t, e, "name: bill\nsteps: [{id: a, tool_name: works}, {id: q, tool_name: ask_user, arguments: {question: go on}}, {id: b, tool_name: fails}]")
	if _, err := e.Answer(t.Context(), h.ID, engine.Answer{Value: "yes"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Wait(t.Context(), h.ID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	if err := o.Close(ctx); err != nil {
		t.Fatal(err)
	}
	trace, _ := engine.IDBytes(h.ID)
	names := map[string]string{} // id of a span → its name
	for _, s := range r.spans {
		names[string(s.SpanId)] = s.Name
	}
	var got []string
	linked := 0
	for _, s := range r.spans {
		if !slices.Equal(s.TraceId, trace[:]) {
			t.Errorf("the span %s is of the trace %x, want %x", s.Name, s.TraceId, trace)
		}
		var line strings.Builder
		line.WriteString(s.Name + " in " + names[string(s.ParentSpanId)] + ": " + s.Status.GetMessage())
		for _, a := range s.Attributes {
			if a.Key == "understudy.status" {
				line.WriteString(a.Value.GetStringValue())
			}
			if strings.Contains(a.Value.String(), "house") {
				t.Errorf("the span %s tells a message: %v", s.Name, a)
			}
		}
		if s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("the span %s ends before it begins", s.Name)
		}
		for _, l := range s.Links {
			if linked++; s.Name != "run bill" || !strings.Contains(parent, hex(l.TraceId)) || !strings.Contains(parent, hex(l.SpanId)) {
				t.Errorf("the span %s has the link %v", s.Name, l)
			}
		}
		got = append(got, line.String())
	}
	slices.Sort(got)
	want := []string{"fails in run bill: not_founderror", "run bill in : not_foundfailed", "run bill in : waiting", "works in run bill: success"}
	if diff := cmp.Diff(want, got); diff != "" || linked != 2 || r.service != "desk-7" {
		t.Errorf("%d links, from %s; -want +got:\n%s", linked, r.service, diff)
	}
	for _, name := range []string{"understudy_steps_total", "understudy_runs_ended_total"} {
		if !r.metrics[name] {
			t.Errorf("the receiver was not told %s, but %v", name, r.metrics)
		}
	}
}

// unqueued is a store whose runs are handed out by the test.
type unqueued struct{ engine.Store }

func (u unqueued) Append(ctx context.Context, run string, b engine.Batch) error {
	b.Wanted = nil
	return u.Store.Append(ctx, run, b)
}

// TestARunOfAFleetIsATrace begins a run in one process and executes it in another: the
// spans of the worker are in the trace of the run, and linked to its caller.
func TestARunOfAFleetIsATrace(t *testing.T) {
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	o := New(t.Context(), "1", quiet())
	worker := newEngine(t, o)
	client := &engine.Engine{Store: unqueued{worker.Store}, Files: worker.Files, Kinds: worker.Kinds, Elsewhere: true}
	b := engine.Bundle{Main: workflows.Source{Name: "bill.yaml", Text: []byte("steps: [{tool_name: works}, {tool_name: works}]")}}
	h, err := client.Start(t.Context(), engine.Request{Bundle: b, Terms: engine.Terms{TraceParent: parent}, Queue: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, taken, err := worker.Take(t.Context(), h.ID, "w"); !taken || err != nil {
		t.Fatalf("it was taken: %t, %v", taken, err)
	}
	if _, err := worker.Wait(t.Context(), h.ID); err != nil {
		t.Fatal(err)
	}
	if err := o.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	trace, _ := engine.IDBytes(h.ID)
	var got []string
	for _, s := range r.spans {
		if !slices.Equal(s.TraceId, trace[:]) {
			t.Errorf("the span %s is of the trace %x, want %x", s.Name, s.TraceId, trace)
		}
		var line strings.Builder
		line.WriteString(s.Name)
		for _, l := range s.Links {
			if strings.Contains(parent, hex(l.TraceId)) && strings.Contains(parent, hex(l.SpanId)) {
				line.WriteString(", linked")
			}
		}
		got = append(got, line.String())
	}
	slices.Sort(got)
	if want := []string{"run bill, linked", "works", "works"}; !slices.Equal(got, want) {
		t.Errorf("spans %q, wanted %q", got, want)
	}
}

// TestARunThatIsLostIsATrace observes a run that another worker continues: its spans are sent
// when this worker gets the run again, or ends.
func TestARunThatIsLostIsATrace(t *testing.T) {
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	o := New(t.Context(), "1", quiet())
	h := engine.Header{ID: engine.NewKey(), Workflow: "bill"}
	for range 2 {
		o.Observe(h, engine.Event{At: time.Now()}, engine.Assigned{Worker: "w"})
		o.Observe(h, engine.Event{At: time.Now(), Path: "0"}, engine.Started{Kind: "works"})
	}
	if err := o.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.spans {
		got = append(got, s.Name)
	}
	slices.Sort(got)
	if want := []string{"run bill", "run bill", "works", "works"}; !slices.Equal(got, want) {
		t.Errorf("spans %q, wanted %q", got, want)
	}
}

func hex(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for _, x := range b {
		s.WriteByte(digits[x>>4])
		s.WriteByte(digits[x&15])
	}
	return s.String()
}

// TestTelemetryIsOffByDefault tests that nothing is sent if the variables name no receiver, or
// turn sending off. The run is counted all the same.
func TestTelemetryIsOffByDefault(t *testing.T) {
	r := newReceiver(t)
	for say, variables := range map[string]map[string]string{
		"no variable":        {},
		"the SDK is off":     {"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL, "OTEL_SDK_DISABLED": "true"},
		"both are sent none": {"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL, "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
		"another protocol":   {"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
	} {
		t.Run(say, func(t *testing.T) {
			for name, value := range variables {
				t.Setenv(name, value)
			}
			var log strings.Builder
			o := New(t.Context(), "1", slog.New(slog.NewTextHandler(&log, nil)))
			if err := o.SendMetrics(t.Context(), func(context.Context) []Reading { return o.Readings() }); (err != nil) != (say == "another protocol") {
				t.Errorf("metrics: %v", err)
			}
			e := newEngine(t, o)
			play(t, e, "steps: [{tool_name: works}, {tool_name: fails}]")
			if err := o.Close(t.Context()); err != nil {
				t.Error(err)
			}
			var text strings.Builder
			WriteText(&text, o.Readings())
			for _, want := range []string{`understudy_steps_total{kind="works"} 1`, `understudy_steps_failed_total{kind="fails"} 1`, `understudy_runs_ended_total{status="failed"} 1`, `understudy_run_outcomes_total{outcome="stopped before anything was done"} 1`} {
				if !strings.Contains(text.String(), want) {
					t.Errorf("wanted %s in\n%s", want, &text)
				}
			}
			if say == "another protocol" && !strings.Contains(log.String(), "4318") {
				t.Errorf("the log says %s", &log)
			}
		})
	}
	if r.asked > 0 {
		t.Errorf("the receiver was asked %d times", r.asked)
	}
}

// TestAReceiverThatIsAway tests that a run does not wait for a receiver.
func TestAReceiverThatIsAway(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	o := New(t.Context(), "1", quiet())
	if h := play(t, newEngine(t, o), "steps: [{tool_name: works}]"); h.Status != engine.Succeeded {
		t.Errorf("the run is %s", h.Status)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_ = o.Close(ctx)
	if took := time.Since(began); took > 30*time.Second { // by itself the exporter tries for a minute
		t.Errorf("its end took %s", took)
	}
}
