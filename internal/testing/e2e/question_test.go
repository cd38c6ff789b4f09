//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/itself"
)

// questions is how often a question comes up while a client types.
var questions = flag.Int("questions", 3, "how often TestAQuestionBetweenTwoKeysIsNotAnswered asks")

// A question of another program comes up between two calls.
func TestAQuestionBetweenTwoCallsIsNotAnswered(t *testing.T) {
	if !itself.InChild(t, nil) {
		return
	}
	s := newStage(t, desktop.Size{})
	s.show("user", "Letter")
	c := s.overMCP()
	s.worksIn(c)
	z := s.zenity()
	for _, call := range []struct {
		kind string
		args byhand.Object
	}{
		{"type_text", byhand.Object{"text": "And one more line typed by keys. "}},
		{"press_key", byhand.Object{"key": "enter"}},
		{"press_key_global", byhand.Object{"key": "space"}},
		{"key_down", byhand.Object{"key": "space"}},
	} {
		res := c.Call(call.kind, call.args)
		text := fmt.Sprint(res)
		for _, want := range []string{"Disk almost full", "Delete old files?", "Keep", "Delete", "expect_window"} {
			if !byhand.IsError(res) || !strings.Contains(text, want) {
				t.Errorf("%s: wanted a refusal with %q, got %s", call.kind, want, text)
			}
		}
	}
	if !s.running(z) {
		t.Error("the question was answered")
	}
	if res := c.Call("press_key", byhand.Object{"key": "enter", "expect_window": "Disk almost full"}); byhand.IsError(res) {
		t.Errorf("who expects the question may answer it: %v", res)
	}
	if err := z.Wait(); err != nil {
		t.Errorf("the question was not answered by its default button: %v", err)
	}
}

// A question of another program comes up while a client types.
func TestAQuestionBetweenTwoKeysIsNotAnswered(t *testing.T) {
	if !itself.InChild(t, nil) {
		return
	}
	text := strings.Repeat("And one more line typed by keys so that it is long enough to be met.\n", 8)
	s := newStage(t, desktop.Size{})
	s.show("user", "Letter")
	c := s.overMCP()
	met := 0
	for i := range *questions {
		s.worksIn(c)
		c.Call("press_key", byhand.Object{"key": "ctrl+a"})
		z := s.zenityAfter(rand.Float64())
		res := c.Call("type_text", byhand.Object{"text": text})
		s.shows("Disk almost full")
		if !s.running(z) {
			t.Errorf("round %d: the question was answered: %v", i, res)
		}
		if byhand.IsError(res) {
			met++
		}
		if res := c.Call("click_element", byhand.Object{"selector": "window:Disk >> role:button && name:Keep"}); byhand.IsError(res) {
			t.Fatal(res)
		}
		_ = z.Wait()
	}
	t.Logf("%d of %d questions met the typing", met, *questions)
}

// worksIn has a client look at the letter, and put the cursor into it.
func (s *stage) worksIn(c *byhand.Client) {
	s.t.Helper()
	if res := c.Call("click_element", byhand.Object{"selector": "window:Letter >> role:text && nth:-1", "timeout_ms": 30000}); byhand.IsError(res) {
		s.t.Fatal(res)
	}
}

// zenity asks a question, and waits until it shows.
func (s *stage) zenity() *exec.Cmd {
	s.t.Helper()
	z := s.zenityAfter(0)
	s.shows("Disk almost full")
	return z
}

func (s *stage) zenityAfter(seconds float64) *exec.Cmd {
	s.t.Helper()
	z := exec.CommandContext(s.t.Context(), "sh", "-c", fmt.Sprintf("sleep %f; exec /usr/bin/zenity --question --title='Disk almost full' --text='Delete old files?' --ok-label=Delete --cancel-label=Keep", seconds))
	if err := z.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = z.Process.Kill() })
	return z
}

// running reports whether a program has not ended.
func (s *stage) running(c *exec.Cmd) bool {
	stat := desktop.ProcessStat(c.Process.Pid)
	return stat != nil && stat[0] != "Z"
}
