//go:build linux

package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
)

var soak = flag.Duration("soak", 0, "how long the examples are played in a loop, ten rounds at least")

// usage is what a process holds, and the X server for all its clients, while
// nothing runs.
type usage struct{ Memory, Descriptors, Goroutines, Clients, Resources int }

// measures are the parts of a usage, and how much each may grow in all the
// rounds that are judged. Memory has caches that fill, and a collector.
var measures = []struct {
	name  string
	of    func(usage) int
	slack float64
}{
	{"bytes of memory", func(u usage) int { return u.Memory }, 512 << 10},
	{"descriptors", func(u usage) int { return u.Descriptors }, 2},
	{"goroutines", func(u usage) int { return u.Goroutines }, 2},
	{"clients of the X server", func(u usage) int { return u.Clients }, 2},
	{"resources of the X server", func(u usage) int { return u.Resources }, 6},
}

// What runs for hours must not grow. The first half of the rounds fills caches
// and is not judged; over the second the trend is, and no single value.
func TestSoak(t *testing.T) {
	s := newStage(t, desktop.Size{})
	virtualtest.Need(t, "xrestop")
	answers(s)
	var held []usage
	for end := time.Now().Add(*soak); len(held) < 10 || time.Now().Before(end); {
		s.playExamples(len(held))
		held = append(held, s.used())
	}
	report := grown(held)
	var text strings.Builder
	fmt.Fprintf(&text, "%d rounds; after the first, after each quarter and after the last:\n", len(held))
	for i := range 5 {
		fmt.Fprintf(&text, "%+v\n", held[i*(len(held)-1)/4])
	}
	t.Log(text.String())
	if path := os.Getenv(tableVariable); path != "" {
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
	for _, line := range report {
		t.Error(line)
	}
}

// playExamples is one round.
func (s *stage) playExamples(round int) {
	for _, name := range []string{"example/form", "example/note", "example/save_dialog"} {
		flags := []string{}
		if name != "example/form" {
			file := fmt.Sprintf("round-%d.txt", round%2)
			_ = os.Remove(file) // or the editor asks whether to replace it
			flags = []string{"-i", "file=" + file}
		}
		if r := s.run(name, flags...); r.Status != engine.Succeeded {
			s.keepPictures(r.RunID)
			s.t.Fatalf("round %d of %s: %v", round, name, failure(r))
		}
	}
}

// grown says what grew in the second half of the rounds.
func grown(held []usage) []string {
	late := held[len(held)/2:]
	var lines []string
	for _, m := range measures {
		values := make([]float64, len(late))
		for i, u := range late {
			values[i] = float64(m.of(u))
		}
		if growth := slope(values) * float64(len(values)-1); growth > m.slack {
			lines = append(lines, fmt.Sprintf("the %s grew by about %.0f in %d rounds: %.0f", m.name, growth, len(values), values))
		}
	}
	return lines
}

// slope is the median of the slopes between every two values, which a few
// values that are out of line do not change.
func slope(values []float64) float64 {
	var all []float64
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			all = append(all, (values[j]-values[i])/float64(j-i))
		}
	}
	slices.SortFunc(all, cmp.Compare)
	return all[len(all)/2]
}

func TestGrown(t *testing.T) {
	series := func(value func(round int) int) []usage {
		held := make([]usage, 20)
		for i := range held {
			held[i] = usage{Goroutines: value(i)}
		}
		return held
	}
	for _, row := range []struct {
		sentence string
		held     []usage
		grew     bool
	}{
		{"nothing changes", series(func(int) int { return 7 }), false},
		{"it grows in the first rounds", series(func(i int) int { return min(i, 8) }), false},
		{"one value is out of line", series(func(i int) int { return 7 + i/19*50 }), false},
		{"it goes up and down", series(func(i int) int { return 7 + i%3 }), false},
		{"it grows by one each round", series(func(i int) int { return i }), true},
		{"it grows by one each other round", series(func(i int) int { return i / 2 }), true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if lines := grown(row.held); len(lines) > 0 != row.grew {
				t.Errorf("wanted growth: %v, found %q", row.grew, lines)
			}
		})
	}
}

// used counts when all that was begun has come to rest.
func (s *stage) used() usage {
	var u, last usage
	_ = eventually(s.t, func() error {
		time.Sleep(100 * time.Millisecond) // between two looks that have to agree
		last, u = u, s.uses()
		if last.Memory = u.Memory; u != last {
			return fmt.Errorf("not at rest: %+v", u)
		}
		return nil
	})
	return u
}

func (s *stage) uses() usage {
	runtime.GC()
	runtime.GC() // what finalizers let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		s.t.Fatal(err)
	}
	clients, resources := s.resources()
	return usage{int(m.HeapAlloc), len(entries), runtime.NumGoroutine(), clients, resources}
}

var (
	xClient   = regexp.MustCompile(`(?m)^\d+ - `)
	xResource = regexp.MustCompile(`(?m)^\t(?:windows|GCs|pixmaps|pictures|glyphsets|colormaps|passive grabs|cursors)\s*: (\d+)$`)
)

// resources are the clients of the X server and what it holds for them, by the
// extension XRes.
func (s *stage) resources() (clients, resources int) {
	s.t.Helper()
	out := s.tool("xrestop", "-b", "-m", "1")
	clients = len(xClient.FindAllString(out, -1))
	for _, m := range xResource.FindAllStringSubmatch(out, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			s.t.Fatal(err)
		}
		resources += n
	}
	if clients < 2 || resources == 0 || !strings.Contains(out, "xrestop") {
		s.t.Fatalf("xrestop says too little:\n%s", out)
	}
	return clients, resources
}
