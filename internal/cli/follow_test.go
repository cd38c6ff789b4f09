package cli

import (
	"bytes"
	"strings"
	"testing"

	"understudy/engine"
)

// A run under way cannot be resumed, so nobody is told to.
func TestARunUnderWayIsFollowedOrStopped(t *testing.T) {
	for _, s := range []engine.Status{engine.Running, engine.Queued} {
		var b bytes.Buffer
		a := &app{console: console{errOut: &b}}
		a.lastWords(engine.Header{ID: "r", Status: s, ResumeFrom: "1"}, engine.Report{})
		if got := b.String(); strings.Contains(got, "resume") || !strings.Contains(got, "understudy runs logs -f r") || !strings.Contains(got, "understudy stop r") {
			t.Errorf("of a run that is %s it says:\n%s", s, got)
		}
	}
}
