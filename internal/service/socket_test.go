package service

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"understudy/steps"
)

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func needsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a system that heeds the permissions of files")
	}
}

func TestNobodyElseReachesTheSocket(t *testing.T) {
	needsPermissions(t)
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	host(t, dir)
	if m := modeOf(t, dir); m != 0o700 {
		t.Errorf("wanted the folder 0700, got %o", m)
	}
	if m := modeOf(t, filepath.Join(dir, socketName)); m != 0o600 {
		t.Errorf("wanted the socket 0600, got %o", m)
	}
}

func TestASharedFolderIsRefused(t *testing.T) {
	needsPermissions(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	o, err := hostFor(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Serve(o)
	if err := o.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if steps.CodeOf(err) != steps.Denied {
		t.Errorf("wanted it denied, got %v", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	host(t, dir) // nothing of the first attempt is in the way
}

func TestALongPathHasItsSocketElsewhere(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	_, guest := pair(t, dir)
	path := findSocket(dir).address
	if filepath.Dir(path) == dir || len(path) > longestPath {
		t.Errorf("wanted a short path, got %s", path)
	}
	if enforced {
		if m := modeOf(t, filepath.Dir(path)); m != 0o700 {
			t.Errorf("wanted its folder 0700, got %o", m)
		}
	}
	if err := guest.Leave(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTheShortFolderGoesWithItsOwner(t *testing.T) {
	runtimeDir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	host(t, dir)
	if err := Stop(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(runtimeDir); err != nil || len(left) != 0 {
		t.Errorf("wanted nothing left, got %v, %v", left, err)
	}
}

func TestASocketThatWasLeftBehindIsReplaced(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	pair(t, dir)
}

func TestWhatIsInTheWayOfTheSocketIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, socketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pair(t, dir)
}
