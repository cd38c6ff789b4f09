package owner

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
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
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	ended := waiting(t, m, h.ID)
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
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
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
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	ended := waiting(t, m, h.ID)
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

func TestTheRunsOfAllWhoStayGoOnWithTheirSecrets(t *testing.T) {
	dir := t.TempDir()
	first := spawn(t, dir)
	m := join(t, optionsFor(dir))
	second := join(t, optionsFor(dir))
	var runs []string
	for i, at := range []*Member{m, second} {
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
	first.send(command{Do: "leave"})
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
	if m.Owns() == second.Owns() {
		t.Error("wanted one owner")
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
	other.send(command{Do: "leave"})
	openGate(t, dir)
	other.read()
	scratch.Until(t, "all steps have acted", func() bool { return marks(t, dir) == 5 })
}

func TestAStepThatDoesNotEndIsInterruptedByTheHandOver(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(dir)
	o.Patience = 50 * time.Millisecond
	owner, guest := pair(t, o)
	h, err := guest.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := owner.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	end, err := guest.Wait(t.Context(), h.ID)
	if err != nil || end.Status != engine.Interrupted || marks(t, dir) != 2 || !guest.Owns() {
		t.Errorf("wanted it interrupted after 2 marks, got %s, %v, %d", end.Status, err, marks(t, dir))
	}
}

// TestARunThatIsToRestStaysAtRestAfterTheHandOver lets the owner leave while a step is under
// way after which the run pauses in any case.
func TestARunThatIsToRestStaysAtRestAfterTheHandOver(t *testing.T) {
	for say, c := range map[string]struct {
		through bool
		pause   func(m *Member, run string) error
	}{
		"somebody has paused it": {pause: func(m *Member, run string) error { return m.Pause(t.Context(), run) }},
		"it is played in steps":  {through: true, pause: func(m *Member, run string) error { return nil }},
	} {
		t.Run(say, func(t *testing.T) {
			dir := t.TempDir()
			owner, guest := pair(t, optionsFor(dir))
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
			left, host := make(chan error, 1), owner.now.host
			go func() { left <- owner.Leave(context.Background()) }()
			scratch.Until(t, "the owner leaves", host.isLeaving)
			time.Sleep(100 * time.Millisecond) // it has asked the run to pause
			openGate(t, dir)
			if err := <-left; err != nil {
				t.Fatal(err)
			}
			end, err := guest.Wait(t.Context(), h.ID)
			if err != nil || end.Status != engine.Paused || marks(t, dir) != before || !guest.Owns() {
				t.Errorf("wanted it paused after %d marks, got %s, %v, %d", before, end.Status, err, marks(t, dir))
			}
		})
	}
}

func TestGoneMayAskTheOwnerWhileItLeaves(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan error, 1)
	ready, leaving := make(chan struct{}), make(chan struct{})
	o := optionsFor(dir)
	var owner *Member
	o.Gone = func(Client, []string) {
		close(ready)
		<-leaving
		_, err := owner.StopAll(context.Background(), engine.ByClient, "its client is gone")
		asked <- err
	}
	owner, guest := pair(t, o)
	if err := guest.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-ready
	left := make(chan error, 1)
	go func() { left <- owner.Leave(t.Context()) }()
	scratch.Until(t, "the owner is leaving", func() bool {
		_, err := owner.List(t.Context(), engine.Query{})
		return errors.Is(err, ErrLeft)
	})
	close(leaving)
	if err := <-asked; !errors.Is(err, ErrLeft) {
		t.Errorf("wanted ErrLeft, got %v", err)
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
}

func TestOneOfManyNewcomersTakesOver(t *testing.T) {
	dir := t.TempDir()
	dead := spawn(t, dir)
	dead.end()
	members := make([]*Member, 8)
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() { members[i], _ = Join(t.Context(), optionsFor(dir)) })
	}
	wg.Wait()
	owners := 0
	for i, m := range members {
		if m == nil {
			t.Fatalf("newcomer %d could not join", i)
		}
		if m.Owns() {
			owners++
		}
	}
	if owners != 1 {
		t.Errorf("wanted one owner, got %d", owners)
	}
	for i, m := range members { // whoever owns leaves sooner or later
		if _, err := m.List(t.Context(), engine.Query{}); err != nil {
			t.Errorf("newcomer %d: %v", i, err)
		}
		if err := m.Leave(t.Context()); err != nil {
			t.Error(err)
		}
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
func waiting(t *testing.T, at *Member, run string) <-chan engine.Header {
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
