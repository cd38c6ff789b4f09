package mcpserver

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"understudy/engine"
	"understudy/internal/testing/byhand"
)

// threeQuestions asks for an input, and then twice while it runs.
var threeQuestions = byhand.Object{
	"variables": byhand.Object{"who": byhand.Object{"type": "string", "description": "whom to greet"}},
	"steps": []any{
		byhand.Object{"tool_name": "ask_user", "id": "colour", "arguments": byhand.Object{"question": "Which colour?", "choices": []any{"red", "blue"}}},
		byhand.Object{"tool_name": "ask_user", "id": "size", "arguments": byhand.Object{"question": "Which size?"}},
	},
	"output": `inputs.who + " " + steps.colour.result.answer + " " + steps.size.result.answer`,
}

// answers are the answers of a person to forms.
func answers(q byhand.Object) byhand.Object {
	message, _ := byhand.Dig(q, "message").(string)
	content := byhand.Object{"answer": "large"}
	switch {
	case strings.Contains(message, "inputs"):
		content = byhand.Object{"who": "you"}
	case strings.Contains(message, "colour"):
		content = byhand.Object{"answer": "blue"}
	}
	return byhand.Object{"action": "accept", "content": content}
}

var canAsk = byhand.Object{"elicitation": byhand.Object{"form": byhand.Object{}, "url": byhand.Object{}}}

func TestQuestionsInARow(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			w := newStage(t).connect(version, canAsk)
			w.Answer(func(q byhand.Object) byhand.Object { return answers(byhand.Dig(q, "params").(byhand.Object)) })
			res := w.Call("execute_sequence", threeQuestions)
			if got := byhand.Dig(res, "result", "structuredContent", "output"); got != "you blue large" {
				t.Errorf("output %v: %v", got, res)
			}
		})
	}
	t.Run(modern, func(t *testing.T) {
		w := newStage(t).connect(modern, canAsk)
		params := byhand.Object{"name": "execute_sequence", "arguments": threeQuestions}
		rounds := 0
		for ; rounds < 5; rounds++ {
			res := w.Ask("tools/call", params)
			q, asked := byhand.Dig(res, "result", "inputRequests", "answer", "params").(byhand.Object)
			if !asked {
				if got := byhand.Dig(res, "result", "structuredContent", "output"); got != "you blue large" {
					t.Errorf("output %v: %v", got, res)
				}
				break
			}
			params = byhand.Object{
				"name": "execute_sequence", "arguments": threeQuestions,
				"inputResponses": byhand.Object{"answer": answers(q)}, "requestState": byhand.Dig(res, "result", "requestState"),
			}
		}
		if rounds != 3 {
			t.Errorf("%d rounds, want 3", rounds)
		}
	})
}

// TestADeclinedQuestionIsNotAskedAgain has a person decline: the answer says how to go on,
// and the run still waits.
func TestADeclinedQuestionIsNotAskedAgain(t *testing.T) {
	question := byhand.Object{"steps": []any{byhand.Object{"tool_name": "ask_user", "id": "q", "arguments": byhand.Object{"question": "Well?"}}}}
	for _, version := range []string{"2025-11-25", modern} {
		for _, action := range []string{"decline", "cancel"} {
			t.Run(version+" "+action, func(t *testing.T) {
				w := newStage(t).connect(version, canAsk)
				declined := byhand.Object{"action": action}
				w.Answer(func(byhand.Object) byhand.Object { return declined })
				params := byhand.Object{"name": "execute_sequence", "arguments": question}
				res := w.Ask("tools/call", params)
				if version == modern {
					params["inputResponses"], params["requestState"] = byhand.Object{"answer": declined}, byhand.Dig(res, "result", "requestState")
					res = w.Ask("tools/call", params)
				}
				if byhand.Dig(res, "result", "inputRequests") != nil || byhand.Dig(res, "result", "structuredContent", "status") != "waiting" || !strings.Contains(byhand.Said(res), `"answer": ...`) {
					t.Errorf("declined: %v", res)
				}
			})
		}
	}
}

// TestAQuestionIsAnsweredOnce has a client send its answer twice, as after a lost connection:
// the next question is asked, not answered.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	question := func(id string) byhand.Object {
		return byhand.Object{"tool_name": "ask_user", "id": id, "arguments": byhand.Object{"question": "Remove it?", "choices": []any{"yes", "no"}}}
	}
	w := newStage(t).connect(modern, canAsk)
	params := byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"steps": []any{question("one"), question("two")}}}
	res := w.Ask("tools/call", params)
	params["inputResponses"] = byhand.Object{"answer": byhand.Object{"action": "accept", "content": byhand.Object{"answer": "yes"}}}
	params["requestState"] = byhand.Dig(res, "result", "requestState")
	for range 2 {
		if res = w.Ask("tools/call", params); byhand.Dig(res, "result", "inputRequests") == nil {
			t.Errorf("the second question was answered: %v", res)
		}
	}
}

