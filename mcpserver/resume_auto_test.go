package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/steps"
	"understudy/workflows"
)

// cutShort makes a run whose first step, a pause, was interrupted when its server ended.
func (st *stage) cutShort(r engine.Request, document string) string {
	st.t.Helper()
	now := st.engine
	before := &engine.Engine{Store: now.Store, Files: now.Files, Kinds: now.Kinds, Desk: now.Desk}
	load := func(string, workflows.Source) (workflows.Source, error) { return workflows.Source{}, nil }
	bundle, _, err := engine.Pack(workflows.Source{Name: "test", Text: []byte(document)}, now.Kinds, load)
	if err != nil {
		st.t.Fatal(err)
	}
	r.Bundle, r.Roots = bundle, st.o.Roots
	h, err := before.Start(st.t.Context(), r)
	if err != nil {
		st.t.Fatal(err)
	}
	st.hanging()
	if err := before.Shutdown(st.t.Context()); err != nil {
		st.t.Fatal(err)
	}
	return h.ID
}

const clicksAfter = `
resume: auto
steps: [{tool_name: pause}, {tool_name: click_element, arguments: {selector: "role:button && name:%s"}}]`

func TestRunResumesWithTheRightsOfItsStarter(t *testing.T) {
	const command = "resume: auto\nsteps: [{tool_name: pause}, {tool_name: run_command, arguments: {run: 'true'}}]"
	lookedOnly := access.Policy{Mode: access.Ask, Toolsets: []steps.Toolset{access.All}}
	for _, c := range []struct {
		say      string
		document string
		owner    string
		kept     *storedRights
		server   func(o *Options)
		because  string // empty: it is resumed
	}{
		{say: "a token that is there", owner: "laptop", kept: &storedRights{}},
		{say: "a token that was taken back", owner: "gone", because: "gone, whose token is no longer valid"},
		{say: "a token, where nobody is asked for one any more", owner: "laptop", server: func(o *Options) { o.Gate = nil }, because: "is no longer valid"},
		{say: "a token that may only look by now", owner: "watcher", because: "ask mode"},
		{say: "a token that the operator lets only look", owner: "laptop", server: func(o *Options) { o.Modes = map[string]access.Mode{"laptop": access.Ask} }, because: "ask mode"},
		{say: "a client that may only look by its own name", owner: "laptop", server: func(o *Options) { o.Modes = map[string]access.Mode{"by-hand": access.Ask} }, because: "ask mode"},
		{say: "a request that asked for less than its token allows", owner: "laptop", kept: &storedRights{Policy: lookedOnly}, because: "ask mode"},
		{say: "a server that only lets look by now", owner: "laptop", server: func(o *Options) { o.Policy.Mode = access.Ask }, because: "ask mode"},
		{say: "a server that hands out fewer folders", owner: "laptop", server: func(o *Options) { o.Roots = nil }, because: "which this server does not allow"},
		{say: "a signed token, where none counts", owner: "someone@issuer", kept: &storedRights{Signed: true}, because: "is no longer valid"},
		{say: "nobody who was asked", owner: ""},
		{say: "nobody who was asked, and more than the server lets anybody do", document: command, because: "toolset shell is off"},
		{say: "a token, and more than the server lets anybody do", document: command, owner: "laptop", kept: &storedRights{Policy: access.Policy{Toolsets: []steps.Toolset{access.All}}}, because: "toolset shell is off"},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := newSecured(t)
			s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
			s.holder(auth.Token{Name: "watcher", Mode: auth.Ask})
			r := engine.Request{Terms: engine.Terms{Client: "by-hand", Owner: c.owner}}
			if c.owner != "" {
				r.Client = c.owner + "/by-hand#1a2b3c4d"
			}
			if c.kept != nil {
				if c.kept.Toolsets == nil {
					c.kept.Policy = s.o.Policy
				}
				r.Rights, _ = json.Marshal(c.kept)
			}
			if c.document == "" {
				c.document = fmt.Sprintf(clicksAfter, "Save")
			}
			run := s.cutShort(r, c.document)
			close(s.goOn)
			if c.server != nil {
				s.again(c.server)
			}
			if err := s.resumer.resumeInterrupted(t.Context()); err != nil {
				t.Fatal(err)
			}
			h := s.rest(run)
			log := s.log.String()
			if c.because == "" {
				if h.Status != engine.Succeeded || len(s.desk.Journal()) == 0 {
					t.Errorf("it is %s and did %v: %s", h.Status, s.desk.Journal(), log)
				}
				return
			}
			if h.Status != engine.Interrupted || len(s.desk.Journal()) > 0 || !strings.Contains(log, c.because) || !strings.Contains(log, run) {
				t.Errorf("it is %s and did %v; wanted %q in the log:\n%s", h.Status, s.desk.Journal(), c.because, log)
			}
		})
	}
}

