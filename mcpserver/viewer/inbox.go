package viewer

import (
	"net/http"

	"understudy/internal/inbox"
)

type inboxPage struct {
	frame
	Causes []inbox.Cause
	Plans  string // the token of the forms that make plans
}

// mostEntries bounds the entries of a cause on the page; the others are counted.
const mostEntries = 20

// Shown returns the first entries of a cause.
func (inboxPage) Shown(c inbox.Cause) []inbox.Need {
	return c.Entries[:min(len(c.Entries), mostEntries)]
}

// inboxPath is the address of the page of what needs a person, and the subject of its forms.
const inboxPath = "/inbox"

// inbox shows what needs a person, by cause.
func (v *Viewer) inbox(w http.ResponseWriter, r *http.Request, failed error) error {
	p := inboxPage{frame: frame{Title: "Needs you", Page: "inbox"}.withForms(r, inboxPath, failed)}
	p.Plans = token(r, plansPath)
	if err := v.ask(r, Call{Tool: "inbox", Args: map[string]any{}}, &p); err != nil {
		return err
	}
	return show(w, statusAfter(failed), "inbox", p)
}

// dismiss dismisses the entries of a cause.
func (v *Viewer) dismiss(w http.ResponseWriter, r *http.Request) error {
	err := checkForm(r, inboxPath)
	if err == nil {
		_, err = v.o.Do(r, Call{Tool: "dismiss", Args: map[string]any{"cause": r.PostForm.Get("cause"), "reason": r.PostForm.Get("reason")}})
	}
	if err != nil {
		return v.inbox(w, r, err)
	}
	http.Redirect(w, r, inboxPath, http.StatusSeeOther)
	return nil
}
