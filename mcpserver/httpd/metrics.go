package httpd

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"understudy/engine"
	"understudy/internal/telemetry"
	"understudy/mcpserver/auth"
)

// metrics serves the text format of Prometheus.
func (o operator) metrics(w http.ResponseWriter, r *http.Request) {
	g, named := auth.From(r.Context())
	w.Header().Set("Content-Type", telemetry.TextType)
	telemetry.WriteText(w, o.Readings(r.Context(), func(owner string) bool { return !named || g.Operator || g.Name == owner }))
}

// Readings returns the current metrics of the server. It includes the stored bytes of a
// credential only if shown reports true.
func (s *Server) Readings(ctx context.Context, shown func(owner string) bool) []telemetry.Reading {
	acting, _ := s.slots.state(s.places(ctx))
	connections, dropped := s.conns.counts()
	n, refused := s.o.Counts(), map[string]uint64{"calls": 0, "requests": 0, "runs": 0, "sessions": 0}
	maps.Copy(refused, s.quotas.refusals())
	all := []telemetry.Reading{
		telemetry.Count("understudy_calls_total", "Tool calls so far.", float64(n.Total)),
		telemetry.Gauge("understudy_calls_active", "Tool calls under way.", float64(n.Calls)),
		telemetry.Gauge("understudy_runs_active", "Runs of clients under way.", float64(n.Runs)),
		telemetry.Gauge("understudy_places_taken", "Runs that may act on the desktop.", float64(acting)),
		telemetry.Gauge("understudy_places", "How many runs may act at once.", float64(s.slots.limit)),
		telemetry.Gauge("understudy_sessions", "Sessions of clients.", float64(len(slices.Collect(s.o.Clients.Sessions())))),
		telemetry.Gauge("understudy_connections", "Open connections.", float64(connections)),
		telemetry.Count("understudy_connections_dropped_total", "Idle connections that were closed to make room.", float64(dropped)),
		telemetry.Gauge("understudy_uptime_seconds", "Seconds since the start.", time.Since(s.began).Seconds()),
		telemetry.By("understudy_refused_total", "what", "Requests that were refused because there were too many.", true, refused),
	}
	if runs, err := s.o.Runs(ctx); err == nil { // otherwise /ready reports the error
		all = append(all, runReadings(ctx, runs, shown)...)
	}
	if s.o.Readings != nil {
		all = append(all, s.o.Readings(ctx)...)
	}
	return all
}

// unfinished lists the statuses of runs that may need attention.
var unfinished = []engine.Status{engine.Queued, engine.Running, engine.Waiting, engine.Paused, engine.Interrupted}

// runReadings returns the metrics of the stored runs.
func runReadings(ctx context.Context, runs engine.Runs, shown func(owner string) bool) (all []telemetry.Reading) {
	if list, err := runs.List(ctx, engine.Query{Status: unfinished, Calls: true}); err == nil {
		by, oldest := map[engine.Status]int{}, time.Duration(0)
		for _, s := range unfinished {
			by[s] = 0
		}
		queued := 0
		for _, h := range list {
			by[h.Status]++
			if h.Status == engine.Queued || h.Position > 0 {
				queued++
				oldest = max(oldest, time.Since(h.StartedAt))
			}
		}
		all = append(all,
			telemetry.By("understudy_runs", "status", "Runs that are not over, or were cut short.", false, by),
			telemetry.Gauge("understudy_queue_length", "Runs that wait for a desktop.", float64(queued)),
			telemetry.Gauge("understudy_queue_oldest_seconds", "For how long the oldest of them has waited.", oldest.Seconds()))
	}
	list, err := runs.List(ctx, engine.Query{Since: time.Now().UTC().Truncate(24 * time.Hour), Calls: true})
	if err != nil {
		return all
	}
	by := map[string]int64{}
	for _, h := range list {
		if shown(h.Owner) {
			by[h.Owner] += h.Bytes
		}
	}
	return append(all, telemetry.By("understudy_stored_bytes", "credential", "Bytes that the runs of a credential have stored which began today (UTC).", false, by))
}
