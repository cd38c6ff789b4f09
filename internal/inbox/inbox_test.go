package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/schedules"
	"understudy/steps"
)

// stored are runs that are listed; everything else of engine.Runs is not used.
type stored struct {
	engine.Runs
	all []engine.Header
}

func (s stored) List(_ context.Context, q engine.Query) (out []engine.Header, err error) {
	for _, h := range s.all {
		if q.Wants(&h) {
			out = append(out, h)
		}
	}
	return out, nil
}

var now = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func failed(id, step, blocker string, minutes int) engine.Header {
	at := now.Add(time.Duration(minutes) * time.Minute)
	return engine.Header{
		ID: id, Workflow: "invoice", Status: engine.Failed, Seq: 9, StartedAt: at, UpdatedAt: at,
		Error: &engine.ErrorRecord{Code: steps.NotActionable, Message: "the button is blocked", Step: step, Blocker: blocker},
	}
}

// TestTakeOverNeedsADesktop tests that taking over is offered for runs with a desktop that
// lasts, which others do not have.
func TestTakeOverNeedsADesktop(t *testing.T) {
	lasting := failed("b", "save", "", 2)
	lasting.Desktop = &desktop.Info{Name: "d"}
	for want, h := range map[string]engine.Header{"resume dismiss": failed("a", "save", "", 1), "resume take over dismiss": lasting} {
		causes, err := Sources{Runs: stored{all: []engine.Header{h}}, Trail: audit.New(t.TempDir())}.Causes(t.Context(), now)
		if err != nil || len(causes) != 1 || strings.Join(causes[0].Acts, " ") != want {
			t.Errorf("wanted %s, got %v, %v", want, causes, err)
		}
	}
}

func TestCauses(t *testing.T) {
	asks := engine.Header{ID: "asks", Status: engine.Waiting, Question: &engine.Question{Sort: engine.AskUser, Step: "who", Text: "Who?"}, UpdatedAt: now}
	doubts := engine.Header{ID: "doubts", Status: engine.Waiting, Question: &engine.Question{Sort: engine.AskDoubt, Step: "pay"}, UpdatedAt: now}
	healed := engine.Header{ID: "healed", Status: engine.Succeeded, Errors: 1, StartedAt: now, UpdatedAt: now}
	call := failed("call", "", "", 0)
	call.Call = "click_element"
	for _, row := range []struct {
		says    string
		runs    []engine.Header
		desktop *virtual.Kept
		notes   []schedules.Note
		want    []string
	}{
		{"nothing needs anybody", nil, nil, nil, nil},
		{"failures with one dialog in the way are one cause, the newest first", []engine.Header{failed("a", "save", "Update", 1), failed("b", "save", "Update", 2)}, nil, nil, []string{"failed save Update: b a"}},
		{"another dialog is another cause", []engine.Header{failed("a", "save", "Update", 1), failed("b", "save", "Login", 2)}, nil, nil, []string{"failed save Login: b", "failed save Update: a"}},
		{"another step is another cause", []engine.Header{failed("a", "save", "", 1), failed("b", "open", "", 2)}, nil, nil, []string{"failed open : b", "failed save : a"}},
		{"a question needs an answer", []engine.Header{asks}, nil, nil, []string{"waiting who : asks"}},
		{"a step that may have acted is doubtful", []engine.Header{doubts}, nil, nil, []string{"doubtful pay : doubts"}},
		{"a success after a failure is shown", []engine.Header{healed}, nil, nil, []string{"healed  : healed"}},
		{"a plain success is not", []engine.Header{{ID: "good", Status: engine.Succeeded, StartedAt: now}}, nil, nil, nil},
		{"a failed single call is its client's", []engine.Header{call}, nil, nil, nil},
		{"a desktop that ends soon takes its run along", []engine.Header{failed("a", "save", "", 0)}, &virtual.Kept{Name: "d", Run: "a", Until: now.Add(time.Minute)}, nil, []string{"failed save : a", "ending  : a"}},
		{"one that ends later does not", []engine.Header{failed("a", "save", "", 0)}, &virtual.Kept{Name: "d", Run: "a", Until: now.Add(2 * soon)}, nil, []string{"failed save : a"}},
		{"a schedule that began no run", nil, nil, []schedules.Note{{At: now, Text: "skipped"}}, []string{"missed nightly : "}},
	} {
		t.Run(row.says, func(t *testing.T) {
			s := Sources{Runs: stored{all: row.runs}, Trail: audit.New(t.TempDir())}
			if row.desktop != nil {
				s.Desktops = []virtual.Kept{*row.desktop}
			}
			if row.notes != nil {
				s.Schedules = []schedules.Entry{{Schedule: schedules.Schedule{Name: "nightly"}, State: schedules.State{Notes: row.notes}}}
			}
			causes, err := s.Causes(t.Context(), now)
			var got []string
			for _, c := range causes {
				runs := []string{}
				for _, e := range c.Entries {
					runs = append(runs, e.Run)
				}
				got = append(got, fmt.Sprintf("%s %s %s: %s", c.Trouble, c.Step, c.Blocker, strings.Join(runs, " ")))
			}
			if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
				t.Errorf("%v\n-want +got:\n%s", err, diff)
			}
		})
	}
}

// TestDismissing dismisses a cause, and then something new happens to one of its runs.
func TestDismissing(t *testing.T) {
	runs := []engine.Header{failed("a", "save", "", 1), failed("b", "save", "", 2)}
	s := Sources{Runs: stored{all: runs}, Trail: audit.New(t.TempDir())}
	open := func(context.Context) (Sources, error) { return s, nil }
	causes, err := s.Causes(t.Context(), now)
	if err != nil || len(causes) != 1 {
		t.Fatalf("%v, %v", causes, err)
	}
	who := Caller{Name: "ada", May: func(Need) error { return steps.Errorf(steps.Denied, "ask mode") }}
	if _, err := dismiss(t.Context(), open, who, &dismissArgs{causes[0].ID, "known"}); steps.CodeOf(err) != steps.Denied {
		t.Errorf("dismissed without the right: %v", err)
	}
	who.May = nil
	if _, err := dismiss(t.Context(), open, who, &dismissArgs{causes[0].ID, " "}); steps.CodeOf(err) != steps.Invalid {
		t.Errorf("dismissed without a reason: %v", err)
	}
	if _, err := dismiss(t.Context(), open, who, &dismissArgs{causes[0].ID, "known"}); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Causes(t.Context(), now); len(left) > 0 || err != nil {
		t.Errorf("after the dismissal: %v, %v", left, err)
	}
	if _, err := dismiss(t.Context(), open, who, &dismissArgs{"a", "known"}); steps.CodeOf(err) != steps.NotFound {
		t.Errorf("dismissed twice: %v", err)
	}
	runs[0].Seq++
	if left, err := s.Causes(t.Context(), now); err != nil || len(left) != 1 || left[0].Entries[0].Run != "a" {
		t.Errorf("after something new: %v, %v", left, err)
	}
	acts, err := s.Trail.Acts("", func(audit.Act) bool { return true })
	if err != nil || len(acts) != 2 || !slices.ContainsFunc(acts, func(a audit.Act) bool {
		return a.By == "ada" && a.Verb == audit.Dismissed && a.Run == "b" && a.Detail == "known" && !a.At.IsZero()
	}) {
		t.Errorf("the trail has %+v, %v", acts, err)
	}
}