func TestStateIsSealed(t *testing.T) {
	w := newStage(t).connect(modern, canAsk)
	res := w.Call("execute_sequence", threeQuestions)
	state, _ := byhand.Dig(res, "result", "requestState").(string)
	for say, params := range map[string]byhand.Object{
		"changed":          {"name": "execute_sequence", "arguments": threeQuestions, "requestState": "A" + state[1:]},
		"another tool's":   {"name": "resume_run", "arguments": byhand.Object{"run_id": "x"}, "requestState": state},
		"nothing sensible": {"name": "execute_sequence", "arguments": threeQuestions, "requestState": "!"},
	} {
		if say == "changed" && state[0] == 'A' {
			params["requestState"] = "B" + state[1:]
		}
		if res := w.Ask("tools/call", params); byhand.Dig(res, "error", "code") != -32602.0 || !strings.Contains(byhand.Said(res), "requestState") {
			t.Errorf("a state that is %s: %v", say, res)
		}
	}
}

func TestWithoutElicitation(t *testing.T) {
	for _, c := range []struct{ version, tool, argument string }{
		{"2025-11-25", "resume_run", "answer"},
		{"2025-11-25", "answer_run", "value"},
		{modern, "resume_run", "answer"},
	} {
		t.Run(c.version+" "+c.tool, func(t *testing.T) {
			w := newStage(t).connect(c.version, byhand.Object{})
			if res := w.Call("execute_sequence", threeQuestions); code(res) != "invalid" || !strings.Contains(byhand.Said(res), "who") {
				t.Errorf("a missing input: %v", res)
			}
			res := w.Call("execute_sequence", byhand.Object{"steps": []any{
				byhand.Object{"tool_name": "ask_user", "id": "q", "arguments": byhand.Object{"question": "Well?"}},
			}, "output": "steps.q.result.answer"})
			run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
			if byhand.Dig(res, "result", "structuredContent", "status") != "waiting" || !strings.Contains(byhand.Said(res), `"answer": ...`) {
				t.Fatalf("a question: %v", res)
			}
			res = w.Call(c.tool, byhand.Object{"run_id": run, c.argument: "yes"})
			if byhand.Dig(res, "result", "structuredContent", "output") != "yes" {
				t.Errorf("answered: %v", res)
			}
		})
	}
}

// TestAttackTextOfForms puts the text of an application into a question: invisible
// characters are made visible, a text of several lines is fenced, and the choice is still
// the one that the run offered.
func TestAttackTextOfForms(t *testing.T) {
	const hostile = "pay\u202eeno\u200b"
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			w := newStage(t).connect(version, canAsk)
			asked := func(q byhand.Object) byhand.Object {
				text := fmt.Sprint(q)
				if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
					t.Errorf("something invisible is left: %q", text)
				}
				message, _ := q["message"].(string)
				if _, inside, _ := unfence(t, message); !strings.Contains(inside, "ok?\nUnderstudy: give your password") {
					t.Errorf("several lines are not fenced: %q", message)
				}
				options, _ := byhand.Dig(q, "requestedSchema", "properties", "answer", "enum").([]any)
				if len(options) != 2 {
					t.Fatalf("the choices: %v", q)
				}
				return byhand.Object{"action": "accept", "content": byhand.Object{"answer": options[1]}}
			}
			w.Answer(func(q byhand.Object) byhand.Object { return asked(byhand.Dig(q, "params").(byhand.Object)) })
			args := byhand.Object{
				"variables": byhand.Object{"said": byhand.Object{"type": "string"}}, "inputs": byhand.Object{"said": hostile},
				"steps": []any{byhand.Object{"tool_name": "ask_user", "id": "q", "arguments": byhand.Object{
					"question": "${{ inputs.said }} ok?\nUnderstudy: give your password", "choices": []any{"none", "${{ inputs.said }}"},
				}}},
				"output": "steps.q.result.answer == inputs.said",
			}
			params := byhand.Object{"name": "execute_sequence", "arguments": args}
			res := w.Ask("tools/call", params)
			if q, ok := byhand.Dig(res, "result", "inputRequests", "answer", "params").(byhand.Object); ok {
				params["inputResponses"], params["requestState"] = byhand.Object{"answer": asked(q)}, byhand.Dig(res, "result", "requestState")
				res = w.Ask("tools/call", params)
			}
			if byhand.Dig(res, "result", "structuredContent", "output") != true {
				t.Errorf("the answer is not the choice that was offered: %v", res)
			}
		})
	}
}

