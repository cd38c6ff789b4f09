//go:build unix

package fleet

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/hub"
	"understudy/internal/testing/scratch"
	"understudy/store/jetstream"
)

var (
	chaosRuns  = flag.Int("runs", 0, "how many runs TestChaos begins; 0: it is left out")
	chaosSteps = flag.Int("steps", 30, "how many steps each of them has")
	chaosSeed  = flag.Uint64("seed", 0, "chooses what dies, and when; 0: by the clock")
	chaosOlder = flag.String("older", "", "this test program of an older version, of which every other worker is; empty: none is")
)

// chaosLease is the shortest that a worker takes.
const chaosLease = 12 * time.Second

// partVariable makes this test program a node or a worker of the fleet.
const partVariable = "UNDERSTUDY_FLEET_PART"

func TestMain(m *testing.M) {
	if os.Getenv(partVariable) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	cutWhenTold(ctx)
	var err error
	switch os.Getenv(partVariable) {
	case "node":
		err = beNode(ctx, os.Args[1:])
	case "worker":
		err = beWorker(ctx, os.Args[1:])
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func beNode(ctx context.Context, args []string) error {
	h, err := hub.Start(hub.Options{
		Dir: args[0], Name: args[1], Listen: args[2], ClusterListen: args[3], Join: strings.Split(args[4], ","),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return h.Close()
}

func beWorker(ctx context.Context, args []string) error {
	name, url, credential, world := args[0], args[1], args[2], args[3]
	st, end, err := openStore(ctx, jetstream.Address{URL: url, Credential: credential}, jetstream.Options{Lease: chaosLease, Replicas: 3})
	if err != nil {
		return err
	}
	defer end()
	w := &Worker{
		Store: st, Name: name, Desktops: 2, DrainTime: time.Minute, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)).With("worker", name),
		Engine: &engine.Engine{Store: st, Files: st, Kinds: worldKinds(world, name), Desk: noDesk{}, Lease: engine.Lease{Places: 2}},
	}
	return w.Run(ctx)
}

// A part is a process of the fleet that can die and come back.
type part struct {
	t    *testing.T
	role string
	args []string
	cmd  *exec.Cmd
	log  string

	program string // of an older version; empty: this one
}

func (p *part) start() {
	p.t.Helper()
	log, err := os.OpenFile(p.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	p.cmd = exec.Command(cmp.Or(p.program, os.Args[0]), p.args...)
	p.cmd.Env = append(os.Environ(), partVariable+"="+p.role)
	p.cmd.Stderr = log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *part) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it may have ended

func (p *part) kill() {
	p.signal(syscall.SIGKILL)
	_ = p.cmd.Wait() // it says that it was killed
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// chaos is a fleet of three nodes and four workers, all processes of their own.
type chaos struct {
	*stage
	random  *rand.Rand
	nodes   []*part
	workers []*part
	did     map[string]int // how often it did what
}

func newChaos(t *testing.T, seed uint64) *chaos {
	dir := t.TempDir()
	s := &stage{t: t, dir: dir, world: filepath.Join(dir, "world")}
	c := &chaos{stage: s, random: rand.New(rand.NewPCG(seed, seed)), did: map[string]int{}}
	first, err := hub.Start(hub.Options{Dir: dir, Listen: "127.0.0.1:-1"}) // it makes the credentials
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var listen, cluster, urls []string
	for range 3 {
		listen, cluster = append(listen, freeAddress(t)), append(cluster, freeAddress(t))
		urls = append(urls, "nats://"+listen[len(listen)-1])
	}
	for i := range 3 {
		home := filepath.Join(dir, fmt.Sprint("node", i))
		if err := os.CopyFS(hub.Credentials(home), os.DirFS(hub.Credentials(dir))); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("node", i)
		c.nodes = append(c.nodes, &part{t: t, role: "node", log: filepath.Join(dir, name+".log"), args: []string{home, name, listen[i], cluster[i], strings.Join(cluster, ",")}})
	}
	url := strings.Join(urls, ",")
	for i := range 4 {
		name := fmt.Sprint("worker", i)
		c.workers = append(c.workers, &part{t: t, role: "worker", log: filepath.Join(dir, name+".log"), args: []string{name, url, filepath.Join(hub.Credentials(dir), "default-worker.nk"), s.world}})
		if i%2 == 1 {
			c.workers[i].program = *chaosOlder
		}
	}
	for _, p := range c.nodes {
		p.start()
		t.Cleanup(p.kill)
	}
	c.connect(url)
	for _, p := range c.workers {
		p.start()
		t.Cleanup(p.kill)
	}
	return c
}

func (c *chaos) connect(url string) {
	c.t.Helper()
	a := jetstream.Address{URL: url, Credential: filepath.Join(hub.Credentials(c.dir), "default-client.nk")}
	var err error
	for late := scratch.Deadline(c.t); time.Now().Before(late); time.Sleep(200 * time.Millisecond) {
		var st *jetstream.Store
		var end func()
		if st, end, err = openStore(c.t.Context(), a, jetstream.Options{Lease: chaosLease, Replicas: 3}); err != nil {
			continue
		}
		c.t.Cleanup(end)
		if c.Client, err = NewClient(c.t.Context(), st, worldKinds(c.world, "client")); err == nil {
			return
		}
	}
	c.t.Fatalf("three nodes do not make a fleet: %v", err)
}

// disturb does harm to one part of the fleet, and mends it. One node at a time
// is harmed, for two are more than three can do without.
func (c *chaos) disturb(ctx context.Context) {
	worker, node := c.workers[c.random.IntN(len(c.workers))], c.nodes[c.random.IntN(len(c.nodes))]
	pause := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	what := c.random.IntN(7)
	if what == 5 && (!canCut || worker.program != "") || what == 6 && !canCut {
		what = 1 // an older version knows nothing of being cut off
	}
	switch what {
	case 0, 1:
		c.did["worker killed"]++
		worker.kill()
		pause(time.Second)
		worker.start()
	case 2:
		c.did["worker stopped for longer than its lease"]++
		worker.signal(syscall.SIGSTOP)
		pause(chaosLease + 2*time.Second)
		worker.signal(syscall.SIGCONT)
	case 3:
		c.did["node killed"]++
		node.kill()
		pause(2 * time.Second)
		node.start()
		pause(8 * time.Second) // it catches up before another goes
	case 4:
		c.did["node stopped"]++
		node.signal(syscall.SIGSTOP)
		pause(5 * time.Second)
		node.signal(syscall.SIGCONT)
		pause(5 * time.Second)
	case 5:
		c.did["worker cut off for longer than its lease"]++
		worker.signal(cutSignal)
		pause(chaosLease + 2*time.Second)
		worker.signal(mendSignal)
	case 6:
		c.did["node cut off"]++
		node.signal(cutSignal)
		pause(8 * time.Second)
		node.signal(mendSignal)
		pause(5 * time.Second)
	}
	pause(time.Duration(500+c.random.IntN(2000)) * time.Millisecond)
}

// settle waits until a run ends. When it asks whether a step was done, it is told
// what stands in the world.
func (c *chaos) settle(ctx context.Context, run string) (engine.Header, error) {
	for {
		h, err := c.Wait(ctx, run)
		if ctx.Err() != nil {
			return h, fmt.Errorf("run %s: %w (%s, worker %s)", run, ctx.Err(), h.Status, h.Worker)
		}
		if err != nil || h.Status != engine.Waiting {
			if err == nil {
				return h, nil
			}
			time.Sleep(200 * time.Millisecond) // there is no leader now
			continue
		}
		choice := engine.Redo
		if strings.Contains(c.stage.did(run)+", ", h.Question.ID+" worker") {
			choice = engine.SkipStep
		}
		_, err = c.Answer(ctx, run, engine.Answer{Choice: choice})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// takeovers are how long a run stood still each time when its worker was lost.
func (c *chaos) takeovers(run string) (all []time.Duration) {
	var last time.Time
	for ev, err := range engine.History(c.t.Context(), c, run) {
		if err != nil {
			c.t.Error(err)
			return all
		}
		if ev.Type == engine.EvResumed {
			all = append(all, ev.At.Sub(last).Round(100*time.Millisecond))
		}
		last = ev.At
	}
	return all
}

func (c *chaos) document() string {
	var b strings.Builder
	b.WriteString("name: chaos\nsteps:\n")
	for i := range *chaosSteps {
		fmt.Fprintf(&b, "  - {id: s%d-, tool_name: act, arguments: {name: s%d-, for: 120}}\n", i, i)
	}
	return b.String()
}

// TestChaos holds that every run ends with each of its steps done once, whatever
// dies, stops and comes back. The world in which steps leave a line is the judge.
func TestChaos(t *testing.T) {
	if *chaosRuns == 0 {
		t.Skip("make chaos plays it")
	}
	seed := *chaosSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed=%d chooses what dies; two of four workers are of an older version: %t", seed, *chaosOlder != "")
	c := newChaos(t, seed)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*chaosRuns)*10*time.Second+5*time.Minute)
	defer cancel()
	began := time.Now()
	var runs []string
	for range *chaosRuns {
		runs = append(runs, c.begin(c.document(), nil).ID)
	}
	harm, quiet := context.WithCancel(ctx)
	harmed := make(chan struct{})
	go func() {
		defer close(harmed)
		for harm.Err() == nil {
			c.disturb(harm)
		}
	}()
	ended := map[engine.Status]int{}
	twice, missing, attempts := 0, 0, 0
	var takeovers []time.Duration
	for _, run := range runs {
		h, err := c.settle(ctx, run)
		if err != nil {
			t.Error(err)
			break
		}
		ended[h.Status]++
		attempts += h.Attempt - 1
		takeovers = append(takeovers, c.takeovers(run)...)
		if h.Status != engine.Succeeded {
			t.Errorf("run %s is %s: %+v", run, h.Status, h.Error)
		}
	}
	quiet()
	<-harmed
	for _, run := range runs {
		did := c.stage.did(run)
		for i := range *chaosSteps {
			switch n := strings.Count(did, fmt.Sprintf("s%d- worker", i)); {
			case n > 1:
				twice++
				t.Errorf("run %s did step %d %d times", run, i, n)
			case n == 0:
				missing++
				t.Errorf("run %s left out step %d", run, i)
			}
		}
	}
	if slices.Sort(takeovers); len(takeovers) > 0 {
		t.Logf("with a lease of %s, from the last event to the first one of another worker: %s in the median, %s at most", chaosLease, takeovers[len(takeovers)/2], takeovers[len(takeovers)-1])
	}
	t.Logf("%d runs of %d steps in %s: %v; %d attempts were taken over; %v; done twice: %d, missing: %d",
		len(runs), *chaosSteps, time.Since(began).Round(time.Second), ended, attempts, c.did, twice, missing)
}
