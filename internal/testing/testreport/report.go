package main

import (
	"bufio"
	"cmp"
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

// event is one line of `go test -json`.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64
	Output  string
}

// report collects the events of a test run.
type report struct {
	out                     io.Writer
	packages                map[string]*pkg
	builds                  []string // output of the compiler, until a package shows it
	passed, failed, skipped int
	elapsed                 float64
	reasons                 map[string][]string // the skipped tests, by reason
	bad                     []string            // packages that failed
	slow                    []timed             // tests
	took                    []timed             // packages
	once                    []string            // tests to run again: a package, a tab, a pattern
	sure                    bool                // something failed that running again would not change
}

// pkg is a package whose tests are running.
type pkg struct {
	lines  []line
	failed map[string]bool
	open   map[string]bool // started and not ended
	tests  int
}

// line is a line of output of a test, or of the package itself.
type line struct{ test, text string }

// timed is a test or a package with its duration.
type timed struct {
	name    string
	seconds float64
}

func newReport(out io.Writer) *report {
	return &report{out: out, packages: map[string]*pkg{}, reasons: map[string][]string{}}
}

// read takes events until the input ends. A line that is no event, as tools write
// some, is shown as it is.
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
			r.builds = append(r.builds, e.Output)
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

// explain shows the output of the tests of a package that failed, of those that did not
// end, of the package itself, and what a panic said: it may be attributed to a test that
// passed.
func (r *report) explain(p *pkg) {
	for _, text := range r.builds {
		fmt.Fprint(r.out, "      ", text)
	}
	r.builds = nil
	panicked := false
	for _, l := range p.lines {
		panicked = panicked || strings.HasPrefix(l.text, "panic: ")
		if l.test == "" || p.failed[l.test] || p.open[l.test] || panicked {
			fmt.Fprint(r.out, "      ", l.text)
		}
	}
	for _, test := range slices.Sorted(maps.Keys(p.open)) {
		fmt.Fprintf(r.out, "      --- FAIL: %s (it did not end)\n", test)
	}
}

// replay notes which failed tests of a package can be run again: those that reported a
// failure themselves, not only in a subtest. A data race, a test that never ended and
// a package that failed outside of tests are not worth a second run.
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
			continue // its subtests are run again, or its parent is
		}
		parts := strings.Split(test, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		r.once = append(r.once, name+"\t"+strings.Join(parts, "/"))
	}
}

// within reports whether a failed test other than this one satisfies is.
func (p *pkg) within(test string, is func(other string) bool) bool {
	for other := range p.failed {
		if other != test && is(other) {
			return true
		}
	}
	return false
}

// replayed is the largest number of tests that are run again: if more fail, the reason is
// not that the machine was busy.
const replayed = 3

// again returns the tests to run again, a line each, or nothing if that is pointless.
func (r *report) again() string {
	if r.sure || len(r.once) > replayed {
		return ""
	}
	slices.Sort(r.once)
	return strings.Join(append(r.once, ""), "\n")
}

// place matches the file and line at the start of a test's message.
var place = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reason returns why a test was skipped: its last message.
func (p *pkg) reason(test string) string {
	for _, l := range slices.Backward(p.lines) {
		if l.test == test && place.MatchString(l.text) {
			return strings.TrimSpace(place.ReplaceAllString(l.text, ""))
		}
	}
	return "no reason given"
}

// appendTimes appends the duration of each package and of each test to a file.
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

// summary shows the totals, and reports whether the run is good.
func (r *report) summary(noSkips string) bool {
	slices.SortFunc(r.slow, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
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
