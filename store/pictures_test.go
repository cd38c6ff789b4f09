package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
)

// recordingOf is the folder of the pictures of one recording.
const recordingOf = "20261121T150405.000"

// A workflow names pictures as path/to/pictures/RECORDING/7.png.
func TestPicturesOfRecordings(t *testing.T) {
	for _, c := range []struct {
		say  string
		set  func(*testing.T, *Store)
		want string // what is left
	}{
		{"what nothing names goes, with its folder", func(*testing.T, *Store) {}, ""},
		{"what a workflow names stays", func(t *testing.T, s *Store) { s.saves(t, "order.yaml", "/1.png") }, "1.png"},
		{"a name that only begins so is another", func(t *testing.T, s *Store) { s.saves(t, "order.yaml", "/12.png") }, "12.png"},
		{"what is named in a folder below stays", func(t *testing.T, s *Store) { s.saves(t, "mine/deep/order.yml", "/2.png") }, "2.png"},
		{"and in a file of another sort", func(t *testing.T, s *Store) { s.saves(t, "notes.txt", "/2.png and more") }, "2.png"},
		{"all stays where the folder is named", func(t *testing.T, s *Store) { s.saves(t, "order.yaml", "\npicture: 1.png") }, "1.png 12.png 2.png"},
		{"what is named in a folder that is a link stays", func(t *testing.T, s *Store) {
			other := filepath.Join(t.TempDir(), "elsewhere")
			writeIn(t, filepath.Join(other, "order.yaml"), "image:/x/"+recordingOf+"/2.png")
			link(t, other, filepath.Join(s.workflows, "linked"))
		}, "2.png"},
		{"links that go round are read once", func(t *testing.T, s *Store) { link(t, s.workflows, filepath.Join(s.workflows, "round")) }, ""},
		{"what is not a picture of a recording stays", func(t *testing.T, s *Store) { s.adds(t, "mine.png") }, "mine.png"},
		{"what is young stays", func(t *testing.T, s *Store) { s.ages(t, unnamedStay-time.Hour) }, "1.png 12.png 2.png"},
		{"what the workflow of a run names stays", func(t *testing.T, s *Store) {
			hash, err := s.Put(t.Context(), engine.Documents, []byte("image:/x/"+recordingOf+"/12.png"))
			if err != nil {
				t.Fatal(err)
			}
			b := ended("a", engine.Failed, time.Minute)
			b.Header.Document = hash
			mustAppend(t, s, b)
		}, "12.png"},
		{"nothing goes while the recording is made", func(t *testing.T, s *Store) {
			release, err := HoldPictures(s.recording())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
		}, "1.png 12.png 2.png"},
		{"nor soon after it", func(t *testing.T, s *Store) {
			release, err := HoldPictures(s.recording())
			if err != nil {
				t.Fatal(err)
			}
			release()
		}, "1.png 12.png 2.png"},
		{"what a recording left whose program died goes", func(t *testing.T, s *Store) {
			writeIn(t, s.recording()+holdEnding, "")
		}, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(dir, Options{Workflows: filepath.Join(dir, "workflows")})
			if err != nil {
				t.Fatal(err)
			}
			defer mustClose(t, s)
			for _, name := range []string{"1.png", "2.png", "12.png"} {
				s.adds(t, name)
			}
			s.ages(t, unnamedStay+time.Hour)
			c.set(t, s)
			done, err := s.Prune(t.Context(), engine.Retention{})
			if err != nil {
				t.Fatal(err)
			}
			left := s.left(t)
			if diff := cmp.Diff(strings.Fields(c.want), left, cmp.Transformer("none", func(l []string) []string { return append([]string{}, l...) })); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
			if went := 3 - len(slices.DeleteFunc(left, func(n string) bool { return n == "mine.png" })); done.Files != went || done.Bytes != int64(went*len("picture")) {
				t.Errorf("it says that %d files of %d bytes went, and %d did", done.Files, done.Bytes, went)
			}
			if entries, _ := os.ReadDir(filepath.Dir(s.recording())); c.want == "" && len(entries) > 0 {
				t.Errorf("left in the folder of recordings: %v", entries)
			}
		})
	}
}

func TestAFileThatCannotBeReadKeepsAllPictures(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{Workflows: filepath.Join(dir, "workflows")})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, s)
	s.adds(t, "1.png")
	link(t, "order.yaml", filepath.Join(s.workflows, "order.yaml")) // to itself
	if _, err := s.Prune(t.Context(), engine.Retention{}); err == nil || !strings.Contains(err.Error(), "order.yaml") {
		t.Errorf("%v, want an error that names the file", err)
	}
	if got := s.left(t); len(got) != 1 {
		t.Errorf("left is %v, want the picture", got)
	}
}

func (s *Store) recording() string { return filepath.Join(s.workflows, PicturesName, recordingOf) }

// adds adds a picture to the recording.
func (s *Store) adds(t *testing.T, name string) {
	t.Helper()
	writeIn(t, filepath.Join(s.recording(), name), "picture")
	s.ages(t, unnamedStay+time.Hour)
}

// ages makes the recording look as if it ended some time ago.
func (s *Store) ages(t *testing.T, age time.Duration) {
	t.Helper()
	then := time.Now().Add(-age)
	if err := os.Chtimes(s.recording(), then, then); err != nil {
		t.Fatal(err)
	}
}

// saves saves a workflow that names the recording, followed by more text.
func (s *Store) saves(t *testing.T, name, more string) {
	t.Helper()
	writeIn(t, filepath.Join(s.workflows, name), `selector: "image:/home/me/workflows/pictures/`+recordingOf+more+`"`)
}

func (s *Store) left(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(s.recording())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func writeIn(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
}
