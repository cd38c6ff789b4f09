package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
)

// stored gives files whose content is their hash.
type stored struct{ engine.Runs }

func (stored) File(_ context.Context, _ engine.FileSort, hash string) ([]byte, error) {
	return []byte(hash), nil
}

func TestExportedPictures(t *testing.T) {
	around, taken := strings.Repeat("a", 64), strings.Repeat("b", 64)
	x := &exporter{runs: stored{}, dir: t.TempDir()}
	err := x.pictures(t.Context(), engine.Report{Steps: []engine.StepReport{
		{Path: "0", Captures: []engine.CaptureReport{
			{When: "before", Hash: around, Try: 1}, {When: "after", Hash: around, Try: 1}, // nothing changed
		}},
		{Path: "1", ID: "look", Result: map[string]any{"uri": engine.CaptureURI(taken), "text": "see " + engine.CaptureURI(around)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	files, err := os.ReadDir(filepath.Join(x.dir, "captures"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(x.dir, "captures", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name()] = string(text)
	}
	want := map[string]string{"0001-0-try1-before.png": around, "0001-0-try1-after.png": around, "0002-look-result1.png": taken}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
