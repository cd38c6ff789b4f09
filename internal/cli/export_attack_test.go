package cli

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// exportedRun is a run whose names somebody else chose.
type exportedRun struct {
	engine.Runs
	name string
}

func (exportedRun) Get(context.Context, string) (engine.Header, error) {
	return engine.Header{ID: "x", Document: "d"}, nil
}

func (r exportedRun) Report(context.Context, string, engine.Page) (engine.Report, error) {
	hash := strings.Repeat("a", 64)
	return engine.Report{Steps: []engine.StepReport{{
		Path: r.name, ID: r.name, Captures: []engine.CaptureReport{{When: "before", Hash: hash}},
		Result: map[string]string{"picture": engine.CaptureURI(strings.Repeat("b", 64)), r.name: engine.CaptureURI("../../" + r.name)},
	}, {Path: r.name, Captures: []engine.CaptureReport{{When: "after", Hash: hash}}}}}, nil
}

func (exportedRun) Events(context.Context, string, uint64) ([]engine.Event, error) { return nil, nil }

func (r exportedRun) File(_ context.Context, sort engine.FileSort, _ string) ([]byte, error) {
	if sort == engine.Captures {
		return []byte("picture"), nil
	}
	called := workflows.Loaded{Source: workflows.Source{Name: r.name, Text: []byte("steps: []")}}
	return json.Marshal(engine.Bundle{Main: workflows.Source{Name: r.name, Text: []byte("steps: []")}, Calls: []workflows.Loaded{called, called}})
}

// expected matches the files of an export.
var expected = regexp.MustCompile(`^(run\.json|events\.jsonl|workflow\.yaml|called-[12]-[\w.-]*\.yaml|captures/000[12]-[\w.-]+\.png)$`)

// TestAttackPathsOfExports exports runs whose steps and documents are called like
// paths: everything stays in the folder, and nothing is missing.
func TestAttackPathsOfExports(t *testing.T) {
	for _, name := range []string{
		"../../evil", "/etc/evil", "..", ".", "a/b", `..\..\evil`, "C:\\evil", "a\x00b", "\x1b[31m", "evil.yaml/../../x", "\u202egnp", "", strings.Repeat("long", 1000), "..png", "CON:",
	} {
		above := t.TempDir()
		dir := filepath.Join(above, "in", "exported")
		if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil {
			t.Fatal(err)
		}
		x := exporter{runs: exportedRun{name: name}, id: "x", dir: dir}
		if err := x.export(t.Context()); err != nil {
			t.Errorf("%.40q: %v", name, err)
		}
		found := 0
		if err := filepath.WalkDir(above, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if found++; err != nil || !expected.MatchString(filepath.ToSlash(rel)) {
				t.Errorf("%.40q is exported as %q", name, rel)
			}
			if info, err := d.Info(); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("%s can be read by others: %v, %v", rel, info.Mode(), err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if found != 8 {
			t.Errorf("%.40q: %d files, want 3 documents, 3 pictures, the report and the events", name, found)
		}
	}
}

// TestAttackLinkInThePlaceOfAnExport has somebody put a link where a run is to be
// exported.
func TestAttackLinkInThePlaceOfAnExport(t *testing.T) {
	outside, link := t.TempDir(), filepath.Join(t.TempDir(), "exported")
	for _, target := range []string{outside, filepath.Join(outside, "not-there")} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("this system has no links: ", err)
		}
		x := exporter{runs: exportedRun{name: "x"}, id: "x", dir: link}
		if err := x.export(t.Context()); steps.CodeOf(err) != steps.Invalid {
			t.Errorf("over a link to %s: %v", target, err)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
			t.Errorf("it wrote %v, %v", left, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}
