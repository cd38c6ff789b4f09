package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is a line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build
	Test       string
	Elapsed    float64
	Output     string
}

// report is what is known of a run of tests.
type report struct {
	out                     io.Writer
	packages                map[string]*pkg
	builds                  map[string][]string // what compilers wrote
	passed, failed, skipped int
	elapsed                 float64
	reasons                 map[string][]string // why → the tests that were skipped
	bad                     []string            // packages that failed
	slow                    []timed             // tests
	took                    []timed             // packages
	once                    []string            // what to play again: a package, a tab, a pattern
	sure                    bool                // something is wrong that is not played again
}

// pkg is a package whose tests run.
type pkg struct {
	lines  []line
	failed map[string]bool
	open   map[string]bool // started, not ended
	tests  int
}

// line is a line that a test, or the package itself, wrote.
type line struct{ test, text string }

// timed is a test or a package, and its seconds.
type timed struct {
	name    string
	seconds float64
}

func newReport(out io.Writer) *report {
	return &report{out: out, packages: map[string]*pkg{}, builds: map[string][]string{}, reasons: map[string][]string{}}
}

// read takes in events until there are no more. A line that is no event is
// shown as it is: tools write such lines.
func (r *report) read(in io.Reader) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var e event
		if err := json.Unmarshal(s.Bytes(), &e); err != nil || e.Action == "" {
			fmt.Fprintln(r.out, s.Text())
			continue
		}
		r.take(e)
	}
	return s.Err()
}

func (r *report) take(e event) {
	if strings.HasPrefix(e.Action, "build-") {
		if e.Output != "" {
			r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
		}
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &pkg{failed: map[string]bool{}, open: map[string]bool{}}
		r.packages[e.Package] = p
	}
	switch {
	case e.Action == "output":
		p.lines = append(p.lines, line{e.Test, e.Output})
	case e.Test == "":
		r.takePackage(e, p)
	default:
		r.takeTest(e, p)
	}
}

func (r *report) takeTest(e event, p *pkg) {
	switch e.Action {
	case "run":
		p.open[e.Test] = true
		return
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		p.failed[e.Test] = true
	case "skip":
		r.skipped++
		why := p.reason(e.Test)
		r.reasons[why] = append(r.reasons[why], e.Package+"."+e.Test)
	default:
		return // pause, cont, bench
	}
	delete(p.open, e.Test)
	p.tests++
	if !strings.Contains(e.Test, "/") {
		r.slow = append(r.slow, timed{e.Package + "." + e.Test, e.Elapsed})
	}
}

func (r *report) takePackage(e event, p *pkg) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(r.out, "ok    %-44s %6.1fs %5d tests\n", e.Package, e.Elapsed, p.tests)
	case "fail":
		r.bad = append(r.bad, e.Package)
		fmt.Fprintf(r.out, "FAIL  %-44s %6.1fs %5d tests\n", e.Package, e.Elapsed, p.tests)
		r.explain(p)
		r.replay(e.Package, p)
	default:
		return // start, or skip: a package without tests
	}
	r.elapsed += e.Elapsed
	r.took = append(r.took, timed{e.Package, e.Elapsed})
	p.lines = nil
}

// explain shows what was written by the tests of a package that failed, by
// those that were cut short, and by the package itself.
func (r *report) explain(p *pkg) {
	for _, lines := range r.builds {
		for _, text := range lines {
			fmt.Fprint(r.out, "      ", text)
		}
	}
	clear(r.builds)
	for _, l := range p.lines {
		if l.test == "" || p.failed[l.test] || p.open[l.test] {
			fmt.Fprint(r.out, "      ", l.text)
		}
	}
}

// replay notes which tests of a package that failed can be played again: those that
// failed by their own words, not by those of a part. A data race, a test that never
// ended and a package that failed by itself are sure as they are.
func (r *report) replay(name string, p *pkg) {
	own := map[string]bool{}
	for _, l := range p.lines {
		r.sure = r.sure || strings.Contains(l.text, "DATA RACE")
		own[l.test] = own[l.test] || place.MatchString(l.text)
	}
	r.sure = r.sure || len(p.open) > 0 || len(p.failed) == 0
	for test := range p.failed {
		if !own[test] && p.within(test, func(part string) bool { return strings.HasPrefix(part, test+"/") }) ||
			p.within(test, func(whole string) bool { return own[whole] && strings.HasPrefix(test, whole+"/") }) {
			continue // its parts are, or the whole is
		}
		parts := strings.Split(test, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		r.once = append(r.once, name+"\t"+strings.Join(parts, "/"))
	}
}

// within says whether a test that failed, other than this one, is as asked for.
func (p *pkg) within(test string, is func(other string) bool) bool {
	for other := range p.failed {
		if other != test && is(other) {
			return true
		}
	}
	return false
}

// replayed is how many tests are played again at most: when more fail, it is not
// because the machine was busy.
const replayed = 3

// again is what to play again, a line each; nothing when something is sure.
func (r *report) again() string {
	if r.sure || len(r.once) > replayed {
		return ""
	}
	slices.Sort(r.once)
	var b strings.Builder
	for _, l := range r.once {
		fmt.Fprintln(&b, l)
	}
	return b.String()
}

// place is the file and line that a test's message begins with.
var place = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reason is why a test was skipped: the last thing that it said.
func (p *pkg) reason(test string) string {
	for _, l := range slices.Backward(p.lines) {
		if l.test == test && place.MatchString(l.text) {
			return strings.TrimSpace(place.ReplaceAllString(l.text, ""))
		}
	}
	return "no reason given"
}

// appendTimes appends the seconds of each package and of each test to a file.
func (r *report) appendTimes(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, p := range r.took {
		fmt.Fprintf(w, "%.1f package %s\n", p.seconds, p.name)
	}
	for _, s := range r.slow {
		fmt.Fprintf(w, "%.1f test %s\n", s.seconds, s.name)
	}
	return errors.Join(w.Flush(), f.Close())
}

// summary shows what came of it all, and says whether it is good.
func (r *report) summary(noSkips string) bool {
	slices.SortFunc(r.slow, func(a, b timed) int { return int(b.seconds*1000) - int(a.seconds*1000) })
	fmt.Fprintln(r.out)
	for _, s := range r.slow[:min(5, len(r.slow))] {
		if s.seconds >= 1 {
			fmt.Fprintf(r.out, "slow  %-60s %5.1fs\n", s.name, s.seconds)
		}
	}
	good := len(r.bad) == 0 && r.failed == 0
	for _, why := range slices.Sorted(maps.Keys(r.reasons)) {
		word := "skip"
		if noSkips != "" && strings.HasPrefix(why, noSkips) {
			word, good, r.sure = "FAIL", false, true
		}
		fmt.Fprintf(r.out, "%s  %d × %s (%s)\n", word, len(r.reasons[why]), why, r.reasons[why][0])
	}
	for _, name := range r.bad {
		fmt.Fprintf(r.out, "FAIL  %s\n", name)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped, in %d packages; %.0fs of tests\n",
		r.passed, r.failed, r.skipped, len(r.packages), r.elapsed)
	if r.passed == 0 {
		fmt.Fprintln(r.out, "nothing was tested")
	}
	return good && r.passed > 0
}
