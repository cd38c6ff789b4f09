// Command testreport makes the output of `go test -json` readable: a line for
// each package, everything that a failed test wrote, and a summary that names
// what was skipped and why.
//
//	go test -json ./... | go run ./internal/testreport -no-skips 'needs a desktop:'
//
// It fails when a test failed, when nothing was tested, or when a test was
// skipped for a reason that begins with the words of -no-skips. With -times it
// also leaves lines such as "12.5 test understudy/store.TestOpen" in a file, which
// sort puts in order for several runs together. With -again it leaves the package
// and the -run pattern of each test that failed in a file, when these are few and
// nothing else was wrong, so that they can be played once more by themselves.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	noSkips := flag.String("no-skips", "", "fail when a test was skipped for a reason that begins with these words")
	times := flag.String("times", "", "append how long each package and each test took to this file")
	again := flag.String("again", "", "write what can be played once more to this file")
	flag.Parse()
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	good := r.summary(*noSkips)
	if *times != "" {
		if err := r.appendTimes(*times); err != nil {
			fmt.Fprintln(os.Stderr, "testreport:", err)
			good = false
		}
	}
	if *again != "" {
		if err := os.WriteFile(*again, []byte(r.again()), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "testreport:", err)
		}
	}
	if !good {
		os.Exit(1)
	}
}
