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

// A Store keeps schedules, for all who share it.
type Store interface {
	// List lists them by their names.
	List(ctx context.Context) ([]Entry, error)
	// Change changes one, whole or not at all; meanwhile nobody else does. It is
	// given nil where there is none, and what it gives back is kept: nil removes it.
	Change(ctx context.Context, name string, change func(*Entry) (*Entry, error)) error
	// Serve says that a server sees to them, and Served whether one did lately.
	Serve(ctx context.Context) error
	Served(ctx context.Context) bool
}

// Folder keeps schedules as files, one for each.
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
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), ending)
		if !ok || !validName.MatchString(name) {
			continue
		}
		e, err := f.read(name)
		if err != nil {
			return all, err
		}
		if e != nil {
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// read reads one; nil: there is none.
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
	return f.write(name, after)
}

func (f Folder) write(name string, e *Entry) error {
	raw, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(f.path(name), raw, 0o600)
}

func (f Folder) served() string { return filepath.Join(string(f), ".served") }

// Serve says that a server sees to the schedules.
func (f Folder) Serve(context.Context) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.served(), nil, 0o600)
}

// lately is how long what a server said of itself counts, and serveAgain how often
// it says it.
const (
	lately     = 40 * time.Second
	serveAgain = 10 * time.Second
)

// Served says whether a server did so lately.
func (f Folder) Served(context.Context) bool {
	info, err := os.Stat(f.served())
	return err == nil && time.Since(info.ModTime()) < lately
}
