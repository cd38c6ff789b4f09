package viewer

import (
	"net/http"
	"slices"
	"strings"

	"understudy/engine"
)

// shownQueue bounds the waiting runs on the page of the fleet.
const shownQueue = 50

// workplace is a worker on the page of the fleet, with the runs that its reader may see.
type workplace struct {
	engine.Workplace

	Runs []engine.Header
}

// Used returns how many places are taken, also by runs of others.
func (w workplace) Used() int { return len(w.Taken) }

// Offers returns the labels of a worker without those of its applications.
func (w workplace) Offers() []string {
	return slices.DeleteFunc(slices.Clone(w.Labels), isApplication)
}

// Applications returns the labels of its applications, of which it may have many.
func (w workplace) Applications() []string {
	return slices.DeleteFunc(slices.Clone(w.Labels), func(l string) bool { return !isApplication(l) })
}

func isApplication(label string) bool { return strings.HasPrefix(label, "app=") }

type fleetPage struct {
	frame
	Fleet   bool // workers execute the runs, and not this machine
	Workers []workplace
	Queue   []engine.Header
	More    bool // of the queue
	labels  []string
}

// Offered reports whether a connected worker has a label. A machine without a fleet looks
// at none.
func (p fleetPage) Offered(label string) bool { return !p.Fleet || slices.Contains(p.labels, label) }

// fleet lists the workers, and the runs that wait for one.
func (v *Viewer) fleet(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	p := fleetPage{frame: frame{Title: "Fleet", Page: "fleet"}}
	all, fleet, err := v.o.Workers(r.Context())
	if err != nil {
		return err
	}
	p.Fleet = fleet
	for _, one := range all {
		row := workplace{Workplace: one}
		for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(one.Taken, one.Busy)))) {
			if h, err := runs.Get(r.Context(), id); err == nil { // the others have ended, or are of others
				row.Runs = append(row.Runs, h)
			}
		}
		p.Workers, p.labels = append(p.Workers, row), append(p.labels, one.Labels...)
	}
	if p.Queue, err = runs.List(r.Context(), engine.Query{Status: []engine.Status{engine.Queued}, Calls: true, Limit: shownQueue + 1}); err != nil {
		return err
	}
	if p.More = len(p.Queue) > shownQueue; p.More {
		p.Queue = p.Queue[:shownQueue]
	}
	return show(w, http.StatusOK, "fleet", p)
}
