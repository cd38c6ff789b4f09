package viewer

import (
	"net/http"
	"time"

	"understudy/internal/audit"
	"understudy/internal/schedules"
)

type schedulesPage struct {
	frame
	Schedules []listedSchedule
}

// listedSchedule is a schedule as the tool lists it.
type listedSchedule struct {
	Name, Workflow, When string
	Next                 time.Time
	Paused               bool
	Pending              int
	LastNote             *schedules.Note `json:"last_note"`
}

// schedules lists the schedules.
func (v *Viewer) schedules(w http.ResponseWriter, r *http.Request) error {
	p := schedulesPage{frame: frame{Title: "Schedules", Page: "schedules"}}
	if err := v.ask(r, Call{Tool: "list_schedules", Args: map[string]any{}}, &p); err != nil {
		return err
	}
	return show(w, http.StatusOK, "schedules", p)
}

// mostActs bounds the acts on a page.
const mostActs = 500

type actsPage struct {
	frame
	Acts    []audit.Act
	By, Run string
	More    bool
}

// audit lists who did what, the newest first.
func (v *Viewer) audit(w http.ResponseWriter, r *http.Request) error {
	p := actsPage{frame: frame{Title: "Who did what", Page: "audit"}, By: r.FormValue("by"), Run: r.FormValue("run")}
	if err := v.ask(r, Call{Tool: "audit_trail", Args: map[string]any{"by": p.By, "run_id": p.Run}}, &p); err != nil {
		return err
	}
	if p.More = len(p.Acts) > mostActs; p.More {
		p.Acts = p.Acts[:mostActs]
	}
	return show(w, http.StatusOK, "audit", p)
}
