//go:build linux

package lasting

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/scratch"
)

var (
	deaths = flag.Int("deaths", 0, "how many processes die at random instants; 0: none")
	seed   = flag.Uint64("seed", 0, "what chooses who dies when; 0: chance")
)

func needsDeaths(t *testing.T) {
	t.Helper()
	if *deaths == 0 {
		t.Skip("needs time: make deaths plays it")
	}
}

// mortal is a run on a virtual desktop of which any part may die, and the
// operator who brings it to its end. What it does stands in a file: a line for
// each effect, written by the commands and the application themselves.
type mortal struct {
	*operator
	seen    map[string]bool // the displays that there were
	base    map[string]int  // how often each effect was there when its step was begun again by decision
	before  map[string]int  // the same before the last decision to begin again, until that is known to be stored
	tries   int             // of the run, when that was decided
	dead    bool            // an application died, or the window manager
	redone  string          // the step that was done again because its effect was not there
	history []string
}

// The steps of the run. Each has an effect of its own name; those of the
// application are written when it shows itself, and when its button is pressed.
var mortalSteps = []string{"c1", "o1", "k1", "c2", "o2", "k2", "c3"}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{operator: newOperator(t), seen: map[string]bool{}, base: map[string]int{}}
	var text strings.Builder
	text.WriteString("name: mortal\nsteps:\n")
	for _, id := range mortalSteps {
		switch n := id[1:]; id[0] {
		case 'c':
			before := ""
			if pressed := "k" + strconv.Itoa(int(id[1]-'1')); pressed != "k0" { // a desktop that ends at once would end the application before it wrote
				before = "until [ -e " + pressed + " ]; do sleep 0.01; done; "
			}
			fmt.Fprintf(&text, "  - {id: %s, tool_name: run_command, timeout: 5s, arguments: {run: '%secho %s >> acts'}}\n", id, before, id)
		case 'o':
			fmt.Fprintf(&text, "  - {id: %s, tool_name: open_application, timeout: 20s, arguments: {app_name: '%s %s'}}\n", id, filepath.Join(m.dir, "zenity"), n)
		case 'k':
			fmt.Fprintf(&text, "  - {id: %s, tool_name: click_element, timeout: 4s, arguments: {process: zenity, selector: 'name:OK'}}\n", id)
		}
	}
	m.file("mortal.yaml", text.String(), 0o600)
	m.file("zenity", "#!/bin/sh\nrm -f k$1; echo o$1 >> acts\n/usr/bin/zenity --info --text \"dialog $1\" && echo k$1 >> acts && touch k$1\n", 0o700)
	return m
}

func (m *mortal) file(name, text string, mode os.FileMode) {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), mode); err != nil {
		m.Fatal(err)
	}
}

// count is how often an effect is there.
func (m *mortal) count(step string) int {
	raw, _ := os.ReadFile(filepath.Join(m.dir, "acts"))
	n := 0
	for effect := range strings.FieldsSeq(string(raw)) {
		if effect == step {
			n++
		}
	}
	return n
}

// done says whether a step was done since it was last begun by decision.
func (m *mortal) done(step string) bool { return m.count(step) > m.base[step] }

// processes are those of this run, with what makes them known.
func (m *mortal) processes() map[int]string {
	all, _ := filepath.Glob("/proc/[0-9]*")
	found := map[int]string{}
	for _, proc := range all {
		environ, err := os.ReadFile(filepath.Join(proc, "environ"))
		if err != nil || !bytes.Contains(environ, []byte("HOME="+m.dir+"\x00")) {
			continue
		}
		comm, _ := os.ReadFile(filepath.Join(proc, "comm"))
		line, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		name := strings.TrimSpace(string(comm))
		switch {
		case bytes.Contains(line, []byte("\x00guarded\x00")):
			name = "keeper"
		case bytes.Contains(line, []byte("\x00keep-desktop\x00")):
			name = "guard"
		case bytes.Contains(line, []byte("\x00keep-folder\x00")):
			name = "service"
		case bytes.HasPrefix(line, []byte("understudy\x00")):
			name = "client"
		case bytes.Contains(environ, []byte("XDG_RUNTIME_DIR="+filepath.Join(m.dir, "data"))):
			name = "on desktop: " + name
		}
		pid, _ := strconv.Atoi(filepath.Base(proc))
		if len(line) > 0 { // else it has ended
			found[pid] = name
		}
	}
	return found
}

