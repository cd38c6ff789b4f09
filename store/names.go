package store

import (
	"iter"
	"os"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// The sorts of files that a run names, as the bucket of names has them.
var sortNames = map[string]engine.FileSort{"c": engine.Captures, "a": engine.Artifacts}

// putNames notes which files the data of an event names. The store does not
// know the sorts of events: every hash counts that is of a file which is there,
// and a file is there before the event that names it.
func (s *Store) putNames(tx *bolt.Tx, run string, data []byte) error {
	for hash := range hashesIn(data) {
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

// hashesIn yields what looks like a hash in data: so many hexadecimal digits,
// and not one more. It looks at few of the bytes: where the last digit of a
// hash would be is none, no hash can end or pass.
func hashesIn(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i+hashSize <= len(data); {
			if !isHexDigit(data[i+hashSize-1]) {
				i += hashSize
				continue
			}
			n := hexRun(data[i:])
			if n == hashSize && (i == 0 || !isHexDigit(data[i-1])) && !yield(data[i:i+n]) {
				return
			}
			i += n + 1
		}
	}
}

func isHexDigit(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
