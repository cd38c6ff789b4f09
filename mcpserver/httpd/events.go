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
	"understudy/steps"
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
	f := &feed{w: w, control: http.NewResponseController(w), runs: runs, run: r.FormValue("run"), seen: seen, sent: map[string]uint64{}}
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
	seen    uint64            // the last id that was sent
	sent    map[string]uint64 // run → the Seq of its header that was sent
	news    engine.Header     // of Await: the run that has changed, or none if any may have
}

func (f *feed) serve(ctx context.Context) {
	last := time.Now()
	fmt.Fprint(f.w, ": here are the events\n\n")
	for more := f.await(ctx); ctx.Err() == nil; {
		if more {
			var err error
			if more, err = f.send(ctx); err != nil {
				return
			}
		}
		if more {
			last = time.Now()
		} else if time.Since(last) >= heartbeat {
			last = time.Now()
			fmt.Fprint(f.w, ": still here\n\n")
		}
		if f.control.Flush() != nil {
			return
		}
		if !more {
			more = f.await(ctx)
		}
	}
}

// await waits until a run changes, and reports whether one has before it is time for a
// heartbeat; the first time, at once. A run that has ended may still be resumed, so no
// stream ends by itself.
func (f *feed) await(ctx context.Context) (more bool) {
	timed, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	for {
		h, err := f.runs.Await(timed, "", f.news.Seq)
		if err != nil {
			<-timed.Done() // the runs may be out of reach; try again later
			return false
		}
		if f.news = h; f.run == "" || h.ID == "" || h.ID == f.run {
			return true
		}
	}
}

// send writes what is new, and reports whether there may be more.
func (f *feed) send(ctx context.Context) (more bool, err error) {
	if f.run != "" {
		evs, err := f.runs.Events(ctx, f.run, f.seen+1)
		for _, ev := range evs {
			f.write(ev.Seq, string(ev.Type), ev)
		}
		return len(evs) > 0, err
	}
	changed, err := f.changed(ctx)
	for _, h := range changed {
		if f.sent[h.ID] != h.Seq {
			f.sent[h.ID] = h.Seq
			f.write(uint64(h.UpdatedAt.UnixNano()), "run", h)
			more = true
		}
	}
	return more, err
}

// firstRuns is how many runs a client that has received none yet is sent.
const firstRuns = 100

// changed returns the runs that have changed. The event id of a changed run is the time of
// the change, so the changes are in that order: a client that reconnects misses none.
func (f *feed) changed(ctx context.Context) ([]engine.Header, error) {
	if f.news.ID != "" {
		h, err := f.runs.Get(ctx, f.news.ID)
		if steps.CodeOf(err) == steps.NotFound {
			return nil, nil // it was removed
		}
		return []engine.Header{h}, err
	}
	q := engine.Query{Calls: true}
	if f.seen == 0 {
		q.Limit = firstRuns
	}
	list, err := f.runs.List(ctx, q)
	list = slices.DeleteFunc(list, func(h engine.Header) bool { return uint64(h.UpdatedAt.UnixNano()) <= f.seen })
	slices.SortFunc(list, func(a, b engine.Header) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	return list, err
}

func (f *feed) write(id uint64, name string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		return
	}
	f.seen = max(f.seen, id)
	fmt.Fprintf(f.w, "id: %d\nevent: %s\ndata: %s\n\n", f.seen, name, raw)
}
