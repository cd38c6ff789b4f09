// Package telemetry reports what runs and steps do: as spans and metrics over OTLP, if
// the standard variables of OpenTelemetry name a receiver, and as readings for /metrics.
//
// If no variable is set, nothing is sent and only counters are kept. Reported are names
// of workflows, steps and kinds, times, statuses and codes: no input, no result and no
// message.
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
	"go.opentelemetry.io/otel/attribute"
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
	traces   *traces // nil if there is no receiver
	resource *resource.Resource

	mu   sync.Mutex
	ends []func(context.Context) error
}

// wanted reports whether the environment names a receiver of a signal: traces or metrics.
// The error says that it asks for a protocol which is not supported.
func wanted(signal string) (bool, error) {
	const otlp = "OTEL_EXPORTER_OTLP_"
	signal = strings.ToUpper(signal)
	named := os.Getenv(otlp+"ENDPOINT") != "" || os.Getenv(otlp+signal+"_ENDPOINT") != ""
	if !named || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return false, nil
	}
	name := otlp + signal + "_PROTOCOL"
	if os.Getenv(name) == "" {
		name = otlp + "PROTOCOL"
	}
	if p := os.Getenv(name); p != "" && p != "http/protobuf" {
		return true, fmt.Errorf("%s=%s: wanted http/protobuf, the one protocol that is spoken here; the port of a receiver for it is usually 4318", name, p)
	}
	return true, nil
}

// New returns a Telemetry for a version of the program. Errors of sending are logged, and
// have no other effect.
func New(ctx context.Context, version string, log *slog.Logger) *Telemetry {
	t := &Telemetry{}
	traces, _ := wanted("traces")
	if metrics, _ := wanted("metrics"); !traces && !metrics {
		return t
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry was not sent", "error", err) }))
	t.resource, _ = resource.New(ctx, // the last take precedence, and what cannot be detected is left out
		resource.WithAttributes(attribute.String("service.name", "understudy"), attribute.String("service.version", version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err := t.sendTraces(ctx); err != nil {
		log.Warn("no traces are sent", "error", err)
	}
	return t
}

func (t *Telemetry) sendTraces(ctx context.Context) error {
	if ok, err := wanted("traces"); !ok || err != nil {
		return err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithIDGenerator(ids{}), sdktrace.WithResource(t.resource))
	t.traces = &traces{tracer: p.Tracer("understudy"), runs: map[string]*stretch{}}
	t.atEnd(p.Shutdown)
	t.atEnd(t.traces.close)
	return nil
}

// SendMetrics sends the readings that read returns periodically, if there is a receiver.
func (t *Telemetry) SendMetrics(ctx context.Context, read func(context.Context) []Reading) error {
	if ok, err := wanted("metrics"); !ok || err != nil {
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

// atEnd has Close call end.
func (t *Telemetry) atEnd(end func(context.Context) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends = append(t.ends, end)
}

// Close sends what has not been sent yet.
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

// Observe observes a stored event, with its data and the header of the run after it.
func (t *Telemetry) Observe(h engine.Header, ev engine.Event, fact any) {
	t.counters.observe(h, ev, fact)
	if t.traces != nil {
		t.traces.observe(h, ev, fact)
	}
}