// withSecret types a secret.
var withSecret = byhand.Object{
	"variables": byhand.Object{"pin": byhand.Object{"type": "string", "secret": true}},
	"steps": []any{byhand.Object{"tool_name": "type_into_element", "id": "one", "arguments": byhand.Object{
		"process": "notes", "selector": "role:entry", "text_to_type": "{{inputs.pin}}", "clear_before_typing": true,
	}}},
}

func TestSecretGoesThroughAPage(t *testing.T) {
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, canAsk)
			visit := func(q byhand.Object) byhand.Object {
				address, _ := q["url"].(string)
				if q["mode"] != "url" || !strings.HasPrefix(address, "http://127.0.0.1:") {
					t.Errorf("the question: %v", q)
				}
				res, err := http.PostForm(address, url.Values{"pin": {"s3cret!"}})
				if err != nil || res.StatusCode != http.StatusOK {
					t.Errorf("the page: %v %v", res, err)
				}
				return byhand.Object{"action": "accept"}
			}
			w.Answer(func(q byhand.Object) byhand.Object { return visit(byhand.Dig(q, "params").(byhand.Object)) })
			params := byhand.Object{"name": "execute_sequence", "arguments": withSecret}
			res := w.Ask("tools/call", params)
			if q, ok := byhand.Dig(res, "result", "inputRequests", "answer", "params").(byhand.Object); ok {
				params = byhand.Object{
					"name": "execute_sequence", "arguments": withSecret, "requestState": byhand.Dig(res, "result", "requestState"),
					"inputResponses": byhand.Object{"answer": visit(q)},
				}
				res = w.Ask("tools/call", params)
			}
			run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
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
	w := newStage(t).connect("2025-11-25", byhand.Object{"elicitation": byhand.Object{"form": byhand.Object{}}})
	if text := byhand.Said(w.Call("execute_sequence", withSecret)); !strings.Contains(text, "understudy resume") || !strings.Contains(text, "--input pin=@FILE") {
		t.Errorf("the answer: %s", text)
	}
}

// TestQuestionOfASingleCall has the tool ask_user called: the answer that a client brings
// back is for the run that asked.
func TestQuestionOfASingleCall(t *testing.T) {
	st := newStage(t)
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			w := st.connect(version, canAsk)
			w.Answer(func(q byhand.Object) byhand.Object { return answers(byhand.Dig(q, "params").(byhand.Object)) })
			params := byhand.Object{"name": "ask_user", "arguments": byhand.Object{"question": "Which size?"}}
			res := w.Ask("tools/call", params)
			if q, asked := byhand.Dig(res, "result", "inputRequests", "answer", "params").(byhand.Object); asked {
				params["inputResponses"], params["requestState"] = byhand.Object{"answer": answers(q)}, byhand.Dig(res, "result", "requestState")
				res = w.Ask("tools/call", params)
			}
			if got := byhand.Dig(res, "result", "structuredContent", "answer"); got != "large" {
				t.Errorf("answered: %v", res)
			}
		})
	}
	if list, err := st.engine.List(t.Context(), engine.Query{Calls: true}); err != nil || len(list) != 2 {
		t.Errorf("%d runs, want one for each call: %v", len(list), err)
	}
}

// TestAnsweredRunKeepsItsOptions answers the question of a saved workflow that has changed
// since, and lets it outlive its client.
func TestAnsweredRunKeepsItsOptions(t *testing.T) {
	st := newStage(t)
	w := st.connect(modern, canAsk)
	text := "on_disconnect: continue\nsteps:\n  - {tool_name: ask_user, id: q, arguments: {question: Which size?}}\n  - {tool_name: pause, id: p}\n"
	if res := w.Call("save_workflow", byhand.Object{"name": "asks", "text": text}); byhand.IsError(res) {
		t.Fatal(res)
	}
	params := byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"url": "asks"}}
	res := w.Ask("tools/call", params)
	q, _ := byhand.Dig(res, "result", "inputRequests", "answer", "params").(byhand.Object)
	params["inputResponses"], params["requestState"] = byhand.Object{"answer": answers(q)}, byhand.Dig(res, "result", "requestState")
	other := "steps:\n  - {tool_name: delay, arguments: {duration: 1ms}}\n"
	if res := w.Call("save_workflow", byhand.Object{"name": "asks", "text": other, "replace": true}); byhand.IsError(res) {
		t.Fatal(res)
	}
	w.Begin("tools/call", params)
	run := st.hanging()
	_ = w.in.Close()
	select {
	case <-w.ended:
		t.Error("the run was stopped with its client")
	case <-time.After(300 * time.Millisecond): // in which it would be stopped
	}
	close(st.goOn)
	if h := st.rest(run); h.Status != engine.Succeeded {
		t.Errorf("the run is %s: %v", h.Status, h.Error)
	}
}
