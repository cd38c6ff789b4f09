package schedules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/fileio"
	"understudy/steps"
)

// A Store keeps schedules. Several processes may share it. What List and Get return is
// read again only if it was changed, and shared: nobody modifies its maps.
type Store interface {
	// List returns the schedules, sorted by name: with an error, those that can be read, or
	// nil if it is not known which there are.
	List(ctx context.Context) ([]Entry, error)
	// Get returns a schedule, or nil if there is none. The caller has checked the name.
	Get(ctx context.Context, name string) (*Entry, error)
	// Change changes a schedule atomically. It stores what change makes of the entry,
	// where nil means that there is none. The caller has checked the name.
	Change(ctx context.Context, name string, change func(*Entry) (*Entry, error)) error
	// Serve notes that a server begins the runs, and Served reports whether one did
	// lately.
	Serve(ctx context.Context) error
	Served(ctx context.Context) bool
}

// Folder keeps each schedule in a file of a folder.
type Folder struct {
	dir string

	mu    sync.Mutex
	known map[string]reading
}

// A reading is what was read of a file, with an error for a damaged one.
type reading struct {
	info  fs.FileInfo
	entry *Entry
	err   error
}

// NewFolder returns the schedules in a folder, which need not exist yet.
func NewFolder(dir string) *Folder { return &Folder{dir: dir, known: map[string]reading{}} }

var _ Store = (*Folder)(nil)

const ending = ".json"

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name+ending) }

func (f *Folder) List(ctx context.Context) ([]Entry, error) {
	files, err := os.ReadDir(f.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	all := []Entry{}
	var failed []error
	there := map[string]bool{}
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), ending)
		if !ok || !validName.MatchString(name) {
			continue
		}
		there[name] = true
		e, err := f.Get(ctx, name)
		switch {
		case err != nil:
			failed = append(failed, err)
		case e != nil:
			all = append(all, *e)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.known, func(name string, _ reading) bool { return !there[name] })
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all, errors.Join(failed...)
}

// timeStep is more than the steps in which file systems tell the time: a file that was
// written twice within one may look the same.
const timeStep = 2 * time.Second

func (f *Folder) Get(_ context.Context, name string) (*Entry, error) {
	info, err := os.Stat(f.path(name))
	if err == nil {
		f.mu.Lock()
		known := f.known[name]
		f.mu.Unlock()
		if known.info != nil && os.SameFile(known.info, info) && known.info.Size() == info.Size() && known.info.ModTime().Equal(info.ModTime()) {
			return known.entry, known.err
		}
	}
	e, failed := f.read(name)
	if err == nil && time.Since(info.ModTime()) > timeStep {
		f.mu.Lock()
		f.known[name] = reading{info, e, failed}
		f.mu.Unlock()
	}
	return e, failed
}

// read reads a schedule, or returns nil if there is none.
func (f *Folder) read(name string) (*Entry, error) {
	raw, err := os.ReadFile(f.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var e Entry
	if err == nil {
		err = json.Unmarshal(raw, &e)
	}
	if err != nil {
		return nil, &steps.Error{Code: steps.Internal, Err: fmt.Errorf("the schedule %s: %w", name, err), Next: "remove " + f.path(name) + " and add it again"}
	}
	e.Name = name
	return e.Clip(), nil
}

func (f *Folder) Change(ctx context.Context, name string, change func(*Entry) (*Entry, error)) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	lock, err := fileio.Lock(ctx, filepath.Join(f.dir, ".lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	before, err := f.read(name)
	if err != nil {
		return err
	}
	after, err := change(before)
	switch {
	case err != nil:
		return err
	case after == nil && before == nil:
		return nil
	case after == nil:
		return os.Remove(f.path(name))
	}
	raw, err := json.MarshalIndent(after, "", "  ")
	if err != nil {
		return err
	}
	return fileio.Write(f.path(name), raw, 0o600)
}

func (f *Folder) served() string { return filepath.Join(f.dir, ".served") }

// Serve notes that a server begins the runs of the schedules.
func (f *Folder) Serve(context.Context) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.served(), nil, 0o600)
}

const (
	lately     = 40 * time.Second // how long a call of Serve counts
	serveAgain = 10 * time.Second // how often a server calls Serve
)

// Served reports whether a server called Serve lately.
func (f *Folder) Served(context.Context) bool {
	info, err := os.Stat(f.served())
	return err == nil && time.Since(info.ModTime()) < lately
}
