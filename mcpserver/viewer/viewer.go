// Package viewer shows runs, saved workflows and desktops as pages: of each a list, and
// for a run its steps, times, errors, events and pictures. What is done on a page is the
// call of a tool. The pages are whole without scripts; one small script keeps them fresh
// and moves by keys.
package viewer

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/rfb"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// Viewer serves the pages.
type Viewer struct {
	o   Options
	mux *http.ServeMux

	mu    sync.Mutex
	views map[string]int // guarded by mu: open live views, by credential
}

// Options configure a viewer.
type Options struct {
	// RunsFor returns the runs that the sender of a request may see, if it may use the
	// tool that discloses the same.
	RunsFor func(r *http.Request, tool string) (engine.Runs, error)
	// DocumentsFor returns the workflows that the sender may see, likewise.
	DocumentsFor func(r *http.Request, tool string) (Documents, error)
	// Do calls a tool with the rights of the sender of a request, and returns its
	// result. Problems of a document are an InvalidError.
	Do func(*http.Request, Call) (json.RawMessage, error)
	// StatusOf returns the HTTP status of an error.
	StatusOf func(error) int
	// Open opens the desktop of a run once more, for the person who acts there, or to
	// watch if by is "".
	Open func(ctx context.Context, h engine.Header, by string) (rfb.Live, error)
	// Life ends the live views.
	Life context.Context
	// Workers lists where runs are executed, and whether that is a fleet.
	Workers func(context.Context) (all []engine.Workplace, fleet bool, err error)
	// Recordings returns the recordings that the sender of a request may see.
	Recordings func(*http.Request) (Recordings, error)
	// Kinds are those of steps, for proposals of changes.
	Kinds []steps.Kind
}

// Documents are workflows as a client may see them. A program is nil if the error
// describes what is wrong with its document.
type Documents interface {
	// Names returns the names of the saved workflows.
	Names() ([]string, error)
	// Saved returns a saved workflow.
	Saved(name string) ([]byte, *workflows.Program, error)
	// OfRun returns the document of a run, then those that it calls.
	OfRun(ctx context.Context, runs engine.Runs, h engine.Header) ([]workflows.Source, error)
	// Mended returns the document of a run with another text of the named document.
	Mended(ctx context.Context, runs engine.Runs, h engine.Header, name, text string) (engine.Bundle, *workflows.Program, error)
}

// Call is a call of a tool that a person makes on a page.
type Call struct {
	Tool  string
	Args  map[string]any
	Typed Typed
}

// Typed is what a person entered in a form beside the arguments of a tool.
type Typed struct {
	Secrets  map[string]string
	Name     string // of the document that Document replaces
	Document string // the new text; empty: no document is replaced
	Fork     bool   // continue in a new run, and leave the old one unchanged
}

// route is the address of a page.
type route struct {
	pattern string
	serve   func(*Viewer, http.ResponseWriter, *http.Request) error
}

// ofRuns makes a page that is given the runs which its reader may see with a tool.
func ofRuns(tool string, serve func(*Viewer, http.ResponseWriter, *http.Request, engine.Runs) error) func(*Viewer, http.ResponseWriter, *http.Request) error {
	return func(v *Viewer, w http.ResponseWriter, r *http.Request) error {
		runs, err := v.o.RunsFor(r, tool)
		if err != nil {
			return err
		}
		return serve(v, w, r, runs)
	}
}

// fresh returns how a page is served before any of its forms has failed.
func fresh(serve func(*Viewer, http.ResponseWriter, *http.Request, error) error) func(*Viewer, http.ResponseWriter, *http.Request) error {
	return func(v *Viewer, w http.ResponseWriter, r *http.Request) error { return serve(v, w, r, nil) }
}

// runForms serves a page of a run with forms after one of them failed; failed may be nil.
type runForms func(v *Viewer, w http.ResponseWriter, r *http.Request, runs engine.Runs, failed error) error

func (serve runForms) fresh(v *Viewer, w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	return serve(v, w, r, runs, nil)
}

