package keeping

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
)

// HashSize is the length of a hash as it is written: SHA-256 in hexadecimal.
const HashSize = 2 * sha256.Size

// HashOf is the hash of content.
func HashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// IsHash says whether a name is that of a file.
func IsHash(s string) bool {
	return len(s) == HashSize && hexRun([]byte(s)) == HashSize
}

func hexRun(b []byte) int {
	for i, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return i
		}
	}
	return len(b)
}

// HashesIn yields what looks like a hash in data: so many hexadecimal digits,
// and not one more. It looks at few of the bytes: where the last digit of a
// hash would be is none, no hash can end or pass.
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
