package fileio

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestTheCurrentVersionIsFirst writes an earlier version again by hand, which leaves the
// other one with the later time.
func TestTheCurrentVersionIsFirst(t *testing.T) {
	for _, text := range []string{"one\n", "two\n"} {
		path := filepath.Join(t.TempDir(), "flow.yaml")
		for _, text := range []string{"one\n", "two\n"} {
			if err := SaveVersion(path, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		for i, version := range []string{"one\n", "two\n"} {
			at := time.Now().Add(time.Duration(i) * time.Minute)
			if err := os.Chtimes(filepath.Join(versionsFolder(path), HashOf([]byte(version))), at, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := Versions(path); err != nil || len(all) != 2 || !all[0].Current {
			t.Errorf("%q is current, and the list is %v, %v", text, all, err)
		}
	}
}

// TestALinkStaysALink replaces a workflow that is a link to a file of its author.
func TestALinkStaysALink(t *testing.T) {
	real, path := filepath.Join(t.TempDir(), "flow.yaml"), filepath.Join(t.TempDir(), "flow.yaml")
	if err := os.WriteFile(real, []byte("one\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Skip(err)
	}
	if err := SaveVersion(path, []byte("two\n")); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(real)
	info, err := os.Stat(real)
	if err != nil || string(text) != "two\n" || info.Mode().Perm() != 0o640 {
		t.Errorf("the file behind the link has %q and %v, %v", text, info.Mode(), err)
	}
	if all, err := Versions(path); err != nil || len(all) != 2 || !all[0].Current {
		t.Errorf("%v, %v", all, err)
	}
}

// TestSeveralReplaceAFile has several writers remove the same oldest versions.
func TestSeveralReplaceAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flow.yaml")
	for i := range maxVersions {
		if err := keepVersion(path, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 10 {
				if err := SaveVersion(path, fmt.Append(nil, w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if list, err := Versions(path); err != nil || len(list) > maxVersions+4 {
		t.Errorf("%d versions, %v", len(list), err)
	}
}
