package viewer

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/rfb"
	"understudy/steps"
)

// lastingDesktop is a lasting desktop as its pages show it.
type lastingDesktop struct {
	virtual.Kept

	Runs []engine.Header // those that used it, the newest first
}

func (k lastingDesktop) Age() time.Duration { return time.Since(k.Started).Round(time.Second) }

// Path returns the address of its page, which is also the subject of the forms there.
func (k lastingDesktop) Path() string { return "/desktops/" + url.PathEscape(k.Name) }

func (k lastingDesktop) Picture() string {
	return "/api/desktops/show?" + url.Values{"desktop": {k.Name}}.Encode()
}

type desktopsPage struct {
	frame
	Desktops []lastingDesktop
}

// desktops lists the lasting desktops.
func (v *Viewer) desktops(w http.ResponseWriter, r *http.Request) error {
	p := desktopsPage{frame: frame{Title: "Desktops", Page: "desktops"}}
	var err error
	if p.Desktops, err = v.listDesktops(r); err != nil {
		return err
	}
	return show(w, http.StatusOK, "desktops", p)
}

// listDesktops returns the desktops that the sender of a request may see, each with its
// runs.
func (v *Viewer) listDesktops(r *http.Request) ([]lastingDesktop, error) {
	var list struct{ Desktops []virtual.Kept }
	if err := v.ask(r, Call{Tool: "list_desktops", Args: map[string]any{}}, &list); err != nil {
		return nil, err
	}
	all, recent := make([]lastingDesktop, len(list.Desktops)), v.latestRuns(r, engine.Query{Limit: recentRuns, Calls: true})
	for i, k := range list.Desktops {
		all[i].Kept = k
		for _, h := range recent {
			if h.Desktop != nil && h.Desktop.Name == k.Name && h.Desktop.Birth == k.Birth && len(all[i].Runs) < shownRuns {
				all[i].Runs = append(all[i].Runs, h)
			}
		}
	}
	return all, nil
}

func (v *Viewer) findDesktop(r *http.Request) (lastingDesktop, error) {
	all, err := v.listDesktops(r)
	for _, k := range all {
		if k.Name == r.PathValue("name") {
			return k, nil
		}
	}
	if err == nil {
		err = steps.Errorf(steps.NotFound, "there is no desktop %s", r.PathValue("name"))
	}
	return lastingDesktop{}, err
}

type lastingPage struct {
	frame
	lastingDesktop
	Live bool // it can be watched
}

// lasting shows one lasting desktop, live.
func (v *Viewer) lasting(w http.ResponseWriter, r *http.Request, failed error) error {
	k, err := v.findDesktop(r)
	if err != nil {
		return err
	}
	p := lastingPage{frame{Title: "Desktop " + k.Name, Page: "desktops"}.withForms(r, k.Path(), failed), k, !k.IsSeat()}
	allowCursors(w.Header())
	return show(w, statusAfter(failed), "lasting", p)
}

// watchLasting serves a live view of a desktop without input: acting needs the takeover
// of a run.
func (v *Viewer) watchLasting(w http.ResponseWriter, r *http.Request) error {
	k, err := v.findDesktop(r)
	if err != nil {
		return err
	}
	if k.IsSeat() {
		return steps.Errorf(steps.Unavailable, "the display of the person at the machine cannot be watched by others")
	}
	still := func() error { _, err := v.o.RunsFor(r, "show_desktop"); return err }
	return v.serveView(w, r, func(ctx context.Context) { <-ctx.Done() }, still, func() (rfb.Live, error) {
		live, err := v.o.Open(r.Context(), engine.Header{Desktop: &desktop.Info{Name: k.Name, Birth: k.Birth}}, "")
		if err != nil {
			return nil, &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("the desktop %s: %w", k.Name, err)}
		}
		return live, nil
	})
}

func (v *Viewer) stopLasting(w http.ResponseWriter, r *http.Request) error {
	k := lastingDesktop{Kept: virtual.Kept{Name: r.PathValue("name")}}
	if err := checkForm(r, k.Path()); err != nil {
		return err
	}
	if _, err := v.o.Do(r, Call{Tool: "stop_desktop", Args: map[string]any{"desktop": k.Name}}); err != nil {
		return v.lasting(w, r, err)
	}
	http.Redirect(w, r, "/desktops", http.StatusSeeOther)
	return nil
}
