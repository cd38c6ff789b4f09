package viewer

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"understudy/engine"
	"understudy/internal/bulk"
	"understudy/internal/inbox"
	"understudy/steps"
)

// plansPath is the address of new plans, and the subject of the forms that make them.
const plansPath = "/plans"

type bulkPage struct {
	frame
	bulk.Progress

	Acting, Repeated int  // runs of which steps act again, and how many steps
	Open             int  // runs with which nothing was done yet
	Moving           bool // it is being carried out
	Begun            bool // something happened to its runs since it was made
}

// Path returns the address of the page of a plan, which is also the subject of its form.
func (p bulkPage) Path() string { return plansPath + "/" + url.PathEscape(p.ID) }

// bulk shows a plan, and how far it is.
func (v *Viewer) bulk(w http.ResponseWriter, r *http.Request, failed error) error {
	var p bulkPage
	if err := v.ask(r, Call{Tool: "show_plan", Args: map[string]any{"plan": r.PathValue("plan")}}, &p.Progress); err != nil {
		return err
	}
	p.frame = frame{Title: "Plan to " + string(p.Act), Page: "runs"}.withForms(r, p.Path(), failed)
	for _, i := range p.Items {
		p.Repeated += i.Again
		p.Acting += min(i.Again, 1)
	}
	p.Open = p.Count[bulk.Open]
	p.Begun = p.Open < len(p.Items)
	p.Moving = p.Count[bulk.Begun] > 0 || p.Open > 0 && p.Count[bulk.Done] > 0
	return show(w, statusAfter(failed), "bulk", p)
}

// makePlan plans what is to be done with many runs: with those for which an expression
// holds, or with those of a cause in the inbox.
func (v *Viewer) makePlan(w http.ResponseWriter, r *http.Request) error {
	if err := checkForm(r, plansPath); err != nil {
		return err
	}
	form := r.PostForm
	args := map[string]any{"act": form.Get("act"), "where": form.Get("where"), "from": form.Get("from")}
	if n, err := strconv.Atoi(form.Get("at_once")); err == nil {
		args["at_once"] = n
	}
	if cause := form.Get("cause"); cause != "" {
		where, err := v.runsOf(r, cause)
		if err != nil {
			return v.inbox(w, r, err)
		}
		args["where"] = where
	}
	var p bulk.Progress
	if err := v.ask(r, Call{Tool: "plan_runs", Args: args}, &p); err != nil {
		if form.Get("cause") != "" {
			return v.inbox(w, r, err)
		}
		return err
	}
	http.Redirect(w, r, bulkPage{Progress: p}.Path(), http.StatusSeeOther)
	return nil
}

// runsOf returns an expression that holds for the runs of a cause as the inbox has it now.
func (v *Viewer) runsOf(r *http.Request, cause string) (string, error) {
	var p inboxPage
	if err := v.ask(r, Call{Tool: "inbox", Args: map[string]any{}}, &p); err != nil {
		return "", err
	}
	for _, c := range p.Causes {
		if c.ID != cause {
			continue
		}
		var ids []string
		for _, e := range c.Entries {
			if e.Run != "" {
				ids = append(ids, strconv.Quote(e.Run))
			}
		}
		return "id in [" + strings.Join(ids, ", ") + "]", nil
	}
	return "", steps.Errorf(steps.NotFound, "that is no longer in the inbox")
}

func (v *Viewer) carryOut(w http.ResponseWriter, r *http.Request) error {
	at := bulkPage{Progress: bulk.Progress{Plan: bulk.Plan{ID: r.PathValue("plan")}}}.Path()
	err := checkForm(r, at)
	if err == nil {
		_, err = v.o.Do(r, Call{Tool: "carry_out", Args: map[string]any{"plan": r.PathValue("plan")}})
	}
	if err != nil {
		return v.bulk(w, r, err)
	}
	http.Redirect(w, r, at, http.StatusSeeOther)
	return nil
}

// wanted returns the filters of a list as an expression; a text that is searched for is
// none.
func wanted(q engine.Query) string {
	var all []string
	for _, s := range q.Status {
		all = append(all, fmt.Sprintf("status == %q", string(s)))
	}
	for name, is := range map[string]string{"client": q.Client, "workflow": q.Workflow} {
		if is != "" {
			all = append(all, fmt.Sprintf("%s == %q", name, is))
		}
	}
	if q.Where != "" {
		all = append(all, "("+q.Where+")")
	}
	return strings.Join(all, " && ")
}

// resumes reports whether the runs of a cause can be resumed together.
func resumes(c inbox.Cause) bool {
	return c.Trouble == inbox.Failed || c.Trouble == inbox.Interrupted
}
