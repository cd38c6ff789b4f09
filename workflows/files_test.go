package workflows

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDocumentsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yml", "a-b.yaml", "a.json", "a.yaml", ".a.owner.json", "notes.txt", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if names, err := DocumentsIn(dir); err != nil || !slices.Equal(names, []string{"a", "a-b", "b"}) {
		t.Errorf("the documents are %q (%v)", names, err)
	}
	for name, want := range map[string]string{"a": "a.yaml", "b": "b.yml", "new": "new.yaml"} {
		if path, exists := FileIn(dir, name); path != filepath.Join(dir, want) || exists == (name == "new") {
			t.Errorf("%s is in %s (exists: %v), wanted %s", name, path, exists, want)
		}
	}
	if _, err := DocumentsIn(filepath.Join(dir, "missing")); !os.IsNotExist(err) {
		t.Errorf("a folder that is missing gave %v", err)
	}
}
