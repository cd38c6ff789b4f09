package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/testing/fake"
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

// TestAnExportThatFails exports a run that is not there, and then asks for the same
// place again.
func TestAnExportThatFails(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("UNDERSTUDY_HOME", filepath.Join(dir, "data"))
	for _, args := range [][]string{{"runs", "export", engine.NewKey(), filepath.Join(dir, "run")}, {"runs", "export", "--html", engine.NewKey(), filepath.Join(dir, "run.html")}} {
		if status := Main(t.Context(), &fake.Machine{Fake: fake.New()}, args, nil, io.Discard, io.Discard); status != statusFailed {
			t.Errorf("%v ended with %d", args, status)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "run*")); err != nil || len(left) > 0 {
		t.Errorf("wanted nothing left, got %v, %v", left, err)
	}
}
