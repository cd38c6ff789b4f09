package repair

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// closedDialog is a recording of a person who pressed Later in a dialog, which then closed.
const closedDialog = `{"type":"begun","time":"2026-03-04T09:00:00Z","windows":[{"id":7,"title":"Update","process":"zenity","pid":20,"bounds":{"x":0,"y":0,"w":300,"h":200},"active":true}]}
{"type":"pressed","time":"2026-03-04T09:00:01Z","at":{"x":20,"y":20},"button":"left","element":{"role":"button","name":"Later","process":"zenity","pid":20,"window":7,"bounds":{"x":10,"y":10,"w":80,"h":20},"states":["enabled"],"selectors":[{"selector":"role:button && name:Later","matches":1}]}}
{"type":"released","time":"2026-03-04T09:00:01.1Z","at":{"x":20,"y":20},"button":"left"}
{"type":"closed","time":"2026-03-04T09:00:01.3Z","window":{"id":7,"title":"Update","process":"zenity","pid":20}}
{"type":"ended","time":"2026-03-04T09:00:03Z"}
`

// onlyLooked is a recording of a person who did nothing.
const onlyLooked = `{"type":"begun","time":"2026-03-04T09:00:00Z"}
{"type":"ended","time":"2026-03-04T09:00:03Z"}
`

const (
	document = "steps:\n  - {id: open, tool_name: delay}\n\n  # Why it is pressed.\n  - {id: press, tool_name: delay}\n"
	caller   = "steps:\n  - {id: first, tool_name: delay}\n  - {id: call, workflow: called}\n"
)

// pastRun is a run with its events and files.
type pastRun struct {
	engine.Runs

	header    engine.Header
	events    []engine.Event
	bundle    engine.Bundle
	recording string
}

// past returns a run that failed at a step and was then taken over by a person.
func past(t *testing.T, failed string, b engine.Bundle, recording string) *pastRun {
	t.Helper()
	p := &pastRun{header: engine.Header{ID: "r1", Document: "doc", ResumeFrom: "open"}, bundle: b, recording: recording}
	p.add(t, engine.EvEnded, "0", engine.Ended{ID: "open", Outcome: engine.Outcome{Status: engine.Success}})
	if failed != "" {
		p.add(t, engine.EvEnded, "1", engine.Ended{ID: failed, Outcome: engine.Outcome{Status: "error"}})
	}
	p.add(t, engine.EvReturned, "", engine.Returned{By: "ann", Recording: "rec"})
	return p
}

func (p *pastRun) add(t *testing.T, sort engine.EventType, path string, fact any) {
	t.Helper()
	raw, err := json.Marshal(fact)
	if err != nil {
		t.Fatal(err)
	}
	p.events = append(p.events, engine.Event{Seq: uint64(len(p.events) + 1), Type: sort, Path: path, Data: raw})
}

func (p *pastRun) Get(context.Context, string) (engine.Header, error) { return p.header, nil }

func (p *pastRun) Events(_ context.Context, _ string, from uint64) ([]engine.Event, error) {
	return p.events[min(int(from)-1, len(p.events)):], nil
}

func (p *pastRun) File(_ context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if sort == engine.Artifacts && hash == "rec" {
		return []byte(p.recording), nil
	}
	return json.Marshal(p.bundle)
}

// shelfOf holds saved workflows by name.
type shelfOf struct {
	texts   map[string]string
	invalid string // a document that contains this is refused
}

var errRefused = errors.New("refused")

func (s shelfOf) Text(of workflows.Source) ([]byte, error) { return []byte(s.texts[of.Name]), nil }

func (s shelfOf) Check(b engine.Bundle) error {
	if s.invalid != "" && strings.Contains(string(b.Main.Text), s.invalid) {
		return errRefused
	}
	return nil
}

func (s shelfOf) Save(_ context.Context, of workflows.Source, text []byte) error {
	s.texts[of.Name] = string(text)
	return nil
}

