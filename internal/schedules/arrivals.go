package schedules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An arrival is a file that matches the pattern of a schedule.
type arrival struct {
	path string
	mark string    // tells its content from an earlier one
	at   time.Time // when it was changed last
}

// mostFiles is how many files a folder may have so that what arrives is noticed.
const mostFiles = 10_000

// arrivals are the files that match a pattern. Hidden ones do not count: programs
// that copy write them first.
func arrivals(pattern string) ([]arrival, error) {
	dir, name := filepath.Split(pattern)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > mostFiles {
		return nil, fmt.Errorf("%s has %d files, and more than %d are not looked at; move away what was worked on", dir, len(entries), mostFiles)
	}
	var all []arrival
	for _, x := range entries {
		if ok, _ := filepath.Match(name, x.Name()); !ok || strings.HasPrefix(x.Name(), ".") {
			continue
		}
		info, err := x.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		mark := fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
		all = append(all, arrival{filepath.Join(dir, x.Name()), mark, info.ModTime()})
	}
	return all, nil
}

// settled is how long a file must have stayed as it is. Where the system tells
// whether a program still writes it, that counts too.
const settled = 2 * time.Second

// complete says whether a file is there in whole.
func (a arrival) complete(now time.Time) bool {
	return now.Sub(a.at) >= settled && !isWritten(a.path)
}

// arrive makes firings of files that are complete. Before is how they were when it
// looked the last time: who copies a file may give it an old time.
func (e *Entry) arrive(now time.Time, files []arrival, before map[string]string) (changed bool) {
	there := map[string]bool{}
	for _, a := range files {
		there[a.path] = true
		if e.State.Seen[a.path] == a.mark || before[a.path] != a.mark || len(e.State.Pending) >= mostPending || !a.complete(now) {
			continue
		}
		f := e.firing(now, a.path, a.mark)
		f.Inputs = map[string]any{fileInput: a.path}
		e.State.add(now, f)
		e.State.see(a)
		changed = true
	}
	for path := range e.State.Seen {
		if !there[path] {
			delete(e.State.Seen, path)
			changed = true
		}
	}
	return changed
}

// fileInput is the input that gets the path of a file.
const fileInput = "file"

func (s *State) see(a arrival) {
	if s.Seen == nil {
		s.Seen = map[string]string{}
	}
	s.Seen[a.path] = a.mark
}
