//go:build unix

package crash

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/store"
	"understudy/workflows"
)

var (
	kills  = flag.Int("kills", 150, "how many processes are killed at random instants")
	spread = flag.Int("spread", 6, "at how many different points processes are killed")
)

// The variables that make this binary the process that is killed.
const (
	dirVariable   = "UNDERSTUDY_CRASH_DIR"
	pointVariable = "UNDERSTUDY_CRASH_POINT" // kill yourself at this point, counted from 1
	signsVariable = "UNDERSTUDY_CRASH_SIGNS" // tell of each point on the file that comes with you
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(dirVariable); dir != "" {
		point, _ := strconv.Atoi(os.Getenv(pointVariable))
		if err := play(dir, point); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// document is a workflow with everything that moves a cursor: groups, loops,
// calls, jumps, fallbacks, retries, finally. It makes 200 steps and more.
const document = `
name: crash
steps:
  - foreach: [1, 2, 3, 4, 5, 6]
    as: round
    steps:
      - group_name: inner
        steps:
          - {tool_name: act, arguments: {name: "g${{ round }}a"}}
          - {if: round % 2 == 0, tool_name: act, arguments: {name: "g${{ round }}even"}}
          - foreach: [1, 2, 3, 4]
            as: n
            steps:
              - {tool_name: act, arguments: {name: "g${{ round }}n${{ n }}"}}
              - {tool_name: look}
              - {id: kept, tool_name: act, arguments: {name: "g${{ round }}k${{ n }}"}, delay: 1ms}
      - {workflow: called, inputs: {prefix: "c${{ round }}"}}
      - {tool_name: act, arguments: {name: "g${{ round }}retry", fail: 2}, retry: {attempts: 3, delay: 1ms, before: [{tool_name: look}]}}
  - {tool_name: set, arguments: {n: 0}}
  - while: env.n < 5
    steps:
      - {tool_name: act, arguments: {name: "w${{ env.n }}"}}
      - {tool_name: set, arguments: {n: "${{ env.n + 1 }}"}}
  - {tool_name: act, arguments: {name: before}, jumps: [{if: "true", to_id: after}]}
  - {tool_name: act, arguments: {name: never}}
  - {id: after, tool_name: act, arguments: {name: after}}
  - {id: wobbly, fallback_id: fix, tool_name: act, arguments: {name: wobbly, fail: 1}}
  - {tool_name: act, arguments: {name: last}}
troubleshooting:
  - {id: fix, tool_name: act, arguments: {name: fix}, jumps: [{if: "true", to_id: wobbly}]}
finally:
  - {tool_name: act, arguments: {name: done}}
`

const calledDocument = `
variables: {prefix: {type: string}}
steps:
  - {tool_name: act, arguments: {name: "${{ inputs.prefix }}x"}}
  - group_name: g
    steps: [{tool_name: act, arguments: {name: "${{ inputs.prefix }}y"}}]
finally: [{tool_name: act, arguments: {name: "${{ inputs.prefix }}z"}}]
`

// wanted are the acts of the document, in their order.
func wanted() []string {
	var out []string
	for r := 1; r <= 6; r++ {
		out = append(out, fmt.Sprintf("g%da", r))
		if r%2 == 0 {
			out = append(out, fmt.Sprintf("g%deven", r))
		}
		for n := 1; n <= 4; n++ {
			out = append(out, fmt.Sprintf("g%dn%d", r, n), fmt.Sprintf("g%dk%d", r, n))
		}
		out = append(out, fmt.Sprintf("c%dx", r), fmt.Sprintf("c%dy", r), fmt.Sprintf("c%dz", r), fmt.Sprintf("g%dretry", r))
	}
	for n := range 5 {
		out = append(out, fmt.Sprintf("w%d", n))
	}
	return append(out, "before", "after", "fix", "wobbly", "last", "done")
}

// world is what the acts change: a file with a line for each.
type world struct{ path string }

func (w world) act(name string) error {
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(name + "\n"); err != nil {
		return err
	}
	return f.Sync()
}

func (w world) acts() []string {
	raw, _ := os.ReadFile(w.path)
	return strings.Fields(string(raw))
}

func (w world) has(name string) bool {
	return slices.Contains(w.acts(), name)
}

// killer ends the process at a point: each batch that is stored, before and
// after, and each act, before and after, is one. It tells of each.
type killer struct {
	left  int
	signs *os.File // nil: nobody listens
}

func (k *killer) point() {
	if k.left--; k.left == 0 {
		die()
	}
	if k.signs != nil {
		_, _ = k.signs.Write([]byte{0})
	}
}

// deadlyStore is a store around which the process may end.
type deadlyStore struct {
	*store.Store
	k *killer
}

func (d deadlyStore) Append(ctx context.Context, run string, b engine.Batch) error {
	d.k.point()
	err := d.Store.Append(ctx, run, b)
	d.k.point()
	return err
}

type actArgs struct {
	Name string `json:"name" jsonschema:"the line to write"`
	Fail int    `json:"fail,omitzero" jsonschema:"how many tries fail before they act"`
}

type setArgs struct {
	N float64 `json:"n" jsonschema:"the counter"`
}

type nothing struct {
	env map[string]any
}

func (n nothing) SetEnv() map[string]any { return n.env }

func kinds(w world, k *killer) []steps.Kind {
	tries := map[string]int{}
	act := func(_ context.Context, env *steps.Env, a actArgs) (nothing, error) {
		if tries[a.Name]++; tries[a.Name] <= a.Fail && !w.has("fix") && (a.Name == "wobbly") || env.Run.Attempt <= a.Fail && a.Name != "wobbly" {
			return nothing{}, steps.Errorf(steps.NotFound, "%s is not there yet", a.Name)
		}
		return nothing{}, env.Act(func() error {
			k.point()
			err := w.act(a.Name)
			k.point()
			return err
		})
	}
	return []steps.Kind{
		steps.Define(steps.Kind{Name: "act", Summary: "Write a line."}, actArgs{}, act),
		steps.Define(steps.Kind{Name: "look", Summary: "Do nothing.", Reads: true}, struct{}{}, func(context.Context, *steps.Env, struct{}) (nothing, error) { return nothing{}, nil }),
		steps.Define(steps.Kind{Name: "set", Summary: "Count.", Idempotent: true}, setArgs{}, func(_ context.Context, _ *steps.Env, a setArgs) (nothing, error) {
			return nothing{env: map[string]any{"n": a.N}}, nil
		}),
	}
}

type noDesk struct{}

func (noDesk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(&desktop.MissingError{What: "no desktop"}), nil
}
func (noDesk) Drop(*desktop.Desktop) {}

// signs is the pipe on which a parent listens for the points that are reached.
func signs() *os.File {
	if os.Getenv(signsVariable) == "" {
		return nil
	}
	return os.NewFile(3, "signs")
}

// play starts the run, or continues it, until it has succeeded.
func play(dir string, point int) error {
	ctx := context.Background()
	k, w := &killer{left: point, signs: signs()}, world{filepath.Join(dir, "acts")}
	st, err := store.Open(filepath.Join(dir, "home"), store.Options{Wait: 10 * time.Second})
	if err != nil {
		return err
	}
	if r, err := st.Check(ctx); err != nil || !r.Clean() {
		return fmt.Errorf("check: %v %w", r.Problems, err)
	}
	e := &engine.Engine{Store: deadlyStore{st, k}, Files: st, Kinds: kinds(w, k), Desk: noDesk{}}
	list, err := e.List(ctx, engine.Query{})
	if err != nil {
		return err
	}
	var h engine.Header
	if len(list) == 0 {
		h, err = begin(ctx, e)
	} else {
		h = list[0]
		err = proceed(ctx, e, w, h)
	}
	if err != nil {
		return err
	}
	if h, err = e.Wait(ctx, h.ID); err != nil {
		return err
	}
	for h.Status != engine.Succeeded {
		if err := proceed(ctx, e, w, h); err != nil {
			return err
		}
		if h, err = e.Wait(ctx, h.ID); err != nil {
			return err
		}
	}
	return st.Close()
}

func begin(ctx context.Context, e *engine.Engine) (engine.Header, error) {
	load := func(string, workflows.Source) (workflows.Source, error) {
		return workflows.Source{Name: "called", Text: []byte(calledDocument)}, nil
	}
	b, _, err := engine.Pack(workflows.Source{Name: "crash", Text: []byte(document)}, e.Kinds, load)
	if err != nil {
		return engine.Header{}, err
	}
	return e.Start(ctx, engine.Request{Bundle: b})
}

// proceed continues the run as an operator would who looks at the world: a
// step in doubt is done again only if its act is not there.
func proceed(ctx context.Context, e *engine.Engine, w world, h engine.Header) error {
	var err error
	switch h.Status {
	case engine.Succeeded:
		return nil
	case engine.Interrupted:
		_, err = e.Resume(ctx, h.ID, engine.ResumeRequest{})
	case engine.Waiting:
		name, err := inDoubt(ctx, e, h.ID)
		if err != nil {
			return err
		}
		choice := engine.Redo
		if w.has(name) {
			choice = engine.SkipStep
		}
		_, err = e.Answer(ctx, h.ID, engine.Answer{Choice: choice})
		return err
	default:
		err = fmt.Errorf("the run is %s: %+v", h.Status, h.Error)
	}
	return err
}

// inDoubt is the act of the step that was started last.
func inDoubt(ctx context.Context, e *engine.Engine, id string) (string, error) {
	name := ""
	for seen := uint64(0); ; {
		evs, err := e.Events(ctx, id, seen+1)
		if err != nil || len(evs) == 0 {
			return name, err
		}
		for _, ev := range evs {
			seen = ev.Seq
			fact, err := engine.Fact(ev)
			if err != nil {
				return "", err
			}
			st, _ := fact.(engine.Started)
			if args, ok := st.Args.(map[string]any); ok {
				name, _ = args["name"].(string)
			}
		}
	}
}

// child is a process that plays until it has succeeded or is killed. It gets
// the files.
func child(t *testing.T, dir string, point int, signs ...*os.File) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), dirVariable+"="+dir, pointVariable+"="+strconv.Itoa(point))
	if cmd.ExtraFiles = signs; len(signs) > 0 {
		cmd.Env = append(cmd.Env, signsVariable+"=1")
	}
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// verify looks at what was done.
func verify(t *testing.T, dir string, deaths int) {
	t.Helper()
	got, want := world{filepath.Join(dir, "acts")}.acts(), wanted()
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("after %d deaths was done:\n%s\nwanted:\n%s", deaths, strings.Join(got, " "), strings.Join(want, " "))
	}
	st, err := store.Open(filepath.Join(dir, "home"), store.Options{Wait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if r, err := st.Check(t.Context()); err != nil || !r.Clean() {
		t.Errorf("check: %+v, %v", r, err)
	}
}

// TestAtLengthKilledAtBoundaries ends each process at its nth point, and the next one
// at its nth, until the run is done: with a few n, every sort of boundary is
// cut before and after what is stored, and before and after what acts.
func TestAtLengthKilledAtBoundaries(t *testing.T) {
	t.Parallel()
	deaths := 0
	for point := fewestPoints; point < fewestPoints+*spread; point++ {
		dir := t.TempDir()
		for early := 1; early <= 4; early++ { // the beginning of a run too
			deaths += playOnce(t, dir, early, deaths)
		}
		for {
			died := playOnce(t, dir, point, deaths)
			if deaths += died; died == 0 {
				break
			}
		}
		verify(t, dir, deaths)
	}
	t.Logf("%d processes were killed at a boundary", deaths)
}

// fewestPoints are enough for a process to get further than the last one: to
// resume, to ask, to answer, and to do the step with the most tries.
const fewestPoints = 25

// playOnce runs one process, and says whether it was killed.
func playOnce(t *testing.T, dir string, point, deaths int) (died int) {
	t.Helper()
	cmd, out := child(t, dir, point)
	err := cmd.Wait()
	switch {
	case err == nil:
		return 0
	case !killed(err):
		t.Fatalf("after %d deaths: %v\n%s", deaths, err, out)
	}
	return 1
}

// TestAtLengthKilledAtRandom kills each process at an instant between two of its
// points. How long they take differs between machines by orders of magnitude,
// so the clock is the child's own: it tells of each point that it reaches, and
// dies some of them later, in the middle of what comes next. Each process gets
// as far as the next one needs, so the runs end however slow the machine is.
func TestAtLengthKilledAtRandom(t *testing.T) {
	t.Parallel()
	deaths, runs, pace := 0, 0, &pace{}
	for deaths < *kills {
		dir := t.TempDir()
		runs++
		for {
			died := playUntil(t, dir, rand.IntN(4*fewestPoints), pace, deaths)
			if deaths += died; died == 0 {
				break
			}
		}
		verify(t, dir, deaths)
	}
	t.Logf("%d processes were killed at random instants, in %d runs; a point takes %s", deaths, runs, pace.mean)
}

// pace is how long a process takes from one point to the next.
type pace struct{ mean time.Duration }

func (p *pace) learn(d time.Duration) { p.mean += (d - p.mean) / 8 }

// playUntil runs one process, kills it somewhere after a number of points, and
// says whether it died of that.
func playUntil(t *testing.T, dir string, points int, p *pace, deaths int) (died int) {
	t.Helper()
	signs, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer signs.Close()
	cmd, out := child(t, dir, 0, theirs)
	theirs.Close()
	last, sign := time.Now(), make([]byte, 1)
	for range points {
		if _, err := signs.Read(sign); err != nil {
			break // it has ended
		}
		now := time.Now()
		p.learn(now.Sub(last))
		last = now
	}
	time.Sleep(time.Duration(rand.Float64() * float64(2*p.mean)))
	_ = cmd.Process.Kill()
	switch err := cmd.Wait(); {
	case err == nil:
		return 0
	case !killed(err):
		t.Fatalf("after %d deaths: %v\n%s", deaths, err, out)
	}
	return 1
}