// TestStepsOfARepair is a table of lessons: where the steps are inserted,
// where the run continues, and what is saved.
func TestStepsOfARepair(t *testing.T) {
	plain := engine.Bundle{Main: workflows.Source{Name: "nightly", Text: []byte(document)}}
	calls := engine.Bundle{
		Main:  workflows.Source{Name: "caller", Text: []byte(caller)},
		Calls: []workflows.Loaded{{From: "caller", Ref: "called", Source: workflows.Source{Name: "called", Text: []byte(document)}}},
	}
	const sign = "exists('process:zenity && window:Update')"
	const before = "  # Why it is pressed.\n  - {id: press, tool_name: delay}\n"
	for _, row := range []struct {
		say               string
		failed            string
		bundle            engine.Bundle
		now               map[string]string // texts of saved workflows that differ from those of the run
		args              Args
		step, when, from  string
		written, contains string // the saved workflow, "" for none, and what it contains in this order
	}{
		{
			say: "steps before the one that failed, and the run goes on at the first of them", failed: "press", bundle: plain, args: Args{Keep: true},
			step: "press", from: "switch_to_zenity", written: "nightly", contains: "id: open|- id: switch_to_zenity|- id: later|id: press",
		},
		{
			say: "a fallback of the step that failed, under the condition that was there", failed: "press", bundle: plain, args: Args{Keep: true, Fallback: true},
			step: "press", when: sign, from: "press", written: "nightly", contains: "id: press|fallback_id: mend_press|troubleshooting:|id: mend_press|Later",
		},
		{
			say: "a condition of his own", failed: "press", bundle: plain, args: Args{Keep: true, Fallback: true, If: "exists('name:Busy')"},
			step: "press", when: "exists('name:Busy')", from: "press", written: "nightly", contains: "troubleshooting:|name:Busy",
		},
		{
			say: "another step than the one that failed", failed: "press", bundle: plain, args: Args{Keep: true, Step: "open"},
			step: "open", from: "switch_to_zenity", written: "nightly", contains: "- id: switch_to_zenity|- id: later|id: open|id: press",
		},
		{
			say: "no step failed: the one at which the run stood", bundle: plain, args: Args{Keep: true},
			step: "open", from: "switch_to_zenity", written: "nightly", contains: "- id: switch_to_zenity|- id: later|id: open",
		},
		{
			say: "a step of a workflow that is called: that one is written", failed: "press", bundle: calls, args: Args{Keep: true},
			step: "press", from: "switch_to_zenity", written: "called", contains: "id: open|- id: switch_to_zenity|- id: later|id: press",
		},
		{
			say: "a step of both: the caller's own", failed: "first", bundle: calls, args: Args{Keep: true, Fallback: true},
			step: "first", when: sign, from: "first", written: "caller", contains: "id: first|fallback_id|id: call|troubleshooting:",
		},
		{
			say: "a workflow that was changed since keeps its change", failed: "press", bundle: plain, args: Args{Keep: true},
			now:  map[string]string{"nightly": "# changed since\n" + document},
			step: "press", from: "switch_to_zenity", written: "nightly", contains: "# changed since|id: open|- id: switch_to_zenity|- id: later|id: press",
		},
		{say: "nothing is written before it is kept", failed: "press", bundle: plain, step: "press", from: "switch_to_zenity"},
	} {
		t.Run(row.say, func(t *testing.T) {
			saved := shelfOf{texts: map[string]string{"nightly": document, "called": document, "caller": caller}}
			maps.Copy(saved.texts, row.now)
			was := map[string]string{}
			maps.Copy(was, saved.texts)
			p, err := Do(t.Context(), past(t, row.failed, row.bundle, closedDialog), nil, saved, row.args)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"ann", row.step, row.when, row.from}
			if diff := cmp.Diff(want, []string{p.By, p.Step, p.If, p.From}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if !slices.ContainsFunc(p.Did, func(did string) bool { return strings.Contains(did, "Later") }) || p.Difference == "" {
				t.Errorf("he did %q, which changes\n%s", p.Did, p.Difference)
			}
			for name, text := range saved.texts {
				if (text != was[name]) != (name == row.written) {
					t.Errorf("%s is\n%s", name, text)
				}
			}
			if p.Kept != (row.written != "") {
				t.Errorf("kept: %t", p.Kept)
			}
			rest := saved.texts[row.written]
			for part := range strings.SplitSeq(row.contains, "|") {
				found := false
				if _, rest, found = strings.Cut(rest, part); !found {
					t.Errorf("%q is missing or at another place:\n%s", part, saved.texts[row.written])
				}
			}
			if row.written == "nightly" && !row.args.Fallback && row.step == "press" && !strings.Contains(saved.texts["nightly"], before) {
				t.Errorf("the comment of the author left its step:\n%s", saved.texts["nightly"])
			}
		})
	}
}

