package mcpserver

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/testing/byhand"
)

// TestSecretInInputsIsRefused has a client pass a secret as an input in each possible
// way: the refusal states the right way, and the secret is stored nowhere.
func TestSecretInInputsIsRefused(t *testing.T) {
	given := byhand.Object{"pin": "s3cret!"}
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, byhand.Object{"elicitation": byhand.Object{"form": byhand.Object{}}})
			document, err := json.Marshal(withSecret)
			if err != nil {
				t.Fatal(err)
			}
			if res := w.Call("save_workflow", byhand.Object{"name": "login", "text": string(document)}); byhand.IsError(res) {
				t.Fatal(res)
			}
			waits := w.Call("execute_sequence", byhand.Object{"url": "login"})
			run, _ := byhand.Dig(waits, "result", "structuredContent", "run_id").(string)
			with := maps.Clone(withSecret)
			with["inputs"] = given
			for _, c := range []struct {
				say, tool string
				args      byhand.Object
				want      string // the way that works
			}{
				{"with a document", "execute_sequence", with, "leave it out"},
				{"with a saved workflow", "execute_sequence", byhand.Object{"url": "login", "inputs": given}, "leave it out"},
				{"with a saved workflow, by a step", "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"workflow": "login", "inputs": given}}}, "leave it out"},
				{"with a run that goes on", "resume_run", byhand.Object{"run_id": run, "inputs": given}, "understudy resume " + run + " --input pin=@FILE"},
				{"with a document that is mended", "resume_run", byhand.Object{"run_id": run, "inputs": given, "workflow": withSecret}, "understudy resume " + run + " --input pin=@FILE"},
			} {
				res := w.Call(c.tool, c.args)
				if text := byhand.Said(res); code(res) != "invalid" || !strings.Contains(text, c.want) || strings.Contains(text, "s3cret!") {
					t.Errorf("%s: %v", c.say, res)
				}
			}
			if journal := strings.Join(st.desk.Journal(), "\n"); strings.Contains(journal, "s3cret!") {
				t.Errorf("it was typed: %s", journal)
			}
			headers, err := st.engine.List(t.Context(), engine.Query{Calls: true})
			if err != nil || len(headers) != 1 {
				t.Fatalf("stored runs: %v, %v; want the one that waits", headers, err)
			}
			evs, err := st.engine.Events(t.Context(), run, 1)
			for _, ev := range evs {
				if err != nil || strings.Contains(string(ev.Data), "s3cret!") {
					t.Errorf("it is stored: %s %v", ev.Data, err)
				}
			}
		})
	}
}
