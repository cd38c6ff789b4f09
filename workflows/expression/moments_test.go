package expression

import (
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestMoments compares dates with strings that name times.
func TestMoments(t *testing.T) {
	now := time.Now()
	names := &Names{Inputs: map[string]*jsonschema.Schema{"at": {}}}
	for _, row := range []struct {
		says, text string
		at         time.Time
		want       bool
	}{
		{"a moment ago is after yesterday began", `at > "yesterday"`, now, true},
		{"three days ago is not", `at > "yesterday"`, now.AddDate(0, 0, -3), false},
		{"today began before now", `at >= "today"`, now, true},
		{"the string may be on the left", `"yesterday" < at`, now, true},
		{"an hour ago is later than two hours ago", `at > "2h ago"`, now.Add(-time.Hour), true},
		{"ago may be left out", `at < "30 minutes"`, now.Add(-time.Hour), true},
		{"days are counted", `at < "2 days ago"`, now.AddDate(0, 0, -3), true},
		{"a date is its beginning", `at >= "2026-01-31"`, time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local), true},
		{"a whole time is compared exactly", `at > "2026-01-31T08:00:00Z"`, time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), false},
	} {
		t.Run(row.says, func(t *testing.T) {
			x, problems := Compile(row.text, names)
			if len(problems) > 0 {
				t.Fatal(problems[0].Message)
			}
			got, err := x.Holds(t.Context(), &Scope{Inputs: map[string]any{"at": row.at}}, nil)
			if got != row.want || err != nil {
				t.Errorf("%s: %t, %v", row.text, got, err)
			}
		})
	}
}

func TestTextThatNamesNoTime(t *testing.T) {
	x, _ := Compile(`at > "yesteryear"`, &Names{Inputs: map[string]*jsonschema.Schema{"at": {}}})
	if _, err := x.Holds(t.Context(), &Scope{Inputs: map[string]any{"at": time.Now()}}, nil); err == nil {
		t.Error("it was compared")
	}
}
