package workflows

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDraftKeepsItsTexts writes texts that YAML could take for something else,
// reads them again, and formats what was written.
func TestDraftKeepsItsTexts(t *testing.T) {
	for _, text := range []string{
		"plain", "", " ", "a ", " a", "it's", `it's "x"`, `a\b`, `it's a\b`, "a\nb", "a\r\nb\n", "\t", "yes", "on", "null", "~", "12", "-1", "1e5", "0x1f", ".5", "2026-01-02",
		"-", "- a", "? a", "a: b", "a:", ":a", "#a", "a #b", "a,b", "[x]", "{x}", "${{ inputs.x }}", "{{ x }}", "'", `"`, "!x", "&a", "*a", "%a", "@a", "`a", "|", ">", "...", "---", "<<", "=",
		"Grüße", "日本", "😀", "\u00a0", "\u0085", "\u2028", "\ufeff", "\x7f", "a\x00b", "<b>&amp;</b>", "role:entry && rightof:(role:label && name:Name)",
	} {
		d := Draft{
			Name: text, Variables: []DraftVariable{{Name: "given", Default: text}, {Name: "code", Secret: true}},
			Steps: []DraftStep{{Comments: []string{"two words", "and\nmore", text, "\x1b[1m\xff"}, ID: "a", Tool: "wait", Arguments: []Pair{
				{"text", text},
				{"texts", []string{text, "x"}},
				{"place", []Pair{{"y", 1.5}, {"x", text}}},
				{"values", map[string]any{"k": text, text: 1, "n": []any{nil, true, 3}}},
			}}},
		}
		out, err := d.YAML()
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var r report
		v := read(Source{Text: out}, &r)
		if err := r.err(); err != nil {
			t.Errorf("%q was written as\n%s\nwhich cannot be read: %v", text, out, err)
			continue
		}
		want := map[string]any{
			"version": 1., "name": text,
			"variables": map[string]any{"given": map[string]any{"type": "string", "default": text}, "code": map[string]any{"type": "string", "secret": true}},
			"steps": []any{map[string]any{"id": "a", "tool_name": "wait", "arguments": map[string]any{
				"text": text, "texts": []any{text, "x"}, "place": map[string]any{"y": 1.5, "x": text},
				"values": map[string]any{"k": text, text: 1., "n": []any{nil, true, 3.}},
			}}},
		}
		if diff := cmp.Diff(want, v.plain()); diff != "" {
			t.Errorf("%q was written as\n%s\n-want +got:\n%s", text, out, diff)
		}
		if again, err := Format(out); err != nil || string(again) != string(out) {
			t.Errorf("%q: formatted it is another text, %v:\n%s\nwas\n%s", text, err, again, out)
		}
	}
}
