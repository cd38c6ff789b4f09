package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The buckets.
//
//	meta       store → its name, version → the number of this schema
//	headers    run → header
//	journal    run → bucket of its events, by number
//	snapshots  run → the last folded state
//	index      what a run can be found by, then its id → what filters need
//	files      run, then a hash that its events name → the sort of the file
//	documents  hash → text
var (
	bucketMeta      = []byte("meta")
	bucketHeaders   = []byte("headers")
	bucketJournal   = []byte("journal")
	bucketSnapshots = []byte("snapshots")
	bucketIndex     = []byte("index")
	bucketFiles     = []byte("files")
	bucketDocuments = []byte("documents")

	keyStore   = []byte("store")
	keyVersion = []byte("version")
)

// schemaVersion is the version that this program writes. An older database is
// migrated when it is opened.
const schemaVersion = 2

func makeSchema(tx *bolt.Tx, name string) error {
	for _, b := range [][]byte{bucketMeta, bucketHeaders, bucketJournal, bucketSnapshots, bucketIndex, bucketFiles, bucketDocuments} {
		if _, err := tx.CreateBucket(b); err != nil {
			return err
		}
	}
	if err := tx.Bucket(bucketMeta).Put(keyStore, []byte(name)); err != nil {
		return err
	}
	return putVersion(tx, schemaVersion)
}

func putVersion(tx *bolt.Tx, v int) error {
	return tx.Bucket(bucketMeta).Put(keyVersion, binary.BigEndian.AppendUint32(nil, uint32(v)))
}

// readSchema returns the name of the store and the version of its database. The
// name is empty if the database is of another program.
func (d *database) readSchema() (name string, version int, err error) {
	err = d.view(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketMeta)
		if b == nil {
			return nil
		}
		v := b.Get(keyVersion)
		if len(v) != 4 {
			return nil
		}
		name, version = string(b.Get(keyStore)), int(binary.BigEndian.Uint32(v))
		return nil
	})
	return name, version, err
}

// migrate brings a copied database from version 1 to 2. Version 1 has an index
// by status and time only, and no list of files.
func (s *Store) migrate(version int) error {
	aside := filepath.Join(s.dir, fmt.Sprintf("%s.v%d", databaseName, version))
	if err := s.copyDatabase(aside); err != nil {
		return err
	}
	if version < 1 {
		return &Error{Path: s.path(), Err: ErrNotDatabase, Found: fmt.Sprintf("it is of version %d", version)}
	}
	err := s.update(func(tx *bolt.Tx) error {
		if err := s.reindex(tx); err != nil {
			return err
		}
		return putVersion(tx, schemaVersion)
	})
	if err != nil {
		return fmt.Errorf("bringing the database from version %d to %d (it is as before): %w", version, schemaVersion, err)
	}
	s.log.Info("database brought to a newer version", "version", schemaVersion, "copy", aside)
	return nil
}

// reindex writes the index and the list of files anew from headers and events.
func (s *Store) reindex(tx *bolt.Tx) error {
	for _, name := range [][]byte{bucketIndex, bucketFiles} {
		if err := tx.DeleteBucket(name); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
			return err
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(bucketHeaders).ForEach(func(run, record []byte) error {
		h, err := decodeHead(string(run), record)
		if err != nil {
			return fmt.Errorf("run %s: its header: %w", run, err)
		}
		if err := putIndex(tx, nil, &h.Header); err != nil {
			return err
		}
		return tx.Bucket(bucketJournal).Bucket(run).ForEach(func(_, event []byte) error {
			return s.files.putNames(tx, string(run), event)
		})
	})
}
