package workflows

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"understudy/steps/kinds"
)

func TestTenMistakesAreReportedAtOnce(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compile(Source{Name: "mistakes.yaml", Text: text}, CompileOptions{Kinds: kinds.All()})
	invalid, ok := errors.AsType[*InvalidError](err)
	if !ok {
		t.Fatalf("wanted an InvalidError, found %v", err)
	}
	golden(t, "testdata/mistakes.golden", err.Error()+"\n")
	b, err := json.MarshalIndent(invalid, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/mistakes.json", string(b)+"\n")
}

func TestDocumentsOfTheReferenceAreAccepted(t *testing.T) {
	files, err := filepath.Glob("testdata/terminator/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Compile(Source{Name: f, Text: text}, CompileOptions{Kinds: kinds.All()}); err != nil {
				t.Error(err)
			}
		})
	}
}
