package conformance

import (
	"slices"
	"syscall"
	"testing"

	"understudy/internal/testing/byhand"
)

func eachVersion(t *testing.T, versions []string, f func(t *testing.T, version string)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			f(t, version)
		})
	}
}

func TestRawStdio(t *testing.T) {
	eachVersion(t, byhand.Versions, func(t *testing.T, version string) {
		home := t.TempDir()
		c := talking(t, home, version)
		if list, _ := byhand.Dig(c.Ask("tools/list", object{}), "result", "tools").([]any); len(list) == 0 {
			t.Error("no tools are listed")
		}
		if res := c.Ask("no/such/method", object{}); byhand.Dig(res, "error", "code") != -32601.0 {
			t.Errorf("a method that there is not: %v", res)
		}
		if res := c.Call("delay", object{"duration": "1ms"}); byhand.IsError(res) || res["error"] != nil {
			t.Errorf("a call: %v", res)
		}
		if said := c.Notices(); len(said) > 0 {
			t.Errorf("said unasked: %v", said)
		}

		id, _ := c.Begin(byhand.Calling("execute_sequence", long()))
		cancelled := running(t, c)
		c.Notify("notifications/cancelled", object{"requestId": id, "reason": "enough"})
		if status, from := atRest(t, c, cancelled); status != "cancelled" || from != "one" {
			t.Errorf("cancelled: %v, resumable from %v", status, from)
		}

		_, answer := c.Begin(byhand.Calling("execute_sequence", long()))
		run := running(t, c, cancelled)
		if res := c.Call("stop_execution", object{"run_id": run}); byhand.IsError(res) {
			t.Errorf("stop: %v", res)
		}
		if res := c.Await(answer); !byhand.IsError(res) || byhand.Dig(res, "result", "_meta", "understudy/error", "code") != "cancelled" {
			t.Errorf("the stopped call: %v", res)
		}
		if res := c.Call("delay", object{"duration": "1ms"}); byhand.IsError(res) {
			t.Errorf("a call after the stop: %v", res)
		}
		_ = c.in.Close()
		c.ended()
	})
}

func TestRawModes(t *testing.T) {
	eachVersion(t, byhand.Versions, func(t *testing.T, version string) {
		c := talking(t, t.TempDir(), version, "--mode", "ask")
		res := c.Call("press_key", object{"key": "a"})
		if byhand.Dig(res, "error", "code") != blockedCode(version) || byhand.Dig(res, "error", "data", "mode") != "ask" || byhand.Dig(res, "error", "data", "client") != "by-hand" {
			t.Errorf("a key in ask mode: %v", res)
		}
		if res := c.Call("record_workflow", object{"action": "start"}); byhand.Dig(res, "error", "code") != blockedCode(version) {
			t.Errorf("a recording in ask mode: %v", res)
		}
		if res := c.Call("stop_execution", object{}); byhand.IsError(res) || res["error"] != nil {
			t.Errorf("stop_execution in ask mode: %v", res)
		}
	})
}

// TestRawStdioEnds ends the program in each way during calls: all are answered, and the
// next process can resume each run.
func TestRawStdioEnds(t *testing.T) {
	for say, end := range map[string]func(*talk){
		"end of input": func(c *talk) { _ = c.in.Close() },
		"SIGTERM":      func(c *talk) { c.signal(syscall.SIGTERM) },
		"SIGINT":       func(c *talk) { c.signal(syscall.SIGINT) },
	} {
		t.Run(say, func(t *testing.T) {
			eachVersion(t, []string{"2024-11-05", "2025-11-25", byhand.Modern}, func(t *testing.T, version string) {
				home := t.TempDir()
				c := talking(t, home, version)
				var runs []string
				var answers []chan object
				for range 3 {
					_, answer := c.Begin(byhand.Calling("execute_sequence", long()))
					answers, runs = append(answers, answer), append(runs, running(t, c, runs...))
				}
				end(c)
				for _, answer := range answers {
					if res := c.Await(answer); !byhand.IsError(res) {
						t.Errorf("the answer at the end: %v", res)
					}
				}
				c.ended()
				after := talking(t, home, version)
				for _, run := range runs {
					if status, from := atRest(t, after, run); status != "interrupted" || from != "one" {
						t.Errorf("run %s: %v, resumable from %v", run, status, from)
					}
				}
			})
		})
	}
}

// many is a document with many short steps, between which it can be handed over.
func many() object {
	steps := make([]any, 3000)
	for i := range steps {
		steps[i] = object{"tool_name": "delay", "arguments": object{"duration": "100ms"}}
	}
	return object{"steps": steps}
}

