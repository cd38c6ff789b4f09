package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/steps"
)

// hostile are texts as an application could name a window.
var hostile = []string{
	"\x1b[2J\x1b[31mowned", "\x1b]0;title\a", "\u009b31mC1", "Save\u202egnp.exe", "a\rb", "a\x00b", "\u2066x\u2069", "tag\U000e0041", "line\u2028end", "\x7f", "zero\u200bwidth",
}

// steers reports whether a character acts on a terminal, or on the order in which
// characters are shown, instead of being shown.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' || r == '\u2028' || r == '\u2029'
}

func steersAnything(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && steers(r) })
}

func TestNothingSteersTheTerminal(t *testing.T) {
	for _, text := range append(hostile, "\x9b2Jbyte") {
		var out, errOut bytes.Buffer
		a := &app{console: console{out: &out, errOut: &errOut}}
		a.end(&steps.Error{Code: steps.NotFound, Err: steps.Errorf(steps.NotFound, "no window %s", text), Next: text})
		a.lastWords(engine.Header{ID: "x", Status: engine.Failed, Error: &engine.ErrorRecord{Code: steps.NotFound, Message: text, Next: text}}, engine.Report{})
		p := &progress{console: &a.console, kinds: map[string]string{}}
		p.line("✗", text, "0", text, text, 0)
		p.say(text)
		a.out = &errOut
		show := a.operation(operations.Declaration{Command: "show", New: func() any { return &struct{}{} }}, func(*cobra.Command, any) (operations.Result, error) {
			return operations.Result{Text: text}, nil
		}, nil)
		show.SetArgs(nil)
		if err := show.Execute(); err != nil {
			t.Fatal(err)
		}
		if steersAnything(errOut.String()) {
			t.Errorf("%q came out as %q", text, errOut.String())
		}
		if got := clean(text); steersAnything(got) || strings.ContainsAny(got, "\t\n") || !utf8.ValidString(got) {
			t.Errorf("clean(%q) = %q", text, got)
		}
	}
}

func TestJSONSaysTheSameWithoutSteering(t *testing.T) {
	for _, text := range append(hostile, "plain", "ünïcode 日本 👩‍👩‍👧") {
		var out bytes.Buffer
		a := &app{console: console{out: &out}}
		event := func(data any) error {
			raw, err := json.Marshal(data)
			newProgress(&a.console, &showFlags{Output: "jsonl"}).event(engine.Event{Data: raw})
			var shown engine.Event
			if err == nil {
				err = json.Unmarshal(out.Bytes(), &shown)
			}
			if steersAnything(out.String()) || !bytes.HasSuffix(out.Bytes(), []byte("}\n")) {
				t.Errorf("%q came out as the event %q", text, out.String())
			}
			out.Reset()
			out.Write(shown.Data)
			return err
		}
		for _, write := range []func(any) error{a.document, a.line, event} {
			out.Reset()
			if err := write(map[string]string{"name": text}); err != nil {
				t.Fatal(err)
			}
			var back map[string]string
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["name"] != text || steersAnything(out.String()) {
				t.Errorf("%q came out as %q, %v", text, out.String(), err)
			}
		}
	}
	if !strings.ContainsFunc(hostile[3], func(r rune) bool { return unicode.Is(unicode.Cf, r) }) {
		t.Error("the sample steers nothing")
	}
}
