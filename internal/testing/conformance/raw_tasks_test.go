package conformance

import (
	"strings"
	"testing"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// TestRawTaskSurvives asks for a task, kills the client and then the service with a question
// of the task unanswered, and has another client answer it through another process.
func TestRawTaskSurvives(t *testing.T) {
	takesTasks := object{"elicitation": object{"form": object{}}, "extensions": object{"io.modelcontextprotocol/tasks": object{}}}
	doc := object{
		"steps":  []any{object{"tool_name": "ask_user", "id": "ask", "arguments": object{"question": "Which colour?"}}},
		"output": "steps.ask.result.answer",
	}
	home := t.TempDir()
	first := start(t, home, "mcp")
	client := byhand.Talk(t, byhand.Modern, takesTasks, first.in, first.out)
	res := client.Call("execute_sequence", doc)
	id, _ := byhand.Dig(res, "result", "taskId").(string)
	if id == "" {
		t.Fatalf("no task: %v", res)
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.done
	killService(t, home)

	_, site := serving(t, home)
	other := visiting(t, site, byhand.Modern, "/mcp")
	other.Capabilities = takesTasks
	get := func() object {
		_, res := other.Ask(t, "tasks/get", object{"taskId": id})
		return res
	}
	questions, _ := byhand.Dig(get(), "result", "inputRequests").(object)
	if len(questions) != 1 {
		t.Fatalf("after the kill: %v", get())
	}
	for key := range questions {
		_, res := other.Ask(t, "tasks/update", object{"taskId": id, "inputResponses": object{key: object{"action": "accept", "content": object{"answer": "blue"}}}})
		if res["error"] != nil {
			t.Fatalf("answering: %v", res)
		}
	}
	scratch.Until(t, "the task has completed", func() bool { return byhand.Dig(get(), "result", "status") == "completed" })
	if said := byhand.Said(object{"result": byhand.Dig(get(), "result", "result")}); !strings.Contains(said, "blue") {
		t.Errorf("the result: %s", said)
	}
}
