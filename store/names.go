package store

import (
	"os"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/keeping"
)

// The sorts of files that a run names, as the bucket of names has them.
var sortNames = map[string]engine.FileSort{"c": engine.Captures, "a": engine.Artifacts}

// putNames notes which files the data of an event names. The store does not
// know the sorts of events: every hash counts that is of a file which is there,
// and a file is there before the event that names it.
func (s *Store) putNames(tx *bolt.Tx, run string, data []byte) error {
	for hash := range keeping.HashesIn(data) {
		for letter, sort := range sortNames {
			if _, err := os.Stat(s.filePath(sort, string(hash))); err != nil {
				continue
			}
			if err := tx.Bucket(bucketFiles).Put(fileKey(run, hash), []byte(letter)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileKey keeps the files of a run together.
func fileKey(run string, hash []byte) []byte {
	return append(append([]byte(run), 0), hash...)
}
