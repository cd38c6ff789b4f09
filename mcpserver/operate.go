package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"understudy/engine"
	"understudy/mcpserver/auth"
	"understudy/steps"
	"understudy/steps/desktop"
)

// status tells a load balancer whether a call would be taken.
// It answers also who brought no credential, and then says no more than that.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	st := s.work.standing(s.places(r.Context()))
	code := http.StatusOK
	if st.Busy {
		code = http.StatusServiceUnavailable
	}
	if auth.Stranger(r.Context()) {
		answer(w, code, map[string]bool{"busy": st.Busy})
		return
	}
	answer(w, code, st)
}

// places are the runs that act on the desktop, whoever began them.
func (s *Server) places(ctx context.Context) engine.Places {
	runs, err := s.opened(ctx)
	if err != nil {
		return engine.Places{} // a call will say why
	}
	p, err := runs.Places(ctx)
	if err != nil {
		return engine.Places{}
	}
	return p
}

// ready says whether desktop and store work, and what does not.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	findings := []desktop.Finding{}
	if s.o.Check != nil {
		findings = s.o.Check(r.Context())
	}
	f := desktop.Finding{Name: "store", OK: true, Needed: true}
	if runs, err := s.opened(r.Context()); err != nil {
		f.OK, f.Detail = false, err.Error()
	} else if _, err := runs.List(r.Context(), engine.Query{Limit: 1}); err != nil {
		f.OK, f.Detail = false, err.Error()
	}
	code := http.StatusOK
	for _, f := range append(findings, f) {
		if f.Needed && !f.OK {
			code = http.StatusServiceUnavailable
		}
	}
	answer(w, code, map[string]any{"ready": code == http.StatusOK, "findings": append(findings, f)})
}

// metrics is how things are, for Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	st := s.work.standing(s.places(r.Context()))
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, m := range []struct {
		name, sort, help string
		value            float64
	}{
		{"understudy_calls_total", "counter", "Tool calls so far.", float64(st.total)},
		{"understudy_calls_active", "gauge", "Tool calls under way.", float64(st.calls)},
		{"understudy_runs_active", "gauge", "Runs of clients under way.", float64(st.runs)},
		{"understudy_places_taken", "gauge", "Runs that may act on the desktop.", float64(st.Active)},
		{"understudy_places", "gauge", "How many runs may act at once.", float64(st.Max)},
		{"understudy_sessions", "gauge", "Sessions of clients.", float64(count(s.mcp.Sessions()))},
		{"understudy_uptime_seconds", "gauge", "Seconds since the start.", time.Since(s.began).Seconds()},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %g\n", m.name, m.help, m.name, m.sort, m.name, m.value)
	}
}

// operator says whether a request is an operator's: its credential says so, or,
// where nobody is asked, it came from this machine and from no page.
func (s *Server) operator(r *http.Request) error {
	if r.Header.Get("Origin") != "" {
		return steps.Errorf(steps.Denied, "modes are not changed from a browser")
	}
	if s.o.Gate != nil {
		return operates(r)
	}
	if !local(hostOf(r.RemoteAddr), nil) {
		e := steps.Errorf(steps.Denied, "modes are changed from the machine of the server, not from %s", r.RemoteAddr)
		e.Next = "send the request from there"
		return e
	}
	return nil
}

// changeMode sets the mode of a client by name. It is for an operator; no tool
// can do it.
func (s *Server) changeMode(w http.ResponseWriter, r *http.Request) {
	if err := s.operator(r); err != nil {
		refuse(w, err)
		return
	}
	var body struct {
		Client string `json:"client"`
		Mode   Mode   `json:"mode"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	if err != nil || body.Client == "" || body.Mode != Ask && body.Mode != Act {
		refuse(w, steps.Errorf(steps.Invalid, `wanted {"client": NAME, "mode": "ask" or "act"}`))
		return
	}
	s.modes.set(body.Client, body.Mode)
	s.o.Log.Info("mode changed", "client", body.Client, "mode", body.Mode)
	if err := s.tellRights(r.Context()); err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, body)
}

// events is a stream: of the runs, or with ?run=ID of the events of one. A
// client that comes back says with Last-Event-ID what it has seen.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	runs, err := s.opened(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	seen, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64)
	f := &feed{w: w, control: http.NewResponseController(w), runs: runs, run: r.FormValue("run"), seen: seen}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.work.life(), cancel)()
	if f.run != "" {
		if _, err := runs.Get(ctx, f.run); err != nil {
			refuse(w, err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	f.serve(ctx)
}

// feed sends events to one reader.
type feed struct {
	w       http.ResponseWriter
	control *http.ResponseController
	runs    engine.Runs
	run     string
	seen    uint64
	news    uint64 // of all runs, so far
}

func (f *feed) serve(ctx context.Context) {
	last := time.Now()
	fmt.Fprint(f.w, ": here are the events\n\n")
	for ctx.Err() == nil {
		sent, err := f.send(ctx)
		if err != nil {
			return
		}
		if sent {
			last = time.Now()
		} else if time.Since(last) >= heartbeat {
			last = time.Now()
			fmt.Fprint(f.w, ": still here\n\n")
		}
		if f.control.Flush() != nil {
			return
		}
		if !sent {
			f.await(ctx)
		}
	}
}

// await waits for news, or until it is time for a heartbeat. It waits for those
// of any run: one that stands still may be resumed.
func (f *feed) await(ctx context.Context) {
	timed, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	h, err := f.runs.Await(timed, "", f.news)
	if err == nil {
		f.news = h.Seq
		return
	}
	<-timed.Done() // the runs cannot be reached just now
}

// send writes what is new. The number of a run's news is when it was changed.
func (f *feed) send(ctx context.Context) (sent bool, err error) {
	if f.run != "" {
		evs, err := f.runs.Events(ctx, f.run, f.seen+1)
		for _, ev := range evs {
			f.write(ev.Seq, string(ev.Type), ev)
		}
		return len(evs) > 0, err
	}
	list, err := f.runs.List(ctx, engine.Query{Calls: true, Limit: 100})
	last := f.seen
	for _, h := range list {
		if at := uint64(h.UpdatedAt.UnixNano()); at > last {
			f.write(at, "run", h)
			sent = true
		}
	}
	return sent, err
}

func (f *feed) write(id uint64, name string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		return
	}
	f.seen = max(f.seen, id)
	fmt.Fprintf(f.w, "id: %d\nevent: %s\ndata: %s\n\n", f.seen, name, raw)
}
