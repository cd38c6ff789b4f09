package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/internal/words"
)

// TestAttackNamesAtTheTerminal has names of windows, elements, processes, files,
// documents, steps and logs that would steer a terminal, and types the commands
// that show them.
func TestAttackNamesAtTheTerminal(t *testing.T) {
	dir := scratch.Dir(t)
	t.Chdir(dir)
	t.Setenv("UNDERSTUDY_HOME", filepath.Join(dir, "data"))
	for i, text := range hostile {
		if strings.ContainsRune(text, 0) {
			continue // no file, process or argument has it
		}
		quoted := strconv.QuoteToASCII(text)
		document := func(rest string) string {
			return fmt.Sprintf(`{"name": %[1]s, "description": %[1]s, "steps": [{"id": "a", "tool_name": "log", "arguments": {"message": %[1]s}}, %[2]s]}`, quotedJSON(text), rest)
		}
		files := map[string]string{
			"good.json":         document(fmt.Sprintf(`{"tool_name": "fail", "arguments": {"message": %s}}`, quotedJSON(text))),
			"kind.json":         document(fmt.Sprintf(`{"tool_name": %s}`, quotedJSON(text))),
			"key.json":          document(fmt.Sprintf(`{"tool_name": "delay", %s: 1}`, quotedJSON(text))),
			"expr.json":         document(fmt.Sprintf(`{"tool_name": "log", "if": %s, "arguments": {"message": "m"}}`, quotedJSON("1 +"+text))),
			"id.json":           document(fmt.Sprintf(`{"id": %s, "tool_name": "delay", "arguments": {"duration": "1ms"}}`, quotedJSON(text))),
			"raw.yaml":          "name: x # " + text + "\nsteps:\n  - tool_nam: '" + text + "'\n",
			text + ".yaml":      "steps: [{tool_nam: x}]\n",
			"stuck.json":        document(fmt.Sprintf(`{"id": %s, "tool_name": "fail", "arguments": {"message": "m"}}`, quotedJSON(text))),
			"selector.json":     document(fmt.Sprintf(`{"tool_name": "click_element", "arguments": {"selector": %s, "timeout": "1ms"}}`, quotedJSON("name:"+text))),
			"output.json":       document(fmt.Sprintf(`{"tool_name": "run_command", "arguments": {"run": %s}}`, quotedJSON("printf %s '"+text+"' >&2; false"))),
			"missing-call.json": document(fmt.Sprintf(`{"workflow": %s}`, quotedJSON(text))),
		}
		for name, content := range files {
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Logf("%q is no name of a file here: %v", name, err)
			}
		}
		tree := fake.MustParse("- frame " + quoted + " [process=notes] [at=0,0,200,200]\n  - button " + quoted + " [at=0,0,100,50]\n  - button " + quoted + " [at=0,60,100,50]\n  - entry \"Title\": " + quoted + "\n")
		for _, args := range [][]string{
			{"inspect"},
			{"inspect", "--process", text},
			{"inspect", "--title", text},
			{"inspect", "role:button"},
			{"inspect", "name:" + text},
			{"inspect", "--at", "10,10"},
			{"inspect", "--json"},
			{"call", "get_window_tree"},
			{"call", "get_applications_and_windows_list"},
			{"call", "click_element", `{"selector": "role:button", "timeout": "1ms"}`},
			{"call", "click_element", `{"selector": ` + quotedJSON("name:"+text+"x") + `, "timeout": "1ms"}`},
			{"call", text},
			{"call", "log", text},
			{"validate", "good.json"},
			{"validate", "kind.json"},
			{"validate", "key.json"},
			{"validate", "expr.json"},
			{"validate", "id.json"},
			{"validate", "raw.yaml"},
			{"validate", "missing-call.json"},
			{"validate", text + ".yaml"},
			{"validate", text},
			{"run", text},
			{"run", "good.json", "--input", text + "=1"},
			{"run", "kind.json"},
			{"fmt", "kind.json"},
			{"run", "good.json"},
			{"runs", "ls"},
			{"runs", "show", "last"},
			{"runs", "logs", "last"},
			{"resume", "last", "--plan"},
			{"resume", "last", "--from", text},
			{"run", "stuck.json"},
			{"resume", "last", "--plan"},
			{"runs", "show", text},
			{"run", "output.json"},
			{"run", "selector.json"},
			{"runs", "show", "last"},
			{"runs", "ls", "--calls"},
			{"run", "id.json"},
			{"runs", "show", "last"},
			{"run", "--dry-run", "good.json"},
			{"doctor"},
			{"token", "add", text},
			{"token", "rm", text},
			{"serve", "--addr", text},
			{"init", "--client", text},
			{text},
			{"run", "--" + text},
		} {
			machine := &fake.Machine{Fake: fake.New(tree...), Findings: []desktop.Finding{{Name: text, Detail: text, Mend: text}}}
			var out, errOut bytes.Buffer
			Main(t.Context(), machine, args, strings.NewReader(""), &out, &errOut)
			if shown := out.String() + errOut.String(); steersAnything(shown) {
				t.Errorf("%d: understudy %q shows %q", i, args, shown)
			}
		}
	}
}

// quotedJSON is a text as JSON, in which nothing steers.
func quotedJSON(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // texts can be encoded
	}
	return words.Visible(string(raw))
}
