package schedules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/internal/filelock"
	"understudy/internal/wholefile"
	"understudy/steps"
)

// A Store keeps schedules. Several processes may share it.
type Store interface {
	// List returns the schedules, sorted by name: with an error, those that can be read.
	List(ctx context.Context) ([]Entry, error)
	// Change changes a schedule atomically. It stores what change makes of the entry,
	// where nil means that there is none. The caller has checked the name.
	Change(ctx context.Context, name string, change func(*Entry) (*Entry, error)) error
	// Serve notes that a server begins the runs, and Served reports whether one did
	// lately.
	Serve(ctx context.Context) error
	Served(ctx context.Context) bool
}

// Folder keeps each schedule in a file of a folder.
type Folder string

var _ Store = Folder("")

const ending = ".json"

func (f Folder) path(name string) string { return filepath.Join(string(f), name+ending) }

func (f Folder) List(context.Context) ([]Entry, error) {
	files, err := os.ReadDir(string(f))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []Entry
	var failed []error
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), ending)
		if !ok || !validName.MatchString(name) {
			continue
		}
		e, err := f.read(name)
		switch {
		case err != nil:
			failed = append(failed, err)
		case e != nil:
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all, errors.Join(failed...)
}

// read reads a schedule, or returns nil if there is none.
func (f Folder) read(name string) (*Entry, error) {
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
	return &e, nil
}

func (f Folder) Change(ctx context.Context, name string, change func(*Entry) (*Entry, error)) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	lock, err := filelock.Wait(ctx, filepath.Join(string(f), ".lock"))
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
	return wholefile.Write(f.path(name), raw, 0o600)
}

func (f Folder) served() string { return filepath.Join(string(f), ".served") }

// Serve notes that a server begins the runs of the schedules.
func (f Folder) Serve(context.Context) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.served(), nil, 0o600)
}

const (
	lately     = 40 * time.Second // how long a call of Serve counts
	serveAgain = 10 * time.Second // how often a server calls Serve
)

// Served reports whether a server called Serve lately.
func (f Folder) Served(context.Context) bool {
	info, err := os.Stat(f.served())
	return err == nil && time.Since(info.ModTime()) < lately
}
