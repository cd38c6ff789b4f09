// Package audit keeps who did what: an append-only trail in files by month, one act in a
// line of JSON. It outlives the runs that it tells of, and is never rewritten; whoever
// may no longer keep a month removes its file.
//
// It decides nothing and shows nothing: others ask it for the acts.
package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/engine"
)

// Verb says what was done.
type Verb string

// What can be done.
const (
	Started    Verb = "started"
	Resumed    Verb = "resumed"
	Answered   Verb = "answered"
	TookOver   Verb = "took over"
	HandedBack Verb = "handed back"
	Stopped    Verb = "stopped"
	Dismissed  Verb = "dismissed"
	Removed    Verb = "removed"

	Edited          Verb = "edited" // a saved workflow
	ChangedSchedule Verb = "changed the schedule"
	MadeToken       Verb = "made the token of"
	RevokedToken    Verb = "revoked the token of"
	ChangedRights   Verb = "changed the rights of"
)

// An Act is something that somebody did.
type Act struct {
	At       time.Time `json:"at"`
	By       string    `json:"by"`              // a client or a person
	Owner    string    `json:"owner,omitempty"` // the credential that the thing belongs to; empty: the person at the machine
	Verb     Verb      `json:"act"`
	Run      string    `json:"run_id,omitempty"`
	Workflow string    `json:"workflow,omitempty"`
	Thing    string    `json:"thing,omitempty"`  // a client, a schedule, or the key of the entry of the inbox that was dismissed
	Detail   string    `json:"detail,omitempty"` // the reason, the decision, the version, the rights, or what was changed
}

// A Trail keeps acts in the files of a folder, which need not exist yet. Several
// processes may share it.
type Trail struct {
	dir  string
	sync func(path string) error

	mu      sync.Mutex
	unsaved map[string]bool // the files being synced; true if an act was added since
	syncs   sync.WaitGroup
}

// New returns the trail in a folder.
func New(dir string) *Trail {
	return &Trail{dir: dir, sync: syncFile, unsaved: map[string]bool{}}
}

const ending = ".jsonl"

// Add appends an act durably.
func (t *Trail) Add(a Act) error {
	path, err := t.write(a)
	if err != nil {
		return err
	}
	return t.sync(path)
}

// Keep appends an act, for those who cannot wait for the disk: the act survives the end of
// the process, and a moment later that of the machine. failed is told if it does not.
func (t *Trail) Keep(a Act, failed func(error)) {
	path, err := t.write(a)
	if err != nil {
		failed(err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, syncs := t.unsaved[path]
	t.unsaved[path] = true
	if !syncs {
		t.syncs.Go(func() { t.syncUntilSaved(path, failed) })
	}
}

// syncUntilSaved syncs a file again as long as something was added during the last sync,
// so that one sync at a time waits for a slow disk.
func (t *Trail) syncUntilSaved(path string, failed func(error)) {
	more := func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.unsaved[path] {
			delete(t.unsaved, path)
			return false
		}
		t.unsaved[path] = false // before the sync, which need not cover what is added during it
		return true
	}
	for more() {
		if err := t.sync(path); err != nil {
			failed(err)
		}
	}
}

// Close returns when all that was kept is durable.
func (t *Trail) Close() { t.syncs.Wait() }

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0) // Windows syncs only what may be written
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// write appends an act to the file of its month, and returns the path of that.
func (t *Trail) write(a Act) (path string, err error) {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	a.At = a.At.UTC()
	line, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(t.dir, a.At.Format("2006-01")+ending)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	if cutShort(f) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n')) // one write, so that lines of several processes do not mix
	return path, errors.Join(err, f.Close())
}

// cutShort reports whether the last line lacks its end, as after a full disk.
func cutShort(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := []byte{0}
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Acts returns the acts that keep accepts, the oldest first. Only lines that contain text
// are decoded; "" is in all.
func (t *Trail) Acts(text string, keep func(Act) bool) ([]Act, error) {
	files, err := os.ReadDir(t.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	all := []Act{}
	for _, f := range files { // sorted, and so the months are
		if !strings.HasSuffix(f.Name(), ending) {
			continue
		}
		if all, err = appendFrom(all, filepath.Join(t.dir, f.Name()), []byte(text), keep); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b Act) int { return a.At.Compare(b.At) })
	return all, nil
}

func appendFrom(all []Act, path string, text []byte, keep func(Act) bool) ([]Act, error) {
	f, err := os.Open(path)
	if err != nil {
		return all, err
	}
	defer f.Close()
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		var a Act
		if bytes.Contains(line, text) && json.Unmarshal(line, &a) == nil && keep(a) { // a line may be cut short by a full disk
			all = append(all, a)
		}
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, err
		}
	}
}

// Removal returns the act of somebody who has removed a run, if the trail keeps that.
func Removal(h engine.Header, by string) (a Act, ok bool) {
	return Act{By: by, Owner: h.Owner, Verb: Removed, Run: h.ID, Workflow: h.Workflow}, h.Call == ""
}

// Of returns what was done with a run by an event, if the trail keeps that. Single calls
// of kinds are not kept: they are runs of one step, and the store lists them.
func Of(h engine.Header, ev engine.Event, fact any) (a Act, ok bool) {
	a = Act{At: ev.At, Owner: h.Owner, Run: h.ID, Workflow: h.Workflow, By: h.Client}
	switch f := fact.(type) {
	case engine.Created:
		a.Verb = Started
		if f.Schedule != "" {
			a.Detail = "by the schedule " + f.Schedule
		}
	case engine.Resumed:
		if a.Verb, a.Detail, a.By = Resumed, f.Decision, f.By; f.Auto {
			a.Detail = "by itself"
		}
	case engine.Answered:
		a.Verb, a.Detail, a.By = Answered, f.Choice, f.By // the value may be private
	case engine.Taken:
		a.Verb, a.By = TookOver, f.By
	case engine.Returned:
		a.Verb, a.By = HandedBack, f.By
	case engine.Stopping:
		a.Verb, a.Detail, a.By = Stopped, f.Error.Message, string(f.Cause)
	default:
		return a, false
	}
	return a, h.Call == ""
}
