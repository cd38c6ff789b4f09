package viewer

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"understudy/engine"
)

// perPage is the number of runs in one list.
const perPage = 100

type runsPage struct {
	frame
	Query    engine.Query
	Status   engine.Status
	Statuses []engine.Status
	Runs     []engine.Header
	Filtered bool
	Next     string // the URL of the next page
	Wanted   string // the filters as an expression
}

func (v *Viewer) list(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	p := runsPage{frame: frame{Title: "Runs", Page: "runs"}, Statuses: engine.Statuses(), Status: engine.Status(r.FormValue("status"))}
	p.Query = engine.Query{
		Limit: perPage, Before: r.FormValue("before"), Calls: r.FormValue("calls") != "",
		Workflow: r.FormValue("workflow"), Client: r.FormValue("client"), Text: r.FormValue("text"), Where: r.FormValue("where"),
	}
	if p.Status != "" {
		p.Query.Status = []engine.Status{p.Status}
	}
	p.Token, p.Wanted = token(r, plansPath), wanted(p.Query)
	p.Filtered = p.Status != "" || p.Query.Workflow+p.Query.Client+p.Query.Text+p.Query.Where != ""
	var err error
	if p.Runs, err = runs.List(r.Context(), p.Query); err != nil {
		return err
	}
	if len(p.Runs) == perPage {
		older := url.Values{"before": {p.Runs[perPage-1].ID}}
		for _, key := range []string{"status", "workflow", "client", "text", "where", "calls"} {
			if value := r.FormValue(key); value != "" {
				older.Set(key, value)
			}
		}
		p.Next = "/runs?" + older.Encode()
	}
	return show(w, http.StatusOK, "runs", p)
}

// name returns the display name of a run.
func name(h engine.Header) string { return cmp.Or(h.Workflow, h.Call, "(no name)") }

// duration returns how long a run took.
func duration(h engine.Header) string {
	if h.EndedAt.IsZero() {
		return ""
	}
	return took(h.EndedAt.Sub(h.StartedAt).Round(time.Millisecond * 100).Milliseconds())
}

// megabytes formats a size in memory.
func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }
