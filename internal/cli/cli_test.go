package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/service"
	"understudy/steps"
)

// TestMain makes the command line a command of the scripts in testdata. In the process of the
// tests, commands work without a service, which would be a process of the tests too.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "understudy" {
		os.Setenv(service.Variable, "off")
	}
	testscript.Main(m, map[string]func(){
		"understudy": func() {
			os.Exit(Main(context.Background(), testMachine(os.Getenv("MACHINE")), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv(service.Variable, "off") // unless a script is about it
			return os.CopyFS(filepath.Join(e.WorkDir, "folders"), os.DirFS(filepath.Join("testdata", "folders")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// status runs a command that must end with an exit status: `status 2 CMD ARG…`.
func status(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND [ARG...]")
	}
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// testMachine is a computer whose diagnosis a script chooses: "ready",
// "broken", or anything else for one that lacks only what few kinds need.
type testMachine string

var errNoDesktop = &desktop.MissingError{What: "no desktop in this test"}

func (testMachine) Open(context.Context, desktop.Options) (*desktop.Desktop, error) {
	return desktop.Missing(errNoDesktop), nil
}

func (m testMachine) Diagnose(_ context.Context, o desktop.Options) []desktop.Finding {
	found := []desktop.Finding{
		{Name: "display", OK: m != "broken", Detail: o.Display + " " + o.Screen.String(), Mend: "apt-get install xvfb", Needed: true},
		{Name: "ocr", OK: m == "ready", Detail: "tesseract", Mend: "apt-get install tesseract-ocr"},
	}
	return found
}

func TestEveryCodeHasAnExitStatus(t *testing.T) {
	explained := map[int]bool{}
	for _, s := range statusMeanings {
		explained[s.status] = true
	}
	for _, code := range steps.Codes() {
		status, ok := statusOf[code]
		if !ok || status == statusOK || !explained[status] {
			t.Errorf("code %s has exit status %d (listed: %t), which the help does not explain", code, status, ok)
		}
	}
}

// A code may come from a process of a later version.
func TestACodeThatIsNotKnownIsNoSuccess(t *testing.T) {
	c := &console{errOut: io.Discard}
	h := engine.Header{Status: engine.Failed, Error: &engine.ErrorRecord{Code: "of_tomorrow"}}
	for want, err := range map[int]error{statusInternal: &steps.Error{Code: "of_tomorrow"}, statusFailed: &shownError{codeOf(h)}} {
		if got := c.end(err); got != want {
			t.Errorf("%v: got the status %d, want %d", err, got, want)
		}
	}
}
