package httpd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"understudy/engine"
)

// heartbeat is the longest time without output on a stream.
const heartbeat = 10 * time.Second

// events streams the changes of runs, or with ?run=ID the events of one run. A client
// that reconnects states the last one that it has received in Last-Event-ID.
func (o operator) events(w http.ResponseWriter, r *http.Request) {
	tool := "list_runs"
	if r.FormValue("run") != "" {
		tool = "get_run"
	}
	runs, err := o.o.RunsFor(r, tool)
	if err != nil {
		refuse(w, err)
		return
	}
	seen, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64)
	f := &feed{w: w, control: http.NewResponseController(w), runs: runs, run: r.FormValue("run"), seen: seen}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(o.o.Life, cancel)()
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

// feed sends events to one client.
type feed struct {
	w       http.ResponseWriter
	control *http.ResponseController
	runs    engine.Runs
	run     string
	seen    uint64
	version uint64 // of all runs, for Await
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

// await waits until any run changes, or it is time for a heartbeat. A run that has
// ended may still be resumed, so no stream ends by itself.
func (f *feed) await(ctx context.Context) {
	timed, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	h, err := f.runs.Await(timed, "", f.version)
	if err == nil {
		f.version = h.Seq
		return
	}
	<-timed.Done() // the runs cannot be reached; try again later
}

// send writes what is new. The event id of a changed run is the time of the change, so
// the changes are sent in that order: a client that reconnects misses none.
func (f *feed) send(ctx context.Context) (sent bool, err error) {
	if f.run != "" {
		evs, err := f.runs.Events(ctx, f.run, f.seen+1)
		for _, ev := range evs {
			f.write(ev.Seq, string(ev.Type), ev)
		}
		return len(evs) > 0, err
	}
	list, err := f.runs.List(ctx, engine.Query{Calls: true, Limit: 100})
	slices.SortFunc(list, func(a, b engine.Header) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
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
