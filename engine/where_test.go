package engine

import (
	"testing"
	"time"

	"understudy/steps"
)

func TestWhere(t *testing.T) {
	now := time.Now()
	failed := Header{
		ID: "a", Workflow: "invoice", Status: Failed, StartedAt: now, Labels: []string{"night", "sap"}, ResumeFrom: "save",
		Error: &ErrorRecord{Code: steps.NotActionable, Message: "the button is blocked", Step: "save", Blocker: "Update"},
	}
	for _, row := range []struct {
		says, where string
		want        bool
	}{
		{"no expression holds for all", ``, true},
		{"failed runs of a workflow since yesterday", `status == "failed" && workflow == "invoice" && started > "yesterday"`, true},
		{"another workflow", `workflow == "order"`, false},
		{"a label", `"sap" in labels`, true},
		{"the label that it lacks", `"day" in labels`, false},
		{"the dialog in the way", `blocker == "Update" && code == "not_actionable"`, true},
		{"the step that failed", `step == "save"`, true},
		{"a part of a message", `message contains "blocked"`, true},
		{"how a run without a tally ended is not known", `outcome == ""`, true},
		{"a run that has not ended", `ended < "2000-01-01"`, true},
	} {
		t.Run(row.says, func(t *testing.T) {
			ctx, w, done, err := whereOf(t.Context(), row.where)
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			if got, err := w.holds(ctx, failed); got != row.want || err != nil {
				t.Errorf("%s: %t, %v", row.where, got, err)
			}
		})
	}
}

func TestWhereIsRefused(t *testing.T) {
	for says, text := range map[string]string{
		"a name that runs lack":   `statu == "failed"`,
		"a sentence":              `all that failed`,
		"a look at the desktop":   `exists("name:Save")`,
		"a statement of a shell":  `$(reboot)`,
		"the secrets of a person": `env.PASSWORD == "x"`,
	} {
		if _, w, _, err := whereOf(t.Context(), text); err == nil {
			if holds, err := w.holds(t.Context(), Header{}); holds || err != nil {
				t.Errorf("%s: %s holds", says, text)
			}
		} else if steps.CodeOf(err) != steps.Invalid {
			t.Errorf("%s: %v", says, err)
		}
	}
}
