package mcpserver

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"understudy/internal/access"
	"understudy/mcpserver/viewer"
	"understudy/recorder"
	"understudy/recorder/compile"
)

// recordingsForPage returns the recordings that the sender of a request may see. A file
// does not say whose it is, so those that were written are for who sees all runs.
func (s *Server) recordingsForPage(r *http.Request) (all viewer.Recordings, err error) {
	who, err := s.tools.pageFor(r, "list_workflows")
	if err != nil {
		return all, err
	}
	all.Able = s.o.Record != nil && who.May(s.tools.named["record_workflow"].Tool) == nil
	now := s.recorder.current()
	if now != nil && who.May(s.tools.named["list_workflows"].Tool, access.Thing{Owner: now.owner}) == nil {
		all.Current = &viewer.CurrentRecording{Status: now.Status(), By: now.by}
	}
	if who.Owner != "" && !who.All {
		return all, nil
	}
	files, err := filepath.Glob(filepath.Join(s.o.Recordings, "*"+recorder.Ending))
	for _, file := range slices.Backward(files) {
		if w, ok := s.writtenAt(file); ok && (now == nil || now.file != file) {
			all.Written = append(all.Written, w)
		}
	}
	return all, err
}

// writtenAt describes a file of events; ok is false for one of another kind.
func (s *Server) writtenAt(file string) (w viewer.WrittenRecording, ok bool) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return w, false
	}
	w = viewer.WrittenRecording{Name: strings.TrimSuffix(filepath.Base(file), recorder.Ending), File: file, Ended: info.ModTime(), Size: info.Size()}
	if w.Began, err = recorder.BeganAt(w.Name); err != nil {
		return w, false
	}
	w.Make = func() (compile.Made, error) {
		f, err := os.Open(file)
		if err != nil {
			return compile.Made{}, err
		}
		defer f.Close()
		seen, err := recorder.ReadEvents(f)
		if err != nil {
			return compile.Made{}, err
		}
		return compile.Recording(seen, compile.Options{Kinds: s.o.Kinds, Name: "recorded", Pictures: filepath.Join(s.o.Pictures, w.Name)})
	}
	return w, true
}
