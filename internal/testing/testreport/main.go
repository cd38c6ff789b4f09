// Command testreport makes the output of `go test -json` readable: a line for
// each package, everything that a failed test wrote, and a summary that names
// what was skipped and why.
//
//	go test -json ./... | go run ./internal/testing/testreport -no-skips 'needs a desktop:'
//
// It fails if a test failed, if nothing was tested, or if a test was skipped for a
// reason that begins with the words of -no-skips. With -times it also appends lines
// such as "12.5 test understudy/store.TestOpen" to a file, which can be sorted over
// several runs. With -again it writes the package and the -run pattern of each failed
// test to a file, if these are few and nothing else was wrong, so that they can be
// run once more by themselves.
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
	if !succeeded(r.read(os.Stdin)) {
		os.Exit(1)
	}
	good := r.summary(*noSkips)
	if *times != "" {
		good = succeeded(r.appendTimes(*times)) && good
	}
	if *again != "" {
		succeeded(os.WriteFile(*again, []byte(r.again()), 0o600))
	}
	if !good {
		os.Exit(1)
	}
}

// succeeded shows an error, and reports whether there was none.
func succeeded(err error) bool {
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	return err == nil
}
