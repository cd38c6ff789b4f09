package schedules

import (
	"errors"
	"fmt"
	"io"
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
	name string
	path string    // in UTF-8
	mark string    // differs if the content was changed
	at   time.Time // when the file was changed last, by the clock of its writer
	// since is the time of the first of the polls that found this mark.
	since time.Time
	// unnamed reports that the real path is not UTF-8, and cannot be stored or be an input.
	unnamed  bool
	complete bool // and not seen
}

// mostFiles is how many files a watched folder may have.
const mostFiles = 10_000

// arrivals returns the files of a folder that match a pattern, without hidden ones:
// programs that copy a file write to a hidden one first. It also returns how many files
// it looked at. Nothing outside of the folder is looked at, wherever links lead.
func arrivals(folder *os.Root, pattern string) (all []arrival, size int, err error) {
	dir, name := filepath.Split(pattern)
	opened, err := folder.Open(".")
	if err != nil {
		return nil, 0, err
	}
	defer opened.Close()
	names, err := opened.Readdirnames(mostFiles + 1)
	if size = len(names); size > mostFiles {
		return nil, size, fmt.Errorf("%s has more than %d files, so it is not watched; move processed files away", dir, mostFiles)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, size, err
	}
	for _, x := range names {
		if ok, _ := filepath.Match(name, x); !ok || strings.HasPrefix(x, ".") {
			continue
		}
		info, err := folder.Lstat(x)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		mark := fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
		path := filepath.Join(dir, x)
		all = append(all, arrival{name: x, path: strings.ToValidUTF8(path, "�"), mark: mark, at: info.ModTime(), unnamed: !utf8.ValidString(path)})
	}
	return all, size, nil
}

// settled is how long a file must have been unchanged.
const settled = 2 * time.Second

// isComplete reports whether a file is written completely: it is settled, and where the
// system can tell, no program has it open for writing. The time of a file may be old, since
// programs that copy a file keep it, or still to come: so an earlier poll must have found
// the same file.
func (a arrival) isComplete(folder *os.Root, now time.Time) bool {
	isSettled := now.Sub(a.at) >= settled || now.Sub(a.since) >= settled
	return isSettled && a.since.Before(now) && !isWritten(folder, a.name)
}

// A poll is the files of a folder at a time.
type poll struct {
	folder fs.FileInfo // nil for no poll
	files  map[string]arrival
	size   int // of the folder, in files
}

// poll returns the files of a schedule, given the poll before.
func (s *Scheduler) poll(e *Entry, now time.Time, before poll) (p poll, err error) {
	folder, err := s.Folder(e.Schedule)
	if err != nil {
		return p, err
	}
	defer folder.Close()
	if p.folder, err = folder.Stat("."); err != nil {
		return p, err
	}
	files, size, err := arrivals(folder, e.Files)
	p.files, p.size = map[string]arrival{}, size
	for _, a := range files {
		if a.since = now; before.files[a.path].mark == a.mark {
			a.since = before.files[a.path].since
		}
		a.complete = !a.unnamed && e.State.Seen[a.path] != a.mark && a.isComplete(folder, now)
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
			e.State.note(now, "no run for %s: its name is not UTF-8", quoted(a.path))
			e.State.see(a)
			changed = true
		}
		if e.State.Seen[a.path] == a.mark || len(e.State.Pending) >= mostPending || !a.complete {
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

// OpenFolder opens the folder that a schedule of the person at the machine watches.
func OpenFolder(s Schedule) (*os.Root, error) { return os.OpenRoot(filepath.Dir(s.Files)) }

// seeFiles marks the files that are there already, so that they do not fire.
func (e *Entry) seeFiles(open func(Schedule) (*os.Root, error)) error {
	if e.Files == "" {
		return nil
	}
	folder, err := open(e.Schedule)
	if err == nil {
		defer folder.Close()
		var there []arrival
		there, _, err = arrivals(folder, e.Files)
		for _, a := range there {
			e.State.see(a)
		}
	}
	if err != nil && steps.CodeOf(err) != steps.Denied {
		err = &steps.Error{Code: steps.Invalid, Err: err, Next: "the folder must be there, and readable"}
	}
	return err
}

func (s *State) see(a arrival) {
	if s.Seen == nil {
		s.Seen = map[string]string{}
	}
	s.Seen[a.path] = a.mark
}
