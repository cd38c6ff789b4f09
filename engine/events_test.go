package engine

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/workflows/expression"
)

// TestStoredCreated pins the stored form of Created to the byte, with the order of its
// fields: data folders of earlier versions hold it, and the checksums of their events
// continue one another.
func TestStoredCreated(t *testing.T) {
	created := Created{
		Workflow: "w", Document: "d", From: "a", To: "b", Fallbacks: true, JumpsAtEnd: true, DryRun: true, StepThrough: true,
		Parent: "p", Call: "click_element", Args: map[string]any{"n": 1.5},
		Terms: Terms{
			Client: "c", Owner: "o", Dir: "/d",
			Desktop: DesktopChoice{Display: "virtual", Screen: desktop.Size{W: 3, H: 4}, Layout: "de", Keep: time.Second},
			Roots:   []string{"/r"}, Private: []string{"/x"}, Sandbox: true, Storage: Storage{Run: 1, Day: 2},
			Needs: []string{"os=linux"}, Priority: 3, Rights: json.RawMessage(`{"mode":"act"}`), Server: "s",
			WorkflowID: "wid", TraceID: "tid", ExecutionID: "eid", Schedule: "daily", TraceParent: "00-1-2-01",
		},
		Start: []Frame{{List: bodyKey, Sort: BodyFrame, Scope: 1}},
		Scope: Scope{
			Inputs: map[string]any{"i": "1"}, Env: map[string]any{"e": "2"}, Selectors: map[string]any{"s": "3"},
			Steps: map[string]expression.StepScope{}, Lists: map[string]string{"a": bodyKey},
		},
	}
	for _, c := range []struct {
		say     string
		created Created
		want    string
	}{
		{"all fields", created, `{"workflow":"w","document":"d","from":"a","to":"b","fallbacks":true,"jumps_at_end":true,"dry_run":true,` +
			`"step_through":true,"parent":"p","call":"click_element","args":{"n":1.5},"client":"c","owner":"o","dir":"/d",` +
			`"desktop":{"display":"virtual","screen":{"w":3,"h":4},"layout":"de","keep":1000000000},"roots":["/r"],"private":["/x"],` +
			`"sandbox":true,"storage":{"run":1,"day":2},"needs":["os=linux"],"priority":3,"rights":{"mode":"act"},"server":"s",` +
			`"workflow_id":"wid","trace_id":"tid","execution_id":"eid","schedule":"daily","trace_parent":"00-1-2-01",` +
			`"start":[{"list":"s","sort":"body","next":0,"scope":1}],` +
			`"scope":{"inputs":{"i":"1"},"env":{"e":"2"},"selectors":{"s":"3"},"lists":{"a":"s"}}}`},
		{"no fields", Created{}, `{"workflow":"","document":"","fallbacks":false,"start":null,"scope":{"inputs":null,"env":null,"selectors":null}}`},
	} {
		ev, err := newEvent(EvCreated, "", c.created)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, string(ev.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.say, diff)
		}
	}
}
