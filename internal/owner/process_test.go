package owner

import (
	"testing"
	"time"

	"understudy/engine"
)

func TestTwoProcessesUseOneFolder(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	if m.Owns() || !other.ask(command{Do: "owns"}).Owns {
		t.Fatal("wanted the first process to own the folder")
	}
	mine, err := m.Start(t.Context(), marking(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	theirs := other.ask(command{Do: "start", Request: marking(dir, 1)}).Header
	for _, id := range []string{mine.ID, theirs.ID} {
		h, err := m.Wait(t.Context(), id)
		if err != nil || h.Status != engine.Succeeded {
			t.Errorf("run %s: %s, %v", id, h.Status, err)
		}
		if h := other.ask(command{Do: "wait", Run: id}).Header; h.Status != engine.Succeeded {
			t.Errorf("run %s in the other process: %s", id, h.Status)
		}
	}
	list, err := m.List(t.Context(), engine.Query{})
	if err != nil || len(list) != 2 || len(other.ask(command{Do: "list"}).List) != 2 || marks(t, dir) != 2 {
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
	until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	ended := make(chan engine.Header, 1)
	go func() {
		h, err := m.Wait(t.Context(), h.ID)
		if err != nil {
			t.Error(err)
		}
		ended <- h
	}()
	other.send(command{Do: "leave"})
	openGate(t, dir)
	other.read()
	if end := <-ended; end.Status != engine.Succeeded || end.Attempt != 1 || marks(t, dir) != 5 {
		t.Errorf("wanted it to succeed in one attempt with 5 marks, got %s in %d with %d", end.Status, end.Attempt, marks(t, dir))
	}
	if !m.Owns() {
		t.Error("wanted this process to own the folder now")
	}
}

func TestWhenTheOwnerLeavesItsOwnRunsCanBeResumed(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	h := other.ask(command{Do: "start", Request: marking(dir, 5)}).Header
	until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	other.ask(command{Do: "leave"})
	got, err := m.Get(t.Context(), h.ID)
	if err != nil || got.Status != engine.Interrupted || marks(t, dir) != 2 {
		t.Errorf("wanted it interrupted after 2 marks, got %s, %v, after %d", got.Status, err, marks(t, dir))
	}
}

func TestWhenTheOwnerIsKilledAnotherGoesOn(t *testing.T) {
	dir := t.TempDir()
	other := spawn(t, dir)
	m := join(t, optionsFor(dir))
	h, err := m.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	ended := make(chan engine.Header, 1)
	go func() {
		h, err := m.Wait(t.Context(), h.ID)
		if err != nil {
			t.Error(err)
		}
		ended <- h
	}()
	began := time.Now()
	other.end()
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
