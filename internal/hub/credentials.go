package hub

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"understudy/internal/fileio"

	"github.com/nats-io/nkeys"
)

// keys are the credentials of all tenants. A credential is a file with the seed of a
// key pair; the server gets only the public key.
type keys struct {
	dir    string
	public map[string]string // by file
	secret string            // by which nodes of the cluster authenticate each other
}

const clusterSecret = "cluster"

func (k keys) of(tenant string, r role) string {
	return filepath.Join(k.dir, tenant+"-"+string(r)+".nk")
}

// loadKeys reads the credentials in a folder, and creates missing ones, unless
// another node of the cluster must have made them.
func loadKeys(dir string, tenants []string, made bool) (keys, error) {
	k := keys{dir: dir, public: map[string]string{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return k, err
	}
	for _, t := range tenants {
		for _, r := range roles {
			if err := k.load(k.of(t, r), made); err != nil {
				return k, err
			}
		}
	}
	secret, err := readOrMake(filepath.Join(dir, clusterSecret), made, func() (string, error) { return rand.Text(), nil })
	k.secret = secret
	return k, err
}

func (k keys) load(file string, made bool) error {
	seed, err := readOrMake(file, made, func() (string, error) {
		pair, err := nkeys.CreateUser()
		if err != nil {
			return "", err
		}
		seed, err := pair.Seed()
		return string(seed), err
	})
	if err != nil {
		return err
	}
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return fmt.Errorf("credential %s: %w", file, err)
	}
	k.public[file], err = pair.PublicKey()
	return err
}

// readOrMake returns the content of a file that only the user may read, and creates
// the file if it is missing and not made elsewhere.
func readOrMake(file string, made bool, generate func() (string, error)) (string, error) {
	raw, err := os.ReadFile(file)
	if err == nil {
		return strings.TrimSpace(string(raw)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if made {
		return "", fmt.Errorf("%s is missing: start the first node without others to join, and copy its credentials to this one", file)
	}
	text, err := generate()
	if err != nil {
		return "", err
	}
	return text, fileio.Write(file, []byte(text+"\n"), 0o600) // only its owner reads it
}
