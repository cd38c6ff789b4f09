// Package telemetry tells others what runs and steps do: as spans and metrics over
// OTLP, where the ordinary variables of OpenTelemetry name a receiver, and as
// readings of which /metrics is made.
//
// Where no variable is set, nothing is sent and only counters are kept. What is told
// are names of workflows, steps and kinds, times, statuses and codes: no input, no
// result and no message.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"understudy/engine"
)

// Telemetry observes an engine. Make one with New.
type Telemetry struct {
	counters counters
	traces   *traces // nil: nobody wants them
	resource *resource.Resource

	mu   sync.Mutex
	ends []func(context.Context) error
}

// wanted says whether the environment names a receiver of signals: traces or metrics.
func wanted(signal string) bool {
	signal = strings.ToUpper(signal)
	named := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
	return named && !strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") && os.Getenv("OTEL_"+signal+"_EXPORTER") != "none"
}

// protocol refuses what is not spoken here.
func protocol(signal string) error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := os.Getenv(name); p != "" {
			if p != "http/protobuf" {
				return fmt.Errorf("%s=%s: wanted http/protobuf, the one protocol that is spoken here; the port of a receiver for it is usually 4318", name, p)
			}
			return nil
		}
	}
	return nil
}

// New makes what observes an engine of a version of the program. What cannot be sent
// is logged, and stops nothing.
func New(ctx context.Context, version string, log *slog.Logger) *Telemetry {
	t := &Telemetry{}
	if !wanted("traces") && !wanted("metrics") {
		return t
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry was not sent", "error", err) }))
	t.resource = describe(ctx, version)
	if err := t.sendTraces(ctx); err != nil {
		log.Warn("no traces are sent", "error", err)
	}
	return t
}

// describe tells who sends; the variables may say otherwise.
func describe(ctx context.Context, version string) *resource.Resource {
	own := resource.NewSchemaless(serviceName.String("understudy"), serviceVersion.String(version))
	given, err := resource.New(ctx, resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return own
	}
	if merged, err := resource.Merge(own, given); err == nil {
		return merged
	}
	return own
}

func (t *Telemetry) sendTraces(ctx context.Context) error {
	if !wanted("traces") {
		return nil
	}
	if err := protocol("traces"); err != nil {
		return err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithIDGenerator(ids{}), sdktrace.WithResource(t.resource))
	t.traces = &traces{tracer: p.Tracer("understudy"), runs: map[string]*stretch{}}
	t.atEnd(p.Shutdown)
	return nil
}

// SendMetrics sends what read gives, again and again, where a receiver is named.
func (t *Telemetry) SendMetrics(ctx context.Context, read func(context.Context) []Reading) error {
	if !wanted("metrics") {
		return nil
	}
	if err := protocol("metrics"); err != nil {
		return err
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	reader := sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithProducer(producer{read, time.Now()}))
	p := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(t.resource))
	t.atEnd(p.Shutdown)
	return nil
}

func (t *Telemetry) atEnd(end func(context.Context) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends = append(t.ends, end)
}

// Close sends what was not sent yet.
func (t *Telemetry) Close(ctx context.Context) error {
	t.mu.Lock()
	ends := t.ends
	t.ends = nil
	t.mu.Unlock()
	var errs []error
	for _, end := range slices.Backward(ends) {
		errs = append(errs, end(ctx))
	}
	return errors.Join(errs...)
}

// Observe takes an event that was stored, with its data and the header after it.
func (t *Telemetry) Observe(h engine.Header, ev engine.Event, fact any) {
	t.counters.observe(h, ev, fact)
	if t.traces != nil {
		t.traces.observe(h, ev, fact)
	}
}
