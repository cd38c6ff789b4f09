package itself

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// childVariable names the test for which a test process was started.
const childVariable = "UNDERSTUDY_TEST_CHILD"

// InChild reports whether this process was started for this test alone. If not, it
// starts such a process, in parallel with other such tests, waits for it, and takes
// over its result; the caller then returns:
//
//	if !itself.InChild(t, nil) {
//		return
//	}
//
// This way a test may change the environment and the working folder of its process
// and still run in parallel with others. Code before the call runs in both processes.
func InChild(t *testing.T, environ []string) bool {
	t.Helper()
	if os.Getenv(childVariable) == t.Name() {
		return true
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := childFlags(os.Args[1:], t.Name())
	if end, ok := t.Deadline(); ok {
		// The parent must be left to say which child hangs, and where.
		args = append(args, "-test.timeout="+(time.Until(end)*3/4).String())
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.WaitDelay = grace
	cmd.Env = append(append(os.Environ(), environ...), childVariable+"="+t.Name())
	out, err := cmd.CombinedOutput()
	switch why, skipped := skipReason(string(out), t.Name()); {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case skipped:
		t.Skip(why)
	case !strings.Contains(string(out), "--- PASS: "+t.Name()+" ("):
		t.Errorf("the test did not run in its own process:\n%s", out)
	case testing.Verbose():
		t.Logf("%s", out)
	}
	return false
}

// ownFlags matches the flags of the parent that a child must not have: files that it
// would overwrite, and which tests the parent runs and how often.
var ownFlags = regexp.MustCompile(`^--?test\.(testlogfile|coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace|gocoverdir|outputdir|run|v|count|parallel|timeout|bench|fuzz|skip|paniconexit0)(=|$)`)

// childFlags returns the arguments of a process that runs one test.
func childFlags(args []string, test string) []string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	args = slices.DeleteFunc(slices.Clone(args), ownFlags.MatchString)
	return append([]string{"-test.v", "-test.run=" + strings.Join(parts, "/")}, args...)
}

// message matches a line that a test has logged, after its file and line.
var message = regexp.MustCompile(`(?m)^\s*[\w.-]+\.go:\d+: (.*)$`)

// skipReason returns the last message of a skipped test.
func skipReason(out, test string) (why string, skipped bool) {
	before, _, skipped := strings.Cut(out, "--- SKIP: "+test+" (")
	if all := message.FindAllStringSubmatch(before, -1); skipped && len(all) > 0 {
		why = all[len(all)-1][1]
	}
	return why, skipped
}
