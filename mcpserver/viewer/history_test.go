package viewer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
)

// TestFlakySteps holds that a step which needed more tries counts, also in runs that
// succeeded, and that a step which never passed is broken and not flaky.
func TestFlakySteps(t *testing.T) {
	ended := func(status engine.Status, at string, tally engine.Tally) engine.Header {
		h := engine.Header{Status: status, Tally: &tally}
		if at != "" {
			h.Error = &engine.ErrorRecord{Step: at}
		}
		return h
	}
	good := ended(engine.Succeeded, "", engine.Tally{})
	for says, row := range map[string]struct {
		runs []engine.Header
		want []flakyStep
	}{
		"a step that failed in one run and passed in another":   {[]engine.Header{ended(engine.Failed, "save", engine.Tally{}), good}, []flakyStep{{"save", 1, 0}}},
		"a step that needed more tries in runs that succeeded":  {[]engine.Header{ended(engine.Succeeded, "", engine.Tally{Retried: []string{"save"}}), good}, []flakyStep{{"save", 0, 1}}},
		"a step that failed, and a fallback or a person helped": {[]engine.Header{ended(engine.Succeeded, "", engine.Tally{Failed: []string{"open"}})}, []flakyStep{{"open", 1, 0}}},
		"a step that no run got past is broken":                 {[]engine.Header{ended(engine.Failed, "save", engine.Tally{Failed: []string{"save"}, Retried: []string{"save"}, Done: []string{"open"}})}, nil},
		"a run that failed later passed it":                     {[]engine.Header{ended(engine.Failed, "save", engine.Tally{}), ended(engine.Failed, "send", engine.Tally{Done: []string{"save"}})}, []flakyStep{{"save", 1, 0}}},
		"a run of an older version has no tally":                {[]engine.Header{{Status: engine.Failed, Error: &engine.ErrorRecord{Step: "save"}}, {Status: engine.Succeeded}}, []flakyStep{{"save", 1, 0}}},
		"the worst comes first":                                 {[]engine.Header{ended(engine.Succeeded, "", engine.Tally{Retried: []string{"a", "b"}}), ended(engine.Failed, "b", engine.Tally{})}, []flakyStep{{"b", 1, 1}, {"a", 0, 1}}},
	} {
		t.Run(says, func(t *testing.T) {
			if diff := cmp.Diff(row.want, flakySteps(row.runs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
