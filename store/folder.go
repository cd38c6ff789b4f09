package store

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"understudy/engine"
)

// The files of a store in a data folder, beside workflows and settings.
const (
	databaseName = "runs.db"
	identityName = "store.json"
	lockName     = "runs.lock"
	partialName  = "partial" // files that are being written
)

// An identity says that a folder has a database, and which one. Without it, a
// folder whose database was lost would look like a new one.
type identity struct {
	Store    string    `json:"store"`
	Backup   string    `json:"backup,omitempty"` // the folder of the last backup
	BackupAt time.Time `json:"backup_at,omitzero"`
}

func newIdentity() identity { return identity{Store: rand.Text()} }

func readIdentity(dir string) (*identity, error) {
	path := filepath.Join(dir, identityName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(path, err)
	}
	var id identity
	if err := json.Unmarshal(b, &id); err != nil || id.Store == "" {
		return nil, &Error{Path: path, Err: ErrDamaged, Found: "it does not name a store", Next: "delete it; it is written again from the database"}
	}
	return &id, nil
}

func (id identity) write(dir string) error {
	b, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, partialName), filepath.Join(dir, identityName), append(b, '\n'))
}

func (id *identity) restoreHint() string {
	if id == nil || id.Backup == "" {
		return "put a backup in its place with: " + restoreCommand + " FOLDER"
	}
	return "put the backup of " + id.BackupAt.Local().Format(time.DateTime) + " in its place with: " + restoreCommand + " " + id.Backup
}

// makeFolders creates the folders of a store, and removes what a crash left in
// them.
func makeFolders(dir string) error {
	partial := filepath.Join(dir, partialName)
	if err := os.RemoveAll(partial); err != nil {
		return explain(partial, err)
	}
	for _, d := range []string{partial, sortDir(dir, engine.Captures), sortDir(dir, engine.Artifacts)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return explain(d, err)
		}
	}
	return nil
}

// writeWhole writes a file atomically and durably, or not at all. The partial
// file is in the folder tmp, of the same file system.
func writeWhole(tmp, path string, content []byte) error {
	f, err := os.CreateTemp(tmp, "new-*")
	if err != nil {
		return explain(path, err)
	}
	_, err = f.Write(content)
	return finish(f, path, err)
}

// finish syncs a written file and renames it to path. If that or the writing,
// whose error is err, failed, it removes the file.
func finish(f *os.File, path string, err error) error {
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = renameDurably(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return explain(path, err)
}

func renameDurably(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// syncDir makes the names in a folder durable. Windows does that by itself and
// does not allow to sync a folder.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