func routes() []route {
	return []route{
		{"GET /runs", ofRuns("list_runs", (*Viewer).list)},
		{"GET /runs/{id}", ofRuns("get_run", runForms((*Viewer).run).fresh)},
		{"GET /runs/{id}/document", ofRuns("get_run", (*Viewer).document)},
		{"GET /runs/{id}/page", ofRuns("get_run", (*Viewer).standalone)},
		{"GET /runs/{id}/resume", ofRuns("get_run", runForms((*Viewer).plan).fresh)},
		{"GET /runs/{id}/desktop", ofRuns("get_run", runForms((*Viewer).desktop).fresh)},
		{"GET /runs/{id}/repair", ofRuns("get_run", runForms((*Viewer).repair).fresh)},
		{"GET /runs/{id}/live", ofRuns("get_run", (*Viewer).live)},
		{"POST /runs/{id}/{act}", ofRuns("get_run", (*Viewer).submit)},
		{"GET /captures/{hash}", ofRuns("get_run", (*Viewer).picture)},
		{"GET /workflows", (*Viewer).workflows},
		{"GET /workflows/{name}", fresh((*Viewer).workflow)},
		{"POST /workflows/{name}/run", (*Viewer).runWorkflow},
		{"GET /workflows/{name}/versions", fresh((*Viewer).versions)},
		{"POST /workflows/{name}/restore", (*Viewer).restore},
		{"GET /inbox", fresh((*Viewer).inbox)},
		{"POST /inbox/dismiss", (*Viewer).dismiss},
		{"POST /plans", (*Viewer).makePlan},
		{"GET /plans/{plan}", fresh((*Viewer).bulk)},
		{"POST /plans/{plan}/do", (*Viewer).carryOut},
		{"GET /schedules", (*Viewer).schedules},
		{"GET /fleet", ofRuns("list_runs", (*Viewer).fleet)},
		{"GET /recordings", fresh((*Viewer).recordings)},
		{"POST /recordings", (*Viewer).record},
		{"GET /recordings/{name}", (*Viewer).written},
		{"GET /audit", (*Viewer).audit},
		{"GET /desktops", (*Viewer).desktops},
		{"GET /desktops/{name}", fresh((*Viewer).lasting)},
		{"GET /desktops/{name}/live", (*Viewer).watchLasting},
		{"POST /desktops/{name}/stop", (*Viewer).stopLasting},
	}
}

// New makes a viewer.
func New(o Options) *Viewer {
	v := &Viewer{o: o, mux: http.NewServeMux(), views: map[string]int{}}
	for _, p := range routes() {
		v.mux.HandleFunc(p.pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := p.serve(v, w, r); err != nil {
				http.Error(w, err.Error(), v.o.StatusOf(err))
			}
		})
	}
	v.mux.HandleFunc("GET /pages/{file}", asset)
	novnc, err := fs.Sub(thirdParty, "thirdparty/novnc")
	if err != nil {
		panic(err) // impossible: it is embedded
	}
	v.mux.Handle("GET /pages/novnc/", http.StripPrefix("/pages/novnc/", http.FileServerFS(novnc)))
	return v
}

// Paths returns the addresses that a viewer serves.
func Paths() []string {
	return []string{"/inbox", "/inbox/", "/plans", "/plans/", "/schedules", "/fleet", "/recordings", "/recordings/", "/audit", "/runs", "/runs/", "/captures/", "/pages/", "/workflows", "/workflows/", "/desktops", "/desktops/"}
}

//go:embed page
var files embed.FS

// thirdParty is noVNC as its authors publish it.
//
//go:embed thirdparty
var thirdParty embed.FS

