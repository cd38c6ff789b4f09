package kinds

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestReferenceIsFresh(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "kinds")
	pages := reference(All())
	for name, page := range pages {
		golden(t, filepath.Join(dir, name), page)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(found) != len(pages) {
		t.Errorf("%s has %d files (%v), wanted %d: remove the pages of kinds that are gone", dir, len(found), err, len(pages))
	}
}

func TestSchemas(t *testing.T) {
	var want []string
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			s, err := schema(k)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "schemas", k.Name+".json"), string(s)+"\n")
		})
		want = append(want, filepath.Join("testdata", "schemas", k.Name+".json"))
	}
	slices.Sort(want)
	found, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, found); d != "" {
		t.Errorf("the golden schemas are not those of the kinds (-want +found):\n%s", d)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s is stale; run the test with -update (-file +declared):\n%s", path, d)
	}
}
