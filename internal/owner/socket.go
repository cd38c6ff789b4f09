package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"understudy/steps"
)

// The files of the owner in the data folder.
const (
	socketName  = "owner.sock"
	pointerName = "owner.path" // holds the path of the socket, if it is elsewhere
)

// longestPath is the longest path of a socket in bytes that all systems accept: macOS
// allows 103, Linux 107.
const longestPath = 100

// shortPrefix begins the names of folders for sockets whose own path would be too
// long.
const shortPrefix = "understudy-"

// findSocket returns where the owner of a folder listens, if there is one.
func findSocket(dir string) string {
	if b, err := os.ReadFile(filepath.Join(dir, pointerName)); err == nil {
		return strings.TrimSpace(string(b))
	}
	return filepath.Join(dir, socketName)
}

// listen creates the socket of a folder, and replaces one that was left behind. The
// caller must hold the lock of the store.
func listen(dir string) (net.Listener, error) {
	if err := tighten(dir); err != nil {
		return nil, err
	}
	removeLeftovers(dir)
	path := filepath.Join(dir, socketName)
	if len(path) <= longestPath {
		if l, err := listenAt(path); err == nil {
			return l, nil
		} // a file system without sockets, then
	}
	path, err := shortPath(dir)
	if err != nil {
		return nil, cannotListen(dir, err)
	}
	l, err := listenAt(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, pointerName), []byte(path+"\n"), 0o600)
	}
	if err != nil {
		if l != nil {
			_ = l.Close()
		}
		_ = os.Remove(filepath.Dir(path))
		return nil, cannotListen(dir, err)
	}
	return l, nil
}

func cannotListen(dir string, err error) error {
	return steps.Errorf(steps.Unavailable, "other processes cannot be let into the data folder %s: %w", dir, err).
		WithNext("choose another folder with --home")
}

// tighten makes sure that other users can reach neither the socket nor the
// recordings. A folder that is meant to be shared is refused.
func tighten(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || !enforced || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if info.Mode()&fs.ModeSticky != 0 {
		return steps.Errorf(steps.Denied, "%s is shared with other users, so it cannot be a data folder", dir).
			WithNext("choose a folder of your own with --home")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return &steps.Error{Code: steps.Denied, Err: fmt.Errorf("others may look into the data folder: %w", err), Next: "chmod 700 " + dir}
	}
	return nil
}

func listenAt(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil && enforced {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// shortPath returns a path for the socket in a new folder that only this user can
// enter.
func shortPath(dir string) (string, error) {
	sum := sha256.Sum256([]byte(dir))
	name := shortPrefix + hex.EncodeToString(sum[:4]) + "-*"
	var last error
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if base == "" || len(base)+len(name)+len(socketName)+12 > longestPath {
			continue
		}
		made, err := os.MkdirTemp(base, name)
		if err == nil {
			return filepath.Join(made, socketName), nil
		}
		last = err
	}
	return "", fmt.Errorf("no folder has a path that is short enough for a socket: %w", last)
}

// removeLeftovers removes the files of this owner, or of one that was killed.
func removeLeftovers(dir string) {
	path := findSocket(dir)
	_ = os.Remove(path)
	if short := filepath.Dir(path); strings.HasPrefix(filepath.Base(short), shortPrefix) {
		_ = os.Remove(short)
	}
	_ = os.Remove(filepath.Join(dir, pointerName))
	_ = os.Remove(filepath.Join(dir, socketName))
}
