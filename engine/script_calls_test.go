package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"understudy/steps"
)

type scriptArgs struct {
	Calls []string `json:"calls" jsonschema:"the kinds that it uses"`
	Name  string   `json:"name,omitzero" jsonschema:"an argument of each"`
}

type scriptResult struct {
	Said []string `json:"said"`
}

// script is a kind that uses others.
func script(ctx context.Context, env *steps.Env, a scriptArgs) (r scriptResult, _ error) {
	for _, kind := range a.Calls {
		said := "done"
		if out := env.Call(ctx, kind, map[string]any{"name": a.Name}); out.Err != nil {
			said = string(out.Err.Code) + ": " + out.Err.Err.Error()
		}
		r.Said = append(r.Said, said)
	}
	return r, nil
}

func TestScriptsCallWithTheRightsOfTheirRun(t *testing.T) {
	for _, row := range []struct {
		sentence, calls string
		confined        bool
		said, did       string
	}{
		{"a script acts", "act", false, "done", "me"},
		{"what it calls is judged one by one", "act forbidden act", false, "done; denied: not allowed; done", "me me"},
		{"there is no such kind", "nonsense", false, "invalid: a script can use the kinds that look at the desktop or act on it", ""},
		{"nobody can be asked", "ask_user", false, "invalid: a script can use the kinds that look at the desktop or act on it", ""},
		{"a kind without the desktop is a step of its own", "set", false, "invalid: a script can use the kinds that look at the desktop or act on it", ""},
		{"a program is started", "open", false, "done", "me"},
		{"a confined script starts no program", "open act", true, "denied: a script that is confined starts no programs; done", "me"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := newStage(t)
			kind := func(k steps.Kind) steps.Kind {
				k.Summary, k.Touches = "For tests.", steps.Act
				return steps.Define(k, actArgs{}, s.act)
			}
			s.Kinds = append(s.Kinds,
				steps.Define(steps.Kind{Name: "script", Summary: "For tests.", Toolset: steps.Shell, Calls: true}, scriptArgs{}, script),
				kind(steps.Kind{Name: "forbidden"}),
				kind(steps.Kind{Name: "open", Beyond: &steps.Beyond{Argument: "name", Harmless: func(string) bool { return true }}}))
			s.Allow = func(_, _ string, k steps.Kind) error {
				if k.Name == "forbidden" {
					return steps.Errorf(steps.Denied, "not allowed")
				}
				return nil
			}
			calls, _ := json.Marshal(strings.Fields(row.calls))
			r := s.request(`steps: [{id: a, tool_name: script, arguments: {name: me, calls: `+string(calls)+`}}]`, nil)
			r.Sandbox = row.confined
			h := s.play(r)
			st := s.state(h.ID)
			result, _ := st.scope().Steps["a"].Result.(map[string]any)
			said, _ := result["said"].([]any)
			var words []string
			for _, w := range said {
				words = append(words, w.(string))
			}
			if got := strings.Join(words, "; "); got != row.said || s.did() != row.did {
				t.Errorf("it was told %q and did %q; want %q and %q", got, s.did(), row.said, row.did)
			}
			if logged := strings.Count(s.types(h.ID), "logged"); logged != len(said) {
				t.Errorf("%d of %d calls are recorded: %s", logged, len(said), s.types(h.ID))
			}
			if holders, _ := s.Lease.Holders(); len(holders) > 0 {
				t.Errorf("the desktop is still held by %v", holders)
			}
		})
	}
}

func TestACallEndsWithItsRun(t *testing.T) {
	s := newStage(t)
	began := make(chan struct{})
	s.hook = func(ctx context.Context, _ string) error {
		close(began)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	s.Kinds = append(s.Kinds, steps.Define(steps.Kind{Name: "script", Summary: "For tests.", Calls: true}, scriptArgs{}, script))
	h, err := s.Start(t.Context(), s.request(`steps: [{tool_name: script, arguments: {name: me, calls: [act]}}]`, nil))
	if err != nil {
		t.Fatal(err)
	}
	<-began
	if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
	if h = s.rest(h.ID); h.Status != Cancelled {
		t.Errorf("the run is %s, want it cancelled", h.Status)
	}
}

func TestArgumentsOfACallThatAreTypedAreNotRecorded(t *testing.T) {
	s := newStage(t)
	type typeArgs struct {
		Name string `json:"name" use:"typed" jsonschema:"what is typed"`
	}
	s.Kinds = append(s.Kinds,
		steps.Define(steps.Kind{Name: "script", Summary: "For tests.", Calls: true}, scriptArgs{}, script),
		steps.Define(steps.Kind{Name: "type", Summary: "For tests.", Touches: steps.Act}, typeArgs{}, func(_ context.Context, env *steps.Env, _ typeArgs) (scriptResult, error) {
			env.NoteTyped(true)
			return scriptResult{}, nil
		}))
	h := s.play(s.request(`steps: [{tool_name: script, arguments: {calls: [type], name: "${{ 'pass' + 'word' }}"}}]`, nil))
	for ev := range s.store.Events(t.Context(), h.ID, 1) {
		if ev.Type == EvLogged && strings.Contains(string(ev.Data), "password") {
			t.Errorf("what was typed into a password field is recorded: %s", ev.Data)
		}
	}
}
