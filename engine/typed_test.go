package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/steps"
)

// enterArgs are those of a kind that types, into a field that Into names.
type enterArgs struct {
	Text steps.Value `json:"text" use:"typed"`
	Into string      `json:"into"`
}

// enterKind types into a field, a password field, or nowhere, and then fails if it is told
// to. What it is given is kept.
func enterKind(given *[]string) steps.Kind {
	return steps.Define(steps.Kind{Name: "enter", Summary: "For tests."}, enterArgs{}, func(_ context.Context, env *steps.Env, a enterArgs) (giveResult, error) {
		text := string(a.Text)
		*given = append(*given, text)
		if a.Into == "nowhere" {
			return giveResult{}, &steps.Error{Code: steps.NotFound, Err: errors.New("no field for " + text)}
		}
		if env.IsSecret(text) {
			return giveResult{}, steps.Errorf(steps.Internal, "it is treated as a secret before anybody knows")
		}
		env.NoteTyped(strings.HasPrefix(a.Into, "password"))
		env.Logger().Info("typed " + text)
		if a.Into == "password, then failing" {
			return giveResult{}, steps.Errorf(steps.Unexpected, "the field holds %s", text)
		}
		return giveResult{Values: map[string]any{"is": "now " + text}}, nil
	})
}

// stored is everything that a store holds.
func stored(s *stage, id string) string {
	var all strings.Builder
	for ev := range s.store.Events(s.t.Context(), id, 1) {
		all.WriteString(string(ev.Type) + " " + string(ev.Data) + "\n")
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for _, file := range s.store.files {
		all.Write(file)
	}
	return all.String()
}

// TestTypedByACall holds that the text of a call is stored when it went into no password
// field, and never otherwise.
func TestTypedByACall(t *testing.T) {
	for _, c := range []struct {
		say    string
		text   any
		into   string
		status Status
		is     bool // stored in the end
	}{
		{"what goes into a field is stored", "plain words", "field", Succeeded, true},
		{"a number that goes into a field is stored", 41172.0, "field", Succeeded, true},
		{"what goes into a password field is not", "swordfish", "password", Succeeded, false},
		{"a short one neither", "k9x", "password", Succeeded, false},
		{"a number neither", 60914.0, "password", Succeeded, false},
		{"what failed after it went there neither", "swordfish", "password, then failing", Failed, false},
		{"what failed before the field was seen neither", "swordfish", "nowhere", Failed, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				var given []string
				s.Kinds = append(s.Kinds, enterKind(&given))
				text := asText(c.text)
				s.store.after = func(string, Batch) {
					if len(given) == 0 && strings.Contains(stored(s, s.only()), text) {
						t.Error("it is stored before the step begins")
					}
				}
				h := s.play(Request{Call: "enter", Args: map[string]any{"text": c.text, "into": c.into}})
				if h.Status != c.status || len(given) != 1 || given[0] != text {
					t.Fatalf("the call is %s: %+v; it was given %q", h.Status, h.Error, given)
				}
				all := stored(s, h.ID)
				if is := strings.Contains(all, text); is != c.is {
					t.Errorf("it is stored: %t, wanted %t:\n%s", is, c.is, all)
				}
				if h.Error != nil && strings.Contains(h.Error.Message, text) {
					t.Errorf("the error tells it: %s", h.Error.Message)
				}
				args, _ := s.state(h.ID).Created.Args.(map[string]any)
				if c.is && args["text"] != c.text {
					t.Errorf("the run's arguments are %v", args)
				}
			})
		})
	}
}

// only is the id of the one run.
func (s *stage) only() string {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for id := range s.store.events {
		return id
	}
	return ""
}

// TestResumeRefusesACallWhoseTextIsNotStored resumes a call whose text is not stored: it is not made with another.
func TestResumeRefusesACallWhoseTextIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var given []string
		s.Kinds = append(s.Kinds, enterKind(&given))
		h := s.play(Request{Call: "enter", Args: map[string]any{"text": "swordfish", "into": "nowhere"}})
		s.again()
		s.Kinds = append(s.Kinds, enterKind(&given))
		if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{}); err != nil {
			t.Fatal(err)
		}
		h = s.rest(h.ID)
		if h.Status != Failed || h.Error.Next != "make the call again" || len(given) != 1 {
			t.Errorf("the call is %s: %+v; it was given %q", h.Status, h.Error, given)
		}
	})
}

// TestTypedByACallIsResumed holds that a text which is no secret is there when its call
// is made again, also from its beginning.
func TestTypedByACallIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var given []string
		s.Kinds = append(s.Kinds, enterKind(&given))
		h := s.play(Request{Call: "enter", Args: map[string]any{"text": "plain words", "into": "field"}})
		s.again()
		s.Kinds = append(s.Kinds, enterKind(&given))
		if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{From: "0"}); err != nil {
			t.Fatal(err)
		}
		h = s.rest(h.ID)
		if h.Status != Succeeded || len(given) != 2 || given[1] != "plain words" {
			t.Errorf("the call is %s: %+v; it was given %q", h.Status, h.Error, given)
		}
	})
}

// TestTypedByADocument types what stands in a document into a password field: from then
// on no event tells it, and the log says what to do.
func TestTypedByADocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var given []string
		s.Kinds = append(s.Kinds, enterKind(&given))
		h := s.play(s.request(`
steps:
  - {tool_name: enter, arguments: {text: plain words, into: field}}
  - {tool_name: enter, arguments: {text: swordfish, into: password}}
  - {tool_name: enter, arguments: {text: swordfish and more, into: nowhere}, continue_on_error: true}
  - {tool_name: act, arguments: {name: plain words, value: plain words}}`, nil))
		if h.Status != Succeeded {
			t.Fatalf("the run is %s: %+v", h.Status, h.Error)
		}
		var events, warnings, plain int
		for ev := range s.store.Events(t.Context(), h.ID, 1) {
			data := string(ev.Data)
			if ev.Path != "2" && strings.Contains(data, "swordfish") {
				events++
			}
			if ev.Type == EvEnded && strings.Contains(data, "plain words") {
				plain++
			}
			if ev.Type == EvLogged && strings.Contains(data, "make it a secret input") {
				warnings++
			}
		}
		if events != 0 || warnings != 1 || plain != 2 {
			t.Errorf("%d events tell it, %d warn, %d tell the text that is none:\n%s", events, warnings, plain, stored(s, h.ID))
		}
	})
}
