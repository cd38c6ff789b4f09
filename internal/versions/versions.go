// Package versions keeps what a file was before it was replaced, by the hash of its
// content, in a hidden folder beside it. It knows nothing of what the file holds.
package versions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/internal/wholefile"

	"github.com/rogpeppe/go-internal/diff"
)

// Version is what a file was, or is.
type Version struct {
	Hash    string    `json:"hash"`
	Saved   time.Time `json:"saved"`
	Current bool      `json:"current,omitempty"`
}

// Short is the beginning of its hash, as it is shown.
func (v Version) Short() string { return short(v.Hash) }

// most is how many versions of a file are kept; the oldest go first.
const most = 100

func folder(path string) string {
	return filepath.Join(filepath.Dir(path), ".versions", filepath.Base(path))
}

// HashOf is the hash of a content.
func HashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Replace replaces a file atomically, and keeps what it was and what it is.
func Replace(path string, text []byte) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil {
		if err := keep(path, old); err != nil {
			return err
		}
	}
	if err := keep(path, text); err != nil {
		return err
	}
	return errors.Join(wholefile.Write(path, text, 0o600), prune(path))
}

func keep(path string, text []byte) error {
	kept := filepath.Join(folder(path), HashOf(text))
	if _, err := os.Stat(kept); err == nil {
		now := time.Now()
		return os.Chtimes(kept, now, now) // it is the newest again
	}
	return wholefile.Write(kept, text, 0o600)
}

func prune(path string) error {
	all, err := List(path)
	var errs []error
	for _, v := range all[min(most, len(all)):] {
		errs = append(errs, os.Remove(filepath.Join(folder(path), v.Hash)))
	}
	return errors.Join(append(errs, err)...)
}

// List are the versions of a file, the newest first. One that was changed by hand is
// among them once it is replaced.
func List(path string) ([]Version, error) {
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	entries, err := os.ReadDir(folder(path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []Version
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasPrefix(e.Name(), ".") {
			continue // another process removed or writes it
		}
		all = append(all, Version{Hash: e.Name(), Saved: info.ModTime(), Current: e.Name() == HashOf(now)})
	}
	slices.SortStableFunc(all, func(a, b Version) int {
		if a.Current != b.Current && b.Current {
			return 1
		}
		return b.Saved.Compare(a.Saved)
	})
	return all, nil
}

// Read is a version of a file; the beginning of its hash names it, where no other
// begins so.
func Read(path, hash string) (text []byte, whole string, err error) {
	all, err := List(path)
	if err != nil {
		return nil, "", err
	}
	var found []string
	for _, v := range all {
		if hash != "" && strings.HasPrefix(v.Hash, hash) {
			found = append(found, v.Hash)
		}
	}
	if len(found) != 1 {
		return nil, "", fmt.Errorf("%d versions of %s begin with %q: wanted one", len(found), filepath.Base(path), hash)
	}
	text, err = os.ReadFile(filepath.Join(folder(path), found[0]))
	return text, found[0], err
}

// Difference shows line by line how two texts differ; "": they are equal.
func Difference(nameA string, a []byte, nameB string, b []byte) string {
	return string(diff.Diff(nameA, a, nameB, b))
}

// Forget removes the versions of a file.
func Forget(path string) error { return os.RemoveAll(folder(path)) }
