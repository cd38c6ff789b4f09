package mcpserver

import (
	"context"
	"time"

	"understudy/internal/telemetry"
)

// readings returns the metrics of desktops, schedules and telemetry.
func (s *Server) readings(ctx context.Context) (all []telemetry.Reading) {
	if s.o.Telemetry != nil {
		all = append(all, s.o.Telemetry.Readings()...)
	}
	if s.o.Desktops != nil {
		all = append(all, telemetry.Gauge("understudy_desktops", "Desktops that last.", float64(len(s.o.Desktops.List()))))
	}
	if s.o.Schedules == nil {
		return all
	}
	if list, err := s.o.Schedules.List(ctx); err == nil {
		pending, lag := 0, time.Duration(0)
		for _, e := range list {
			pending += len(e.State.Pending)
			for _, f := range e.State.Pending {
				lag = max(lag, time.Since(f.Due))
			}
		}
		all = append(all,
			telemetry.Gauge("understudy_schedules", "Schedules.", float64(len(list))),
			telemetry.Gauge("understudy_schedules_pending", "Times, messages and files whose runs have not begun.", float64(pending)),
			telemetry.Gauge("understudy_schedule_lag_seconds", "By how much the latest of these is late.", lag.Seconds()))
	}
	return all
}

// SendMetrics sends the metrics of this server to a receiver, if one is configured.
// They never include what a single credential has stored.
func (s *Server) SendMetrics(ctx context.Context) error {
	if s.o.Telemetry == nil {
		return nil
	}
	return s.o.Telemetry.SendMetrics(ctx, func(ctx context.Context) []telemetry.Reading {
		return s.http.Readings(ctx, func(string) bool { return false })
	})
}
