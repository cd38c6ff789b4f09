package mcpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"understudy/internal/access"
	"understudy/internal/testing/byhand"
)

// TestAttackTemplatesInValues uses values that contain syntax of the place where they are
// put: an expression, a template, a shell command, the output of a command and the name
// of an element.
func TestAttackTemplatesInValues(t *testing.T) {
	t.Parallel() // it waits
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	st := newStage(t, func(o *Options) {
		o.Policy, o.Environ = access.Policy{Toolsets: access.Toolsets()}, append(os.Environ(), "SECRET=the secret")
	})
	w := st.connect("2025-11-25", byhand.Object{})
	for _, value := range []string{
		"${{ 1 + 1 }}", "${{ env.SECRET }}", "${{ inputs }}", "{{.}}", "$(touch pwned)", "`touch pwned`", "'; touch pwned; '", `"; touch pwned; "`, "\ntouch pwned\n", "$SECRET", "%s%n", "\\", "!!", "~", "*",
		"-n", `${{ "}}" }}`, "$((1+1))", "<<EOF", "# x",
	} {
		if err := os.WriteFile(filepath.Join(st.o.Dir, "said.txt"), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		res := w.Call("execute_sequence", byhand.Object{
			"steps": []any{
				byhand.Object{"id": "said", "tool_name": "read_file", "arguments": byhand.Object{"path": "said.txt"}},
				byhand.Object{"id": "bare", "tool_name": "run_command", "arguments": byhand.Object{"run": "printf '[%s]' ${{ steps.said.result.content }}"}},
				byhand.Object{"id": "quoted", "tool_name": "run_command", "arguments": byhand.Object{"run": `printf '[%s]' "${{ steps.said.result.content }}"`}},
				byhand.Object{"id": "single", "tool_name": "run_command", "arguments": byhand.Object{"run": `printf '[%s]' '${{ steps.said.result.content }}'`}},
				byhand.Object{"id": "script", "tool_name": "run_command", "arguments": byhand.Object{"engine": "python", "run": "return [${{ steps.said.result.content }}, '${{ steps.said.result.content }}'][1]"}},
				byhand.Object{"id": "answer", "tool_name": "run_command", "arguments": byhand.Object{"run": "printf '%s' ${{ steps.bare.result.stdout }}"}},
				byhand.Object{"id": "title", "tool_name": "set_value", "arguments": byhand.Object{"selector": "role:entry", "value": "${{ steps.said.result.content }}"}},
			},
			"output": "[steps.said.result.content, steps.bare.result.stdout, steps.quoted.result.stdout, steps.single.result.stdout, steps.answer.result.stdout, steps.script.result.result]",
		})
		bracketed := "[" + value + "]"
		want := fmt.Sprintf("%q", []any{value, bracketed, bracketed, bracketed, bracketed, value})
		if got := fmt.Sprintf("%q", byhand.Dig(res, "result", "structuredContent", "output")); byhand.IsError(res) || got != want {
			t.Errorf("%q comes out as %s: %.600v", value, got, res)
		}
		if pwned, err := filepath.Glob(filepath.Join(st.o.Dir, "pwned*")); err != nil || len(pwned) > 0 {
			t.Fatalf("%q made %v, %v", value, pwned, err)
		}
	}
}

// TestAttackPathsOfResources reads resources whose addresses try to escape from their
// folder.
func TestAttackPathsOfResources(t *testing.T) {
	st := newStage(t)
	secret := filepath.Join(filepath.Dir(st.o.Folder), "secret.yaml")
	if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"2025-11-25", modern} {
		w := st.connect(version, byhand.Object{})
		for _, base := range []string{workflowURI, runURI, captureURI, kindsURI + "/", "understudy://", "file://"} {
			for _, path := range []string{
				"../secret", "..%2fsecret", "%2e%2e/secret", "../secret.yaml", secret, "/etc/passwd", "%00", "..", "x/../../secret", `..\secret`, strings.Repeat("../", 20) + "etc/passwd", "x\x1b[31m", "x\u202e", "\x7f", "x\n", "",
			} {
				res := w.Ask("resources/read", byhand.Object{"uri": base + path})
				raw := fmt.Sprint(res)
				if res["error"] == nil || strings.Contains(raw, "the secret") || strings.Contains(raw, "root:") {
					t.Errorf("%s: reading %q gives %.300s", version, base+path, raw)
				}
			}
		}
	}
}
