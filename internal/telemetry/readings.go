package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"understudy/engine"
)

// A Reading is a metric of a server at one moment.
type Reading struct {
	Name, Help string
	Counts     bool // it never decreases
	Label      string
	Values     []Value
}

// A Value is the number for one value of the label.
type Value struct {
	Of     string
	Number float64
}

// Count returns a reading of a number that never decreases.
func Count(name, help string, n float64) Reading {
	return Reading{Name: name, Help: help, Counts: true, Values: []Value{{"", n}}}
}

// Gauge returns a reading of a number that may decrease.
func Gauge(name, help string, n float64) Reading {
	return Reading{Name: name, Help: help, Values: []Value{{"", n}}}
}

// By returns a reading with a number for each value of a label.
func By[K ~string, N int | int64 | uint64 | float64](name, label, help string, counts bool, numbers map[K]N) Reading {
	r := Reading{Name: name, Help: help, Counts: counts, Label: label}
	for _, of := range slices.Sorted(maps.Keys(numbers)) {
		r.Values = append(r.Values, Value{string(of), float64(numbers[of])})
	}
	return r
}

var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// TextType is the content type of WriteText.
const TextType = "text/plain; version=0.0.4; charset=utf-8"

// WriteText writes readings in the text format of Prometheus.
func WriteText(w io.Writer, all []Reading) {
	for _, r := range all {
		sort := "gauge"
		if r.Counts {
			sort = "counter"
		}
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", r.Name, r.Help, r.Name, sort)
		for _, v := range r.Values {
			label := ""
			if r.Label != "" {
				label = fmt.Sprintf(`{%s="%s"}`, r.Label, escaped.Replace(v.Of))
			}
			fmt.Fprintf(w, "%s%s %g\n", r.Name, label, v.Number)
		}
	}
}

// counters count events since the start of the process.
type counters struct {
	mu      sync.Mutex
	ended   map[engine.Status]int
	left    map[engine.RunOutcome]int
	steps   map[string]int // tries, by kind
	failed  map[string]int
	seconds map[string]float64
	kinds   map[string]string // of the tries that have not ended, by run and path
}

func (c *counters) observe(h engine.Header, ev engine.Event, fact any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended, c.steps, c.failed = map[engine.Status]int{}, map[string]int{}, map[string]int{}
		c.left = map[engine.RunOutcome]int{}
		c.seconds, c.kinds = map[string]float64{}, map[string]string{}
	}
	try := h.ID + " " + ev.Path
	switch f := fact.(type) {
	case engine.Started:
		c.kinds[try] = f.Kind
	case engine.Ended:
		if kind := c.kinds[try]; kind != "" { // or it never began: its arguments could not be evaluated
			c.steps[kind]++
			c.seconds[kind] += f.Duration.Seconds()
			if f.Outcome.Status == engine.Errored {
				c.failed[kind]++
			}
		}
		delete(c.kinds, try)
	case engine.Finished:
		c.ended[f.Status]++
		if outcome := h.Conclusion().Outcome; outcome != "" {
			c.left[outcome]++
		}
		maps.DeleteFunc(c.kinds, func(try, _ string) bool { return strings.HasPrefix(try, h.ID+" ") })
	}
}

// Readings returns what was counted of the engine of this process.
func (t *Telemetry) Readings() []Reading {
	c := &t.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	return []Reading{
		By("understudy_runs_ended_total", "status", "Runs that came to an end here, by how.", true, c.ended),
		By("understudy_run_outcomes_total", "outcome", "Runs of workflows that came to an end here, by their outcome.", true, c.left),
		By("understudy_steps_total", "kind", "Tries of steps that ended here, by kind.", true, c.steps),
		By("understudy_steps_failed_total", "kind", "Those of them that failed.", true, c.failed),
		By("understudy_step_seconds_total", "kind", "How long they took together.", true, c.seconds),
	}
}

// producer passes readings to OpenTelemetry.
type producer struct {
	read  func(context.Context) []Reading
	began time.Time
}

// Produce implements metric.Producer.
func (p producer) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	now := time.Now()
	out := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: "understudy"}}
	for _, r := range p.read(ctx) {
		var points []metricdata.DataPoint[float64]
		for _, v := range r.Values {
			set := *attribute.EmptySet()
			if r.Label != "" {
				set = attribute.NewSet(attribute.String(r.Label, v.Of))
			}
			points = append(points, metricdata.DataPoint[float64]{Attributes: set, StartTime: p.began, Time: now, Value: v.Number})
		}
		m := metricdata.Metrics{Name: r.Name, Description: r.Help, Data: metricdata.Gauge[float64]{DataPoints: points}}
		if r.Counts {
			m.Data = metricdata.Sum[float64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
		}
		out.Metrics = append(out.Metrics, m)
	}
	slices.SortFunc(out.Metrics, func(a, b metricdata.Metrics) int { return cmp.Compare(a.Name, b.Name) })
	return []metricdata.ScopeMetrics{out}, nil
}
