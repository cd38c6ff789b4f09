package engine

import (
	"bytes"
	"context"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

// encodings are the forms in which a secret is looked for.
func encodings(secret string) map[string]string {
	reversed := []byte(secret)
	slices.Reverse(reversed)
	wide := new(bytes.Buffer)
	for _, c := range utf16.Encode([]rune(secret)) {
		wide.Write([]byte{byte(c), byte(c >> 8)})
	}
	quoted, _ := json.Marshal(secret)
	all := map[string]string{
		"verbatim": secret, "upper": strings.ToUpper(secret), "reversed": string(reversed), "UTF-16": wide.String(), "JSON": string(quoted[1 : len(quoted)-1]),
		"JSON twice": strings.ReplaceAll(string(quoted[1:len(quoted)-1]), `\`, `\\`), "address": url.QueryEscape(secret), "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base32": base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(secret)), "spaced": strings.Join(strings.Split(secret, ""), " "), "first half": secret[:len(secret)/2+1], "second half": secret[len(secret)/2:],
		"Go": fmt.Sprintf("%q", secret),
	}
	for shift := range 3 { // where it stands in what is encoded changes its letters
		for name, e := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64 for addresses": base64.RawURLEncoding} {
			text := e.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
			all[fmt.Sprint(name, shift)] = text[(shift*8+5)/6 : len(text)-1]
		}
	}
	return all
}

// find reports where a secret stands in what was stored.
func find(t *testing.T, s *stage, id, secret string) {
	t.Helper()
	for ev := range s.store.Events(t.Context(), id, 1) {
		for name, text := range encodings(secret) {
			if strings.Contains(string(ev.Data), text) {
				t.Errorf("the secret stands (%s) in event %d (%s): %s", name, ev.Seq, ev.Type, ev.Data)
			}
		}
	}
}

// TestSecretsAreNotStored plays every way in which a secret was once written
// down, and looks for it in many encodings in what is stored.
func TestSecretsAreNotStored(t *testing.T) {
	failing := steps.Define(steps.Kind{Name: "missing", Summary: "For tests."}, actArgs{}, func(_ context.Context, _ *steps.Env, a actArgs) (actResult, error) {
		return actResult{}, &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("no %s", a.Name), Next: "look for " + a.Name, Candidates: []steps.Candidate{{Selector: "name:" + a.Name, Element: "button " + a.Name}}}
	})
	give := steps.Define(steps.Kind{Name: "give", Summary: "For tests."}, giveArgs{}, func(_ context.Context, _ *steps.Env, a giveArgs) (giveResult, error) {
		return giveResult(a), nil
	})
	lines := "first-of-it\nsecond-of-\"it\""
	for _, c := range []struct {
		say, secret, document string
		hidden                []string // that must not be stored either
	}{
		{"candidates of an error", "sword&fish", `steps: [{continue_on_error: true, tool_name: missing, arguments: {name: "name:${{ inputs.a }}"}}]`, nil},
		{"candidates of an error, of a short one", "k9", `steps: [{continue_on_error: true, tool_name: missing, arguments: {name: "name:${{ inputs.a }}"}}]`, nil},
		{"a question and its choices", "sword&fish", `steps: [{tool_name: ask_user, arguments: {question: "${{ inputs.a }}?", choices: ["${{ inputs.a }}", b], context: "of ${{ inputs.a }}"}}]`, nil},
		{"a question with a short one", "k9", `steps: [{tool_name: ask_user, arguments: {question: "${{ inputs.a }}?", choices: ["${{ inputs.a }}", b]}}]`, nil},
		{"a key of an object", "sword&fish", `steps: [{tool_name: give, arguments: {values: "${{ fromJSON('{\"' + inputs.a + '\":1}') }}"}}]`, nil},
		{"a key of an object, short", "k9", `steps: [{tool_name: give, arguments: {values: "${{ fromJSON('{\"' + inputs.a + '\":1}') }}"}}]`, nil},
		{"what a template makes of it", "sword&fish", `
steps:
  - {id: g, tool_name: give, arguments: {values: {h: "${{ toBase64('u:' + inputs.a) }}", u: "${{ upper(inputs.a) }}", part: "${{ inputs.a[0:8] }}", split: "${{ split(inputs.a, '&') }}"}}}
  - {tool_name: act, arguments: {name: "Basic ${{ steps.g.result.values.h }}"}}
output: {y: "toBase64(inputs.a)", z: "[upper(inputs.a)]"}`, nil},
		{"what a template makes of a short one", "k9", `
steps: [{tool_name: give, arguments: {values: {h: "${{ upper(inputs.a) }}"}}}]
output: {y: "upper(inputs.a)"}`, []string{"K9"}},
		{"a number", "60914", `steps: [{tool_name: give, arguments: {values: {n: "${{ int(inputs.a) }}"}}}]`, nil},
		{"a short one in a longer text", "k9", `steps: [{tool_name: give, arguments: {values: {t: "p ${{ inputs.a }}"}}}]`, nil},
		{"the lines of a long one", lines, `
steps:
  - {tool_name: give, arguments: {values: {t: "${{ split(inputs.a, '\\n') }}"}}}
  - {tool_name: give, arguments: {values: {t: "${{ toJSON(inputs.a) }}"}}}`, []string{"first-of-it", "second-of-"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.Kinds = append(s.Kinds, failing, give)
				r := s.request("variables: {a: {type: string, secret: true}}\n"+c.document, nil)
				r.Secrets = map[string]string{"a": c.secret}
				h := s.play(r)
				if h.Status != Succeeded && h.Status != Waiting {
					t.Fatalf("the run is %s: %+v", h.Status, h.Error)
				}
				if len(c.secret) > 3 {
					find(t, s, h.ID, c.secret)
				}
				for ev := range s.store.Events(t.Context(), h.ID, 1) {
					for _, text := range append(c.hidden, c.secret) {
						if strings.Contains(string(ev.Data), text) {
							t.Errorf("%q stands in event %d (%s): %s", text, ev.Seq, ev.Type, ev.Data)
						}
					}
				}
			})
		})
	}
}

type giveArgs struct {
	Values any `json:"values"`
}

type giveResult struct {
	Values any `json:"values"`
}

// TestComputedFromASecretIsUsedAndLost holds that a later step is given what was
// computed from a secret, and that a process which never computed it says so.
func TestComputedFromASecretIsUsedAndLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.Kinds = append(s.Kinds, steps.Define(steps.Kind{Name: "give", Summary: "For tests."}, giveArgs{}, func(_ context.Context, _ *steps.Env, a giveArgs) (giveResult, error) {
			return giveResult(a), nil
		}))
		r := s.request(`
variables: {a: {type: string, secret: true}}
steps:
  - {id: g, tool_name: give, arguments: {values: "${{ toBase64(inputs.a) }}"}}
  - {tool_name: act, arguments: {name: "Basic ${{ steps.g.result.values }}"}}
  - {tool_name: ask_user, arguments: {question: x}}
  - {tool_name: act, arguments: {name: "again ${{ steps.g.result.values }}"}}`, nil)
		r.Secrets = map[string]string{"a": "swordfish"}
		h := s.play(r)
		if h.Status != Waiting || s.did() != "Basic c3dvcmRmaXNo" {
			t.Fatalf("the run is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
		other := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}}
		if _, err := other.Answer(t.Context(), h.ID, Answer{Value: "y", Secrets: map[string]string{"a": "swordfish"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Wait(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		h, _ = other.Get(t.Context(), h.ID)
		if h.Status != Failed || !strings.Contains(h.Error.Next, "--from") || s.did() != "Basic c3dvcmRmaXNo" {
			t.Errorf("the run is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
	})
}

// TestDataFromOutsideNamesNoSecret gives a run values that look like references to its
// secret: what a step found, an answer, and an input stay what they are.
func TestDataFromOutsideNamesNoSecret(t *testing.T) {
	const secret = "correct-horse"
	for say, c := range map[string]struct {
		doc    string
		answer any
	}{
		"a result": {doc: `[{id: a, tool_name: found, arguments: {name: a}}, {tool_name: act, arguments: {name: "${{ a_result.value }}"}}]`},
		"a part of a result": {
			doc: `[{id: a, tool_name: found, arguments: {name: a}}, {tool_name: act, arguments: {name: "${{ toJSON(a_result) }}"}}]`,
		},
		"an answer": {
			doc:    `[{id: a, tool_name: ask_user, arguments: {question: "who?"}}, {tool_name: act, arguments: {name: "${{ a_result.answer }}"}}]`,
			answer: map[string]any{secretKey: "pin"},
		},
		"an input": {doc: `[{tool_name: act, arguments: {name: "${{ inputs.given.x }}"}}]`},
	} {
		t.Run(say, func(t *testing.T) {
			s := newStage(t)
			s.Kinds = append(s.Kinds, steps.Define(steps.Kind{Name: "found", Summary: "For tests.", Reads: true}, actArgs{},
				func(context.Context, *steps.Env, actArgs) (actResult, error) {
					return actResult{Value: map[string]any{joinKey: []any{map[string]any{secretKey: "pin"}}}}, nil
				}))
			r := s.request("variables: {pin: {secret: true}, given: {type: object, default: {}}}\nsteps: "+c.doc, nil)
			r.Secrets = map[string]string{"pin": secret}
			r.Inputs = map[string]any{"given": map[string]any{"x": map[string]any{secretKey: "pin"}}}
			h := s.play(r)
			if c.answer != nil {
				if _, err := s.Answer(t.Context(), h.ID, Answer{Value: c.answer}); err != nil {
					t.Fatal(err)
				}
				h = s.rest(h.ID)
			}
			if strings.Contains(s.did(), secret) {
				t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did())
			}
		})
	}
}

// TestLiteralKeepsAllKeys checks that no two keys become one, however many dollar
// signs a value from outside has.
func TestLiteralKeepsAllKeys(t *testing.T) {
	given := map[string]any{secretKey: "a", "$" + secretKey: "b", "$$" + joinKey: []any{map[string]any{joinKey: "c"}}, "secret": "d", "$other": "e"}
	want := map[string]any{"$" + secretKey: "a", "$$" + secretKey: "b", "$$$" + joinKey: []any{map[string]any{"$" + joinKey: "c"}}, "secret": "d", "$other": "e"}
	if diff := cmp.Diff(want, literal(given)); diff != "" {
		t.Errorf("another value (-want +got):\n%s", diff)
	}
}

// TestOtherInputsNeedNoSecret replaces an input of a run whose secrets are not known any more:
// the run asks for them, and takes none for empty.
func TestOtherInputsNeedNoSecret(t *testing.T) {
	for _, secrets := range []map[string]string{nil, {"pin": "hunter2"}} {
		s := newStage(t)
		r := s.request(`variables: {pin: {type: string, secret: true, required: true}, key: {type: string, secret: true, required: true}, n: {type: number}}
steps: [{tool_name: act, arguments: {name: a, fail: 1, clean: true}}, {tool_name: act, arguments: {name: "${{ inputs.pin }}${{ inputs.key }}${{ inputs.n }}"}}]`, nil)
		r.Secrets, r.Inputs = map[string]string{"pin": "hunter2", "key": "sesame"}, map[string]any{"n": 1.0}
		h := s.play(r)
		h = s.resume(h.ID, ResumeRequest{Inputs: map[string]any{"n": 2.0}, Secrets: secrets})
		if h.Status != Waiting || h.Question.Sort != AskSecret || slices.Contains(h.Question.Choices, "pin") != (secrets == nil) {
			t.Fatalf("with %d secrets it is %s and asks %+v", len(secrets), h.Status, h.Question)
		}
		if _, err := s.Answer(t.Context(), h.ID, Answer{Secrets: r.Secrets}); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a hunter2sesame2" {
			t.Errorf("it is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
	}
}
