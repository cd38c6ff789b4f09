package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const passing = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
`

func TestReport(t *testing.T) {
	for _, c := range []struct {
		say, events string
		good        bool
		says, not   string
	}{
		{
			"a pass is one line, without what the tests wrote",
			passing + `{"Action":"pass","Package":"p","Elapsed":0.2}`,
			true, "1 passed, 0 failed, 0 skipped", "chatter",
		},
		{
			"a failed test is explained",
			passing + `{"Action":"output","Package":"p","Test":"TestB","Output":"want 1, got 2\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}`,
			false, "want 1, got 2", "chatter",
		},
		{
			"a test that never ended is explained",
			`{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"panic: boom\n"}
{"Action":"fail","Package":"p"}`,
			false, "panic: boom", "",
		},
		{
			"a test that never ended is named, whichever test the panic is attributed to",
			passing + `{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 1h0m0s\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"goroutine 1 [select]:\n"}
{"Action":"fail","Package":"p"}`,
			false, "goroutine 1 [select]:\n      --- FAIL: TestB (it did not end)", "chatter",
		},
		{
			"a package that does not compile is explained",
			passing + `{"Action":"build-output","ImportPath":"q","Output":"q.go:1: syntax error\n"}
{"Action":"build-fail","ImportPath":"q"}
{"Action":"fail","Package":"q"}`,
			false, "syntax error", "",
		},
		{
			"an allowed skip says why",
			passing + `{"Action":"output","Package":"p","Test":"TestS","Output":"    s_test.go:9: only on windows\n"}
{"Action":"skip","Package":"p","Test":"TestS"}
{"Action":"pass","Package":"p"}`,
			true, "skip  1 × only on windows (p.TestS)", "FAIL",
		},
		{
			"a forbidden skip is a failure",
			passing + `{"Action":"output","Package":"p","Test":"TestS","Output":"    s_test.go:9: needs a desktop: no Xvfb\n"}
{"Action":"skip","Package":"p","Test":"TestS"}
{"Action":"pass","Package":"p"}`,
			false, "FAIL  1 × needs a desktop: no Xvfb (p.TestS)", "",
		},
		{"nothing tested is no success", "", false, "nothing was tested", ""},
		{"what is no event is shown", passing + "go: downloading x", true, "go: downloading x", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader(c.events)); err != nil {
				t.Fatal(err)
			}
			if good := r.summary("needs a desktop:"); good != c.good {
				t.Errorf("good: %t, want %t", good, c.good)
			}
			if !strings.Contains(out.String(), c.says) || c.not != "" && strings.Contains(out.String(), c.not) {
				t.Errorf("wanted %q and not %q in\n%s", c.says, c.not, out.String())
			}
		})
	}
}

func TestTimesAreAppended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times.txt")
	for range 2 {
		r := newReport(io.Discard)
		if err := r.read(strings.NewReader(passing + `{"Action":"pass","Package":"p","Elapsed":0.2}`)); err != nil {
			t.Fatal(err)
		}
		if err := r.appendTimes(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const once = "0.2 package p\n0.1 test p.TestA\n"
	if string(got) != once+once {
		t.Errorf("wanted %q, found %q", once+once, got)
	}
}

func TestTestsToRunAgain(t *testing.T) {
	failing := func(test, text string) string {
		return `{"Action":"output","Package":"p","Test":"` + test + `","Output":"` + text + `\n"}
{"Action":"fail","Package":"p","Test":"` + test + `"}
`
	}
	const (
		message = "    p_test.go:9: wanted 1, found 2"
		end     = `{"Action":"fail","Package":"p"}`
	)
	for _, c := range []struct{ say, events, want string }{
		{"nothing when all is well", passing, ""},
		{"a test that failed", passing + failing("TestB", message) + end, "p\t^TestB$\n"},
		{"the part that failed", failing("TestB/1+1", message) + failing("TestB", "--- FAIL") + end, "p\t^TestB$/^1\\+1$\n"},
		{"the whole, where it has its own words", failing("TestB/one", message) + failing("TestB", message) + end, "p\t^TestB$\n"},
		{"no data race", failing("TestB", "WARNING: DATA RACE") + end, ""},
		{"none of many", failing("TestB", message) + failing("TestC", message) + failing("TestD", message) + failing("TestE", message) + end, ""},
		{"nothing when a test did not end", `{"Action":"run","Package":"p","Test":"TestB"}` + "\n" + end, ""},
		{"nothing when a package fails without a test", passing + end, ""},
		{
			"nothing when a test was skipped that must not be", `{"Action":"output","Package":"p","Test":"TestS","Output":"    s_test.go:9: needs a desktop: no Xvfb\n"}
{"Action":"skip","Package":"p","Test":"TestS"}
` + failing("TestB", message) + end, "",
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			r := newReport(io.Discard)
			if err := r.read(strings.NewReader(c.events)); err != nil {
				t.Fatal(err)
			}
			r.summary("needs a desktop:")
			if got := r.again(); got != c.want {
				t.Errorf("wanted %q, found %q", c.want, got)
			}
		})
	}
}
