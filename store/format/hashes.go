package format

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
)

// HashSize is the length of a hash: SHA-256 in hexadecimal.
const HashSize = 2 * sha256.Size

// HashOf returns the hash of content.
func HashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// IsHash reports whether a text has the form of a hash.
func IsHash(s string) bool {
	return len(s) == HashSize && hexRun([]byte(s)) == HashSize
}

// hexRun returns the number of hexadecimal digits at the beginning of b.
func hexRun(b []byte) int {
	for i, c := range b {
		if !isHexDigit(c) {
			return i
		}
	}
	return len(b)
}

// HashesIn yields what looks like a hash in data: HashSize hexadecimal digits, and not one
// more. It reads few of the bytes: if the byte where the last digit of a hash would be is
// not a digit, no hash includes it.
func HashesIn(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i+HashSize <= len(data); {
			if !isHexDigit(data[i+HashSize-1]) {
				i += HashSize
				continue
			}
			n := hexRun(data[i:])
			if n == HashSize && (i == 0 || !isHexDigit(data[i-1])) && !yield(data[i:i+n]) {
				return
			}
			i += n + 1
		}
	}
}

func isHexDigit(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
