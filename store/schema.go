package store

import (
	"encoding/binary"

	bolt "go.etcd.io/bbolt"
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

// schemaVersion is the version that this program writes, and the first that any did.
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