// again makes a server with other options over the same engine.
func (s *secured) again(adjust func(*Options)) {
	o := *s.o
	adjust(&o)
	s.Server = New(o)
	s.engine.Allow = s.Allow
	s.t.Cleanup(func() { _ = s.Close(context.Background()) })
}

func TestRightsRevokedAfterAnAutomaticResume(t *testing.T) {
	s := newSecured(t)
	s.holder(auth.Token{Name: "laptop", Mode: auth.Act})
	run := s.cutShort(engine.Request{Terms: engine.Terms{Client: "laptop/by-hand", Owner: "laptop"}}, fmt.Sprintf(clicksAfter, "Save"))
	s.ResumeInterrupted()
	if again := s.hanging(); again != run {
		t.Fatalf("%s goes on, wanted %s", again, run)
	}
	if err := s.tokens.Remove("laptop"); err != nil {
		t.Fatal(err)
	}
	close(s.goOn)
	if h := s.rest(run); h.Status != engine.Failed || h.Error.Code != steps.Denied || len(s.desk.Journal()) > 0 {
		t.Errorf("it is %s (%+v) and did %v", h.Status, h.Error, s.desk.Journal())
	}
}

func TestRunsGoOnInTheOrderInWhichTheyBegan(t *testing.T) {
	st := newStage(t)
	var runs []string
	for _, name := range []string{"Save", "Close", "Save"} {
		runs = append(runs, st.cutShort(engine.Request{Terms: engine.Terms{Client: "x"}}, fmt.Sprintf(clicksAfter, name)))
	}
	st.cutShort(engine.Request{Terms: engine.Terms{Client: "x"}}, strings.Replace(fmt.Sprintf(clicksAfter, "Save"), "resume: auto", "name: x", 1))
	close(st.goOn)
	st.ResumeInterrupted()
	for _, run := range runs {
		if again := st.hanging(); again != run {
			t.Fatalf("%s goes on, wanted %s", again, run)
		}
	}
	for _, run := range runs {
		st.rest(run)
	}
	did := slices.DeleteFunc(st.desk.Journal(), func(act string) bool { return !strings.HasPrefix(act, "click") })
	if len(did) != 3 || did[0] == did[1] || did[0] != did[2] {
		t.Errorf("the desktop was used so: %q", did)
	}
}

func TestAutomaticResumeKeepsTheRightsOfTheCaller(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
	h := s.holder(auth.Token{Name: "laptop", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core, steps.Flow}})
	_, res := s.greet(modern, h).Call(t, "execute_sequence", byhand.Object{"resume": "auto", "steps": []any{byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": "1ms"}}}})
	events, err := s.engine.Events(t.Context(), textOfRun(res), 1)
	if err != nil {
		t.Fatalf("%v: %v", err, res)
	}
	fact, _ := engine.Fact(events[0])
	var kept storedRights
	if err := json.Unmarshal(fact.(engine.Created).Rights, &kept); err != nil || kept.Mode != access.Act || !slices.Contains(kept.Toolsets, steps.Core) || slices.Contains(kept.Toolsets, steps.Shell) {
		t.Errorf("kept is %+v, %v", kept, err)
	}
}

func TestResumeNeedsTheTokenOfTheStart(t *testing.T) {
	tokens := auth.NewTokens(t.TempDir() + "/tokens.json")
	if _, err := tokens.Add(auth.Token{Name: "laptop", Mode: auth.Act}); err != nil {
		t.Fatal(err)
	}
	list, err := tokens.List()
	if err != nil {
		t.Fatal(err)
	}
	gate, made := auth.New(auth.Options{Tokens: tokens}), list[0].Created
	for _, c := range []struct {
		say    string
		name   string
		signed bool
		began  time.Time
		counts bool
	}{
		{"it was there when the run began", "laptop", false, made.Add(time.Second), true},
		{"another had the name when the run began", "laptop", false, made.Add(-time.Second), false},
		{"there is none", "watcher", false, made.Add(time.Second), false},
		{"it was a signed one of the same name", "laptop", true, made.Add(time.Second), false},
	} {
		if g, err := gate.Of(c.name, c.signed, c.began); (err == nil) != c.counts || c.counts && g.Name != c.name {
			t.Errorf("%s: %+v, %v", c.say, g, err)
		}
	}
}
