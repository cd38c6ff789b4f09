package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// stage is an engine with kinds that a test can look at: what they did stands
// in a journal, and they fail as they are told.
type stage struct {
	*Engine
	t     *testing.T
	store *memory

	mu      sync.Mutex
	journal []string
	tries   map[string]int
	hook    func(ctx context.Context, name string) error // called before an act
	quiet   bool                                         // keep no journal
	down    bool                                         // the power is off: nothing acts any more
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, store: newMemory(), tries: map[string]int{}}
	s.Engine = &Engine{Store: s.store, Files: s.store, Kinds: s.kinds(), Desk: noDesk{}}
	return s
}

// again is another engine over the same store, as after a crash.
func (s *stage) again() {
	s.Engine = &Engine{Store: s.store, Files: s.store, Kinds: s.kinds(), Desk: noDesk{}}
}

type noDesk struct{}

func (noDesk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(errors.New("no desktop in this test")), nil
}
func (noDesk) Drop(*desktop.Desktop) {}

// actArgs say what an act is called and how it goes.
type actArgs struct {
	Name  string `json:"name" jsonschema:"what it is called in the journal"`
	Fail  int    `json:"fail,omitzero" jsonschema:"how many tries fail"`
	Code  string `json:"code,omitzero" jsonschema:"with which code"`
	Clean bool   `json:"clean,omitzero" jsonschema:"a failure comes before it acts"`
	Value any    `json:"value,omitzero" jsonschema:"what it returns"`
	Hang  bool   `json:"hang,omitzero" jsonschema:"it acts and then waits to be stopped"`
}

type actResult struct {
	Value any            `json:"value"`
	Sets  map[string]any `json:"-"`
}

func (r actResult) SetEnv() map[string]any { return r.Sets }

type setArgs struct {
	Env map[string]any `json:"env" jsonschema:"what to set"`
}

func (s *stage) kinds() []steps.Kind {
	kind := func(k steps.Kind) steps.Kind {
		k.Summary = "For tests."
		return steps.Define(k, actArgs{}, s.act)
	}
	return []steps.Kind{
		kind(steps.Kind{Name: "act", Touches: steps.Act}),
		kind(steps.Kind{Name: "long", Touches: steps.Act, Timeout: time.Hour}),
		kind(steps.Kind{Name: "look", Reads: true}),
		kind(steps.Kind{Name: "idem", Idempotent: true}),
		steps.Define(steps.Kind{Name: "set", Summary: "For tests."}, setArgs{}, func(_ context.Context, _ *steps.Env, a setArgs) (actResult, error) {
			return actResult{Sets: a.Env}, nil
		}),
		kinds.AskUser,
	}
}

func (s *stage) act(ctx context.Context, env *steps.Env, a actArgs) (actResult, error) {
	s.mu.Lock()
	s.tries[a.Name]++
	try, hook, down := s.tries[a.Name], s.hook, s.down
	s.mu.Unlock()
	if down {
		return actResult{}, errCut
	}
	if hook != nil {
		if err := hook(ctx, a.Name); err != nil {
			return actResult{}, err
		}
	}
	code := steps.Code(cmp.Or(a.Code, string(steps.NotFound)))
	if try <= a.Fail && a.Clean {
		return actResult{}, steps.Errorf(code, "%s was told to fail", a.Name)
	}
	err := env.Act(func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.quiet {
			s.journal = append(s.journal, a.Name)
		}
		return nil
	})
	if try <= a.Fail {
		return actResult{}, steps.Errorf(code, "%s was told to fail", a.Name)
	}
	if a.Hang {
		<-ctx.Done()
		return actResult{}, context.Cause(ctx)
	}
	return actResult{Value: a.Value}, err
}

func (s *stage) did() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.journal, " ")
}

// request makes a request of a document.
func (s *stage) request(doc string, also map[string]string) Request {
	s.t.Helper()
	load := func(ref string, _ workflows.Source) (workflows.Source, error) {
		text, ok := also[ref]
		if !ok {
			return workflows.Source{}, fmt.Errorf("no document %q", ref)
		}
		return workflows.Source{Name: ref, Text: []byte(text)}, nil
	}
	b, _, err := Pack(workflows.Source{Name: "test.yaml", Text: []byte(doc)}, s.Kinds, load)
	if err != nil {
		s.t.Fatal(err)
	}
	return Request{Bundle: b}
}

// play runs a document to its end.
func (s *stage) play(r Request) Header {
	s.t.Helper()
	h, err := s.Start(s.t.Context(), r)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.rest(h.ID)
}

// rest waits until a run stands still.
func (s *stage) rest(id string) Header {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Hour)
	defer cancel()
	h, err := s.Wait(ctx, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func (s *stage) state(id string) State {
	s.t.Helper()
	st, err := foldTo(s.t.Context(), s.store, id, 1<<62)
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// types are the sorts of a run's events.
func (s *stage) types(id string) string {
	var out []string
	for ev := range s.store.Events(s.t.Context(), id, 1) {
		out = append(out, string(ev.Type))
	}
	return strings.Join(out, " ")
}