// TestTwoStdioServers has two clients use one data folder: both see the same runs, which go
// on when either exits or is killed, until the service of the folder is killed.
func TestTwoStdioServers(t *testing.T) {
	home := t.TempDir()
	first := talking(t, home, "2025-11-25")
	first.Call("delay", object{"duration": "1ms"})
	second := talking(t, home, byhand.Modern)
	args := many()
	args["wait"] = false
	theirs, _ := byhand.Dig(second.Call("execute_sequence", args), "result", "structuredContent", "run_id").(string)
	if theirs == "" || running(t, first) != theirs {
		t.Fatalf("the first does not see the run %q of the second", theirs)
	}

	t.Log("the first leaves")
	_ = first.in.Close()
	first.ended()
	third := talking(t, home, "2025-06-18")
	if running(t, third) != theirs {
		t.Error("the run did not go on")
	}

	t.Log("the second, which began the run, dies")
	second.signal(syscall.SIGKILL)
	<-second.done
	if running(t, third) != theirs {
		t.Error("the run did not go on")
	}

	t.Log("the service dies")
	killService(t, home)
	<-third.done
	third = talking(t, home, "2025-06-18")
	if status, from := atRest(t, third, theirs); status != "interrupted" || from == nil {
		t.Errorf("the run is %v, resumable from %v", status, from)
	}
	if res := third.Call("resume_run", object{"run_id": theirs, "wait": false}); byhand.IsError(res) {
		t.Errorf("resumed by the third: %v", res)
	}

	t.Log("a client dies, and the run that it waits for with it; the others stay")
	fourth := talking(t, home, "2024-11-05")
	fourth.Begin(byhand.Calling("execute_sequence", long()))
	orphan := running(t, third, theirs)
	fourth.signal(syscall.SIGKILL)
	<-fourth.done
	if status, from := atRest(t, third, orphan); status != "cancelled" || from != "one" {
		t.Errorf("the run of the dead guest is %v, resumable from %v", status, from)
	}
	if got := running(t, third); got != theirs {
		t.Errorf("%s runs, want %s to go on", got, theirs)
	}
}

// TestDocumentOutlivesItsClient has a run continue in the process of another client when
// its own goes away, because its document says so.
func TestDocumentOutlivesItsClient(t *testing.T) {
	home := t.TempDir()
	owner := talking(t, home, "2025-11-25")
	owner.Call("delay", object{"duration": "1ms"})
	guest := talking(t, home, "2025-11-25")
	stays, goes := long(), long()
	stays["on_disconnect"] = "continue"
	guest.Begin(byhand.Calling("execute_sequence", stays))
	kept := running(t, owner)
	guest.Begin(byhand.Calling("execute_sequence", goes))
	lost := running(t, owner, kept)
	guest.signal(syscall.SIGKILL)
	<-guest.done
	if status, _ := atRest(t, owner, lost); status != "cancelled" {
		t.Errorf("the run that says nothing is %v", status)
	}
	list, _ := byhand.Dig(owner.Call("list_runs", object{"status": "running"}), "result", "structuredContent", "runs").([]any)
	if !slices.ContainsFunc(list, func(r any) bool { return byhand.Dig(r, "run_id") == kept }) {
		t.Errorf("the run that is to go on does not: %v", list)
	}
}

// TestProcessOutlivesItsClient has the only client close its side during a run that
// outlives it: the process stays until the run ends, or until a signal, after which the run
// goes on.
func TestProcessOutlivesItsClient(t *testing.T) {
	for say, c := range map[string]struct {
		duration, want string
		end            func(*talk)
	}{
		"until the run ends": {"2s", "succeeded", func(*talk) {}},
		"until a signal":     {"10m", "running", func(c *talk) { c.signal(syscall.SIGTERM) }},
	} {
		t.Run(say, func(t *testing.T) {
			home := t.TempDir()
			owner := talking(t, home, "2025-11-25")
			stays := object{"on_disconnect": "continue", "steps": []any{
				object{"tool_name": "delay", "id": "one", "arguments": object{"duration": c.duration}},
			}}
			owner.Begin(byhand.Calling("execute_sequence", stays))
			run := running(t, owner)
			_ = owner.in.Close()
			other := talking(t, home, byhand.Modern)
			if status := byhand.Dig(other.Call("get_run", object{"run_id": run}), "result", "structuredContent", "status"); status != "running" && status != "succeeded" {
				t.Errorf("the client left, and the run is %v", status)
			}
			c.end(owner)
			owner.ended()
			got := byhand.Dig(other.Call("get_run", object{"run_id": run}), "result", "structuredContent", "status")
			if c.want != "running" {
				got, _ = atRest(t, other, run)
			}
			if got != c.want {
				t.Errorf("the run is %v, want %s", got, c.want)
			}
		})
	}
}
