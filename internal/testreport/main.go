// Command testreport makes the output of `go test -json` readable: a line for
// each package, everything that a failed test wrote, and a summary that names
// what was skipped and why.
//
//	go test -json ./... | go run ./internal/testreport -no-skips 'needs a desktop:'
//
// It fails when a test failed, when nothing was tested, or when a test was
// skipped for a reason that begins with the words of -no-skips.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	noSkips := flag.String("no-skips", "", "fail when a test was skipped for a reason that begins with these words")
	flag.Parse()
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	if !r.summary(*noSkips) {
		os.Exit(1)
	}
}
