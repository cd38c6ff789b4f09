// Package viewer shows runs as pages: a list, and for each run its steps,
// times, errors and pictures. The pages are plain HTML without scripts, and show
// nothing that a report of the run does not hold.
package viewer

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// Viewer serves the pages.
type Viewer struct {
	open func(context.Context) (engine.Runs, error)
	mux  *http.ServeMux
}

// New is a viewer of the runs that open gives.
func New(open func(context.Context) (engine.Runs, error)) *Viewer {
	v := &Viewer{open: open, mux: http.NewServeMux()}
	v.mux.HandleFunc("GET /runs", v.list)
	v.mux.HandleFunc("GET /runs/{id}", v.run)
	v.mux.HandleFunc("GET /captures/{hash}", v.picture)
	return v
}

//go:embed pages.html
var pagesHTML string

//go:embed style.css
var styleCSS string

var pages = template.Must(template.New("pages").Funcs(template.FuncMap{
	"took": took, "when": when, "pretty": pretty, "picture": picture,
	"style": func() template.CSS { return template.CSS(styleCSS) },
}).Parse(pagesHTML))

// policy lets a page load its pictures and its own style, and nothing else.
const policy = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// ServeHTTP answers one request.
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	v.mux.ServeHTTP(w, r)
}

// perPage is how many runs one list shows.
const perPage = 100

func (v *Viewer) list(w http.ResponseWriter, r *http.Request) {
	q := engine.Query{Limit: perPage, Before: r.FormValue("before"), Calls: r.FormValue("calls") != "", Workflow: r.FormValue("workflow")}
	if s := r.FormValue("status"); s != "" {
		q.Status = []engine.Status{engine.Status(s)}
	}
	runs, err := v.open(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	list, err := runs.List(r.Context(), q)
	if err != nil {
		fail(w, err)
		return
	}
	next := ""
	if len(list) == perPage {
		next = list[perPage-1].ID
	}
	show(w, "list", map[string]any{"Runs": list, "Next": next, "Calls": q.Calls})
}

func (v *Viewer) run(w http.ResponseWriter, r *http.Request) {
	runs, err := v.open(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	report, err := runs.Report(r.Context(), r.PathValue("id"), engine.Page{All: r.FormValue("all") != ""})
	if err != nil {
		fail(w, err)
		return
	}
	show(w, "run", report)
}

func (v *Viewer) picture(w http.ResponseWriter, r *http.Request) {
	runs, err := v.open(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	raw, err := runs.File(r.Context(), engine.Captures, r.PathValue("hash"))
	if err != nil {
		http.Error(w, "There is no such picture.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(raw)
}

// show writes a page, whole or not at all.
func show(w http.ResponseWriter, name string, data any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = b.WriteTo(w)
}

func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch steps.CodeOf(err) {
	case steps.NotFound, steps.Invalid:
		status = http.StatusNotFound
	case steps.Unavailable:
		status = http.StatusServiceUnavailable
	}
	http.Error(w, err.Error(), status)
}

func took(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// pretty is a result as it is read best: nothing at all when it is empty.
func pretty(v any) string {
	if m, ok := v.(map[string]any); v == nil || ok && len(m) == 0 {
		return ""
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// picture is the address at which a capture is shown.
func picture(uri string) string {
	return "/captures/" + strings.TrimPrefix(uri, engine.CaptureURI(""))
}
