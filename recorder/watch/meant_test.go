package watch_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStepsPerThingMeant counts the steps of the workflows that were recorded, for each
// thing that the person would say they did: lines that nobody meant are to be deleted.
func TestStepsPerThingMeant(t *testing.T) {
	const most = 1.1
	file, err := os.Open(filepath.Join("testdata", "meant.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var table strings.Builder
	things, steps, counted := 0, 0, map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, said, ok := strings.Cut(lines.Text(), ": ")
		if strings.HasPrefix(name, "#") {
			continue
		}
		golden, err := os.ReadFile(filepath.Join("testdata", "scenarios", name+".yaml"))
		if err != nil || !ok {
			t.Fatalf("%q is no scenario with what was meant: %v", lines.Text(), err)
		}
		meant, written := strings.Count(said, ";")+1, strings.Count(string(golden), "\n  - id: ")
		things, steps, counted[name+".yaml"] = things+meant, steps+written, true
		mark := ""
		if float64(written) > most*float64(meant) {
			mark = "  more"
		}
		fmt.Fprintf(&table, "%-24s %2d steps for %2d things%s\n", name, written, meant, mark)
	}
	t.Logf("\n%s%d steps for %d things, %.2f for one", &table, steps, things, float64(steps)/float64(things))
	if float64(steps) > most*float64(things) {
		t.Errorf("there are %.2f steps for one thing that was meant, want at most %.1f", float64(steps)/float64(things), most)
	}
	all, err := os.ReadDir(filepath.Join("testdata", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	for _, golden := range all {
		if !counted[golden.Name()] {
			t.Errorf("testdata/meant.txt does not say what was meant by %s", golden.Name())
		}
	}
}
