package operations

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/fileio"
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
	return fileio.SaveVersion(s.path, text)
}

// TestEachVersionIsKept saves a file, changes it by hand, saves it again and restores it.
func TestEachVersionIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flow.yaml")
	replace := func(text string) {
		t.Helper()
		if err := fileio.SaveVersion(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	texts := func() (all []string) {
		t.Helper()
		list, err := fileio.Versions(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range list {
			text, _, err := fileio.ReadVersion(path, v.Hash)
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
	one := fileio.HashOf([]byte("one\n"))[:8]
	shelf := &oneShelf{path: path}
	if r, err := listVersions(t.Context(), shelf, struct{}{}, &versionsArgs{"flow", one}); err != nil || !strings.Contains(r.Text, "-two\n+one\n") {
		t.Errorf("%s, %v", r.Text, err)
	}
	if r, err := restoreVersion(t.Context(), shelf, struct{}{}, &restoreArgs{"flow", one}); err != nil || !strings.Contains(r.Text, one) {
		t.Errorf("%s, %v", r.Text, err)
	}
	if diff := cmp.Diff([]string{"one\n", "two\n", "by hand\n"}, texts()); diff != "" {
		t.Errorf("after going back, -want +got:\n%s", diff)
	}
	shelf.refused = errors.New("not you")
	if _, err := restoreVersion(t.Context(), shelf, struct{}{}, &restoreArgs{"flow", fileio.HashOf([]byte("two\n"))}); !errors.Is(err, shelf.refused) {
		t.Errorf("who may not save went back: %v", err)
	}
	for _, hash := range []string{"0000", "../flow.yaml", ""} {
		if _, _, err := fileio.ReadVersion(path, hash); err == nil {
			t.Errorf("there is a version %q", hash)
		}
	}
	if err := fileio.ForgetVersions(path); err != nil || texts() != nil {
		t.Errorf("they are still there: %v", err)
	}
}