// The parts that may die, by what makes their processes known.
var mortals = map[string]string{
	"engine": "service", "keeper": "keeper", "guard": "guard",
	"X server": "on desktop: Xvfb", "window manager": "on desktop: openbox", "application": "on desktop: zenity",
}

// kill ends the processes of a part, and says whether there was one.
func (m *mortal) kill(part string) (died bool) {
	for pid, name := range m.processes() {
		if name == mortals[part] {
			died = syscall.Kill(pid, syscall.SIGKILL) == nil || died
		}
	}
	if died {
		m.dead = m.dead || part == "application" || part == "window manager"
		m.note("the %s died", part)
	}
	return died
}

func (m *mortal) note(format string, args ...any) {
	m.history = append(m.history, fmt.Sprintf(format, args...))
}

// quiet waits until nothing of the engine runs that was killed: what it had
// started ends with it, and what the application was told it has done.
func (m *mortal) quiet() {
	m.Helper()
	m.until("nothing of the engine is left", func() bool {
		for _, name := range m.processes() {
			if name != "service" && name != "keeper" && name != "guard" && !strings.HasPrefix(name, "on desktop") {
				return false
			}
		}
		return true
	})
	for _, k := range m.desktops() {
		m.seen[strings.TrimPrefix(k.Display, ":")] = true
	}
}

