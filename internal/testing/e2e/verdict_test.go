//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// verdict is what came of a scenario.
type verdict string

// The verdicts.
const (
	pass         verdict = "pass"
	rightFailure verdict = "right failure"
	wrongFailure verdict = "wrong failure"
	falseSuccess verdict = "false success"
)

// judge compares what a run says with the world. The codes are those that it
// may fail with; the world is then as it should be after that failure. When
// must is false it may succeed as well.
func judge(r engine.Report, may []steps.Code, must bool, outside error) verdict {
	if r.Status == engine.Succeeded {
		if must || outside != nil {
			return falseSuccess
		}
		return pass
	}
	if r.Error != nil && outside == nil {
		if slices.Contains(may, r.Error.Code) {
			return rightFailure
		}
	}
	return wrongFailure
}

func TestJudge(t *testing.T) {
	bad := errors.New("the file is not there")
	failed := engine.Report{Status: engine.Failed, Error: &engine.ErrorRecord{Code: steps.Ambiguous}}
	succeeded := engine.Report{Status: engine.Succeeded}
	for _, row := range []struct {
		sentence string
		report   engine.Report
		may      []steps.Code
		must     bool
		outside  error
		want     verdict
	}{
		{"done, and so it is", succeeded, nil, false, nil, pass},
		{"said to be done, and it is not", succeeded, nil, false, bad, falseSuccess},
		{"done what must fail", succeeded, []steps.Code{steps.Ambiguous}, true, nil, falseSuccess},
		{"failed as it must", failed, []steps.Code{steps.Ambiguous}, true, nil, rightFailure},
		{"failed as it may", failed, []steps.Code{steps.Timeout, steps.Ambiguous}, false, nil, rightFailure},
		{"failed with another code", failed, []steps.Code{steps.NotFound}, true, nil, wrongFailure},
		{"failed as it must, but not without harm", failed, []steps.Code{steps.Ambiguous}, true, bad, wrongFailure},
		{"failed what should be done", failed, nil, false, nil, wrongFailure},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := judge(row.report, row.may, row.must, row.outside); got != row.want {
				t.Errorf("wanted %s, found %s", row.want, got)
			}
		})
	}
}

// result is one line of the table.
type result struct {
	Name    string
	Verdict verdict
	Took    time.Duration
	Failure string
}

// table shows the results, and counts the verdicts.
func table(results []*result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	counts := map[verdict]int{}
	for _, r := range results {
		counts[r.Verdict]++
		fmt.Fprintf(w, "%s\t%.1fs\t%s\t%s\n", r.Verdict, r.Took.Seconds(), r.Name, r.Failure)
	}
	_ = w.Flush()
	fmt.Fprintf(&b, "\n%d scenarios: %d passes, %d right failures, %d wrong failures, %d false successes\n",
		len(results), counts[pass], counts[rightFailure], counts[wrongFailure], counts[falseSuccess])
	return b.String()
}
