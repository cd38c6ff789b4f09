package viewer

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/desktop"
	"understudy/mcpserver/auth"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps"
)

// Recording is a recording that its page shows and edits.
type Recording interface {
	Status() recorder.Status
	Changed() <-chan struct{}
	Done() <-chan struct{}
	Events() []recorder.Event
	Command(command recorder.Command, at desktop.Point)
	Edit(e recorder.Edit) error
}

// RecordingOptions configure the page of a recording.
type RecordingOptions struct {
	Name     string
	Pictures string // the folder of its pictures
	// Make makes the workflow of events.
	Make func([]recorder.Event) (compile.Made, error)
	// Write writes the workflow, once the recording has ended.
	Write func(compile.Made) error
	// Play plays the written workflow, from a step unless that is "", with the values of
	// its secrets, and returns a message about the result.
	Play func(ctx context.Context, from string, secrets map[string]string) string
}

// RecordingPage is the page on which a person controls a recording, and edits its steps
// during the recording and afterwards. It needs the key in the address that the
// terminal of the person showed.
type RecordingPage struct {
	o   RecordingOptions
	r   Recording
	key string
	mux *http.ServeMux
}

// NewRecording makes the page of a recording.
func NewRecording(r Recording, o RecordingOptions) *RecordingPage {
	p := &RecordingPage{o: o, r: r, key: rand.Text(), mux: http.NewServeMux()}
	p.mux.HandleFunc("GET /{$}", p.enter)
	p.mux.HandleFunc("GET /pages/{file}", asset)
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /recording":                 func(w http.ResponseWriter, _ *http.Request) error { return p.show(w, http.StatusOK, "") },
		"GET /recording/events":          p.events,
		"GET /recording/pictures/{file}": p.picture,
		"POST /recording/command":        p.command,
		"POST /recording/edit":           p.edit,
		"POST /recording/play":           p.play,
	} {
		p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !p.authorized(r) {
				http.Error(w, "This page is for the person who records: open the address that the terminal shows.", http.StatusForbidden)
				return
			}
			if err := serve(w, r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	return p
}

// Address returns the URL of the page on a host.
func (p *RecordingPage) Address(host string) string { return "http://" + host + "/?key=" + p.key }

func (p *RecordingPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guardPage(w.Header())
	p.mux.ServeHTTP(w, r)
}

const recordingCookie = "understudy_recording"

// enter exchanges the key in the URL for a cookie, so that no page, picture or history
// can disclose the key.
func (p *RecordingPage) enter(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: recordingCookie, Value: r.FormValue("key"), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/recording", http.StatusSeeOther)
}

// authorized reports whether a request is from the person who records; one that changes
// something must come from the page itself.
func (p *RecordingPage) authorized(r *http.Request) bool {
	c, err := r.Cookie(recordingCookie)
	return err == nil && hmac.Equal([]byte(c.Value), []byte(p.key)) && (r.Method == http.MethodGet || auth.FromOwnPage(r))
}

type recordingPage struct {
	frame
	compile.Made
	Status    recorder.Status
	Steerings []recorder.Steering
}

func (p *RecordingPage) show(w http.ResponseWriter, status int, said string) error {
	made, err := p.o.Make(p.r.Events())
	if err != nil {
		return err
	}
	there := slices.DeleteFunc(recorder.Steerings(), func(s recorder.Steering) bool { // these need the pointer on an element of another window
		return s.Command == recorder.Check || s.Command == recorder.CheckText
	})
	return show(w, status, "recording", recordingPage{frame{Title: p.o.Name, Said: said}, made, p.r.Status(), there})
}

// events notifies the page of changes until the recording ends.
func (p *RecordingPage) events(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for {
		changed := p.r.Changed()
		if _, err := fmt.Fprint(w, "event: recorded\ndata: {}\n\n"); err != nil {
			return nil // the page was closed
		}
		if err := out.Flush(); err != nil {
			return nil //nolint:nilerr // likewise
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return nil
		case <-p.r.Done():
			_, _ = fmt.Fprint(w, "event: recorded\ndata: {}\n\n")
			_ = out.Flush()
			<-r.Context().Done() // otherwise the browser would reconnect again and again
			return nil
		}
	}
}

func (p *RecordingPage) picture(w http.ResponseWriter, r *http.Request) error {
	root, err := os.OpenRoot(p.o.Pictures)
	if err == nil {
		defer root.Close()
		var f *os.File
		if f, err = root.Open(filepath.FromSlash(r.PathValue("file"))); err == nil {
			defer f.Close()
			w.Header().Set("Content-Type", "image/png")
			http.ServeContent(w, r, "", startTime, f)
			return nil
		}
	}
	http.Error(w, "There is no such picture.", http.StatusNotFound)
	return nil
}

func (p *RecordingPage) command(w http.ResponseWriter, r *http.Request) error {
	command := recorder.Command(r.PostFormValue("command"))
	p.r.Command(command, desktop.Point{})
	if command == recorder.Stop {
		<-p.r.Done()
	}
	return p.changed(w, r, nil)
}

func (p *RecordingPage) edit(w http.ResponseWriter, r *http.Request) error {
	e := recorder.Edit{Action: recorder.EditAction(r.PostFormValue("action")), Text: r.PostFormValue("text")}
	var err error
	for field, to := range map[string]*int{"step": &e.Step, "to": &e.To} {
		if text := r.PostFormValue(field); text != "" && err == nil {
			*to, err = strconv.Atoi(text)
		}
	}
	if err == nil {
		err = p.r.Edit(e)
	}
	return p.changed(w, r, err)
}

// changed shows the page again, and writes the file as the page shows it.
func (p *RecordingPage) changed(w http.ResponseWriter, r *http.Request, err error) error {
	if err == nil && p.r.Status().Ended {
		var made compile.Made
		if made, err = p.o.Make(p.r.Events()); err == nil {
			err = p.o.Write(made)
		}
	}
	if err != nil {
		return p.show(w, http.StatusConflict, err.Error())
	}
	http.Redirect(w, r, "/recording", http.StatusSeeOther)
	return nil
}

func (p *RecordingPage) play(w http.ResponseWriter, r *http.Request) error {
	if !p.r.Status().Ended {
		return p.show(w, http.StatusConflict, steps.Errorf(steps.Invalid, "stop the recording first: what plays would be recorded").Error())
	}
	from, secrets := r.PostFormValue("from"), map[string]string{}
	for field, values := range r.PostForm {
		if name, ok := strings.CutPrefix(field, secretPrefix); ok {
			secrets[name] = values[0]
		}
	}
	return p.show(w, http.StatusOK, p.o.Play(r.Context(), from, secrets))
}