// pressed says whether the application did what it does when it is pressed, which
// takes it a moment: a small share of the time of the test, as no press comes late
// after a death that swallowed it.
func (m *mortal) pressed(step string) bool {
	share := time.Until(scratch.Deadline(m)) / 100
	for end := time.Now().Add(share); !m.done(step); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

type deathPlan struct {
	From    string
	Doubt   bool
	Gone    string
	Desktop string
}

// decides looks at what the run says of itself, holds it to what was done, and
// chooses as an operator does who can see the desktop: the arguments with which
// it goes on, or none when it has succeeded.
func (m *mortal) decides() []string {
	m.Helper()
	m.quiet()
	cmd := m.command("resume", "last", "--plan", "--json")
	said := &bytes.Buffer{}
	cmd.Stderr = said
	raw, err := cmd.Output()
	var p deathPlan
	switch {
	case strings.Contains(said.String(), `there is no run "last"`):
		return []string{"run", "--display", "virtual", "mortal.yaml"}
	case strings.Contains(said.String(), "has succeeded"):
		return nil
	case err != nil:
		m.Fatalf("no plan: %v\n%s\n%s", err, said, strings.Join(m.history, "\n"))
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		m.Fatal(err)
	}
	m.settle()
	return append([]string{"resume", "last"}, m.choice(p)...)
}

// settle takes back that the run began again at a step, if it died before it had
// written that down.
func (m *mortal) settle() {
	m.Helper()
	raw, err := m.command("runs", "show", "last", "--json").Output()
	var r struct{ Attempt int }
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil || r.Attempt == 0 {
		m.Fatalf("no attempt: %v\n%s", err, raw)
	}
	if m.before != nil && r.Attempt == m.tries {
		m.base = m.before
	}
	m.before, m.tries = nil, r.Attempt
}

func (m *mortal) choice(p deathPlan) []string {
	m.Helper()
	at := slices.Index(mortalSteps, p.From)
	if at < 0 {
		m.Fatalf("it goes on at %q, which is no step", p.From)
	}
	m.note("it would continue at %s (doubt: %t, gone: %q)", p.From, p.Doubt, p.Gone)
	if p.Gone != "" {
		return m.from(at)
	}
	// A window that its program shows while the window manager dies never comes to the
	// screen: who looks at it ends the program.
	if len(m.history) > 1 && m.dead && strings.Contains(m.history[len(m.history)-2], "is in no window that shows") && m.kill("application") {
		m.until("the application is gone", func() bool { return !m.shown() })
	}
	for i, step := range mortalSteps[:at+1] {
		if step[0] != 'k' || i == at && !p.Doubt || m.pressed(step) {
			continue
		}
		switch { // it was pressed in the moment in which it, or what passes a click on, died
		case i < at && m.dead && m.shown():
			return m.from(i)
		case i < at && m.dead:
			return m.from(i - 1)
		}
	}
	m.isTrue(p, at)
	switch done := m.done(p.From); {
	case p.Doubt && done:
		return []string{"--skip"}
	case done:
		return m.from(at + 1)
	case p.From[0] == 'k' && !m.shown():
		return m.from(at - 1)
	case p.Doubt:
		m.redone = p.From
		return []string{"--redo"}
	}
	return nil
}

// isTrue holds a plan to what was done: all before its step, nothing after it,
// and the step itself only if that is in doubt.
func (m *mortal) isTrue(p deathPlan, at int) {
	m.Helper()
	for i, step := range mortalSteps {
		done := m.done(step)
		if i < at && !done || i > at && done || i == at && done && !p.Doubt && m.redone != step {
			m.Errorf("it says that it goes on at %s (doubt: %t), and that step %s was done is %t\n%s", p.From, p.Doubt, step, done, strings.Join(m.history, "\n"))
		}
	}
}

// shown says whether the application shows itself.
func (m *mortal) shown() bool {
	for _, name := range m.processes() {
		if name == mortals["application"] {
			return true
		}
	}
	return false
}

// from begins again at a step: what was done there and later is done once more,
// by decision.
func (m *mortal) from(at int) []string {
	m.before = maps.Clone(m.base)
	for _, step := range mortalSteps[at:] {
		m.base[step] = m.count(step)
	}
	return []string{"--from", mortalSteps[at]}
}

// attempt lets the run go on until it stands still, and does something meanwhile.
func (m *mortal) attempt(meanwhile func(over <-chan struct{})) (took time.Duration, whole bool) {
	m.Helper()
	args := m.decides()
	if args == nil {
		return 0, true
	}
	m.note("understudy %s", strings.Join(args, " "))
	cmd, out, over := m.command(args...), &scratch.Buffer{}, make(chan struct{})
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		m.Fatal(err)
	}
	began := time.Now()
	var err error
	go func() { defer close(over); err = cmd.Wait() }()
	meanwhile(over)
	select {
	case <-over:
	case <-time.After(time.Until(scratch.Deadline(m))):
		_ = cmd.Process.Kill()
		m.Fatalf("it does not stand still:\n%s\n%s", out, strings.Join(m.history, "\n"))
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		m.Fatal(err)
	}
	m.note("it ended: %v\n%s", cmd.ProcessState, out)
	return time.Since(began), err == nil
}

// finishes brings the run to its end, with nobody dying any more.
func (m *mortal) finishes() {
	m.Helper()
	for range 20 {
		if _, whole := m.attempt(func(<-chan struct{}) {}); whole {
			m.verify()
			return
		}
	}
	m.Fatalf("it comes to no end:\n%s", strings.Join(m.history, "\n"))
}

// verify counts what was done, and what is left.
func (m *mortal) verify() {
	m.Helper()
	m.quiet()
	for _, step := range mortalSteps {
		if n := m.count(step) - m.base[step]; n != 1 {
			m.Errorf("step %s was done %d times\n%s", step, n, strings.Join(m.history, "\n"))
		}
	}
	m.does(0, "runs", "check")
	m.does(0, "service", "stop")
	var left []string
	for deadline := scratch.Deadline(m); ; time.Sleep(10 * time.Millisecond) {
		if left = m.leftovers(); len(left) == 0 || time.Now().After(deadline) {
			break
		}
	}
	if len(left) > 0 {
		m.Errorf("left behind: %q\n%s", left, strings.Join(m.history, "\n"))
	}
}

