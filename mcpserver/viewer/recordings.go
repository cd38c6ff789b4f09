package viewer

import (
	"fmt"
	"net/http"
	"time"

	"understudy/recorder"
	"understudy/recorder/compile"
)

// Recordings are those of a server, as far as the sender of a request may see them.
type Recordings struct {
	Able    bool              // one can be begun
	Current *CurrentRecording // nil: none is under way
	Written []WrittenRecording
}

// CurrentRecording is the recording that was begun and not fetched yet.
type CurrentRecording struct {
	recorder.Status

	By string
}

// WrittenRecording is a file of events.
type WrittenRecording struct {
	Name  string // of the file, without its ending
	File  string
	Began time.Time
	Ended time.Time // of its last event
	Size  int64
	// Make makes the workflow of its events.
	Make func() (compile.Made, error)
}

// Lasted returns how long it took.
func (w WrittenRecording) Lasted() string {
	return took(w.Ended.Sub(w.Began).Round(time.Second).Milliseconds())
}

// Kilobytes returns its size.
func (w WrittenRecording) Kilobytes() string { return fmt.Sprintf("%d KB", (w.Size+1023)>>10) }

type recordingsPage struct {
	frame
	Recordings
}

// recordingsPath is the address of the page of recordings, and the subject of its form.
const recordingsPath = "/recordings"

// Seen returns the last steps of the current recording.
func (p recordingsPage) Seen() []recorder.Line {
	return p.Current.Steps[max(0, len(p.Current.Steps)-shownRuns):]
}

// recordings lists the recording under way and those that were written.
func (v *Viewer) recordings(w http.ResponseWriter, r *http.Request, failed error) error {
	all, err := v.o.Recordings(r)
	if err != nil {
		return err
	}
	return show(w, statusAfter(failed), "recordings", recordingsPage{frame{Title: "Recordings", Page: "recordings"}.withForms(r, recordingsPath, failed), all})
}

// record begins a recording, or ends it and saves its workflow.
func (v *Viewer) record(w http.ResponseWriter, r *http.Request) error {
	err := checkForm(r, recordingsPath)
	args := map[string]any{"action": r.PostForm.Get("action")}
	name := r.PostForm.Get("name")
	if name != "" {
		args["name"] = name
	}
	var saved struct{ Name string }
	if err == nil {
		err = v.ask(r, Call{Tool: "record_workflow", Args: args}, &saved)
	}
	if err != nil {
		return v.recordings(w, r, err)
	}
	next := recordingsPath
	if saved.Name != "" {
		next = workflowPath(saved.Name)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

type writtenPage struct {
	frame
	WrittenRecording
	compile.Made

	Lines []string
}

// written shows the workflow that a recording makes.
func (v *Viewer) written(w http.ResponseWriter, r *http.Request) error {
	all, err := v.o.Recordings(r)
	if err != nil {
		return err
	}
	for _, one := range all.Written {
		if one.Name != r.PathValue("name") {
			continue
		}
		p := writtenPage{frame: frame{Title: "Recording of " + when(one.Began), Page: "recordings"}, WrittenRecording: one}
		if p.Made, err = one.Make(); err != nil {
			p.Said = err.Error()
		}
		p.Lines = linesOf(p.Text)
		return show(w, http.StatusOK, "written", p)
	}
	http.NotFound(w, r)
	return nil
}
