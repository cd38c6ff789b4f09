package schedules

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/steps"
)

// An arrival is a file that matches the pattern of a schedule.
type arrival struct {
	path string    // in UTF-8
	mark string    // differs if the content was changed
	at   time.Time // when the file was changed last, by the clock of its writer
	// since is the time of the first of the polls that found this mark.
	since time.Time
	// unnamed reports that the real path is not UTF-8, and cannot be stored or be an input.
	unnamed bool
}

// mostFiles is how many files a watched folder may have.
const mostFiles = 10_000

// arrivals returns the files that match a pattern, without hidden ones: programs that
// copy a file write to a hidden one first.
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
		path := filepath.Join(dir, x.Name())
		all = append(all, arrival{path: strings.ToValidUTF8(path, "�"), mark: mark, at: info.ModTime(), unnamed: !utf8.ValidString(path)})
	}
	return all, nil
}

// settled is how long a file must have been unchanged.
const settled = 2 * time.Second

// complete reports whether a file is written completely: it is settled, and where the
// system can tell, no program has it open for writing. The time of a file may be old, since
// programs that copy a file keep it, or still to come: so an earlier poll must have found
// the same file.
func (a arrival) complete(now time.Time) bool {
	isSettled := now.Sub(a.at) >= settled || now.Sub(a.since) >= settled
	return isSettled && a.since.Before(now) && !isWritten(a.path)
}

// A poll is the files of a folder at a time.
type poll struct {
	folder fs.FileInfo // nil for no poll
	files  map[string]arrival
}

// poll returns the files of a schedule, given the poll before.
func (e *Entry) poll(now time.Time, before poll) (p poll, err error) {
	if p.folder, err = os.Stat(filepath.Dir(e.Files)); err != nil {
		return p, err
	}
	files, err := arrivals(e.Files)
	p.files = map[string]arrival{}
	for _, a := range files {
		if a.since = now; before.files[a.path].mark == a.mark {
			a.since = before.files[a.path].since
		}
		p.files[a.path] = a
	}
	return p, err
}

// left reports whether a file that was seen has been moved away since the poll before. A
// folder that is empty from the start, or is another one, may be one whose disk is not
// mounted: its files will be there again, and are the same.
func (p poll) left(before poll, path string) bool {
	if _, is := p.files[path]; is {
		return false
	}
	if before.folder == nil {
		return len(p.files) > 0
	}
	_, was := before.files[path]
	return was && os.SameFile(before.folder, p.folder)
}

// arrive makes firings of files that are complete.
func (e *Entry) arrive(now time.Time, before, p poll) (changed bool) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		a := p.files[path]
		if a.unnamed && e.State.Seen[a.path] == "" {
			e.State.note(now, "no run for %s: its name is not UTF-8", a.path)
			e.State.see(a)
			changed = true
		}
		if a.unnamed || e.State.Seen[a.path] == a.mark || len(e.State.Pending) >= mostPending || !a.complete(now) {
			continue
		}
		f := e.firing(now, a.path, a.mark)
		f.Inputs = map[string]any{fileInput: a.path}
		e.State.add(now, f)
		e.State.see(a)
		changed = true
	}
	for path := range e.State.Seen {
		if p.left(before, path) {
			delete(e.State.Seen, path)
			changed = true
		}
	}
	return changed
}

// fileInput is the name of the input for the path of a file.
const fileInput = "file"

// seeFiles marks the files that are there already, so that they do not fire.
func (e *Entry) seeFiles() error {
	if e.Files == "" {
		return nil
	}
	there, err := arrivals(e.Files)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "the folder must be there, and readable"}
	}
	for _, a := range there {
		e.State.see(a)
	}
	return nil
}

func (s *State) see(a arrival) {
	if s.Seen == nil {
		s.Seen = map[string]string{}
	}
	s.Seen[a.path] = a.mark
}