var pages = template.Must(template.New("pages").Funcs(template.FuncMap{
	"took": took, "megabytes": megabytes, "next": func(i int) int { return i + 1 }, "when": when, "clock": clock, "iso": iso, "lasted": duration, "name": name, "pretty": pretty, "stepIn": stepIn,
	"full":      func(p runPage, picture string) template.URL { return p.source(picture, 0) },
	"thumbnail": func(p runPage, picture string) template.URL { return p.source(picture, thumbnailWidth) },
	"resumes":   resumes, "places": func() []destination { return destinations }, "sign": sign,
	"planned": func(title string, steps []engine.PlanStep) any {
		return struct {
			Title string
			Steps []engine.PlanStep
		}{title, steps}
	},
	"screen":    func(p runPage, picture string) desktop.Size { return p.inline[picture].Screen },
	"style":     func() template.CSS { return template.CSS(embedded("style.css")) },
	"plain":     plain,
	"script":    func() template.JS { return template.JS(embedded("page.js")) },
	"appStyle":  func() template.CSS { return template.CSS(embedded("app.css")) },
	"appScript": func() template.JS { return template.JS(embedded("app.js")) },
}).ParseFS(files, "page/*.html"))

// plain removes invisible characters, such as those that reverse the direction of text,
// from a title, in which no element can isolate them.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

// Icon returns the picture of this program, as SVG.
func Icon() string { return embedded("icon.svg") }

func embedded(name string) string {
	raw, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // impossible: it is embedded
	}
	return string(raw)
}

// policy permits a page to load what this server serves, and nothing else.
const policy = "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// policyWith returns the policy with one replacement.
func policyWith(instead, of string) string { return strings.Replace(policy, instead, of, 1) }

func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guardPage(w.Header())
	v.mux.ServeHTTP(w, r)
}

// guardPage sets the headers that keep other sites away from a page.
func guardPage(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would not state the origin of a form
}

func asset(w http.ResponseWriter, r *http.Request) {
	types := map[string]string{"style.css": "text/css", "page.js": "text/javascript", "desktop.js": "text/javascript", "icon.svg": "image/svg+xml"}
	file := r.PathValue("file")
	if types[file] == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", types[file]+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, file, startTime, strings.NewReader(embedded(file)))
}

// startTime is the modification time of embedded files, which change with the program.
var startTime = time.Now()

// destination is an entry of the navigation.
type destination struct{ Page, Path, Name string }

var destinations = []destination{
	{"inbox", "/inbox", "Needs you"},
	{"runs", "/runs", "Runs"},
	{"workflows", "/workflows", "Workflows"},
	{"schedules", "/schedules", "Schedules"},
	{"desktops", "/desktops", "Desktops"},
	{"fleet", "/fleet", "Fleet"},
	{"recordings", "/recordings", "Recordings"},
	{"audit", "/audit", "Who did what"},
}

// sign returns the icon of a status of a run, of a step or of an entry of the inbox.
func sign(status any) string {
	switch fmt.Sprint(status) {
	case "succeeded", "success", "healed":
		return "ok"
	case "failed", "error", "cancelled", "interrupted", "missed":
		return "bad"
	case "running":
		return "goes"
	case "skipped":
		return "none"
	}
	return "waits"
}

// frame holds what every page has.
type frame struct {
	Title string
	Page  string // the entry of the navigation bar
	Alone bool   // a standalone file, without a server
	Token string // of its forms
	Said  string // the error of the form that was sent
}

// withForms returns the frame of a page with forms for a subject, after one of them
// failed; failed may be nil.
func (f frame) withForms(r *http.Request, subject string, failed error) frame {
	f.Token = token(r, subject)
	if failed != nil {
		f.Said = failed.Error()
	}
	return f
}

// statusAfter returns the status of a page that is shown after one of its forms failed;
// failed may be nil.
func statusAfter(failed error) int {
	switch {
	case failed == nil:
		return http.StatusOK
	case errors.Is(failed, errStale):
		return http.StatusForbidden
	}
	return http.StatusConflict
}

// show writes a page, whole or not at all.
func show(w http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w)
	return nil
}

func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.String()
}

func when(t time.Time) string  { return t.UTC().Format(time.DateTime) }
func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }
func iso(t time.Time) string   { return t.UTC().Format(time.RFC3339) }

// pretty formats a value as JSON, or as "" if it is empty.
func pretty(v any) string {
	if m, ok := v.(map[string]any); v == nil || ok && len(m) == 0 {
		return ""
	}
	text, err := words.JSON(v, "  ") // the template escapes it
	if err != nil {
		return fmt.Sprint(v)
	}
	return text
}
