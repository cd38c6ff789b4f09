package versions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// oneShelf has one workflow.
type oneShelf struct {
	path    string
	refused error
}

func (s *oneShelf) Path(string) (string, error) { return s.path, nil }
func (s *oneShelf) Save(_ context.Context, _ string, text []byte) error {
	if s.refused != nil {
		return s.refused
	}
	return Replace(s.path, text)
}

// TestEachVersionIsKept saves a file, changes it by hand, saves it again and restores it.
func TestEachVersionIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flow.yaml")
	replace := func(text string) {
		t.Helper()
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	texts := func() (all []string) {
		t.Helper()
		list, err := List(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range list {
			text, _, err := Read(path, v.Hash)
			if err != nil || v.Current != (i == 0) {
				t.Errorf("%d of %d: %+v, %v", i+1, len(list), v, err)
			}
			all = append(all, string(text))
		}
		return all
	}
	replace("one\n")
	if err := os.WriteFile(path, []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	replace("two\n")
	if diff := cmp.Diff([]string{"two\n", "by hand\n", "one\n"}, texts()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	one := HashOf([]byte("one\n"))[:8]
	shelf := &oneShelf{path: path}
	if r, err := list(t.Context(), shelf, struct{}{}, &listArgs{"flow", one}); err != nil || !strings.Contains(r.Text, "-two\n+one\n") {
		t.Errorf("%s, %v", r.Text, err)
	}
	if r, err := restore(t.Context(), shelf, struct{}{}, &restoreArgs{"flow", one}); err != nil || !strings.Contains(r.Text, one) {
		t.Errorf("%s, %v", r.Text, err)
	}
	if diff := cmp.Diff([]string{"one\n", "two\n", "by hand\n"}, texts()); diff != "" {
		t.Errorf("after going back, -want +got:\n%s", diff)
	}
	shelf.refused = errors.New("not you")
	if _, err := restore(t.Context(), shelf, struct{}{}, &restoreArgs{"flow", HashOf([]byte("two\n"))}); !errors.Is(err, shelf.refused) {
		t.Errorf("who may not save went back: %v", err)
	}
	for _, hash := range []string{"0000", "../flow.yaml", ""} {
		if _, _, err := Read(path, hash); err == nil {
			t.Errorf("there is a version %q", hash)
		}
	}
	if err := Forget(path); err != nil || texts() != nil {
		t.Errorf("they are still there: %v", err)
	}
}

// TestTheCurrentVersionIsFirst writes an earlier version again by hand, which leaves the
// other one with the later time.
func TestTheCurrentVersionIsFirst(t *testing.T) {
	for _, text := range []string{"one\n", "two\n"} {
		path := filepath.Join(t.TempDir(), "flow.yaml")
		for _, text := range []string{"one\n", "two\n"} {
			if err := Replace(path, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		for i, version := range []string{"one\n", "two\n"} {
			at := time.Now().Add(time.Duration(i) * time.Minute)
			if err := os.Chtimes(filepath.Join(folder(path), HashOf([]byte(version))), at, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := List(path); err != nil || len(all) != 2 || !all[0].Current {
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
	if err := Replace(path, []byte("two\n")); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(real)
	info, err := os.Stat(real)
	if err != nil || string(text) != "two\n" || info.Mode().Perm() != 0o640 {
		t.Errorf("the file behind the link has %q and %v, %v", text, info.Mode(), err)
	}
	if all, err := List(path); err != nil || len(all) != 2 || !all[0].Current {
		t.Errorf("%v, %v", all, err)
	}
}

// TestSeveralReplaceAFile has several writers remove the same oldest versions.
func TestSeveralReplaceAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flow.yaml")
	for i := range most {
		if err := keep(path, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 10 {
				if err := Replace(path, fmt.Append(nil, w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if list, err := List(path); err != nil || len(list) > most+4 {
		t.Errorf("%d versions, %v", len(list), err)
	}
}
