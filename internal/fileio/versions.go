package fileio

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

	"github.com/rogpeppe/go-internal/diff"
)

// Version is an earlier or the current content of a file. Earlier ones are kept by their
// hashes, in a hidden folder beside the file.
type Version struct {
	Hash    string    `json:"hash"`
	Saved   time.Time `json:"saved"`
	Current bool      `json:"current,omitempty"`
}

// Short returns the beginning of the hash, as it is shown.
func (v Version) Short() string { return ShortHash(v.Hash) }

// ShortHash returns the beginning of a hash, as it is shown.
func ShortHash(hash string) string { return hash[:min(len(hash), 12)] }

// maxVersions is how many versions of a file are kept; the oldest are removed first.
const maxVersions = 100

func versionsFolder(path string) string {
	return filepath.Join(filepath.Dir(path), ".versions", filepath.Base(path))
}

// HashOf returns the hash of a content.
func HashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// SaveVersion replaces a file atomically, and keeps the old and the new content as
// versions. A link stays a link.
func SaveVersion(path string, text []byte) error {
	old, err := os.ReadFile(path)
	switch {
	case err == nil:
		err = keepVersion(path, old)
	case errors.Is(err, os.ErrNotExist):
		err = nil
	}
	if err == nil {
		err = keepVersion(path, text)
	}
	if err != nil {
		return err
	}
	return errors.Join(Replace(path, text, 0o600), pruneVersions(path))
}

func keepVersion(path string, text []byte) error {
	kept := filepath.Join(versionsFolder(path), HashOf(text))
	if _, err := os.Stat(kept); err == nil {
		now := time.Now()
		return os.Chtimes(kept, now, now) // it is the newest again
	}
	return Write(kept, text, 0o600)
}

func pruneVersions(path string) error {
	all, err := Versions(path)
	var errs []error
	for _, v := range all[min(maxVersions, len(all)):] {
		errs = append(errs, os.RemoveAll(filepath.Join(versionsFolder(path), v.Hash))) // another writer may have removed it
	}
	return errors.Join(append(errs, err)...)
}

// Versions returns the versions of a file: the current one, and then the others, the newest
// first. A content that was written by hand becomes a version when it is replaced.
func Versions(path string) ([]Version, error) {
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	entries, err := os.ReadDir(versionsFolder(path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []Version
	current := HashOf(now)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasPrefix(e.Name(), ".") {
			continue // another process removed it or is writing it
		}
		all = append(all, Version{Hash: e.Name(), Saved: info.ModTime(), Current: e.Name() == current})
	}
	slices.SortStableFunc(all, func(a, b Version) int {
		switch {
		case a.Current == b.Current:
			return b.Saved.Compare(a.Saved)
		case a.Current:
			return -1
		}
		return 1
	})
	return all, nil
}

// ReadVersion returns a version of a file and its whole hash. A unique prefix of the hash is
// enough to name it.
func ReadVersion(path, hash string) (text []byte, whole string, err error) {
	all, err := Versions(path)
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
	text, err = os.ReadFile(filepath.Join(versionsFolder(path), found[0]))
	return text, found[0], err
}

// Difference returns a diff of two texts, or "" if they are equal.
func Difference(nameA string, a []byte, nameB string, b []byte) string {
	return string(diff.Diff(nameA, a, nameB, b))
}

// ForgetVersions removes the versions of a file.
func ForgetVersions(path string) error { return os.RemoveAll(versionsFolder(path)) }
