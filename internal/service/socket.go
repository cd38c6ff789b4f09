package service

import (
	"crypto/rand"
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

// The files of the service in the data folder. The pointer tells where the service listens, if
// that is not at the socket.
const (
	socketName  = "owner.sock"
	pointerName = "owner.path"
)

// longestPath is the longest path of a socket in bytes that all systems accept: macOS
// allows 103, Linux 107.
const longestPath = 100

// shortPrefix begins the names of folders for sockets whose own path would be too
// long.
const shortPrefix = "understudy-"

// location is where a service listens.
type location struct {
	network, address string
	token            string // that its clients must send
}

// tokenHeader holds the token of a location.
const tokenHeader = "Understudy-Token"

// findSocket returns where the service of a folder listens, if there is one. A pointer holds a
// path, or the address of a loopback port and a token.
func findSocket(dir string) location {
	b, err := os.ReadFile(filepath.Join(dir, pointerName))
	if err != nil {
		return location{network: "unix", address: filepath.Join(dir, socketName)}
	}
	if address, token, tcp := strings.Cut(strings.TrimSpace(string(b)), "\n"); tcp {
		return location{"tcp", address, token}
	}
	return location{network: "unix", address: strings.TrimSpace(string(b))}
}

// reachable reports whether the socket of a folder is there.
func reachable(dir string) bool {
	at := findSocket(dir)
	if at.network == "tcp" {
		return true
	}
	_, err := os.Stat(at.address)
	return err == nil
}

// listen creates the socket of a folder, and replaces one that was left behind. The caller
// must hold the lock of the store. Where files cannot be sockets, it is a loopback port whose
// clients must send a token.
func listen(dir string) (l net.Listener, token string, err error) {
	if err := tighten(dir); err != nil {
		return nil, "", err
	}
	removeSocket(dir)
	path := filepath.Join(dir, socketName)
	if len(path) <= longestPath {
		if l, err = listenAt(path); err == nil {
			return l, "", nil
		} // a file system without sockets, then
	}
	if path, err = shortPath(dir); err == nil {
		if l, err = listenAt(path); err == nil {
			err = point(dir, path)
		}
	}
	if err != nil && !enforced {
		l, token, err = listenOnLoopback(dir)
	}
	if err != nil {
		if l != nil {
			_ = l.Close()
		}
		removeSocket(dir)
		return nil, "", cannotListen(dir, err)
	}
	return l, token, nil
}

// listenOnLoopback listens on a port, whose clients are those that can read the folder.
func listenOnLoopback(dir string) (net.Listener, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	token := rand.Text()
	return l, token, point(dir, l.Addr().String()+"\n"+token)
}

func point(dir, to string) error {
	return os.WriteFile(filepath.Join(dir, pointerName), []byte(to+"\n"), 0o600)
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

// removeSocket removes the files of this service, or of one that was killed.
func removeSocket(dir string) {
	at := findSocket(dir)
	_ = os.Remove(at.address)
	if short := filepath.Dir(at.address); strings.HasPrefix(filepath.Base(short), shortPrefix) {
		_ = os.Remove(short)
	}
	_ = os.Remove(filepath.Join(dir, pointerName))
	_ = os.Remove(filepath.Join(dir, socketName))
}
