package viewer

import (
	"net/http"
	"strings"

	"understudy/internal/audit"
	"understudy/internal/schedules"
)

type schedulesPage struct {
	frame
	Schedules []schedules.Entry
}

// schedules lists the schedules.
func (v *Viewer) schedules(w http.ResponseWriter, r *http.Request) error {
	p := schedulesPage{frame: frame{Title: "Schedules", Page: "schedules"}}
	if err := v.ask(r, Call{Tool: "list_schedules", Args: map[string]any{}}, &p); err != nil {
		return err
	}
	return show(w, http.StatusOK, "schedules", p)
}

// begins says when a schedule begins runs.
func begins(s schedules.Entry) string {
	var all []string
	if s.Cron != "" {
		all = append(all, strings.TrimSpace(s.Cron+" "+s.Zone))
	}
	if s.Files != "" {
		all = append(all, "a file "+s.Files)
	}
	if s.Hook {
		all = append(all, "a webhook")
	}
	return strings.Join(all, ", ")
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
