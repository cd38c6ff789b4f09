package local_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

var patternsPageFile = flag.String("patterns", "", "a page of the documentation whose table of patterns is written anew")

// The lines around the table in the documentation.
const tableBegins, tableEnds = "<!-- patterns: make patterns -->\n", "<!-- end of patterns -->\n"

// ways are how a pattern can be operated.
var ways = []string{"click", "keys", "value"}

// wayOf is how an act operates its pattern; empty: it only looks.
func wayOf(a pageAct) string {
	switch a.kind.Name {
	case kinds.ClickElement.Name, kinds.InvokeElement.Name, kinds.HoverElement.Name:
		return "click"
	case kinds.PressKey.Name, kinds.TypeIntoElement.Name:
		return "keys"
	case kinds.SetValue.Name, kinds.SetSelected.Name, kinds.SelectOption.Name:
		return "value"
	}
	return ""
}

func patternOf(a pageAct) string {
	name, _, _ := strings.Cut(a.say, ":")
	return name
}

// A patternBrowser is a browser in which the patterns are operated.
type patternBrowser struct {
	name    string // the head of its columns
	process string
	command func(*testing.T) string
}

var patternBrowsers = []patternBrowser{
	{"Chromium", "chromium", chromiumCommand},
	{"Chromium, not connected", "chromium", unconnectedChromium},
	{"Firefox", "firefox", func(t *testing.T) string { return firefoxCommand(t, true) }},
}

// unconnectedChromium starts Chromium by a shell: what that starts gets no pipe.
func unconnectedChromium(t *testing.T) string { return `sh -c "exec ` + chromiumCommand(t) + ` $0"` }

// Each pattern is operated by pointer, keys and values, in each browser, connected or not. What does
// not work fails and says so: nothing succeeds of which the page does not tell.
func TestPatternsInEachBrowser(t *testing.T) {
	if *patternsPageFile == "" {
		t.Skip("`make patterns` operates the patterns in each browser")
	}
	virtualtest.Need(t, "chromium")
	results := map[string]map[string]string{} // by browser, and pattern and way
	for _, b := range patternBrowsers {
		t.Run(b.name, func(t *testing.T) {
			results[b.name] = b.operate(t)
		})
	}
	if !t.Failed() {
		writePatterns(t, *patternsPageFile, results)
	}
}

// patternPages are the pages with the patterns, an element that each begins with, and what is done there.
var patternPages = []struct {
	html, first string
	acts        func() []pageAct
}{{patternsPage, "id:acc", patternActs}, {morePatternsPage, "id:alarm", morePatternActs}}

// operate does all acts in a browser, and returns how each way to operate each pattern went.
func (b patternBrowser) operate(t *testing.T) map[string]string {
	went, failed := map[string]string{}, 0
	for _, page := range patternPages {
		t.Run(page.first, func(t *testing.T) {
			p, address := servePage(t, page.html)
			p.launch(b.command(t) + " " + address)
			p.does(kinds.WaitForElement, map[string]any{"process": b.process, "selector": page.first, "timeout_ms": 120_000.0})
			failed += b.tries(p, page.acts(), went)
		})
	}
	if failed > 0 && b.name == "Chromium" {
		t.Errorf("%d acts failed in a connected browser", failed)
	}
	return went
}

// tries does acts, adds how each way to operate each pattern went, and returns how many failed.
func (b patternBrowser) tries(p *page, acts []pageAct, went map[string]string) (failed int) {
	said := map[string]int{}
	for _, a := range acts {
		a.more = maps.Clone(a.more)
		if a.more == nil {
			a.more = map[string]any{}
		}
		a.more["timeout_ms"] = patternTime
		o := p.act(a, b.process)
		key := patternOf(a) + "/" + wayOf(a)
		switch {
		case o.Err != nil:
			failed++
			p.Logf("%s: %v", a.say, o.Err)
			went[key] = strings.ReplaceAll(string(steps.CodeOf(o.Err)), "_", " ")
			time.Sleep(settleAfterFailure) // what was done in spite of it is told by then
			said[a.tells] = p.count(a.tells)
		case a.tells != "" && !p.toldSoon(a.tells, said[a.tells]+1):
			p.Errorf("%s: it succeeded, and the page told only of %v", a.say, p.told)
			went[key] = "false success"
		case a.tells != "":
			said[a.tells]++
			fallthrough
		default:
			went[key] = cmp.Or(went[key], "yes")
		}
	}
	return failed
}

// toldSoon reports whether the page tells of something a number of times within patternTime.
func (p *page) toldSoon(what string, n int) bool {
	for end := time.Now().Add(time.Duration(patternTime) * time.Millisecond); p.count(what) != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// patternTime is how long an act may take to find its element, in milliseconds.
const patternTime = 20_000.0

// settleAfterFailure is how long a page may take to tell what a step did that failed in the end.
const settleAfterFailure = 500 * time.Millisecond

// patterns lists the names of the patterns, in order.
func patterns() []string {
	var names []string
	for _, page := range patternPages {
		for _, a := range page.acts() {
			if name := patternOf(a); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// writePatterns writes the table of what came of it.
func writePatterns(t *testing.T, path string, results map[string]map[string]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("| pattern |")
	for _, x := range patternBrowsers {
		fmt.Fprintf(&b, " %s: %s |", x.name, strings.Join(ways, " | "))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(ways)*len(patternBrowsers)) + "\n")
	for _, name := range patterns() {
		fmt.Fprintf(&b, "| %s |", name)
		for _, x := range patternBrowsers {
			if results[x.name] == nil {
				t.Fatalf("%s was not tried", x.name)
			}
			for _, way := range ways {
				fmt.Fprintf(&b, " %s |", cmp.Or(results[x.name][name+"/"+way], "–"))
			}
		}
		b.WriteString("\n")
	}
	text, err := os.ReadFile(path)
	before, rest, found := strings.Cut(string(text), tableBegins)
	_, after, ended := strings.Cut(rest, tableEnds)
	if err != nil || !found || !ended {
		t.Fatalf("%s has no place for the table: %v", path, err)
	}
	if err := os.WriteFile(path, []byte(before+tableBegins+b.String()+tableEnds+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The documentation has a line for each pattern that is tried.
func TestTheTableOfPatternsIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../../docs/browsers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), tableBegins)
	table, _, _ = strings.Cut(table, tableEnds)
	var got []string
	for line := range strings.Lines(table) {
		if name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |"); name != "pattern" && !strings.HasPrefix(name, "|") {
			got = append(got, name)
		}
	}
	if want := patterns(); !slices.Equal(got, want) {
		t.Errorf("the table has %q, want %q; make patterns writes it anew", got, want)
	}
}