// leftovers are processes, folders, locks and sockets of desktops.
func (m *mortal) leftovers() (left []string) {
	virtual.List(filepath.Join(m.dir, "data", "display")) // clears away what dead ones left
	for pid, name := range m.processes() {
		left = append(left, fmt.Sprintf("process %d: %s", pid, name))
	}
	for _, pattern := range []string{"desktop-*", "display-*", "*.new"} {
		found, _ := filepath.Glob(filepath.Join(m.dir, "data", "display", pattern))
		left = append(left, found...)
	}
	for number := range m.seen {
		if socket := virtual.SocketOf(number); virtual.IsDead(socket) { // else another has the number now
			left = append(left, socket)
		}
	}
	return left
}

// TestRunSurvivesKillsInAnyOrder ends the parts of a run on a desktop in each order,
// at once, while its application shows itself, and brings the run to its end.
func TestRunSurvivesKillsInAnyOrder(t *testing.T) {
	needsDeaths(t)
	for order := range permutations([]string{"engine", "keeper", "X server", "window manager"}) {
		t.Run(strings.Join(order, ", "), func(t *testing.T) {
			t.Parallel()
			m := newMortal(t)
			m.attempt(func(over <-chan struct{}) {
				m.until("the application shows itself", m.shown)
				for _, part := range order {
					m.kill(part)
				}
			})
			m.finishes()
		})
	}
}

// permutations are the orders that some words can have.
func permutations(words []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if len(words) < 2 {
			yield(words)
			return
		}
		for i := range words {
			rest := slices.Concat(words[:i], words[i+1:])
			for order := range permutations(rest) {
				if !yield(append([]string{words[i]}, order...)) {
					return
				}
			}
		}
	}
}

// TestRunsSurviveRandomKills lets the parts of runs on desktops die at random instants.
func TestRunsSurviveRandomKills(t *testing.T) {
	needsDeaths(t)
	t.Parallel()
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64()
	}
	var died, worlds atomic.Int64
	mean := &meanTime{mean: 4 * time.Second}
	count := map[string]int{}
	var mu sync.Mutex
	t.Run("worlds", func(t *testing.T) {
		for worker := range uint64(2) {
			t.Run(fmt.Sprintf("worker %d of seed %d", worker, chosen), func(t *testing.T) {
				t.Parallel()
				chance := rand.New(rand.NewPCG(chosen, worker))
				for died.Load() < int64(*deaths) && !t.Failed() {
					worlds.Add(1)
					t.Run(fmt.Sprintf("run %d", worlds.Load()), func(t *testing.T) {
						m := newMortal(t)
						for range 1 + chance.IntN(4) {
							part := slices.Sorted(maps.Keys(mortals))[chance.IntN(len(mortals))]
							after := time.Duration(chance.Float64() * float64(mean.get()))
							took, whole := m.attempt(func(over <-chan struct{}) {
								select {
								case <-time.After(after):
								case <-over:
									return
								}
								if m.kill(part) {
									died.Add(1)
									mu.Lock()
									count[part]++
									mu.Unlock()
								}
							})
							if whole {
								mean.learn(took)
								break
							}
						}
						m.finishes()
					})
				}
			})
		}
	})
	t.Logf("seed %d: %d processes died in %d runs: %v; an attempt takes %s", chosen, died.Load(), worlds.Load(), count, mean.get())
}

// meanTime is how long an attempt takes that nothing disturbs.
type meanTime struct {
	mu   sync.Mutex
	mean time.Duration
}

func (p *meanTime) get() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mean
}

func (p *meanTime) learn(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > 0 {
		p.mean += (d - p.mean) / 4
	}
}
