package service

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/scratch"
)

func TestTwoProcessesUseOneFolder(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	mine, err := m.Start(t.Context(), marking(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	theirs := other.ask(order{Do: "start", Request: marking(dir, 1)}).Header
	for _, id := range []string{mine.ID, theirs.ID} {
		h, err := m.Wait(t.Context(), id)
		if err != nil || h.Status != engine.Succeeded {
			t.Errorf("run %s: %s, %v", id, h.Status, err)
		}
		if h := other.ask(order{Do: "wait", Run: id}).Header; h.Status != engine.Succeeded {
			t.Errorf("run %s in the other process: %s", id, h.Status)
		}
	}
	list, err := m.List(t.Context(), engine.Query{})
	if err != nil || len(list) != 2 || len(other.ask(order{Do: "list"}).List) != 2 || marks(t, dir) != 2 {
		t.Errorf("wanted both processes to see 2 runs, got %d, %v", len(list), err)
	}
}

func TestWhenTheOwnerLeavesTheRunsOfOthersGoOn(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	h, err := m.Start(t.Context(), marking(dir, 5))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	ended := waiting(t, m, h.ID)
	other.send(order{Do: "leave"})
	openGate(t, dir)
	other.read()
	if end := <-ended; end.Status != engine.Succeeded || end.Attempt != 1 || marks(t, dir) != 5 {
		t.Errorf("wanted it to succeed in one attempt with 5 marks, got %s in %d with %d", end.Status, end.Attempt, marks(t, dir))
	}
}

func TestWhenTheOwnerLeavesItsOwnRunsCanBeResumed(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	h := other.ask(order{Do: "start", Request: marking(dir, 5)}).Header
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := Stop(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	got, err := m.Get(t.Context(), h.ID)
	if err != nil || got.Status != engine.Interrupted || marks(t, dir) != 2 {
		t.Errorf("wanted it interrupted after 2 marks, got %s, %v, after %d", got.Status, err, marks(t, dir))
	}
}

func TestWhenTheOwnerIsKilledAnotherGoesOn(t *testing.T) {
	dir := t.TempDir()
	spawn(t, dir)
	m := join(t, optionsFor(dir))
	h, err := m.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	ended := waiting(t, m, h.ID)
	began := time.Now()
	killService(t, dir)
	if end := <-ended; end.Status != engine.Interrupted {
		t.Errorf("wanted the run interrupted, got %s", end.Status)
	}
	t.Logf("taken over within %s", time.Since(began))
	openGate(t, dir)
	if _, err := m.Resume(t.Context(), h.ID, engine.ResumeRequest{Decision: engine.SkipStep}); err != nil {
		t.Fatal(err)
	}
	end, err := m.Wait(t.Context(), h.ID)
	if err != nil || end.Status != engine.Succeeded || marks(t, dir) != 3 {
		t.Errorf("wanted it to succeed with 3 marks, got %s, %v with %d", end.Status, err, marks(t, dir))
	}
}

func TestTheRunsOfAllWhoStayGoOnWithTheirSecrets(t *testing.T) {
	dir := t.TempDir()
	first := spawn(t, dir)
	m := join(t, optionsFor(dir))
	second := join(t, optionsFor(dir))
	var runs []string
	for i, at := range []*Client{m, second} {
		r := marking(dir, 3)
		var doc map[string]any
		if err := json.Unmarshal(r.Bundle.Main.Text, &doc); err != nil {
			t.Fatal(err)
		}
		doc["variables"] = map[string]any{"file": map[string]any{"type": "string", "secret": true, "required": true}}
		last, _ := doc["steps"].([]any)[2].(map[string]any)
		last["arguments"] = map[string]any{"file": "${{ inputs.file }}"}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		r.Bundle.Main.Text = text
		r.Secrets = map[string]string{"file": filepath.Join(dir, "marks")}
		h, err := at.Start(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, h.ID)
		scratch.Until(t, "its second step acts", func() bool { return marks(t, dir) == 2*(i+1) })
	}
	var watched []<-chan engine.Header
	for _, run := range runs {
		watched = append(watched, waiting(t, m, run), waiting(t, second, run))
	}
	first.send(order{Do: "leave"})
	openGate(t, dir)
	first.read()
	for _, end := range watched {
		if h := <-end; h.Status != engine.Succeeded {
			t.Errorf("who watched run %s saw it %s", h.ID, h.Status)
		}
	}
	if n := marks(t, dir); n != 6 {
		t.Errorf("wanted 6 marks, got %d", n)
	}
}

func TestTheRunsOfAMemberThatAsksNothingGoOn(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	if _, err := m.Start(t.Context(), marking(dir, 5)); err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	other.send(order{Do: "leave"})
	openGate(t, dir)
	other.read()
	scratch.Until(t, "all steps have acted", func() bool { return marks(t, dir) == 5 })
}

func TestAStepThatDoesNotEndIsInterruptedByTheHandOver(t *testing.T) {
	dir := t.TempDir()
	_, guest := pair(t, dir)
	h, err := guest.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := Stop(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	end, err := guest.Wait(t.Context(), h.ID)
	if err != nil || end.Status != engine.Interrupted || marks(t, dir) != 2 {
		t.Errorf("wanted it interrupted after 2 marks, got %s, %v, %d", end.Status, err, marks(t, dir))
	}
}

// TestARunThatIsToRestStaysAtRestAfterTheHandOver lets the owner leave while a step is under
// way after which the run pauses in any case.
func TestARunThatIsToRestStaysAtRestAfterTheHandOver(t *testing.T) {
	for say, c := range map[string]struct {
		through bool
		pause   func(m *Client, run string) error
	}{
		"somebody has paused it": {pause: func(m *Client, run string) error { return m.Pause(t.Context(), run) }},
		"it is played in steps":  {through: true, pause: func(m *Client, run string) error { return nil }},
	} {
		t.Run(say, func(t *testing.T) {
			dir := t.TempDir()
			owner, guest := join(t, optionsFor(dir)), join(t, optionsFor(dir))
			r := marking(dir, 4)
			if r.StepThrough = c.through; c.through {
				r.From = "s1"
			}
			h, err := guest.Start(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			before := 2
			if c.through {
				before = 1
			}
			scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == before })
			if err := c.pause(guest, h.ID); err != nil {
				t.Fatal(err)
			}
			if err := owner.Leave(context.Background()); err != nil {
				t.Fatal(err)
			}
			openGate(t, dir)
			end, err := guest.Wait(t.Context(), h.ID)
			if err != nil || end.Status != engine.Paused || marks(t, dir) != before {
				t.Errorf("wanted it paused after %d marks, got %s, %v, %d", before, end.Status, err, marks(t, dir))
			}
		})
	}
}

// TestOneOfManyNewcomersTakesOver has many clients meet a dead service at once.
func TestOneOfManyNewcomersTakesOver(t *testing.T) {
	dir := t.TempDir()
	join(t, optionsFor(dir))
	killService(t, dir)
	members := make([]*Client, 8)
	served := make([]int, len(members))
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() {
			members[i], _ = Connect(t.Context(), optionsFor(dir))
			s, _ := StatusOf(t.Context(), dir)
			served[i] = s.PID
		})
	}
	wg.Wait()
	if slices.Sort(served); served[0] == 0 || len(slices.Compact(served)) != 1 {
		t.Errorf("wanted one service, got %v", served)
	}
	for i, m := range members { // whoever owns leaves sooner or later
		if m == nil {
			t.Fatalf("newcomer %d could not join", i)
		}
		if _, err := m.List(t.Context(), engine.Query{}); err != nil {
			t.Errorf("newcomer %d: %v", i, err)
		}
		if err := m.Leave(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// killService kills the service of a folder.
func killService(t *testing.T, dir string) {
	t.Helper()
	s, err := StatusOf(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(s.PID)
	if err = errors.Join(err, p.Kill()); err != nil {
		t.Fatal(err)
	}
}

func TestAProcessThatHasLeftSaysSo(t *testing.T) {
	m := join(t, optionsFor(t.TempDir()))
	if err := m.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.List(t.Context(), engine.Query{}); !errors.Is(err, ErrLeft) {
		t.Errorf("wanted ErrLeft, got %v", err)
	}
}

// waiting waits for the end of a run beside the test.
func waiting(t *testing.T, at *Client, run string) <-chan engine.Header {
	t.Helper()
	ended := make(chan engine.Header, 1)
	go func() {
		h, err := at.Wait(t.Context(), run)
		if err != nil {
			t.Error(err)
		}
		ended <- h
	}()
	return ended
}
