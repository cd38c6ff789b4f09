package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/workflows"
)

// TestSecretsAsKeysAndOnTheClipboard passes secrets, long and short, to the steps that
// press keys and use the clipboard. They reach the desktop, and nothing that is stored,
// logged or shown.
func TestSecretsAsKeysAndOnTheClipboard(t *testing.T) {
	const document = `
variables: {pin: {type: string, secret: true}}
steps:
  - {tool_name: set_clipboard, arguments: {text: "${{ inputs.pin }}"}}
  - {id: clip, tool_name: get_clipboard}
  - {tool_name: log, arguments: {message: "read ${{ steps.clip.result.text }}"}}
  - {tool_name: click_element, arguments: {process: notes, selector: "role:entry"}}
  - {tool_name: press_key, arguments: {key: "{Tab}${{ inputs.pin }}"}}
  - {tool_name: press_key_global, arguments: {key: "{Tab}${{ inputs.pin }}"}}
  - {tool_name: key_down, arguments: {key: "${{ inputs.pin[0:1] }}"}}
  - {tool_name: key_up, arguments: {key: "${{ inputs.pin[0:1] }}"}}
  - {tool_name: press_key, continue_on_error: true, arguments: {key: "{${{ inputs.pin }}}"}}
  - {tool_name: key_down, continue_on_error: true, arguments: {key: "no ${{ inputs.pin }}"}}
  - {tool_name: press_key, continue_on_error: true, arguments: {key: "${{ inputs.pin }} foo"}}
output: {got: steps.clip.result.text}`
	for _, secret := range []string{"Zv7#Qx9", "Q7Z", "Ω"} {
		t.Run(secret, func(t *testing.T) {
			st := newStage(t, func(o *Options) { o.Policy = access.Policy{Toolsets: access.Toolsets()} })
			load := func(string, workflows.Source) (workflows.Source, error) { return workflows.Source{}, nil }
			bundle, _, err := engine.Pack(workflows.Source{Name: "test", Text: []byte(document)}, st.engine.Kinds, load)
			if err != nil {
				t.Fatal(err)
			}
			h, err := st.engine.Start(t.Context(), engine.Request{Bundle: bundle, Secrets: map[string]string{"pin": secret}})
			if err != nil {
				t.Fatal(err)
			}
			if h = st.rest(h.ID); h.Status != engine.Succeeded {
				t.Fatalf("the run is %s: %+v", h.Status, h.Error)
			}
			journal := strings.Join(st.desk.Journal(), "\n")
			for _, letter := range secret {
				if !strings.Contains(strings.ToLower(journal), strings.ToLower(string(letter))) {
					t.Errorf("%c did not come to the desktop: %s", letter, journal)
				}
			}
			evs, err := st.engine.Events(t.Context(), h.ID, 1)
			if err != nil {
				t.Fatal(err)
			}
			var shown strings.Builder
			fmt.Fprint(&shown, st.connect("2025-11-25", byhand.Object{}).Call("get_run", byhand.Object{"run_id": h.ID, "verbosity": "verbose"}))
			for _, ev := range evs {
				fmt.Fprintf(&shown, "\nevent %d %s: %s", ev.Seq, ev.Type, ev.Data)
			}
			for line := range strings.Lines(shown.String()) {
				if strings.Contains(line, secret) {
					t.Errorf("it stands in %s", line)
				}
			}
		})
	}
}
