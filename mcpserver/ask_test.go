package mcpserver

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"understudy/engine"
)

// threeQuestions asks for an input, and then twice on its way.
var threeQuestions = jsonObject{
	"variables": jsonObject{"who": jsonObject{"type": "string", "description": "whom to greet"}},
	"steps": []any{
		jsonObject{"tool_name": "ask_user", "id": "colour", "arguments": jsonObject{"question": "Which colour?", "choices": []any{"red", "blue"}}},
		jsonObject{"tool_name": "ask_user", "id": "size", "arguments": jsonObject{"question": "Which size?"}},
	},
	"output": `inputs.who + " " + steps.colour.result.answer + " " + steps.size.result.answer`,
}

// answers are what a person says to a form.
func answers(q jsonObject) jsonObject {
	message, _ := dig(q, "message").(string)
	content := jsonObject{"answer": "large"}
	switch {
	case strings.Contains(message, "inputs"):
		content = jsonObject{"who": "you"}
	case strings.Contains(message, "colour"):
		content = jsonObject{"answer": "blue"}
	}
	return jsonObject{"action": "accept", "content": content}
}

var canAsk = jsonObject{"elicitation": jsonObject{"form": jsonObject{}, "url": jsonObject{}}}

func TestQuestionsInARow(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			w := newStage(t).connect(version, canAsk)
			w.mu.Lock()
			w.asked = func(q jsonObject) jsonObject { return answers(dig(q, "params").(jsonObject)) }
			w.mu.Unlock()
			res := w.call("execute_sequence", threeQuestions)
			if got := dig(res, "result", "structuredContent", "output"); got != "you blue large" {
				t.Errorf("output %v: %v", got, res)
			}
		})
	}
	t.Run(modern, func(t *testing.T) {
		w := newStage(t).connect(modern, canAsk)
		params := jsonObject{"name": "execute_sequence", "arguments": threeQuestions}
		rounds := 0
		for ; rounds < 5; rounds++ {
			res := w.request("tools/call", params)
			q, asked := dig(res, "result", "inputRequests", "answer", "params").(jsonObject)
			if !asked {
				if got := dig(res, "result", "structuredContent", "output"); got != "you blue large" {
					t.Errorf("output %v: %v", got, res)
				}
				break
			}
			params = jsonObject{
				"name": "execute_sequence", "arguments": threeQuestions,
				"inputResponses": jsonObject{"answer": answers(q)}, "requestState": dig(res, "result", "requestState"),
			}
		}
		if rounds != 3 {
			t.Errorf("%d rounds, want 3", rounds)
		}
	})
}

func TestStateIsSealed(t *testing.T) {
	w := newStage(t).connect(modern, canAsk)
	res := w.call("execute_sequence", threeQuestions)
	state, _ := dig(res, "result", "requestState").(string)
	for say, params := range map[string]jsonObject{
		"changed":          {"name": "execute_sequence", "arguments": threeQuestions, "requestState": "A" + state[1:]},
		"another tool's":   {"name": "resume_run", "arguments": jsonObject{"run_id": "x"}, "requestState": state},
		"nothing sensible": {"name": "execute_sequence", "arguments": threeQuestions, "requestState": "!"},
	} {
		if say == "changed" && state[0] == 'A' {
			params["requestState"] = "B" + state[1:]
		}
		if res := w.request("tools/call", params); dig(res, "error", "code") != -32602.0 || !strings.Contains(said(res), "requestState") {
			t.Errorf("a state that is %s: %v", say, res)
		}
	}
}

func TestWithoutElicitation(t *testing.T) {
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			w := newStage(t).connect(version, jsonObject{})
			if res := w.call("execute_sequence", threeQuestions); code(res) != "invalid" || !strings.Contains(said(res), "who") {
				t.Errorf("a missing input: %v", res)
			}
			res := w.call("execute_sequence", jsonObject{"steps": []any{
				jsonObject{"tool_name": "ask_user", "id": "q", "arguments": jsonObject{"question": "Well?"}},
			}, "output": "steps.q.result.answer"})
			run, _ := dig(res, "result", "structuredContent", "run_id").(string)
			if dig(res, "result", "structuredContent", "status") != "waiting" || !strings.Contains(said(res), "answer_run") {
				t.Fatalf("a question: %v", res)
			}
			res = w.call("answer_run", jsonObject{"run_id": run, "value": "yes"})
			if dig(res, "result", "structuredContent", "output") != "yes" {
				t.Errorf("answered: %v", res)
			}
		})
	}
}

// withSecret types a secret.
var withSecret = jsonObject{
	"variables": jsonObject{"pin": jsonObject{"type": "string", "secret": true}},
	"steps": []any{jsonObject{"tool_name": "type_into_element", "id": "one", "arguments": jsonObject{
		"process": "notes", "selector": "role:entry", "text_to_type": "{{inputs.pin}}", "clear_before_typing": true,
	}}},
}

func TestSecretGoesThroughAPage(t *testing.T) {
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, canAsk)
			visit := func(q jsonObject) jsonObject {
				address, _ := q["url"].(string)
				if q["mode"] != "url" || !strings.HasPrefix(address, "http://127.0.0.1:") {
					t.Errorf("the question: %v", q)
				}
				res, err := http.PostForm(address, url.Values{"pin": {"s3cret!"}})
				if err != nil || res.StatusCode != http.StatusOK {
					t.Errorf("the page: %v %v", res, err)
				}
				return jsonObject{"action": "accept"}
			}
			w.mu.Lock()
			w.asked = func(q jsonObject) jsonObject { return visit(dig(q, "params").(jsonObject)) }
			w.mu.Unlock()
			params := jsonObject{"name": "execute_sequence", "arguments": withSecret}
			res := w.request("tools/call", params)
			if q, ok := dig(res, "result", "inputRequests", "answer", "params").(jsonObject); ok {
				params = jsonObject{
					"name": "execute_sequence", "arguments": withSecret, "requestState": dig(res, "result", "requestState"),
					"inputResponses": jsonObject{"answer": visit(q)},
				}
				res = w.request("tools/call", params)
			}
			run, _ := dig(res, "result", "structuredContent", "run_id").(string)
			if h := st.rest(run); h.Status != engine.Succeeded {
				t.Fatalf("the run: %v", res)
			}
			if !strings.Contains(strings.Join(st.desk.Journal(), "\n"), "s3cret!") {
				t.Errorf("it was not typed: %v", st.desk.Journal())
			}
			evs, err := st.engine.Events(t.Context(), run, 1)
			for _, ev := range evs {
				if strings.Contains(string(ev.Data), "s3cret!") || err != nil {
					t.Errorf("event %d holds the secret: %s %v", ev.Seq, ev.Data, err)
				}
			}
		})
	}
}

func TestSecretWithoutAPageNamesTheCommand(t *testing.T) {
	w := newStage(t).connect("2025-11-25", jsonObject{"elicitation": jsonObject{"form": jsonObject{}}})
	if text := said(w.call("execute_sequence", withSecret)); !strings.Contains(text, "understudy resume") || !strings.Contains(text, "--input pin=@FILE") {
		t.Errorf("the answer: %s", text)
	}
}