// TestRepairsThatAreRefused is a table of lessons that fail, after which nothing is saved.
func TestRepairsThatAreRefused(t *testing.T) {
	plain := engine.Bundle{Main: workflows.Source{Name: "nightly", Text: []byte(document)}}
	call := past(t, "press", plain, closedDialog)
	call.header.Document = "" // a run of one call
	nothing := past(t, "press", plain, closedDialog)
	nothing.events = nothing.events[:2]
	for _, row := range []struct {
		say     string
		run     *pastRun
		args    Args
		texts   map[string]string
		invalid string
		code    steps.Code
		said    string
	}{
		{say: "nobody had the desktop", run: nothing, code: steps.NotFound, said: "no takeover of the desktop"},
		{say: "a single call has no document", run: call, code: steps.NotFound, said: "no takeover of the desktop"},
		{say: "he only looked", run: past(t, "press", plain, onlyLooked), code: steps.NotFound, said: "nothing that"},
		{say: "there is no such step", run: past(t, "press", plain, closedDialog), args: Args{Step: "nowhere"}, code: steps.Invalid, said: "nowhere"},
		{say: "the result is not valid", run: past(t, "press", plain, closedDialog), invalid: "Later", said: "refused"},
		{
			say: "the step is gone from the workflow since", run: past(t, "press", plain, closedDialog),
			texts: map[string]string{"nightly": "steps:\n  - {id: other, tool_name: delay}\n"}, said: "was changed since",
		},
	} {
		t.Run(row.say, func(t *testing.T) {
			if row.texts == nil {
				row.texts = map[string]string{"nightly": document}
			}
			was := row.texts["nightly"]
			row.args.Keep = true
			p, err := Do(t.Context(), row.run, nil, shelfOf{row.texts, row.invalid}, row.args)
			if err == nil || !strings.Contains(err.Error(), row.said) || row.code != "" && steps.CodeOf(err) != row.code {
				t.Errorf("%v, want %s: …%s…", err, row.code, row.said)
			}
			if p.Kept || row.texts["nightly"] != was {
				t.Errorf("it was written:\n%s", row.texts["nightly"])
			}
		})
	}
}

// TestLastTakeoverBecomesTheRepair has two persons take over a run, one after the other.
func TestLastTakeoverBecomesTheRepair(t *testing.T) {
	run := past(t, "press", engine.Bundle{Main: workflows.Source{Name: "nightly", Text: []byte(document)}}, closedDialog)
	run.add(t, engine.EvEnded, "0", engine.Ended{ID: "open", Outcome: engine.Outcome{Status: "error"}})
	run.add(t, engine.EvReturned, "", engine.Returned{By: "bob", Recording: "rec"})
	run.add(t, engine.EvReturned, "", engine.Returned{By: "carl"}) // who did nothing
	p, err := Do(t.Context(), run, nil, shelfOf{}, Args{})
	if err != nil || p.By != "bob" || p.Step != "open" || !strings.HasPrefix(p.Words(), "bob did by hand, at step open:\n") {
		t.Errorf("%q at %q, %v\n%s", p.By, p.Step, err, p.Words())
	}
}
